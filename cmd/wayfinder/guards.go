package main

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// guards keep what the models of this process share: a breaker for each
// endpoint, and a limit for each key. They may be used from several goroutines
// at once.
type guards struct {
	requests, tokens int // of each key: at once, and in a minute; 0 is no limit

	mu       sync.Mutex // protects the fields below
	breakers map[digest]*middleware.Breaker
	limits   map[digest]*middleware.Limiter
}

// modelGuards are those of this process.
var modelGuards guards

// A digest stands for an endpoint or a key. It gives neither away.
type digest [sha256.Size]byte

// maxKept bounds what is kept where clients bring endpoints and keys of their
// own. Beyond it, all is forgotten: a breaker is then closed, a limit full.
const maxKept = 4096

// around puts the guards around a model that a configuration made.
func (g *guards) around(m llm.Model, c *config.Config) llm.Model {
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

// keyOf is who pays. Where the configuration does not say, it is whoever the
// environment names.
func keyOf(m llm.Model, c *config.Config) digest {
	var token, account string
	if c.Auth != nil {
		token = c.Auth.Token.Reveal()
		if c.Auth.Credentials != nil {
			account = c.Auth.Credentials.ClientEmail
		}
	}
	provider := providerOf(m.Name())
	return digestOf(provider, c.BaseURL, c.APIKey.Reveal(), token, account)
}

func digestOf(parts ...any) digest {
	raw, err := json.Marshal(parts)
	if err != nil {
		return digest{} // all parts are strings, and structs of them
	}
	return sha256.Sum256(raw)
}
