package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// NavigateOptions refine a navigation.
type NavigateOptions struct {
	// WaitUntil is the moment at which it counts as done; empty is load.
	WaitUntil driver.WaitUntil
	Referer   string
	Timeout   time.Duration // in place of the session's
}

// Navigate goes to an address. The response is nil where none was fetched, as
// for about:blank. A status such as 404 is no error.
func (p *Page) Navigate(ctx context.Context, address string, opts *NavigateOptions) (*driver.Response, error) {
	err := CheckAddress(address)
	if err == nil {
		err = p.session.guard.checkAddress(address)
	}
	if err != nil {
		return nil, fmt.Errorf("navigate: %w", err)
	}
	return p.travel(ctx, "navigate", address, opts, func(ctx context.Context, o *driver.NavigateOptions) (*driver.Response, error) {
		return p.driver.Navigate(ctx, address, o)
	})
}

// Reload loads the page again.
func (p *Page) Reload(ctx context.Context, opts *NavigateOptions) (*driver.Response, error) {
	return p.travel(ctx, "reload", "", opts, p.driver.Reload)
}

// Back goes back in the page's history.
func (p *Page) Back(ctx context.Context, opts *NavigateOptions) (*driver.Response, error) {
	return p.travel(ctx, "back", "", opts, p.driver.Back)
}

// Forward goes forward in the page's history.
func (p *Page) Forward(ctx context.Context, opts *NavigateOptions) (*driver.Response, error) {
	return p.travel(ctx, "forward", "", opts, p.driver.Forward)
}

func (p *Page) travel(ctx context.Context, op, address string, opts *NavigateOptions,
	move func(context.Context, *driver.NavigateOptions) (*driver.Response, error),
) (*driver.Response, error) {
	if opts == nil {
		opts = &NavigateOptions{}
	}
	switch opts.WaitUntil {
	case "", driver.WaitLoad, driver.WaitDOMContentLoaded, driver.WaitNetworkIdle, driver.WaitCommit:
	default:
		return nil, fmt.Errorf("%s: %w: waitUntil %q; it is load, domcontentloaded, networkidle or commit", op, ErrInvalid, opts.WaitUntil)
	}
	ctx, end, err := p.begin(ctx, p.session.opts.limitOf(opts.Timeout, defaultLimit))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	defer end()
	ctx, entry := p.session.enter(ctx, op, p)
	p.watch.acted(time.Now(), false)
	resp, err := move(ctx, &driver.NavigateOptions{WaitUntil: opts.WaitUntil, Referer: opts.Referer})
	if err != nil {
		err = p.session.hideError(p.session.explain(op, p.session.guard.clarify(late(ctx, err))))
	}
	if resp != nil {
		shown := *resp
		shown.Headers = maps.Clone(resp.Headers)
		p.session.hideTexts(reflect.ValueOf(&shown).Elem())
		resp = &shown
	}
	p.session.leave(ctx, entry, err, func(e *Entry) {
		e.Instruction, e.Response = p.session.secrets.hide(address), resp
		if err == nil {
			e.Message = p.session.secrets.hide(p.URL())
		}
	})
	return resp, err
}

// CheckAddress refuses what Navigate would refuse without trying: what is no
// absolute URL. The error wraps [ErrInvalid] and has a word of advice.
func CheckAddress(address string) error {
	if strings.TrimSpace(address) == "" {
		return fmt.Errorf("%w: the address is empty", ErrInvalid)
	}
	u, err := url.Parse(address)
	if err != nil {
		var why *url.Error
		if errors.As(err, &why) {
			err = why.Err // without the address once more
		}
		return fmt.Errorf("%w: %q is no URL: %v", ErrInvalid, excerpt(address), err)
	}
	// "localhost:8080/" and "example.com:80" parse as a scheme and an opaque rest.
	port := u.Opaque != "" && u.Opaque[0] >= '0' && u.Opaque[0] <= '9'
	if u.Scheme == "" || port {
		return fmt.Errorf("%w: %q has no scheme; write https://%s", ErrInvalid, excerpt(address), excerpt(address))
	}
	if u.Scheme == "javascript" {
		return fmt.Errorf("%w: a javascript: address is a script, and goes nowhere; run it with Evaluate of the driver's page", ErrInvalid)
	}
	if (u.Scheme == "http" || u.Scheme == "https") && u.Host == "" {
		return fmt.Errorf("%w: %q has no host", ErrInvalid, excerpt(address))
	}
	return nil
}
