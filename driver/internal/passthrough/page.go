// Package passthrough has what drivers share that wrap another driver, or stand
// in for one: every call that asks a browser goes through one function.
//
// A wrapper's page embeds [Page] and gives it a function that adds a failure, keeps what
// is asked and answered, or answers itself. A method that a wrapper treats in
// another way it defines beside the embedded ones.
package passthrough

import (
	"context"
	"errors"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Call is a call of a method that asks the browser.
type Call struct {
	Op   string         // the method in lower case, as in driver.OpError
	Page driver.Page    // whose method it is, without the wrapper; nil for the browser's own
	Node driver.NodeRef // the element or document it is about; zero if none
	Args []any          // what the method takes besides its context and Node; what is variadic is one slice
}

// An Around makes a call, by do, or gives another answer. do returns what the
// method returns beside its error, nil if that is nothing; so does Around, with
// a value of the same type or nil.
type Around func(ctx context.Context, c Call, do func() (any, error)) (any, error)

// Calls is a driver.Page whose calls that ask the browser go through Around. What
// asks no browser (ID, Opener, Frames, OnDialog) is the embedded page's own. Where
// Around answers by itself there needs to be no page.
type Calls struct {
	driver.Page
	Around Around
}

// A Page is Calls of a page that is wrapped.
type Page struct{ Calls }

var (
	_ driver.PageWrapper  = (*Page)(nil)
	_ driver.ToolProvider = (*Page)(nil)
)

// Wrap returns a page whose calls go through around.
func Wrap(p driver.Page, around Around) *Page { return &Page{Calls{p, around}} }

// Unwrap implements driver.PageWrapper.
func (p *Page) Unwrap() driver.Page { return p.Calls.Page }

// ask has Around make a call that has an answer.
func ask[T any](ctx context.Context, around Around, c Call, f func() (T, error)) (T, error) {
	answer, err := around(ctx, c, func() (any, error) { return f() })
	v, _ := answer.(T)
	return v, err
}

// tell has Around make a call that returns an error alone.
func tell(ctx context.Context, around Around, c Call, f func() error) error {
	_, err := around(ctx, c, func() (any, error) { return nil, f() })
	return err
}

// call describes a call of the page.
func (p *Calls) call(op string, node driver.NodeRef, args ...any) Call {
	return Call{Op: op, Page: p.Page, Node: node, Args: args}
}

func (p *Calls) Navigate(ctx context.Context, url string, opts *driver.NavigateOptions) (*driver.Response, error) {
	return ask(ctx, p.Around, p.call("navigate", driver.NodeRef{}, url, opts), func() (*driver.Response, error) { return p.Page.Navigate(ctx, url, opts) })
}

func (p *Calls) Reload(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return ask(ctx, p.Around, p.call("reload", driver.NodeRef{}, opts), func() (*driver.Response, error) { return p.Page.Reload(ctx, opts) })
}

func (p *Calls) Back(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return ask(ctx, p.Around, p.call("back", driver.NodeRef{}, opts), func() (*driver.Response, error) { return p.Page.Back(ctx, opts) })
}

func (p *Calls) Forward(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return ask(ctx, p.Around, p.call("forward", driver.NodeRef{}, opts), func() (*driver.Response, error) { return p.Page.Forward(ctx, opts) })
}

func (p *Calls) Capture(ctx context.Context) (*driver.Capture, error) {
	return ask(ctx, p.Around, p.call("capture", driver.NodeRef{}), func() (*driver.Capture, error) { return p.Page.Capture(ctx) })
}

func (p *Calls) Revision(ctx context.Context) (driver.Revision, error) {
	return ask(ctx, p.Around, p.call("revision", driver.NodeRef{}), func() (driver.Revision, error) { return p.Page.Revision(ctx) })
}

func (p *Calls) Activity(ctx context.Context) (*driver.Activity, error) {
	return ask(ctx, p.Around, p.call("activity", driver.NodeRef{}), func() (*driver.Activity, error) { return p.Page.Activity(ctx) })
}

func (p *Calls) Find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	return ask(ctx, p.Around, p.call("find", root, sel), func() ([]driver.NodeRef, error) { return p.Page.Find(ctx, root, sel) })
}

func (p *Calls) Locate(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
	return ask(ctx, p.Around, p.call("locate", node, opts), func() (*driver.Location, error) { return p.Page.Locate(ctx, node, opts) })
}

func (p *Calls) HitTest(ctx context.Context, at driver.Point) (driver.NodeRef, error) {
	return ask(ctx, p.Around, p.call("hittest", driver.NodeRef{}, at), func() (driver.NodeRef, error) { return p.Page.HitTest(ctx, at) })
}

func (p *Calls) Input(ctx context.Context, events ...driver.InputEvent) error {
	return tell(ctx, p.Around, p.call("input", driver.NodeRef{}, events), func() error { return p.Page.Input(ctx, events...) })
}

func (p *Calls) Focus(ctx context.Context, at driver.Target) error {
	return tell(ctx, p.Around, p.call("focus", at.At), func() error { return p.Page.Focus(ctx, at) })
}

func (p *Calls) SelectText(ctx context.Context, at driver.Target) error {
	return tell(ctx, p.Around, p.call("selecttext", at.At), func() error { return p.Page.SelectText(ctx, at) })
}

func (p *Calls) SetValue(ctx context.Context, at driver.Target, values ...string) ([]string, error) {
	return ask(ctx, p.Around, p.call("setvalue", at.At, values), func() ([]string, error) { return p.Page.SetValue(ctx, at, values...) })
}

func (p *Calls) SetFiles(ctx context.Context, at driver.Target, paths ...string) error {
	return tell(ctx, p.Around, p.call("setfiles", at.At, paths), func() error { return p.Page.SetFiles(ctx, at, paths...) })
}

func (p *Calls) ScrollTo(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error) {
	return ask(ctx, p.Around, p.call("scrollto", node, to), func() (driver.ScrollState, error) { return p.Page.ScrollTo(ctx, node, to) })
}

func (p *Calls) State(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
	return ask(ctx, p.Around, p.call("state", node), func() (*driver.State, error) { return p.Page.State(ctx, node) })
}

func (p *Calls) Evaluate(ctx context.Context, expression string, opts *driver.EvaluateOptions) ([]byte, error) {
	var node driver.NodeRef
	if opts != nil {
		node = opts.Node
	}
	return ask(ctx, p.Around, p.call("evaluate", node, expression, opts), func() ([]byte, error) { return p.Page.Evaluate(ctx, expression, opts) })
}

func (p *Calls) Screenshot(ctx context.Context, opts *driver.ScreenshotOptions) ([]byte, error) {
	return ask(ctx, p.Around, p.call("screenshot", driver.NodeRef{}, opts), func() ([]byte, error) { return p.Page.Screenshot(ctx, opts) })
}

func (p *Calls) PDF(ctx context.Context, opts *driver.PDFOptions) ([]byte, error) {
	return ask(ctx, p.Around, p.call("pdf", driver.NodeRef{}, opts), func() ([]byte, error) { return p.Page.PDF(ctx, opts) })
}

func (p *Calls) Emulate(ctx context.Context, e *driver.Emulation) error {
	return tell(ctx, p.Around, p.call("emulate", driver.NodeRef{}, e), func() error { return p.Page.Emulate(ctx, e) })
}

func (p *Calls) AddInitScript(ctx context.Context, source string) error {
	return tell(ctx, p.Around, p.call("addinitscript", driver.NodeRef{}, source), func() error { return p.Page.AddInitScript(ctx, source) })
}

func (p *Calls) Activate(ctx context.Context) error {
	return tell(ctx, p.Around, p.call("activate", driver.NodeRef{}), func() error { return p.Page.Activate(ctx) })
}

// Tools and CallTool are of a page that is a driver.ToolProvider.
func (p *Calls) Tools(ctx context.Context) ([]driver.Tool, error) {
	return ask(ctx, p.Around, p.call("tools", driver.NodeRef{}), func() ([]driver.Tool, error) {
		inner, ok := driver.PageAs[driver.ToolProvider](p.Page)
		if !ok {
			return nil, &driver.OpError{Op: "tools", Err: errors.ErrUnsupported}
		}
		return inner.Tools(ctx)
	})
}

func (p *Calls) CallTool(ctx context.Context, tool driver.ToolRef, input string) (*driver.ToolResult, error) {
	return ask(ctx, p.Around, p.call("calltool", driver.NodeRef{Frame: tool.Frame, Doc: tool.Doc}, tool.Name, input), func() (*driver.ToolResult, error) {
		inner, ok := driver.PageAs[driver.ToolProvider](p.Page)
		if !ok {
			return nil, &driver.OpError{Op: "calltool", Err: errors.ErrUnsupported}
		}
		return inner.CallTool(ctx, tool, input)
	})
}

func (p *Calls) Close(ctx context.Context) error {
	return tell(ctx, p.Around, p.call("close", driver.NodeRef{}), func() error { return p.Page.Close(ctx) })
}
