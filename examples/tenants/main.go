// Command tenants serves two customers, each by a key of its own with limits of its
// own: neither sees the other's sessions. Browser and model are in memory.
//
//	go run ./examples/tenants
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

var web = fake.Web{"https://shop.test/": `<title>Shop</title><h1>Teapots</h1><button>Buy</button>`}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	acme, birch := server.NewKey("acme", "key-of-acme"), server.NewKey("birch", "key-of-birch")
	acme.Limits.Sessions = 1
	s, err := server.New(web, &server.Options{
		Models:   server.Models{Default: offline.New()},
		Keys:     []server.Key{acme, birch}, // the server keeps their digests alone
		Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"shop.test"}}},
	})
	if err != nil {
		return err
	}
	service := httptest.NewServer(s)
	defer service.Close()
	defer s.Shutdown(context.WithoutCancel(ctx)) // ends the sessions

	a, err := client.New(service.URL, &client.Options{APIKey: "key-of-acme"})
	if err != nil {
		return err
	}
	b, err := client.New(service.URL, &client.Options{APIKey: "key-of-birch"})
	if err != nil {
		return err
	}
	session, err := a.Start(ctx, &wire.SessionStart{})
	if err != nil {
		return err
	}
	if _, err := session.Navigate(ctx, &wire.NavigateRequest{URL: "https://shop.test/"}); err != nil {
		return err
	}
	act, err := session.Act(ctx, client.Say("click Buy"))
	if err != nil {
		return err
	}
	fmt.Println("acme:", act.Result.Message)

	_, err = a.Start(ctx, &wire.SessionStart{})
	fmt.Println("acme again:", reason(err))
	_, err = b.Session(session.ID()).Act(ctx, client.Say("click Buy"))
	fmt.Println("birch in acme's session:", reason(err))
	stranger, err := client.New(service.URL, &client.Options{APIKey: "guessed"})
	if err != nil {
		return err
	}
	_, err = stranger.Start(ctx, &wire.SessionStart{})
	fmt.Println("a stranger:", reason(err))
	return session.End(ctx)
}

// reason is the code of a service's answer, which programs branch on.
func reason(err error) string {
	var answer *client.Error
	if errors.As(err, &answer) {
		return fmt.Sprint(answer.Status, " ", answer.Code)
	}
	return fmt.Sprint(err)
}
