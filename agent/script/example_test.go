package script_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// What was ordered once is ordered again, and each step is proved. A shop that
// has renamed its button is not guessed at.
func ExampleReplay() {
	order, err := script.Parse([]byte(`{
  "wayfinder": "script", "version": 1, "start": "https://shop.test/",
  "steps": [{
    "step": "1", "do": "click", "target": {"role": "button", "name": "Order"},
    "sends": {"method": "POST", "address": "/order", "fields": [{"name": "item", "value": "teapot"}]},
    "expect": {"effect": "navigation", "address": "/order", "requests": ["POST /order"], "texts": ["Thank you"]}
  }]
}`))
	if err != nil {
		panic(err)
	}
	shop := func(button string) engine.Driver {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<form method="post" action="/order"><input type="hidden" name="item" value="teapot"><button>`+button+`</button></form>`)
		})
		mux.HandleFunc("POST /order", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<h1>Thank you</h1>`)
		})
		return fake.New(fake.Options{Handler: mux})
	}
	ctx := context.Background()
	for _, button := range []string{"Order", "Subscribe"} {
		session, err := engine.Open(ctx, shop(button), nil)
		if err != nil {
			panic(err)
		}
		result, err := script.Replay(ctx, session.Page(), order, nil)
		var refused *script.RefusedError
		if errors.As(err, &refused) {
			fmt.Printf("expected %s, found %s\n", refused.Expected, refused.Found)
		} else {
			fmt.Println(result.Steps[0].Outcome, result.Steps[0].Message)
		}
		session.Close()
	}
	// Output:
	// unchanged done and proved
	// expected click button "Order", found among the elements of role button only "Subscribe"
}
