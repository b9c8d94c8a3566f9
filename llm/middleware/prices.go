package middleware

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Price is what a model's tokens cost, in US dollars for a million.
type Price struct {
	Input  float64 `json:"input"`
	Cached float64 `json:"cached"` // input that a prompt cache served
	Output float64 `json:"output"` // reasoning included
}

// Cost returns what a usage costs, in US dollars.
func (p Price) Cost(u llm.Usage) float64 {
	fresh := max(u.Input-u.Cached, 0)
	return (float64(fresh)*p.Input + float64(u.Cached)*p.Cached + float64(u.Output)*p.Output) / 1e6
}

// Prices are a price list. It never changes.
type Prices struct {
	date   string
	models map[string]Price
}

//go:embed prices.json
var listPrices []byte

var builtIn = sync.OnceValues(func() (*Prices, error) { return ParsePrices(listPrices) })

// ListPrices returns the list that is built in: some vendors' list prices at
// its date.
func ListPrices() (*Prices, error) { return builtIn() }

// ParsePrices reads a list: {"date": …, "models": {"provider/model":
// {"input": …, "cached": …, "output": …}}}.
func ParsePrices(raw []byte) (*Prices, error) {
	var list struct {
		Date   string           `json:"date"`
		Models map[string]Price `json:"models"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("middleware: price list: %w", err)
	}
	if list.Date == "" {
		return nil, errors.New("middleware: price list: it has no date")
	}
	for name, p := range list.Models {
		if p.Input < 0 || p.Cached < 0 || p.Output < 0 {
			return nil, fmt.Errorf("middleware: price list: %s has a price below zero", name)
		}
	}
	return &Prices{date: list.Date, models: list.Models}, nil
}

// Date says when the prices were right.
func (p *Prices) Date() string { return p.date }

// With returns the list with prices added or replaced.
func (p *Prices) With(models map[string]Price) *Prices {
	joined := maps.Clone(p.models)
	if joined == nil {
		joined = map[string]Price{}
	}
	maps.Copy(joined, models)
	return &Prices{date: p.date, models: joined}
}

// release is the end of a model's name that says which release of it is meant.
var release = regexp.MustCompile(`[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|latest|default)$`)

// Of returns the price of a model by its name "provider/model". A dated
// release has the price of its model, and what Vertex serves has its vendor's,
// where the list says nothing else.
func (p *Prices) Of(name string) (Price, bool) {
	names := []string{name, release.ReplaceAllString(name, "")}
	if model, ok := strings.CutPrefix(names[1], "vertex/"); ok {
		names = append(names, "google/"+model, "anthropic/"+model)
	}
	for _, name := range names {
		if price, ok := p.models[name]; ok {
			return price, true
		}
	}
	return Price{}, false
}
