package faults

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A page passes calls on. What asks no browser (ID, Opener, Frames, OnDialog)
// is the wrapped page's own.
type page struct {
	driver.Page
	browser *browser
}

// Unwrap returns the page that is wrapped.
func (p *page) Unwrap() driver.Page { return p.Page }

func (p *page) Navigate(ctx context.Context, url string, opts *driver.NavigateOptions) (*driver.Response, error) {
	return made(ctx, p.browser, p.Page, "navigate", func() (*driver.Response, error) { return p.Page.Navigate(ctx, url, opts) })
}

func (p *page) Reload(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return made(ctx, p.browser, p.Page, "reload", func() (*driver.Response, error) { return p.Page.Reload(ctx, opts) })
}

func (p *page) Back(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return made(ctx, p.browser, p.Page, "back", func() (*driver.Response, error) { return p.Page.Back(ctx, opts) })
}

func (p *page) Forward(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return made(ctx, p.browser, p.Page, "forward", func() (*driver.Response, error) { return p.Page.Forward(ctx, opts) })
}

func (p *page) Capture(ctx context.Context) (*driver.Capture, error) {
	return made(ctx, p.browser, p.Page, "capture", func() (*driver.Capture, error) { return p.Page.Capture(ctx) })
}

func (p *page) Revision(ctx context.Context) (driver.Revision, error) {
	return made(ctx, p.browser, p.Page, "revision", func() (driver.Revision, error) { return p.Page.Revision(ctx) })
}

func (p *page) Activity(ctx context.Context) (*driver.Activity, error) {
	return made(ctx, p.browser, p.Page, "activity", func() (*driver.Activity, error) { return p.Page.Activity(ctx) })
}

func (p *page) Find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	return made(ctx, p.browser, p.Page, "find", func() ([]driver.NodeRef, error) { return p.Page.Find(ctx, root, sel) })
}

func (p *page) Locate(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
	return made(ctx, p.browser, p.Page, "locate", func() (*driver.Location, error) { return p.Page.Locate(ctx, node, opts) })
}

func (p *page) HitTest(ctx context.Context, at driver.Point) (driver.NodeRef, error) {
	return made(ctx, p.browser, p.Page, "hittest", func() (driver.NodeRef, error) { return p.Page.HitTest(ctx, at) })
}

func (p *page) Input(ctx context.Context, events ...driver.InputEvent) error {
	return done(ctx, p.browser, p.Page, "input", func() error { return p.Page.Input(ctx, events...) })
}

func (p *page) Focus(ctx context.Context, at driver.Target) error {
	return done(ctx, p.browser, p.Page, "focus", func() error { return p.Page.Focus(ctx, at) })
}

func (p *page) SelectText(ctx context.Context, at driver.Target) error {
	return done(ctx, p.browser, p.Page, "selecttext", func() error { return p.Page.SelectText(ctx, at) })
}

func (p *page) SetValue(ctx context.Context, at driver.Target, values ...string) ([]string, error) {
	return made(ctx, p.browser, p.Page, "setvalue", func() ([]string, error) { return p.Page.SetValue(ctx, at, values...) })
}

func (p *page) SetFiles(ctx context.Context, at driver.Target, paths ...string) error {
	return done(ctx, p.browser, p.Page, "setfiles", func() error { return p.Page.SetFiles(ctx, at, paths...) })
}

func (p *page) ScrollTo(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error) {
	return made(ctx, p.browser, p.Page, "scrollto", func() (driver.ScrollState, error) { return p.Page.ScrollTo(ctx, node, to) })
}

func (p *page) State(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
	return made(ctx, p.browser, p.Page, "state", func() (*driver.State, error) { return p.Page.State(ctx, node) })
}

func (p *page) Evaluate(ctx context.Context, expression string, opts *driver.EvaluateOptions) ([]byte, error) {
	return made(ctx, p.browser, p.Page, "evaluate", func() ([]byte, error) { return p.Page.Evaluate(ctx, expression, opts) })
}

func (p *page) Screenshot(ctx context.Context, opts *driver.ScreenshotOptions) ([]byte, error) {
	return made(ctx, p.browser, p.Page, "screenshot", func() ([]byte, error) { return p.Page.Screenshot(ctx, opts) })
}

func (p *page) Emulate(ctx context.Context, e *driver.Emulation) error {
	return done(ctx, p.browser, p.Page, "emulate", func() error { return p.Page.Emulate(ctx, e) })
}

func (p *page) AddInitScript(ctx context.Context, source string) error {
	return done(ctx, p.browser, p.Page, "addinitscript", func() error { return p.Page.AddInitScript(ctx, source) })
}

func (p *page) Activate(ctx context.Context) error {
	return done(ctx, p.browser, p.Page, "activate", func() error { return p.Page.Activate(ctx) })
}

func (p *page) Close(ctx context.Context) error {
	return done(ctx, p.browser, p.Page, "close", func() error { return p.Page.Close(ctx) })
}
