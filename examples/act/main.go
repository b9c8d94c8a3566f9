// Command act finds something by words, stores what was done as JSON, and does
// it again from there without asking a model.
//
// An action that was stored carries the fingerprint of its element. If the site
// has changed, and another element is where the first was, Do refuses.
//
//	go run ./examples/act
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// shop answers with a list of links at /, and with a heading elsewhere.
func shop(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		fmt.Fprint(w, `<!doctype html><title>Product</title><h1>Product</h1>`)
		return
	}
	fmt.Fprint(w, `<!doctype html><title>Northlight</title><h1>Products</h1>
		<p><a href="/meridian-compass">Meridian compass</a></p> <p><a href="/alpine-map-set">Alpine map set</a></p>`)
}

func main() {
	server := httptest.NewServer(http.HandlerFunc(shop))
	defer server.Close()
	if err := run(context.Background(), cdp.Launch{}, server.URL); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, d engine.Driver, address string) error {
	session, err := engine.Open(ctx, d, &engine.Options{Model: offline.New()})
	if err != nil {
		return err
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, address, nil); err != nil {
		return err
	}
	result, err := page.Act(ctx, "click Meridian compass", nil)
	if err != nil {
		return err
	}
	fmt.Println("by words:", result.Message)
	first := page.URL()
	stored, err := json.Marshal(result.Actions)
	if err != nil {
		return err
	}

	// Later, perhaps in another program:
	var actions []engine.Action
	if err := json.Unmarshal(stored, &actions); err != nil {
		return err
	}
	if _, err := page.Navigate(ctx, address, nil); err != nil {
		return err
	}
	for _, action := range actions {
		result, err := page.Do(ctx, action, nil)
		if err != nil {
			return err
		}
		fmt.Println("replayed:", result.Message)
	}
	if page.URL() != first {
		return fmt.Errorf("the replay led to %s, and the words had led to %s", page.URL(), first)
	}
	return nil
}
