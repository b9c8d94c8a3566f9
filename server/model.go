package server

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// modelConfig reads a model's configuration. One that the operator has named
// needs no provider.
func (s *core) modelConfig(raw wire.Model) (*config.Config, error) {
	var name string
	if json.Unmarshal(raw, &name) == nil && s.opts.Models.Named[name] != nil {
		return &config.Config{ModelName: name}, nil
	}
	chosen, err := config.Parse(raw)
	if err == nil && s.opts.Models.NoAddresses && namesAddress(chosen) {
		return nil, newFault(wire.Forbidden, "a model's address (baseURL and the like) is not left to clients by this server's operator")
	}
	return chosen, err
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

// model returns the model that a request uses: its own, or its session's. The
// key is looked for in the configuration, then in the header, then it is the
// operator's.
func (w *work) model(own wire.Model) (llm.Model, error) {
	return w.modelAt(own, "options", "model")
}

// modelAt is model for a model named elsewhere in the request.
func (w *work) modelAt(own wire.Model, place ...any) (llm.Model, error) {
	s := w.core
	raw := own
	if raw == nil && w.session.model == "" {
		if s.opts.Models.Default == nil {
			return nil, invalid(place, "is required: the session has no model, as that of a script that does without")
		}
		return middleware.Wrap(w.session.record.Model(s.opts.Models.Default), middleware.Meter()), nil // a session without a name has it
	}
	if raw == nil {
		raw = modelName(w.session.model)
	}
	chosen, err := s.modelConfig(raw)
	if err != nil {
		return nil, invalidDocument(err, place...)
	}
	if m := s.opts.Models.Named[chosen.ModelName]; m != nil && mayHaveOwnKey(chosen) {
		return middleware.Wrap(w.session.record.Model(m), middleware.Meter()), nil
	}
	if s.opts.Models.Make == nil {
		return nil, invalid(place, "%s: this server has no such model", chosen.ModelName)
	}
	if chosen.APIKey.IsZero() && chosen.Auth == nil {
		chosen.APIKey = llm.NewSecret(w.modelKey)
	}
	m, err := s.opts.Models.Make(ModelRequest{Config: *chosen, OwnKey: mayHaveOwnKey(chosen)})
	var provider *llm.Error
	switch {
	case errors.As(err, &provider):
		return nil, err
	case err != nil:
		return nil, invalid(place, "%v", chosen.APIKey.Scrub(err.Error()))
	}
	return middleware.Wrap(w.session.record.Model(m), middleware.Meter()), nil
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
