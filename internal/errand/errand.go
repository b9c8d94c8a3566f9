// Package errand is a shop that counts what is done in it, and a model that
// orders there by what the page says: for tests and benchmarks of runs that
// outlive their process, each effect of which must happen once.
package errand

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// Items is how many things an errand puts into its cart, each by one press.
const Items = 3

// A Shop is a site with a cart for each name: /?cart=NAME. It outlives the
// processes that order there.
type Shop struct {
	// Added is called when a press was counted, before it is answered; nil is
	// nobody.
	Added func(cart string, item int)

	mu    sync.Mutex // protects what follows
	carts map[string]*[Items]int
}

// cart returns what is in one; s.mu is held.
func (s *Shop) cart(name string) *[Items]int {
	if s.carts == nil {
		s.carts = map[string]*[Items]int{}
	}
	if s.carts[name] == nil {
		s.carts[name] = new([Items]int)
	}
	return s.carts[name]
}

// ServeHTTP shows a cart, and takes presses.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("cart")
	if r.Method == http.MethodPost {
		item := 0
		if _, err := fmt.Sscanf(r.URL.Path, "/add%d", &item); err != nil || item < 1 || item > Items {
			http.NotFound(w, r)
			return
		}
		s.mu.Lock()
		s.cart(name)[item-1]++
		s.mu.Unlock()
		if s.Added != nil {
			s.Added(name, item)
		}
		http.Redirect(w, r, "/?cart="+name, http.StatusSeeOther)
		return
	}
	s.mu.Lock()
	cart := *s.cart(name)
	s.mu.Unlock()
	w.Header().Set("content-type", "text/html")
	fmt.Fprint(w, `<!doctype html><title>Shop</title><h1>Shop</h1>`)
	there := 0
	for i, n := range cart {
		fmt.Fprintf(w, `<form method=post action="/add%d?cart=%s"><p>Item %d: %d in the cart</p><button>Add %d</button></form>`, i+1, name, i+1, n, i+1)
		there += min(n, 1)
	}
	if there == Items {
		fmt.Fprint(w, `<p>All items are in the cart</p>`)
	}
}

// Carts returns what is in each cart.
func (s *Shop) Carts() map[string][Items]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string][Items]int{}
	for name, cart := range s.carts {
		all[name] = *cart
	}
	return all
}

// A Model does the errand by what the page says, and remembers nothing.
type Model struct {
	Think time.Duration // for each answer
	Asked func(n int64) // called with each question, from 1; nil is nobody
	count atomic.Int64  // questions
}

// Name implements llm.Model.
func (m *Model) Name() string { return "test/errand" }

var line = regexp.MustCompile(`^[ +~]*\[([0-9]+-[0-9]+)\] (button: Add [0-9]|[a-z]+: (?:Item [0-9]: [0-9]+ in the cart|All items are in the cart))`)

// Generate implements llm.Model.
func (m *Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	n := m.count.Add(1)
	if m.Asked != nil {
		m.Asked(n)
	}
	if m.Think > 0 && !pause.For(ctx, m.Think) {
		return nil, context.Cause(ctx)
	}
	name, arguments := "done", any(map[string]any{"success": true, "message": "ordered", "criteria": []any{
		map[string]any{"criterion": "all is in the cart", "evidence": []any{map[string]any{"kind": "text", "text": "All items are in the cart"}}},
	}})
	page := read(req)
	for item := 1; item <= Items; item++ {
		if ref := page[fmt.Sprintf("button: Add %d", item)]; page[fmt.Sprintf("Item %d: 0 in the cart", item)] != "" && ref != "" {
			name, arguments = "click", map[string]any{"ref": ref}
			break
		}
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	return &llm.Response{
		ToolCalls: []llm.ToolCall{{ID: fmt.Sprint("c", len(req.Messages)), Name: name, Arguments: raw}},
		Stop:      llm.StopTools, Usage: llm.Usage{Input: 100, Output: 10},
	}, nil
}

// read puts the page together that a conversation has shown: the newest outline
// with the changes since then.
func read(req *llm.Request) map[string]string {
	page := map[string]string{}
	for _, m := range req.Messages {
		for _, part := range m.Parts {
			shown, ok := part.(llm.Page)
			if !ok || shown.Kind != "outline" && shown.Kind != "changes" {
				continue
			}
			if shown.Kind == "outline" {
				clear(page)
			}
			for text := range strings.Lines(shown.Text) {
				if found := line.FindStringSubmatch(text); found != nil {
					name := found[2]
					if _, words, ok := strings.Cut(name, ": "); ok && !strings.HasPrefix(name, "button") {
						name = words
						if len(words) > 6 && strings.HasPrefix(words, "Item ") {
							for k := range page { // another count of the same
								if strings.HasPrefix(k, words[:7]) {
									delete(page, k)
								}
							}
						}
					}
					page[name] = found[1]
				}
			}
		}
	}
	return page
}
