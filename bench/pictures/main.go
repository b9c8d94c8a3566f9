// Command pictures makes the pictures of the README from the demo's shop: the trace of
// a run of an agent, and the service's page with a session live, light and dark.
//
//	go run ./bench/pictures docs/pictures
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/demo"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/dashboard"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/trace"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench/pictures DIR")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string) error {
	chrome, err := cdp.Start(ctx, cdp.Launch{})
	if err != nil {
		return err
	}
	defer chrome.Close()
	shop := httptest.NewServer(demo.New())
	defer shop.Close()

	page, err := traced(ctx, chrome, shop.URL)
	if err != nil {
		return err
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(page) })) // a browser that leaves needs no page
	defer site.Close()
	if err := picture(ctx, chrome, filepath.Join(dir, "trace"), site.URL, 900, engine.Quiet{}); err != nil {
		return err
	}
	return live(ctx, chrome, dir, shop.URL)
}

// traced runs an agent on the shop and returns its trace as a page.
func traced(ctx context.Context, d engine.Driver, address string) ([]byte, error) {
	c := trace.New(d, nil)
	session, err := engine.Open(ctx, c.Driver(), &engine.Options{Model: c.Model(offline.New()), Hooks: c.Hooks()})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	if _, err := session.Page().Navigate(ctx, address, nil); err != nil {
		return nil, err
	}
	a, err := agent.New(agent.Config{Hooks: c.AgentHooks()})
	if err != nil {
		return nil, err
	}
	task := agent.Task{Instruction: "click Meridian compass, then type 2 into Quantity, then click Add to cart"}
	if _, err := a.Execute(ctx, session.Page(), task); err != nil {
		return nil, err
	}
	t, err := c.Trace()
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err = t.WriteHTML(&page, nil)
	return page.Bytes(), err
}

// live pictures the service's page with a session on the shop.
func live(ctx context.Context, d engine.Driver, dir, address string) error {
	s, err := server.New(d, &server.Options{Models: server.Models{Default: offline.New()}, Parts: server.Parts{Dashboard: dashboard.New()}, Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"*"}}}})
	if err != nil {
		return err
	}
	service := httptest.NewServer(s)
	defer service.Close()
	defer s.Shutdown(context.WithoutCancel(ctx))
	c, err := client.New(service.URL, nil)
	if err != nil {
		return err
	}
	session, err := c.Start(ctx, &wire.SessionStart{})
	if err != nil {
		return err
	}
	if _, err := session.Navigate(ctx, &wire.NavigateRequest{URL: address}); err != nil {
		return err
	}
	for _, instruction := range []string{"click Meridian compass", "type 2 into Quantity", "click Add to cart"} {
		if _, err := session.Act(ctx, client.Say(instruction)); err != nil {
			return err
		}
	}
	return picture(ctx, d, filepath.Join(dir, "live"), service.URL+"/#/session/"+session.ID(), 620, engine.ElementShown("[data-picture]"), engine.Action{Selector: "#tab-history"})
}

// picture takes a page in both color schemes, once it is as it should be and the
// actions are done.
func picture(ctx context.Context, d engine.Driver, name, address string, height float64, when engine.Condition, actions ...engine.Action) error {
	for _, scheme := range []driver.ColorScheme{driver.LightScheme, driver.DarkScheme} {
		browser := driver.BrowserOptions{Emulation: driver.Emulation{Viewport: driver.Size{Width: 1200, Height: height}, ColorScheme: scheme}}
		session, err := engine.Open(ctx, d, &engine.Options{Browser: browser, Timeout: 2 * time.Minute})
		if err != nil {
			return err
		}
		err = errors.Join(take(ctx, session.Page(), address, name+"-"+string(scheme)+".png", when, actions), session.Close())
		if err != nil {
			return err
		}
	}
	return nil
}

func take(ctx context.Context, page *engine.Page, address, file string, when engine.Condition, actions []engine.Action) error {
	if _, err := page.Navigate(ctx, address, nil); err != nil {
		return err
	}
	if err := page.WaitFor(ctx, when); err != nil {
		return err
	}
	for _, action := range actions {
		if _, err := page.Do(ctx, action, nil); err != nil {
			return err
		}
	}
	data, err := page.Screenshot(ctx, nil)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}
