package client_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A client calls the service from Go, without linking an engine.
func Example() {
	web := fake.Web{"https://shop.test/": `<h1>Shop</h1><dl><dt>Total</dt><dd>25.00</dd></dl><button>Pay</button>`}
	s, err := server.New(web, &server.Options{
		Models:   server.Models{Named: map[string]llm.Model{"words": offline.New()}},
		Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"shop.test"}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	service := httptest.NewServer(s) // elsewhere: wayfinder serve
	defer service.Close()
	ctx := context.Background()
	defer s.Shutdown(ctx)

	c, err := client.New(service.URL, nil)
	if err != nil {
		log.Fatal(err)
	}
	session, err := c.Start(ctx, &wire.SessionStart{ModelName: "words"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.End(ctx)
	if _, err := session.Navigate(ctx, &wire.NavigateRequest{URL: "https://shop.test/"}); err != nil {
		log.Fatal(err)
	}
	act, err := session.Act(ctx, client.Say("click Pay"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(act.Result.Success, act.Result.Message)

	cart, err := client.Extract[struct {
		Total float64 `json:"total"`
	}](ctx, session, "the total", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cart.Total)
	// Output:
	// true clicked button "Pay": no change was noticed
	// 25
}
