package recording

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A page passes calls on and keeps them. What is not here is the wrapped
// page's own, and not recorded: pictures, emulation, who answers dialogs.
type page struct {
	driver.Page
	recorder *Recorder

	mu     sync.Mutex     // protects what follows
	frames []driver.Frame // as they were noted last
	inDeed bool           // the last call was an action
	begun  time.Time      // when the first of the last actions in a row began
}

// Unwrap returns the page that is wrapped.
func (p *page) Unwrap() driver.Page { return p.Page }

// Frames are noted each time: who asks goes by what they were then.
func (p *page) Frames() []driver.Frame {
	frames := p.Page.Frames()
	p.note(frames, true)
	return frames
}

// note keeps the frames of the page, if they are others or somebody asked.
func (p *page) note(frames []driver.Frame, asked bool) {
	p.mu.Lock()
	changed := !slices.Equal(frames, p.frames)
	if changed {
		p.frames = slices.Clone(frames)
	}
	p.mu.Unlock()
	it := &item{page: p.ID(), asked: asked}
	if changed {
		it.frames = slices.Clone(frames)
	}
	if changed || asked {
		p.recorder.add(it, int64(len(it.frames))*itemSize)
	}
}

// since is how long ago the last action began.
func (p *page) since() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.begun)
}

// made makes a call that returns something, and keeps it.
func made[T any](p *page, op string, node driver.NodeRef, args []arg, f func() (T, error), form func(T) any) (T, error) {
	p.note(p.Page.Frames(), false)
	p.mu.Lock()
	if acting[op] && !p.inDeed {
		p.begun = time.Now()
	}
	p.inDeed = acting[op]
	p.mu.Unlock()
	c := p.recorder.begin(p.ID(), op, node, args)
	v, err := f()
	var answer any
	if err == nil && form != nil {
		answer = form(v)
	}
	p.recorder.end(c, answer, err)
	p.note(p.Page.Frames(), false)
	return v, err
}

// done is made for calls that return an error alone.
func done(p *page, op string, node driver.NodeRef, args []arg, f func() error) error {
	_, err := made(p, op, node, args, func() (struct{}, error) { return struct{}{}, f() }, nil)
	return err
}

// same keeps a copy of an answer as it is.
func same[T any](v T) any { return mapTexts(v, func(s string) string { return s }) }

// response keeps an answer of a server without what it wants to be remembered.
func response(r *driver.Response) any {
	out := mapTexts(r, func(s string) string { return s })
	if out != nil {
		delete(out.Headers, "set-cookie")
	}
	return out
}

func (p *page) Navigate(ctx context.Context, url string, opts *driver.NavigateOptions) (*driver.Response, error) {
	args := append([]arg{text(url)}, travelArgs(opts)...)
	return made(p, "navigate", driver.NodeRef{}, args, func() (*driver.Response, error) { return p.Page.Navigate(ctx, url, opts) }, response)
}

func (p *page) Reload(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return made(p, "reload", driver.NodeRef{}, travelArgs(opts), func() (*driver.Response, error) { return p.Page.Reload(ctx, opts) }, response)
}

func (p *page) Back(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return made(p, "back", driver.NodeRef{}, travelArgs(opts), func() (*driver.Response, error) { return p.Page.Back(ctx, opts) }, response)
}

func (p *page) Forward(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return made(p, "forward", driver.NodeRef{}, travelArgs(opts), func() (*driver.Response, error) { return p.Page.Forward(ctx, opts) }, response)
}

// travelArgs describe how a navigation is made; nil options are the defaults.
func travelArgs(opts *driver.NavigateOptions) []arg {
	var args []arg
	if opts != nil && opts.WaitUntil != "" {
		args = append(args, is("until %s", opts.WaitUntil))
	}
	if opts != nil && opts.Referer != "" {
		args = append(args, arg{Is: "from", Text: opts.Referer})
	}
	return args
}

func (p *page) Capture(ctx context.Context) (*driver.Capture, error) {
	return made(p, "capture", driver.NodeRef{}, nil, func() (*driver.Capture, error) { return p.Page.Capture(ctx) },
		func(c *driver.Capture) any { return newCapture(c) })
}

func (p *page) Revision(ctx context.Context) (driver.Revision, error) {
	return made(p, "revision", driver.NodeRef{}, nil, func() (driver.Revision, error) { return p.Page.Revision(ctx) }, same)
}

func (p *page) Activity(ctx context.Context) (*driver.Activity, error) {
	return made(p, "activity", driver.NodeRef{}, nil, func() (*driver.Activity, error) { return p.Page.Activity(ctx) },
		func(a *driver.Activity) any {
			return activity{a.Mutated >= 0 && a.Mutated <= p.since(), a.Transition, a.Busy, a.Parsing, a.Blank}
		})
}

func (p *page) Find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	return made(p, "find", root, findArgs(sel), func() ([]driver.NodeRef, error) { return p.Page.Find(ctx, root, sel) }, same)
}

func findArgs(sel driver.Selector) []arg { return []arg{{Is: is("%d", sel.Kind).Is, Text: sel.Text}} }

func (p *page) Locate(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
	return made(p, "locate", node, locateArgs(opts), func() (*driver.Location, error) { return p.Page.Locate(ctx, node, opts) }, same)
}

func locateArgs(opts *driver.LocateOptions) []arg {
	var args []arg
	if opts != nil && opts.Scroll {
		args = append(args, is("in view"))
	}
	if opts != nil && opts.Offset != nil {
		args = append(args, is("at %v,%v", opts.Offset.X, opts.Offset.Y))
	}
	return args
}

func (p *page) HitTest(ctx context.Context, point driver.Point) (driver.NodeRef, error) {
	return made(p, "hittest", driver.NodeRef{}, []arg{is("%s", at(point))}, func() (driver.NodeRef, error) { return p.Page.HitTest(ctx, point) }, same)
}

func (p *page) Input(ctx context.Context, events ...driver.InputEvent) error {
	return done(p, "input", driver.NodeRef{}, inputArgs(events), func() error { return p.Page.Input(ctx, events...) })
}

func (p *page) Focus(ctx context.Context, at driver.Target) error {
	return done(p, "focus", at.At, nil, func() error { return p.Page.Focus(ctx, at) })
}

func (p *page) SelectText(ctx context.Context, at driver.Target) error {
	return done(p, "selecttext", at.At, nil, func() error { return p.Page.SelectText(ctx, at) })
}

func (p *page) SetValue(ctx context.Context, at driver.Target, values ...string) ([]string, error) {
	return made(p, "setvalue", at.At, textArgs(values), func() ([]string, error) { return p.Page.SetValue(ctx, at, values...) }, same)
}

func (p *page) SetFiles(ctx context.Context, at driver.Target, paths ...string) error {
	return done(p, "setfiles", at.At, fileArgs(paths), func() error { return p.Page.SetFiles(ctx, at, paths...) })
}

func textArgs(texts []string) []arg {
	var args []arg
	for _, s := range texts {
		args = append(args, arg{Is: "text", Text: s})
	}
	return args
}

// fileArgs are names without folders: a test has its files elsewhere.
func fileArgs(paths []string) []arg {
	var args []arg
	for _, path := range paths {
		args = append(args, arg{Is: "file", Text: filepath.Base(path)})
	}
	return args
}

func (p *page) ScrollTo(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error) {
	return made(p, "scrollto", node, scrollArgs(to), func() (driver.ScrollState, error) { return p.Page.ScrollTo(ctx, node, to) }, same)
}

func scrollArgs(to driver.ScrollTarget) []arg {
	if to.Percent != nil {
		return []arg{is("%v %v%% %t", to.X, *to.Percent, to.By)}
	}
	return []arg{is("%v %v %t", to.X, to.Y, to.By)}
}

func (p *page) State(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
	return made(p, "state", node, nil, func() (*driver.State, error) { return p.Page.State(ctx, node) }, same)
}

func (p *page) Evaluate(ctx context.Context, expression string, opts *driver.EvaluateOptions) ([]byte, error) {
	return made(p, "evaluate", evaluateNode(opts), evaluateArgs(expression, opts),
		func() ([]byte, error) { return p.Page.Evaluate(ctx, expression, opts) }, func(b []byte) any { return string(b) })
}

func evaluateNode(opts *driver.EvaluateOptions) driver.NodeRef {
	if opts == nil {
		return driver.NodeRef{}
	}
	return opts.Node
}

func evaluateArgs(expression string, opts *driver.EvaluateOptions) []arg {
	args := []arg{text(expression)}
	if opts == nil {
		return args
	}
	args = append(args, is("%s %d %t", opts.Frame, opts.World, opts.UserGesture))
	for _, v := range opts.Args {
		raw, err := json.Marshal(v)
		if err != nil {
			raw = fmt.Append(nil, v)
		}
		args = append(args, arg{Is: "with", Text: string(raw)})
	}
	return args
}

func (p *page) Close(ctx context.Context) error {
	return done(p, "close", driver.NodeRef{}, nil, func() error { return p.Page.Close(ctx) })
}
