package config

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/wayfinder-engine/wayfinder/schema"
)

//go:embed forms.json
var configForms []byte

// forms are the four closed forms by name. The providers of the generic one are all
// that have no form of their own.
var forms = sync.OnceValues(func() (map[string]*schema.Schema, error) {
	var document struct {
		Ref  string                     `json:"$ref"`
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	err := json.Unmarshal(configForms, &document)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(Providers(), func(p Provider) bool { return p == Vertex || p == Azure })
	if document.Defs["others"], err = json.Marshal(map[string]any{"enum": others}); err != nil {
		return nil, err
	}
	compiled := map[string]*schema.Schema{}
	for _, name := range []string{"vertex", "azureToken", "azureKey", "generic"} {
		document.Ref = "#/$defs/" + name
		raw, err := json.Marshal(document)
		if err != nil {
			return nil, err
		}
		if compiled[name], err = schema.Parse(raw); err != nil {
			return nil, err
		}
	}
	return compiled, nil
})

// Parse reads a model configuration: a JSON string "provider/model", or
// an object of exactly one of four forms, which are closed.
//
//   - for Vertex: modelName, provider, auth (a service account),
//     providerOptions.vertex, and apiKey, baseURL, headers if need be;
//   - for Azure with an identity's token: modelName, provider, auth,
//     providerOptions.azure, and baseURL, headers;
//   - for Azure with a key: the same with apiKey in place of auth;
//   - for all others: modelName, and provider, apiKey, baseURL, headers,
//     openaiEndpointFormat.
//
// Everything that is wrong is in a [*schema.ValidationError], with its path.
func Parse(raw []byte) (*Config, error) {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		c := &Config{ModelName: name}
		return c, c.check()
	}
	document, written, err := withCanonicalWords(raw)
	if err != nil {
		return nil, err
	}
	compiled, err := forms()
	if err != nil {
		return nil, fmt.Errorf("llm: own schema: %w", err)
	}
	canonicalRaw, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	c, err := schema.Decode[*Config](compiled[formOf(document)], canonicalRaw)
	if err != nil {
		return nil, asWritten(err, written)
	}
	return c, c.check()
}

// formOf tells which of the forms a document means to be.
func formOf(document map[string]any) string {
	_, hasAuth := document["auth"]
	switch document["provider"] {
	case string(Vertex):
		return "vertex"
	case string(Azure):
		if hasAuth {
			return "azureToken"
		}
		return "azureKey"
	default:
		return "generic"
	}
}

// withCanonicalWords decodes a document with its neutral words replaced, and
// returns those of its member names that were.
func withCanonicalWords(raw []byte) (document map[string]any, written map[string]string, err error) {
	anything, err := schema.Parse([]byte(`{"type":"object"}`))
	if err != nil {
		return nil, nil, err
	}
	if err := anything.Validate(raw); err != nil { // also bounds its depth
		return nil, nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&document); err != nil {
		return nil, nil, err
	}
	replaceWord(document, "provider")
	if auth, ok := document["auth"].(map[string]any); ok {
		replaceWord(auth, "type")
	}
	written = map[string]string{}
	if options, ok := document["providerOptions"].(map[string]any); ok {
		for name, value := range options {
			if c := canonical(name); c != name {
				if _, both := options[c]; both {
					return nil, nil, &schema.ValidationError{Issues: []schema.Issue{{
						Path: []any{"providerOptions", name}, Message: "means the same as " + c + ", which is there too"}}}
				}
				delete(options, name)
				options[c] = value
				written[c] = name
			}
		}
	}
	return document, written, nil
}

func replaceWord(o map[string]any, name string) {
	if word, ok := o[name].(string); ok {
		o[name] = canonical(word)
	}
}

// asWritten puts the words that the user wrote into the paths of issues.
func asWritten(err error, written map[string]string) error {
	var invalid *schema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	for _, issue := range invalid.Issues {
		if len(issue.Path) > 1 && issue.Path[0] == "providerOptions" {
			if name, ok := issue.Path[1].(string); ok && written[name] != "" {
				issue.Path[1] = written[name]
			}
		}
	}
	return invalid
}
