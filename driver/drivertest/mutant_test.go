package drivertest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/drivertest"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// A mutant is the in-memory browser with one fault. The cases named must fail
// on it: this shows that they check what they say.
type mutant struct {
	name  string
	cases string
	page  func(p driver.Page) driver.Page
	open  func(b driver.Browser) driver.Browser
}

// hopeless bounds a case that waits for what a mutant never does.
const hopeless = 300 * time.Millisecond

func TestMutantsFail(t *testing.T) {
	byName := map[string]*drivertest.Case{}
	cases := drivertest.Cases()
	for i := range cases {
		byName[cases[i].Name] = &cases[i]
	}
	for _, m := range slices.Concat(readMutants, actMutants, browserMutants) {
		for name := range strings.FieldsSeq(m.cases) {
			t.Run(m.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				c := byName[name]
				if c == nil {
					t.Fatalf("there is no case %s", name)
				}
				if err := check(t, c, mutant{}, time.Minute); err != nil {
					t.Fatalf("the case fails without the fault: %v", err)
				}
				if check(t, c, m, hopeless) == nil {
					t.Errorf("the case passes, though: %s", m.name)
				}
			})
		}
	}
}

func check(t *testing.T, c *drivertest.Case, m mutant, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return c.Check(ctx, drivertest.Harness{Driver: func(site *drivertest.Site) driver.Driver {
		return &mutantDriver{fake.New(fake.Options{Handler: site.Handler}), m}
	}})
}

type mutantDriver struct {
	driver.Driver
	m mutant
}

func (d *mutantDriver) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := d.Driver.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	b = &mutantBrowser{b, d.m}
	if d.m.open != nil {
		b = d.m.open(b)
	}
	return b, nil
}

type mutantBrowser struct {
	driver.Browser
	m mutant
}

func (b *mutantBrowser) Unwrap() driver.Browser { return b.Browser }

func (b *mutantBrowser) Pages() []driver.Page {
	pages := b.Browser.Pages()
	for i, p := range pages {
		pages[i] = b.wrap(p)
	}
	return pages
}

func (b *mutantBrowser) NewPage(ctx context.Context) (driver.Page, error) {
	p, err := b.Browser.NewPage(ctx)
	if err != nil {
		return nil, err
	}
	return b.wrap(p), nil
}

func (b *mutantBrowser) wrap(p driver.Page) driver.Page {
	if b.m.page == nil {
		return p
	}
	return b.m.page(p)
}

// The methods that mutants replace, each by a function that is given the page.
type faultyPage struct {
	driver.Page
	navigate func(ctx context.Context, url string, opts *driver.NavigateOptions) (*driver.Response, error)
	back     func(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error)
	capture  func(ctx context.Context) (*driver.Capture, error)
	revision func(ctx context.Context) (driver.Revision, error)
	activity func(ctx context.Context) (*driver.Activity, error)
	find     func(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error)
	locate   func(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error)
	hitTest  func(ctx context.Context, at driver.Point) (driver.NodeRef, error)
	input    func(ctx context.Context, events ...driver.InputEvent) error
	focus    func(ctx context.Context, at driver.Target) error
	selects  func(ctx context.Context, at driver.Target) error
	setValue func(ctx context.Context, at driver.Target, values ...string) ([]string, error)
	setFiles func(ctx context.Context, at driver.Target, paths ...string) error
	scrollTo func(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error)
	state    func(ctx context.Context, node driver.NodeRef) (*driver.State, error)
	emulate  func(ctx context.Context, e *driver.Emulation) error
	close    func(ctx context.Context) error
}

// faulty wraps a page; break_ replaces what the mutant does otherwise.
func faulty(break_ func(p driver.Page, f *faultyPage)) func(driver.Page) driver.Page {
	return func(p driver.Page) driver.Page {
		f := &faultyPage{
			Page: p, navigate: p.Navigate, back: p.Back, capture: p.Capture, revision: p.Revision, activity: p.Activity,
			find: p.Find, locate: p.Locate, hitTest: p.HitTest, input: p.Input, focus: p.Focus, selects: p.SelectText,
			setValue: p.SetValue, setFiles: p.SetFiles, scrollTo: p.ScrollTo, state: p.State, emulate: p.Emulate, close: p.Close,
		}
		break_(p, f)
		return f
	}
}

func (f *faultyPage) Navigate(ctx context.Context, url string, opts *driver.NavigateOptions) (*driver.Response, error) {
	return f.navigate(ctx, url, opts)
}

func (f *faultyPage) Back(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return f.back(ctx, opts)
}

func (f *faultyPage) Capture(ctx context.Context) (*driver.Capture, error)   { return f.capture(ctx) }
func (f *faultyPage) Revision(ctx context.Context) (driver.Revision, error)  { return f.revision(ctx) }
func (f *faultyPage) Activity(ctx context.Context) (*driver.Activity, error) { return f.activity(ctx) }

func (f *faultyPage) Find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	return f.find(ctx, root, sel)
}

func (f *faultyPage) Locate(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
	return f.locate(ctx, node, opts)
}

func (f *faultyPage) HitTest(ctx context.Context, at driver.Point) (driver.NodeRef, error) {
	return f.hitTest(ctx, at)
}

func (f *faultyPage) Input(ctx context.Context, events ...driver.InputEvent) error {
	return f.input(ctx, events...)
}

func (f *faultyPage) Focus(ctx context.Context, at driver.Target) error { return f.focus(ctx, at) }
func (f *faultyPage) SelectText(ctx context.Context, at driver.Target) error {
	return f.selects(ctx, at)
}

func (f *faultyPage) SetValue(ctx context.Context, at driver.Target, values ...string) ([]string, error) {
	return f.setValue(ctx, at, values...)
}

func (f *faultyPage) SetFiles(ctx context.Context, at driver.Target, paths ...string) error {
	return f.setFiles(ctx, at, paths...)
}

func (f *faultyPage) ScrollTo(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error) {
	return f.scrollTo(ctx, node, to)
}

func (f *faultyPage) State(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
	return f.state(ctx, node)
}

func (f *faultyPage) Emulate(ctx context.Context, e *driver.Emulation) error {
	return f.emulate(ctx, e)
}
func (f *faultyPage) Close(ctx context.Context) error { return f.close(ctx) }

var errAgain = errors.New("not again")

// TestLacks: what a browser lacks ends a case with that, if the harness says that it
// is the browser's lack; else the case fails as any.
func TestLacks(t *testing.T) {
	cases := drivertest.Cases()
	list := cases[slices.IndexFunc(cases, func(c drivertest.Case) bool { return c.Name == "tools/list" })]
	for _, reason := range []string{"it is old", ""} {
		err := list.Check(t.Context(), drivertest.Harness{
			Driver: func(site *drivertest.Site) driver.Driver {
				return &mutantDriver{fake.New(fake.Options{Handler: site.Handler}), mutant{page: func(p driver.Page) driver.Page { return toolless{p} }}}
			},
			Lacks: func(b driver.Browser, refused error) string {
				if b == nil || !errors.Is(refused, errOld) {
					t.Errorf("Lacks(%v, %v)", b, refused)
				}
				return reason
			},
		})
		if err == nil || strings.Contains(err.Error(), "the browser lacks this: it is old") != (reason != "") {
			t.Errorf("Check with the reason %q = %v", reason, err)
		}
	}
}

var errOld = fmt.Errorf("old: %w", errors.ErrUnsupported)

// toolless is a page of a browser without WebMCP.
type toolless struct{ driver.Page }

func (toolless) Tools(context.Context) ([]driver.Tool, error) { return nil, errOld }

func (toolless) CallTool(context.Context, driver.ToolRef, string) (*driver.ToolResult, error) {
	return nil, errOld
}
