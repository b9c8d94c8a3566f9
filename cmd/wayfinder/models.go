package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/llm/openai"
)

// wordMatcher is the name of the model that needs no vendor.
const wordMatcher = "offline"

// openModel returns the model that a configuration means, with what surrounds
// every model here. The name offline is that of the word matcher.
//
// What the configuration leaves out is taken from the environment. It may come
// from somebody else than the environment does, as in a request to a server: a
// key of the environment is therefore sent to the vendor's own address or to
// one of the environment, and never to one that the configuration names.
func openModel(c llm.Config) (llm.Model, error) {
	return openModelIn(os.Getenv, c)
}

func openModelIn(env lookup, c llm.Config) (llm.Model, error) {
	if isWordMatcher(c.ModelName) && c.Provider == "" && c.BaseURL == "" {
		return offline.New(), nil
	}
	provider, _, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	v, ok := vendorOf(provider)
	if !ok {
		return nil, &llm.Error{Provider: string(provider), Kind: llm.KindUnsupported, Message: "this program has no adapter for its models"}
	}
	if hasPlace(&c) {
		env = func(string) string { return "" }
	} else if err := v.complete(env, &c); err != nil {
		return nil, err
	}
	m, err := v.open(&c, env)
	if err != nil {
		return nil, err
	}
	return guarded(m), nil
}

// guarded puts around a model what surrounds every model here.
func guarded(m llm.Model) llm.Model { return llm.WithRetry(m, nil) }

func isWordMatcher(name string) bool { return name == wordMatcher || name == wordMatcher+"/words" }

// complete adds what the environment has to a configuration that names no
// place of its own.
func (v *vendor) complete(env lookup, c *llm.Config) error {
	own := !c.APIKey.IsZero() || c.Auth != nil // it brings a key of its own
	if lacking := v.missing(env); !own && len(lacking) > 0 {
		return v.lacks(lacking)
	}
	return v.takeOver(env, c)
}

// takeOver puts into a configuration what the environment has and it has not.
func (v *vendor) takeOver(env lookup, c *llm.Config) error {
	if _, key := env.first(v.keys); c.APIKey.IsZero() && c.Auth == nil {
		c.APIKey = llm.NewSecret(key)
	}
	if _, address := env.first(v.addresses); c.BaseURL == "" {
		c.BaseURL = address
	}
	if v.more == nil {
		return nil
	}
	return v.more(v, env, c)
}

// hasPlace reports whether a configuration says where to ask.
func hasPlace(c *llm.Config) bool {
	if c.BaseURL != "" {
		return true
	}
	if o := c.ProviderOptions; o != nil {
		return o.Vertex != nil || o.Azure != nil && (o.Azure.BaseURL != "" || o.Azure.ResourceName != "")
	}
	return false
}

// lacks is the error of a vendor that is not configured.
func (v *vendor) lacks(lacking []need) error {
	var words []string
	for _, n := range lacking {
		if len(n) == 1 && len(n[0]) == 1 {
			words = append(words, "the variable "+n.String()+" is not set")
		} else {
			words = append(words, "none of the variables "+n.String()+" is set")
		}
	}
	return &llm.Error{Provider: string(v.name), Kind: llm.KindAuth, Message: strings.Join(words, "; ")}
}

// newModel makes the model that the flags name. Here, whoever names an address
// has the environment too, so that its key is sent there.
func (s *settings) newModel() (llm.Model, error) {
	if isWordMatcher(s.model) {
		if s.baseURL != "" {
			return nil, usage("--base-url needs --model, as --model openai/NAME")
		}
		return offline.New(), nil
	}
	provider, name, ok := strings.Cut(s.model, "/")
	if !ok || name == "" {
		return nil, usage("--model %q: write provider/name, as openai/gpt-5, or offline", s.model)
	}
	var m llm.Model
	var err error
	switch v, known := vendorOf(llm.Provider(provider)); {
	case !known && s.baseURL == "":
		return nil, usage("--model %s: there is no provider %q, there are %s; with --base-url, any name will do", s.model, provider, vendorNames())
	case !known:
		key := os.Getenv("OPENAI_API_KEY")
		m, err = openai.New(openai.Options{Model: name, APIKey: llm.NewSecret(key), BaseURL: s.baseURL, Provider: provider})
		if err == nil {
			m = guarded(m)
		}
	case s.baseURL != "":
		c := llm.Config{ModelName: s.model, BaseURL: s.baseURL}
		if err = v.takeOver(os.Getenv, &c); err == nil {
			m, err = v.open(&c, os.Getenv)
		}
		if err == nil {
			m = guarded(m)
		}
	default:
		m, err = openModel(llm.Config{ModelName: s.model})
	}
	var e *llm.Error
	switch {
	case err == nil:
		return m, nil
	case errors.As(err, &e) && e.Kind == llm.KindAuth:
		return nil, missing(&advisedError{fmt.Errorf("model %s: %s", s.model, e.Message),
			"set it, or use --base-url for a server of your own, or --model offline; 'wayfinder models' shows what is set"})
	default:
		return nil, usage("model %s: %v", s.model, err)
	}
}

// vendorNames lists the providers for people.
func vendorNames() string {
	var names []string
	for _, v := range vendors {
		names = append(names, string(v.name))
	}
	return strings.Join(names, ", ")
}
