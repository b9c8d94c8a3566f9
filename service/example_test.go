package service_test

import (
	"context"
	"fmt"
	"log"
	"net"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/service"
)

// A program of one's own serves sessions over HTTP, here with a browser in memory and a
// model that needs no network. Without a Driver the sessions share Chromes.
func ExampleOpen() {
	ctx, stop := context.WithCancel(context.Background())
	s, err := service.Open(ctx, service.Config{
		Driver: fake.Web{"https://shop.example/": `<title>Tea</title><button>Order</button>`},
		Server: server.Options{Models: server.Models{Named: map[string]llm.Model{"words": offline.New()}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()

	c, err := client.New("http://"+l.Addr().String(), nil)
	if err != nil {
		log.Fatal(err)
	}
	session, err := c.Start(ctx, &wire.SessionStart{ModelName: "words"})
	if err != nil {
		log.Fatal(err)
	}
	page, err := session.Navigate(ctx, &wire.NavigateRequest{URL: "https://shop.example/"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Result.URL, page.Result.Status)

	stop() // what is under way finishes
	fmt.Println(<-ended)
	s.Close()
	// Output:
	// https://shop.example/ 200
	// <nil>
}
