package server

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// Models say which models sessions have.
type Models struct {
	// Make makes the model that a client asks for; nil knows none. An error
	// that wraps *[llm.Error] is the provider's, any other the client's.
	Make func(ModelRequest) (llm.Model, error)

	// Named are models by names of the operator's own. They are looked up
	// before Make is asked, for requests that bring no key and no address of
	// their own.
	Named map[string]llm.Model

	// Default is the model of sessions that name none; nil: every session has
	// to name one.
	Default llm.Model

	// NoAddresses refuses model configurations with an address (baseURL, a
	// service account's token_uri, another universe's domain), which the server
	// would call for its client.
	NoAddresses bool
}

// config reads a model's configuration. One that the operator has named
// needs no provider.
func (m *Models) config(raw wire.Model) (*config.Config, error) {
	var name string
	if json.Unmarshal(raw, &name) == nil && m.Named[name] != nil {
		return &config.Config{ModelName: name}, nil
	}
	chosen, err := config.Parse(raw)
	if err == nil && m.NoAddresses && namesAddress(chosen) {
		return nil, newFault(wire.Forbidden, "a model's address (baseURL and the like) is not left to clients by this server's operator")
	}
	return chosen, err
}

// A ModelRequest is a model that a client asks for.
type ModelRequest struct {
	// Config holds the client's key, if it gave one.
	Config config.Config

	// OwnKey reports that the operator's key may be used: the client gave
	// none, and names no address of its own, where a key would be given away.
	OwnKey bool
}

// namesAddress reports a configuration that would have the server call an
// address of the client's choice.
func namesAddress(c *config.Config) bool {
	addresses := []string{c.BaseURL}
	if a := c.Auth; a != nil {
		addresses = append(addresses, otherThan(a.UniverseDomain, "googleapis.com"))
		if a.Credentials != nil {
			addresses = append(addresses, otherThan(a.Credentials.UniverseDomain, "googleapis.com"),
				otherThan(a.Credentials.TokenURI, "https://oauth2.googleapis.com/token", "https://accounts.google.com/o/oauth2/token"))
		}
	}
	if o := c.ProviderOptions; o != nil {
		if o.Vertex != nil {
			addresses = append(addresses, o.Vertex.BaseURL)
		}
		if o.Azure != nil {
			addresses = append(addresses, o.Azure.BaseURL)
		}
	}
	return slices.ContainsFunc(addresses, func(address string) bool { return address != "" })
}

// otherThan returns an address unless it is one of the usual ones.
func otherThan(address string, usual ...string) string {
	if slices.Contains(usual, address) {
		return ""
	}
	return address
}

// mayHaveOwnKey reports that nothing of the operator's would be given to an
// address that the client chose.
func mayHaveOwnKey(c *config.Config) bool {
	address := c.BaseURL
	if o := c.ProviderOptions; o != nil {
		if o.Vertex != nil {
			address += o.Vertex.BaseURL
		}
		if o.Azure != nil {
			address += o.Azure.BaseURL + o.Azure.ResourceName
		}
	}
	return c.APIKey.IsZero() && c.Auth == nil && address == ""
}

// modelName is the short form of a [wire.Model].
func modelName(name string) wire.Model {
	raw, err := json.Marshal(name)
	if err != nil {
		return nil // a string always encodes
	}
	return raw
}

// sharpen puts what package llm says about a model in the place of what the
// schema says, which has four forms to compare and can't tell which is meant.
func sharpen(doc []byte, err error) error {
	var failed *schema.ValidationError
	if !errors.As(err, &failed) {
		return err
	}
	var issues []schema.Issue
	for _, issue := range failed.Issues {
		var own *schema.ValidationError
		if n := len(issue.Path); n == 0 || issue.Path[n-1] != "model" && issue.Path[n-1] != "executionModel" {
			issues = append(issues, issue)
		} else if _, err := config.Parse(partOf(doc, issue.Path)); !errors.As(err, &own) {
			issues = append(issues, issue)
		} else {
			for _, inner := range own.Issues {
				inner.Path = append(slices.Clone(issue.Path), inner.Path...)
				issues = append(issues, inner)
			}
		}
	}
	return &schema.ValidationError{Issues: issues}
}

// partOf returns the value at a path of member names; nil if there is none.
func partOf(doc []byte, path []any) []byte {
	for _, step := range path {
		var members map[string]json.RawMessage
		name, isName := step.(string)
		if !isName || json.Unmarshal(doc, &members) != nil {
			return nil
		}
		doc = members[name]
	}
	return doc
}
