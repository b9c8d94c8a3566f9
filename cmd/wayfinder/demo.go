package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/demo"
)

func newDemoCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "See it work: order something in a small shop on this machine",
		Long: `See it work, without any key and without a network.

A small shop is started on this machine and opened in Chrome, or in the in-memory browser where there is no Chrome.
Then it is searched, read, and something is ordered: with every kind of control, in a frame, in shadow trees, and in a dialog.
In the end the shop is asked what arrived. The demo is done if that is what was ordered.`,
		Example: `  wayfinder demo
  wayfinder demo --headed
  wayfinder demo --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("driver") && s.cdp == "" {
				if _, err := cdp.Find(); err != nil {
					fmt.Fprintln(s.err, "No Chrome was found, so the in-memory browser is used. 'wayfinder doctor' says more.")
					s.driver = "memory"
				}
			}
			return s.demo(cmd.Context())
		},
	}
}

// A demonstration is one run of the demo.
type demonstration struct {
	*settings
	shop    *demo.Shop
	site    string // its address
	session *engine.Session
	look    look
	steps   int
	file    string // that is uploaded
}

func (s *settings) demo(ctx context.Context) error {
	shop := demo.New()
	site, stop, err := serve(shop)
	if err != nil {
		return missing(fmt.Errorf("the shop cannot be started on this machine: %w", err))
	}
	defer stop()
	folder, err := os.MkdirTemp("", "wayfinder-demo-")
	if err != nil {
		return missing(err)
	}
	defer os.RemoveAll(folder)
	d := &demonstration{settings: s, shop: shop, site: site, look: s.look(), file: filepath.Join(folder, attachmentName)}
	if err := os.WriteFile(d.file, []byte(attachmentText), 0o600); err != nil {
		return missing(err)
	}
	start := time.Now()
	page, err := s.openPage(ctx, site, true)
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
	return func(ctx context.Context, d *demonstration) error {
		done := d.progress(instruction)
		result, err := d.session.Page().Act(ctx, instruction, &engine.ActOptions{Timeout: d.timeout, Variables: vars})
		done()
		if err != nil {
			d.failure("act", instruction, err)
			return failed(err)
		}
		d.acted(instruction, result)
		return nil
	}
}

// observe lists what an instruction asks about.
func observe(instruction string) step {
	return func(ctx context.Context, d *demonstration) error {
		done := d.progress(instruction)
		found, err := d.session.Page().Observe(ctx, instruction, &engine.ObserveOptions{Timeout: d.timeout})
		done()
		if err == nil && len(found.Actions) == 0 {
			err = errors.New("nothing was found")
		}
		if err != nil {
			d.failure("observe", instruction, err)
			return failed(err)
		}
		d.observed(instruction, found)
		return nil
	}
}

// extract reads a value and shows it in lines.
func extract[T any](instruction string, lines func(T) []string) step {
	return func(ctx context.Context, d *demonstration) error {
		done := d.progress(instruction)
		start := time.Now()
		value, err := engine.Extract[T](ctx, d.session.Page(), instruction, &engine.ExtractOptions{Timeout: d.timeout})
		done()
		if err != nil {
			d.failure("extract", instruction, err)
			return failed(err)
		}
		d.extracted(instruction, value, lines(value), time.Since(start))
		return nil
	}
}
