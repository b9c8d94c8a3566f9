package anthropicbrowser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent/anthropicbrowser"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A model finds a field, fills it in by its ref, and sends the form. The site is one
// in memory; a real model takes the ref from what find has told it.
func Example() {
	ctx := context.Background()
	shop := fake.Web{
		"https://shop.test/":               `<title>Shop</title><form action="/found"><label>Search <input name="q"></label><button>Go</button></form>`,
		"https://shop.test/found?q=teapot": `<title>Found</title><p>Three teapots</p>`,
	}
	session, err := engine.Open(ctx, shop, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	x := anthropicbrowser.New(session, nil)
	for _, answer := range [][]anthropicbrowser.Call{{
		{ID: "toolu_1", Name: "navigate", Input: json.RawMessage(`{"url": "https://shop.test/"}`)},
		{ID: "toolu_2", Name: "find", Input: json.RawMessage(`{"query": "search"}`)},
	}, {
		{ID: "toolu_3", Name: "form_input", Input: json.RawMessage(`{"target": {"type": "ref", "ref": "ref_0-10"}, "value": "teapot"}`)},
		{ID: "toolu_4", Name: "key", Input: json.RawMessage(`{"text": "Return"}`)},
		{ID: "toolu_5", Name: "type", Input: json.RawMessage(`{"text": "on the page before"}`)},
	}} {
		for i, result := range x.Calls(ctx, answer) {
			fmt.Println(answer[i].Name+":", strings.TrimSpace(result.Content[0].Text))
		}
	}
	fmt.Println(x.Page().URL())
	// Output:
	// navigate: went to https://shop.test/
	// find: [ref_0-10] textbox: Search
	// form_input: filled textbox "Search"
	// key: pressed a key in textbox "Search": went to https://shop.test/found?q=teapot (200)
	// type: not run: another page is shown now
	// https://shop.test/found?q=teapot
}
