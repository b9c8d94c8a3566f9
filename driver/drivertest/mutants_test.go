package drivertest_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// captured changes what a page's captures hold.
func captured(change func(c *driver.Capture)) func(driver.Page) driver.Page {
	return faulty(func(p driver.Page, f *faultyPage) {
		f.capture = func(ctx context.Context) (*driver.Capture, error) {
			c, err := p.Capture(ctx)
			if err == nil {
				change(c)
			}
			return c, err
		}
	})
}

// eachNode changes every captured node.
func eachNode(change func(n *driver.Node)) func(driver.Page) driver.Page {
	return captured(func(c *driver.Capture) {
		for i := range c.Documents {
			for j := range c.Documents[i].Nodes {
				change(&c.Documents[i].Nodes[j])
			}
		}
	})
}

// located changes what Locate says.
func located(change func(l *driver.Location)) func(driver.Page) driver.Page {
	return faulty(func(p driver.Page, f *faultyPage) {
		f.locate = func(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
			l, err := p.Locate(ctx, node, opts)
			if err == nil {
				change(l)
			}
			return l, err
		}
	})
}

// stated changes what State says.
func stated(change func(s *driver.State)) func(driver.Page) driver.Page {
	return faulty(func(p driver.Page, f *faultyPage) {
		f.state = func(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
			s, err := p.State(ctx, node)
			if err == nil {
				change(s)
			}
			return s, err
		}
	})
}

var readMutants = []mutant{
	{name: "a status is an error", cases: "navigate/error-status", page: faulty(func(p driver.Page, f *faultyPage) {
		f.navigate = func(ctx context.Context, url string, opts *driver.NavigateOptions) (*driver.Response, error) {
			r, err := p.Navigate(ctx, url, opts)
			if r != nil && !r.OK() {
				return nil, errors.New("not found")
			}
			return r, err
		}
	})},
	{name: "the response is of the request", cases: "navigate/redirect", page: faulty(func(p driver.Page, f *faultyPage) {
		f.navigate = func(ctx context.Context, url string, opts *driver.NavigateOptions) (*driver.Response, error) {
			r, err := p.Navigate(ctx, url, opts)
			if r != nil {
				r.URL = url
			}
			return r, err
		}
	})},
	{name: "Back goes nowhere in silence", cases: "history/none history/back-forward", page: faulty(func(_ driver.Page, f *faultyPage) {
		f.back = func(context.Context, *driver.NavigateOptions) (*driver.Response, error) { return nil, nil }
	})},
	{name: "an old node is taken for one of the new document", cases: "stale/state stale/reload stale/mixed history/restored", page: faulty(func(p driver.Page, f *faultyPage) {
		f.state = func(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
			node.Doc = p.Frames()[0].Doc
			return p.State(ctx, node)
		}
		f.locate = func(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
			node.Doc = p.Frames()[0].Doc
			return p.Locate(ctx, node, opts)
		}
	})},
	{name: "elements are found in another order", cases: "find/order find/css find/xpath", page: faulty(func(p driver.Page, f *faultyPage) {
		f.find = func(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
			refs, err := p.Find(ctx, root, sel)
			slices.Reverse(refs)
			return refs, err
		}
	})},
	{name: "a bad selector finds nothing", cases: "find/bad-css find/bad-xpath", page: faulty(func(p driver.Page, f *faultyPage) {
		f.find = func(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
			refs, err := p.Find(ctx, root, sel)
			if errors.Is(err, driver.ErrSelector) {
				err = nil
			}
			return refs, err
		}
	})},
	{name: "errors are bare", cases: "stale/find", page: faulty(func(p driver.Page, f *faultyPage) {
		f.find = func(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
			refs, err := p.Find(ctx, root, sel)
			if errors.Is(err, driver.ErrStale) {
				err = driver.ErrStale
			}
			return refs, err
		}
	})},
	{name: "closed shadow trees are left out", cases: "shadow/closed shadow/nested", page: captured(func(c *driver.Capture) {
		for i := range c.Documents {
			d := &c.Documents[i]
			d.Nodes = slices.DeleteFunc(d.Nodes, func(n driver.Node) bool { return n.Shadow == driver.ClosedShadow })
		}
	})},
	{name: "frames are left out", cases: "frames/capture frames/nested wait/frames", page: captured(func(c *driver.Capture) { c.Documents = c.Documents[:1] })},
	{name: "a node is out of order", cases: "capture/preorder", page: captured(func(c *driver.Capture) {
		n := c.Documents[0].Nodes
		n[len(n)-1], n[len(n)-2] = n[len(n)-2], n[len(n)-1]
		n[len(n)-1].Parent = int32(len(n) - 1)
	})},
	{name: "names are upper case", cases: "capture/names", page: eachNode(func(n *driver.Node) {
		if n.Name == "p" {
			n.Name = "P"
		}
	})},
	{name: "boxes move", cases: "box/border box/frame", page: eachNode(func(n *driver.Node) { n.Box.Y++ })},
	{name: "nothing is checked", cases: "content/checked", page: eachNode(func(n *driver.Node) { n.Checked = false })},
	{name: "the markup's value stands for the live one", cases: "content/value", page: eachNode(func(n *driver.Node) {
		if v, ok := n.Attr("value"); ok {
			n.Value = v
		}
	})},
	{name: "all is rendered", cases: "box/rendered content/not-shown", page: eachNode(func(n *driver.Node) { n.Rendered = true })},
	{name: "nothing is rare", cases: "rare/invalid rare/scroll", page: eachNode(func(n *driver.Node) { n.Rare = nil })},
	{name: "nothing is focused", cases: "content/active keyboard/tab", page: captured(func(c *driver.Capture) { c.Documents[0].Active = -1 })},
	{name: "the revision stands still", cases: "revision/typing revision/navigation revision/once", page: faulty(func(_ driver.Page, f *faultyPage) {
		f.revision = func(context.Context) (driver.Revision, error) { return 1, nil }
	})},
	{name: "the revision never stands still", cases: "revision/same", page: faulty(func(_ driver.Page, f *faultyPage) {
		var n atomic.Uint64
		f.revision = func(context.Context) (driver.Revision, error) { return driver.Revision(n.Add(1)), nil }
	})},
	{name: "nothing is busy", cases: "activity/busy activity/frames", page: faulty(func(_ driver.Page, f *faultyPage) {
		f.activity = func(context.Context) (*driver.Activity, error) { return &driver.Activity{}, nil }
	})},
}

var actMutants = []mutant{
	{name: "boxes are off by one", cases: "locate/box frames/locate", page: located(func(l *driver.Location) { l.Box.X++ })},
	{name: "all is reached", cases: "obstacle/covered obstacle/other-label frames/covered", page: located(func(l *driver.Location) { l.Reached = true })},
	{name: "aria-disabled is overlooked", cases: "obstacle/disabled", page: located(func(l *driver.Location) { l.AriaDisabled = false })},
	{name: "input goes wherever it goes", cases: "aim/press aim/frame aim/key aim/gone", page: faulty(func(p driver.Page, f *faultyPage) {
		f.input = func(ctx context.Context, events ...driver.InputEvent) error {
			if _, ok := events[0].(driver.Target); ok {
				events = events[1:]
			}
			return p.Input(ctx, events...)
		}
	})},
	{name: "it does not matter what an element says", cases: "aim/says", page: faulty(func(p driver.Page, f *faultyPage) {
		f.input = func(ctx context.Context, events ...driver.InputEvent) error {
			if a, ok := events[0].(driver.Target); ok {
				events[0] = driver.Target{At: a.At, Only: a.Only, Text: a.Text}
			}
			return p.Input(ctx, events...)
		}
	})},
	{name: "only the first key is looked at", cases: "aim/only", page: faulty(func(p driver.Page, f *faultyPage) {
		f.input = func(ctx context.Context, events ...driver.InputEvent) error {
			if a, ok := events[0].(driver.Target); ok {
				events[0] = driver.Target{At: a.At, Label: a.Label, Text: a.Text}
			}
			return p.Input(ctx, events...)
		}
	})},
	{name: "letters are lost in silence", cases: "aim/text", page: faulty(func(p driver.Page, f *faultyPage) {
		f.input = func(ctx context.Context, events ...driver.InputEvent) error {
			if err := p.Input(ctx, events...); !errors.Is(err, driver.ErrNotTyped) {
				return err
			}
			return nil
		}
	})},
	{name: "a release goes wherever it goes", cases: "aim/slip", page: faulty(func(p driver.Page, f *faultyPage) {
		f.input = func(ctx context.Context, events ...driver.InputEvent) error {
			if err := p.Input(ctx, events...); !errors.Is(err, driver.ErrTargetMoved) {
				return err
			}
			return nil
		}
	})},
	{name: "nothing is disabled", cases: "obstacle/disabled", page: located(func(l *driver.Location) { l.Disabled = false })},
	{name: "nothing is inert", cases: "obstacle/inert", page: located(func(l *driver.Location) { l.Inert = false })},
	{name: "nothing says anything", cases: "locate/says", page: located(func(l *driver.Location) { l.Label = "" })},
	{name: "all is visible", cases: "locate/invisible", page: located(func(l *driver.Location) { l.Visible = true })},
	{name: "Locate does not scroll", cases: "locate/scroll locate/container", page: faulty(func(p driver.Page, f *faultyPage) {
		f.locate = func(ctx context.Context, node driver.NodeRef, _ *driver.LocateOptions) (*driver.Location, error) {
			return p.Locate(ctx, node, nil)
		}
	})},
	{name: "points are all of the main frame", cases: "hittest/point", page: faulty(func(p driver.Page, f *faultyPage) {
		f.hitTest = func(ctx context.Context, at driver.Point) (driver.NodeRef, error) {
			at.Frame = ""
			return p.HitTest(ctx, at)
		}
	})},
	{name: "presses are lost", cases: "keyboard/letters form/label form/radio pointer/focus", page: faulty(func(p driver.Page, f *faultyPage) {
		f.input = func(ctx context.Context, events ...driver.InputEvent) error {
			return p.Input(ctx, slices.DeleteFunc(events, func(e driver.InputEvent) bool {
				switch e.(type) {
				case driver.MouseDown, driver.KeyDown:
					return true
				}
				return false
			})...)
		}
	})},
	{name: "nothing is held", cases: "pointer/hold", page: faulty(func(p driver.Page, f *faultyPage) {
		f.input = func(ctx context.Context, events ...driver.InputEvent) error {
			return p.Input(ctx, slices.DeleteFunc(events, func(e driver.InputEvent) bool {
				_, pause := e.(driver.Pause)
				return pause
			})...)
		}
	})},
	{name: "input is sent twice", cases: "keyboard/letters form/details", page: faulty(func(p driver.Page, f *faultyPage) {
		f.input = func(ctx context.Context, events ...driver.InputEvent) error {
			return errors.Join(p.Input(ctx, events...), p.Input(ctx, events...))
		}
	})},
	{name: "keys and values are for any label", cases: "aim/label-keys aim/selected aim/beside-flat", page: faulty(func(p driver.Page, f *faultyPage) {
		any := func(at driver.Target) driver.Target { at.Label, at.Beside, at.Selected = nil, nil, nil; return at }
		f.focus = func(ctx context.Context, at driver.Target) error { return p.Focus(ctx, any(at)) }
		f.selects = func(ctx context.Context, at driver.Target) error { return p.SelectText(ctx, any(at)) }
	})},
	{name: "input is for whatever is selected", cases: "aim/selected", page: faulty(func(p driver.Page, f *faultyPage) {
		f.input = func(ctx context.Context, events ...driver.InputEvent) error {
			events = slices.Clone(events)
			if aim, ok := events[0].(driver.Target); ok {
				aim.Selected = nil
				events[0] = aim
			}
			return p.Input(ctx, events...)
		}
	})},
	{name: "labels say nothing", cases: "aim/label", page: faulty(func(p driver.Page, f *faultyPage) {
		f.locate = func(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
			l, err := p.Locate(ctx, node, opts)
			if l != nil {
				l.Label = ""
			}
			return l, err
		}
	})},
	{name: "a place is any place", cases: "locate/offset", page: faulty(func(p driver.Page, f *faultyPage) {
		f.locate = func(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
			return p.Locate(ctx, node, &driver.LocateOptions{Scroll: opts != nil && opts.Scroll})
		}
	})},
	{name: "Focus does nothing", cases: "keyboard/select-all edit/not-focusable", page: faulty(func(_ driver.Page, f *faultyPage) {
		f.focus = func(context.Context, driver.Target) error { return nil }
	})},
	{name: "SelectText selects nothing", cases: "edit/select-text edit/editable", page: faulty(func(p driver.Page, f *faultyPage) { f.selects = p.Focus })},
	{name: "SetValue says what it was told", cases: "value/refused value/sanitized", page: faulty(func(p driver.Page, f *faultyPage) {
		f.setValue = func(ctx context.Context, at driver.Target, values ...string) ([]string, error) {
			_, err := p.SetValue(ctx, at, values...)
			return values, err
		}
	})},
	{name: "SetFiles does nothing", cases: "files/several files/missing files/sent", page: faulty(func(_ driver.Page, f *faultyPage) {
		f.setFiles = func(context.Context, driver.Target, ...string) error { return nil }
	})},
	{name: "ScrollTo says what it was told", cases: "scroll/clamped scroll/by", page: faulty(func(p driver.Page, f *faultyPage) {
		f.scrollTo = func(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error) {
			s, err := p.ScrollTo(ctx, node, to)
			s.X, s.Y = to.X, to.Y
			return s, err
		}
	})},
	{name: "nothing is valid", cases: "validation/messages", page: stated(func(s *driver.State) { s.Validity = "wrong" })},
	{name: "options are not told", cases: "select/options", page: stated(func(s *driver.State) { s.Options = nil })},
	{name: "all is editable", cases: "state/editable", page: stated(func(s *driver.State) { s.Editable = true })},
	{name: "Emulate does nothing", cases: "emulate/zero emulate/headers emulate/locale", page: faulty(func(_ driver.Page, f *faultyPage) {
		f.emulate = func(context.Context, *driver.Emulation) error { return nil }
	})},
	{name: "a second Close of a page fails", cases: "close/page-twice", page: faulty(func(p driver.Page, f *faultyPage) {
		var closed atomic.Bool
		f.close = func(ctx context.Context) error {
			if closed.Swap(true) {
				return errAgain
			}
			return p.Close(ctx)
		}
	})},
	{name: "contexts are not heeded", cases: "cancel/before", page: faulty(func(p driver.Page, f *faultyPage) {
		f.navigate = func(ctx context.Context, url string, opts *driver.NavigateOptions) (*driver.Response, error) {
			return p.Navigate(context.WithoutCancel(ctx), url, opts)
		}
	})},
}
