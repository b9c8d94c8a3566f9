package faults

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
)

// A Fault is something that goes wrong at certain calls. It may be used by one
// [Driver] at a time; its methods are safe for concurrent use.
type Fault struct {
	n     int    // which call; 0 is each
	op    string // of which operation; empty is any
	what  string
	do    func(ctx context.Context, c *call) error
	lose  error // what the call gives once it was made
	count atomic.Int64
}

// A call is one that is about to be made.
type call struct {
	browser driver.Browser
	page    driver.Page // nil for the browser's own calls
}

// At has the nth call of an operation fail with err, without being made. n
// counts from 1 over all pages of a browser; 0 is each call.
func At(n int, op string, err error) *Fault {
	return &Fault{n: n, op: op, what: err.Error(), do: func(context.Context, *call) error { return err }}
}

// Lose has the nth call of an operation made, and its answer lost: the caller
// gets err, and cannot know whether anything happened.
func Lose(n int, op string, err error) *Fault {
	return &Fault{n: n, op: op, what: "made, and its answer lost: " + err.Error(), lose: err,
		do: func(context.Context, *call) error { return nil }}
}

// Delay has the nth call of an operation wait before it is made, within its context.
func Delay(n int, op string, wait time.Duration) *Fault {
	return &Fault{n: n, op: op, what: fmt.Sprintf("%v late", wait), do: func(ctx context.Context, _ *call) error {
		if !pause.For(ctx, wait) {
			return ctx.Err()
		}
		return nil
	}}
}

// Crash has the page's process die before the first input. See [Fault.On].
func Crash() *Fault {
	return onPage("the page crashes", func(ctx context.Context, page driver.Page) error {
		if p, ok := driver.PageAs[interface{ Crash() }](page); ok {
			p.Crash()
			return nil
		}
		// A crash is what the navigation is for: its error says that it worked.
		if _, err := page.Navigate(ctx, "chrome://crash", nil); err == nil {
			return errors.New("faults: the page did not crash")
		}
		return nil
	})
}

// onPage is a fault of a page before its first input; a call that is not about a page
// is left as it is.
func onPage(what string, do func(ctx context.Context, page driver.Page) error) *Fault {
	return &Fault{n: 1, op: "input", what: what, do: func(ctx context.Context, c *call) error {
		if c.page == nil {
			return nil
		}
		return do(ctx, c.page)
	}}
}

// Drop has the connection to the browser end before the first input: it is
// closed, and every call gives [driver.ErrClosed].
func Drop() *Fault {
	return &Fault{n: 1, op: "input", what: "the connection drops", do: func(_ context.Context, c *call) error {
		if err := c.browser.Close(); err != nil {
			return err
		}
		return driver.ErrClosed
	}}
}

// Obscure has something lie on top of the elements that the CSS selector
// matches before the first input.
func Obscure(selector string) *Fault { return change("obscure", selector, obscureScript) }

// Rerender has the elements that the CSS selector matches replaced by equal
// ones before the first input, as a framework does that renders anew.
func Rerender(selector string) *Fault { return change("rerender", selector, rerenderScript) }

// Remove has the elements that the CSS selector matches taken away before the
// first input.
func Remove(selector string) *Fault { return change("remove", selector, removeScript) }

// Run has a script run in the main world of the page before the first input, as
// if the page had thought of it by itself.
func Run(script string) *Fault {
	return onPage("the page runs "+script, func(ctx context.Context, page driver.Page) error {
		_, err := page.Evaluate(ctx, script, &driver.EvaluateOptions{World: driver.Main})
		return err
	})
}

// The scripts that change a page of a browser that runs some.
const (
	obscureScript = `(selector) => { for (const e of document.querySelectorAll(selector)) {
	const r = e.getBoundingClientRect(), d = document.createElement("div");
	d.style.cssText = "all:initial;position:fixed;z-index:2147483647;left:" + r.left + "px;top:" + r.top + "px;width:" + r.width + "px;height:" + r.height + "px";
	document.documentElement.append(d) } }`
	rerenderScript = `(selector) => { for (const e of document.querySelectorAll(selector)) e.replaceWith(e.cloneNode(true)) }`
	removeScript   = `(selector) => { for (const e of document.querySelectorAll(selector)) e.remove() }`
)

// A changer is a page that can be changed without a script.
type changer interface {
	ChangeElements(ctx context.Context, how, selector string) error
}

func change(how, selector, script string) *Fault {
	return onPage(how+" "+selector, func(ctx context.Context, page driver.Page) error {
		if p, ok := driver.PageAs[changer](page); ok {
			return p.ChangeElements(ctx, how, selector)
		}
		_, err := page.Evaluate(ctx, script, &driver.EvaluateOptions{Args: []any{selector}})
		return err
	})
}

// On moves the fault to the nth call of an operation and returns it. It is
// called before the fault is used.
func (f *Fault) On(n int, op string) *Fault {
	f.n, f.op = n, op
	return f
}

// Count is how often the fault has struck.
func (f *Fault) Count() int { return int(f.count.Load()) }

// String says what goes wrong, and when: "input 3: node is detached".
func (f *Fault) String() string {
	op := f.op
	if op == "" {
		op = "call"
	}
	if f.n == 0 {
		return fmt.Sprintf("every %s: %s", op, f.what)
	}
	return fmt.Sprintf("%s %d: %s", op, f.n, f.what)
}
