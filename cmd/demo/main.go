// Command demo shows Wayfinder at work, without any key and without a network:
// the first thing to run. It links no vendor of models and no browser in memory,
// so that it is compiled in half a minute; "wayfinder demo" is the same with all
// of the command line's flags.
//
//	go run ./cmd/demo
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/demo/tour"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// stepLimit is how long one step may take.
const stepLimit = 30 * time.Second

func main() {
	headed := flag.Bool("headed", false, "show the browser's window")
	flag.Parse()
	// A second signal ends the program at once: the browser ends with it.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	err := run(ctx, *headed)
	switch {
	case ctx.Err() != nil:
		err = errors.New("interrupted")
	case err == nil:
		fmt.Println("On any page, with any model: go run ./cmd/wayfinder --help. To compile all vendors' SDKs takes some minutes, once.")
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, headed bool) error {
	path, err := cdp.Find()
	if err != nil {
		return fmt.Errorf("%w\nWithout Chrome, in the browser in memory: go run ./cmd/wayfinder demo", err)
	}
	fmt.Println("Starting", path, "…") // that takes a moment
	browser := cdp.Launch{Headed: headed}
	model := offline.New()
	return tour.Run(ctx, tour.Options{
		Open: func(ctx context.Context, site string) (*engine.Page, error) {
			session, err := engine.Open(ctx, browser, &engine.Options{Model: model, Timeout: stepLimit})
			if err != nil {
				return nil, err
			}
			page := session.Page()
			if _, err := page.Navigate(ctx, site, nil); err != nil {
				session.Close()
				return nil, err
			}
			return page, nil
		},
		Model: "offline", Timeout: stepLimit, Out: os.Stdout,
		Plain:    !isTerminal(os.Stdout) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb",
		Progress: func(string) func() { return func() {} },
	})
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
