// Package tour is what "wayfinder demo" and cmd/demo show: the shop of package
// demo is searched, read, and something is ordered there, step by step. In the
// end the shop is asked what arrived.
package tour

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/demo"
)

// Options say what the tour is shown with.
type Options struct {
	// Open opens a page on the shop, with a model. The tour closes its session.
	Open func(ctx context.Context, address string) (*engine.Page, error)

	Model   string        // as it is shown
	Timeout time.Duration // for each step

	Out   io.Writer
	JSON  bool // one value a line
	Plain bool // no colors

	// Progress says what is going on, and returns the function that ends it.
	Progress func(what string) (done func())
}

// A SetupError says that this machine has no room for the shop or its file.
type SetupError struct{ Err error }

func (e *SetupError) Error() string { return e.Err.Error() }

func (e *SetupError) Unwrap() error { return e.Err }

// Run makes the tour. It returns nil if what arrived at the shop is what was
// ordered.
func Run(ctx context.Context, opts Options) error {
	shop := demo.New()
	site, stop, err := serve(shop)
	if err != nil {
		return &SetupError{fmt.Errorf("the shop cannot be started on this machine: %w", err)}
	}
	defer stop()
	folder, err := os.MkdirTemp("", "wayfinder-demo-")
	if err != nil {
		return &SetupError{err}
	}
	defer os.RemoveAll(folder)
	d := &demonstration{Options: opts, shop: shop, site: site, look: colors, file: filepath.Join(folder, attachmentName)}
	if opts.Plain {
		d.look = look{}
	}
	if err := os.WriteFile(d.file, []byte(attachmentText), 0o600); err != nil {
		return &SetupError{err}
	}
	start := time.Now()
	page, err := d.Open(ctx, site)
	if err != nil {
		return err
	}
	d.session = page.Session()
	defer d.session.Close()
	d.opening(time.Since(start))
	for _, chapter := range script {
		d.chapter(chapter.title)
		for _, step := range chapter.steps {
			if err := step(ctx, d); err != nil {
				return err
			}
		}
	}
	return d.arrived(time.Since(start))
}

// serve starts a handler on the loopback interface.
func serve(h http.Handler) (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(listener) // ends with ErrServerClosed, which is what stop wants
	}()
	return "http://" + listener.Addr().String(), func() { server.Close(); <-done }, nil
}

// A step is one thing that the demo shows.
type step func(ctx context.Context, d *demonstration) error

// act has an instruction carried out on the page that was used last.
func act(instruction string) step { return actWith(instruction, nil) }

func actWith(instruction string, vars map[string]engine.Variable) step {
	return doing("act", instruction, func(ctx context.Context, d *demonstration, page *engine.Page) (func(), error) {
		result, err := page.Act(ctx, instruction, &engine.ActOptions{Timeout: d.Timeout, Variables: vars})
		return func() { d.acted(instruction, result) }, err
	})
}

// doing is a step that does something on the page that was used last, and shows it.
func doing(kind, instruction string, do func(context.Context, *demonstration, *engine.Page) (show func(), err error)) step {
	return func(ctx context.Context, d *demonstration) error {
		done := d.Progress(instruction)
		show, err := do(ctx, d, d.session.Page())
		done()
		if err != nil {
			d.failure(kind, instruction, err)
			return err
		}
		show()
		return nil
	}
}

// observe lists what an instruction asks about.
func observe(instruction string) step {
	return doing("observe", instruction, func(ctx context.Context, d *demonstration, page *engine.Page) (func(), error) {
		found, err := page.Observe(ctx, instruction, &engine.ObserveOptions{Timeout: d.Timeout})
		if err == nil && len(found.Actions) == 0 {
			err = errors.New("nothing was found")
		}
		return func() { d.observed(instruction, found) }, err
	})
}

// extract reads a value and shows it in lines.
func extract[T any](instruction string, lines func(T) []string) step {
	return doing("extract", instruction, func(ctx context.Context, d *demonstration, page *engine.Page) (func(), error) {
		start := time.Now()
		value, err := engine.Extract[T](ctx, page, instruction, &engine.ExtractOptions{Timeout: d.Timeout})
		took := time.Since(start)
		return func() { d.extracted(instruction, value, lines(value), took) }, err
	})
}
