package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
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
func openModel(c config.Config) (llm.Model, error) {
	return openModelIn(os.Getenv, c)
}

func openModelIn(env lookup, c config.Config) (llm.Model, error) {
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
	m, err := v.openIn(env, &c)
	if err != nil {
		return nil, err
	}
	return sharedLimits.around(m, &c), nil
}

func isWordMatcher(name string) bool { return name == wordMatcher || name == wordMatcher+"/words" }

// hasPlace reports whether a configuration says where to ask.
func hasPlace(c *config.Config) bool {
	if c.BaseURL != "" {
		return true
	}
	if o := c.ProviderOptions; o != nil {
		return o.Vertex != nil || o.Azure != nil && (o.Azure.BaseURL != "" || o.Azure.ResourceName != "")
	}
	return false
}

// modelFlags name the model and where it is asked.
type modelFlags struct {
	model   string
	baseURL string
}

// newModel makes the model that the flags name. Several with commas between them
// are asked in turn, until one answers.
func (f *modelFlags) newModel() (llm.Model, error) {
	var models []llm.Model
	for name := range strings.SplitSeq(f.model, ",") {
		m, err := f.sharedModel(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	if len(models) == 1 {
		return models[0], nil
	}
	return middleware.Fallback(models[1:]...)(models[0]), nil
}

// sharedModel makes one model, within the limits that all of this process share.
func (f *modelFlags) sharedModel(name string) (llm.Model, error) {
	m, c, err := f.namedModel(name)
	if err != nil || c == nil {
		return m, err
	}
	return sharedLimits.around(m, c), nil
}

// namedModel makes one model, without middleware; what that takes is beside it. The
// address that a flag names comes from the owner of the environment, so the key of
// the environment is sent there.
func (f *modelFlags) namedModel(named string) (llm.Model, *config.Config, error) {
	if isWordMatcher(named) {
		if f.baseURL != "" {
			return nil, nil, usage("--base-url needs --model, as --model openai/NAME")
		}
		return offline.New(), nil, nil
	}
	provider, name, ok := strings.Cut(named, "/")
	if !ok || name == "" {
		return nil, nil, usage("--model %q: write provider/name, as openai/gpt-5, or offline", named)
	}
	c := &config.Config{ModelName: named, BaseURL: f.baseURL}
	var m llm.Model
	var err error
	switch v, known := vendorOf(config.Provider(provider)); {
	case !known && f.baseURL == "":
		return nil, nil, usage("--model %s: there is no provider %q, there are %s; with --base-url, any name will do", named, provider, vendorNames())
	case !known:
		c.APIKey = llm.NewSecret(os.Getenv("OPENAI_API_KEY"))
		m, err = openai.New(openai.Options{Model: name, APIKey: c.APIKey, BaseURL: f.baseURL, Provider: provider})
	case f.baseURL != "":
		if err = v.takeOver(os.Getenv, c); err == nil {
			m, err = v.open(c, os.Getenv)
		}
	default:
		m, err = v.openIn(os.Getenv, c)
	}
	if err != nil {
		return nil, nil, notOpened(named, err)
	}
	return m, c, nil
}

// notOpened is the error of a model that could not be made.
func notOpened(named string, err error) error {
	var e *llm.Error
	if errors.As(err, &e) && e.Kind == llm.KindAuth {
		return missing(&advisedError{fmt.Errorf("model %s: %s", named, e.Message),
			"set it, or use --base-url for a server of your own, or --model offline; 'wayfinder models' shows what is set"})
	}
	return usage("model %s: %v", named, err)
}

// vendorNames lists the providers for people.
func vendorNames() string {
	var names []string
	for _, v := range vendors {
		names = append(names, string(v.name))
	}
	return strings.Join(names, ", ")
}

// modelLimits keep what the models of this process share: a breaker for each
// endpoint, and a limit for each key. They may be used from several goroutines
// at once.
type modelLimits struct {
	requests, tokens int // of each key: at once, and in a minute; 0 is no limit

	mu       sync.Mutex // protects the fields below
	breakers map[digest]*middleware.Breaker
	limits   map[digest]*middleware.Limiter
}

// sharedLimits are those of this process.
var sharedLimits modelLimits

// A digest stands for an endpoint or a key. It gives neither away.
type digest [sha256.Size]byte

// maxKept bounds what is kept where clients bring endpoints and keys of their
// own. Beyond it, all is forgotten: a breaker is then closed, a limit full.
const maxKept = 4096

// around puts middleware around a model that a configuration made.
func (g *modelLimits) around(m llm.Model, c *config.Config) llm.Model {
	g.mu.Lock()
	defer g.mu.Unlock()
	breaker := keep(&g.breakers, endpointOf(m, c), func() *middleware.Breaker { return &middleware.Breaker{} })
	var limiter *middleware.Limiter
	if g.requests > 0 || g.tokens > 0 {
		limiter = keep(&g.limits, keyOf(m, c), func() *middleware.Limiter {
			return &middleware.Limiter{Requests: g.requests, TokensPerMinute: g.tokens}
		})
	}
	return middleware.Wrap(m, middleware.Retry(nil), middleware.Break(breaker), middleware.Limit(limiter))
}

func keep[T any](kept *map[digest]*T, d digest, fresh func() *T) *T {
	if *kept == nil || len(*kept) >= maxKept {
		*kept = map[digest]*T{}
	}
	if (*kept)[d] == nil {
		(*kept)[d] = fresh()
	}
	return (*kept)[d]
}

// endpointOf is a model at an address: one that is overloaded says nothing of
// the others there.
func endpointOf(m llm.Model, c *config.Config) digest {
	return digestOf(m.Name(), c.BaseURL, c.ProviderOptions)
}

// keyOf identifies the account that pays. Where the configuration has no key, it is
// that of the environment.
func keyOf(m llm.Model, c *config.Config) digest {
	var token, account string
	if c.Auth != nil {
		token = c.Auth.Token.Reveal()
		if c.Auth.Credentials != nil {
			account = c.Auth.Credentials.ClientEmail
		}
	}
	provider, _, _ := strings.Cut(m.Name(), "/")
	return digestOf(provider, c.BaseURL, c.APIKey.Reveal(), token, account)
}

func digestOf(parts ...any) digest {
	raw, err := json.Marshal(parts)
	if err != nil {
		return digest{} // all parts are strings, and structs of them
	}
	return sha256.Sum256(raw)
}
