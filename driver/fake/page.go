package fake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/css"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

var _ driver.Page = (*page)(nil)

// A page is one tab. Like its documents it consists of layers, each of which
// embeds the one below it and has fields and a file of its own:
//
//	turn < frameTree < history < traffic < navigator < viewport < locating <
//	targeting < mouse < keyboard < hands < page
type page struct {
	hands
	opener driver.PageID
}

func (p *page) ID() driver.PageID { return p.id }

func (p *page) Opener() driver.PageID { return p.opener }

// Close closes the page.
func (p *page) Close(context.Context) error {
	if !p.end(driver.ErrClosed) && !errors.Is(p.lost(), driver.ErrCrashed) {
		return nil
	}
	if p.browser.removePage(p) {
		p.browser.emit(driver.PageClosed{Page: p.id})
	}
	return nil
}

// Crash ends the page as if its process had died. Package faults uses it.
func (p *page) Crash() {
	if p.end(driver.ErrCrashed) {
		p.browser.emit(driver.PageCrashed{Page: p.id})
	}
}

// Activate brings the page to the front.
func (p *page) Activate(ctx context.Context) error {
	return p.do(ctx, "activate", "", func(context.Context) error { return nil })
}

// AddInitScript is refused: nothing runs JavaScript here. See Options.Scripts.
func (p *page) AddInitScript(ctx context.Context, source string) error {
	return p.do(ctx, "addinitscript", "", func(context.Context) error { return errors.ErrUnsupported })
}

// PDF is refused: nothing is painted here.
func (p *page) PDF(ctx context.Context, opts *driver.PDFOptions) ([]byte, error) {
	return nil, p.do(ctx, "pdf", "", func(context.Context) error { return errors.ErrUnsupported })
}

// Screenshot is refused: nothing is painted here.
func (p *page) Screenshot(ctx context.Context, opts *driver.ScreenshotOptions) ([]byte, error) {
	return nil, p.do(ctx, "screenshot", "", func(context.Context) error { return errors.ErrUnsupported })
}

// Revision returns the count of all changes.
func (p *page) Revision(ctx context.Context) (driver.Revision, error) {
	return ask(ctx, &p.turn, "revision", "", func(context.Context) (driver.Revision, error) { return driver.Revision(p.revision + 1), nil })
}

// Capture reads all frames.
func (p *page) Capture(ctx context.Context) (*driver.Capture, error) {
	return ask(ctx, &p.turn, "capture", "", func(ctx context.Context) (*driver.Capture, error) {
		out := &driver.Capture{Revision: driver.Revision(p.revision + 1), Viewport: p.Viewport, Scale: p.Scale}
		frames := p.frames()
		index := make(map[*frame]int32, len(frames))
		for i, f := range frames {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			index[f] = int32(i)
			doc := f.doc.capture()
			doc.OwnerDocument, doc.Owner = -1, -1
			if f.parent != nil {
				doc.OwnerDocument = index[f.parent]
				doc.Owner = f.parent.doc.render().Index(f.owner)
			}
			out.Documents = append(out.Documents, doc)
			out.Notes = append(out.Notes, f.doc.notes...)
		}
		return out, nil
	})
}

// State reads one element's live state.
func (p *page) State(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
	return ask(ctx, &p.turn, "state", "", func(context.Context) (*driver.State, error) {
		d, n, err := p.node(node)
		if err != nil {
			return nil, err
		}
		if n.Type == html.TextNode && n.Parent != nil {
			n = n.Parent
		}
		return d.state(n), nil
	})
}

// Activity reports how busy the page is.
func (p *page) Activity(ctx context.Context) (*driver.Activity, error) {
	return ask(ctx, &p.turn, "activity", "", func(context.Context) (*driver.Activity, error) {
		a := &driver.Activity{Mutated: -1, Parsing: !p.main.doc.ready, Blank: p.main.doc.blank(), Idle: len(p.due) == 0 && p.inflight == 0}
		if !p.last.IsZero() {
			a.Mutated = time.Since(p.last)
		}
		for _, f := range p.frames() {
			a.Busy = a.Busy || f.doc.busy()
			a.Transition = a.Transition || f.doc.inTransition()
			a.Idle = a.Idle && f.pending == nil && f.doc.loaded
		}
		a.Idle = a.Idle && !a.Transition
		return a, nil
	})
}

// Emulate changes the page's environment.
func (p *page) Emulate(ctx context.Context, e *driver.Emulation) error {
	return p.do(ctx, "emulate", "", func(context.Context) error {
		p.Emulation.Merge(e)
		for _, f := range p.frames() {
			f.doc.resheet()
		}
		p.changed()
		return nil
	})
}

// Evaluate answers the expressions that Options registers.
func (p *page) Evaluate(ctx context.Context, expression string, opts *driver.EvaluateOptions) ([]byte, error) {
	if opts == nil {
		opts = new(driver.EvaluateOptions)
	}
	var out []byte
	err := p.acting(ctx, func() error {
		f := p.browser.driver.opts.Expressions[expression]
		if f == nil {
			return fmt.Errorf("expression %.24q: %w", expression, errors.ErrUnsupported)
		}
		fr := p.frame(opts.Frame)
		if !opts.Node.IsZero() {
			d, _, err := p.node(opts.Node)
			if err != nil {
				return err
			}
			fr = d.frame
		}
		if fr == nil {
			return driver.ErrDetached
		}
		v, err := f(fr.doc.handle(), opts.Args)
		fr.doc.afterScript()
		if err != nil {
			return err
		}
		out, err = json.Marshal(v)
		return err
	})
	return out, opError("evaluate", "", err)
}

// ChangeElements changes every element of the main document that a selector
// matches: "obscure" lays something on top of it, "rerender" replaces it by an
// equal one, "remove" takes it away. Package faults uses it.
func (p *page) ChangeElements(ctx context.Context, how, selector string) error {
	if _, err := css.Compile(selector); err != nil {
		return opError("change", selector, err)
	}
	return Change(ctx, p, func(d *Document) {
		for _, e := range d.FindAll(selector) {
			switch how {
			case "obscure":
				v := d.d.render()
				b := v.Find(e.n)
				if b == nil {
					continue
				}
				r := v.Shown(b.Rect, b.Fixed)
				d.Body().Append(fmt.Sprintf(`<div style="position:fixed;z-index:2147483647;left:%gpx;top:%gpx;width:%gpx;height:%gpx"></div>`,
					r.X, r.Y, r.Width, r.Height))
			case "rerender":
				e.Rerender()
			case "remove":
				e.Remove()
			}
		}
	})
}

// Tools implements driver.ToolProvider.
func (p *page) Tools(ctx context.Context) ([]driver.Tool, error) {
	return ask(ctx, &p.turn, "tools", "", func(context.Context) ([]driver.Tool, error) {
		out := []driver.Tool{}
		if !p.browser.opts.PageTools {
			return out, errToolsOff
		}
		for _, f := range p.frames() {
			out = append(out, f.doc.offers()...)
		}
		return out, nil
	})
}

// CallTool implements driver.ToolProvider.
func (p *page) CallTool(ctx context.Context, ref driver.ToolRef, input string) (*driver.ToolResult, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	c := &ToolCall{Input: input}
	err := p.acting(ctx, func() error { return p.beginTool(c, ref) })
	if err == nil {
		err = p.acquire(ctx) // after a dialog that the tool shows
	}
	if err != nil {
		return nil, opError("calltool", string(ref.Name), err)
	}
	d := c.Document.d
	if err := p.await(ctx, func() bool { return c.result != nil || d.gone() }); err != nil {
		return nil, opError("calltool", string(ref.Name), err)
	}
	defer p.release()
	if c.result == nil {
		return &driver.ToolResult{State: driver.ToolLeft}, nil
	}
	return c.result, nil
}

// beginTool has a tool begin to work.
func (p *page) beginTool(c *ToolCall, ref driver.ToolRef) error {
	if !p.browser.opts.PageTools {
		return errToolsOff
	}
	if err := json.Unmarshal([]byte(c.Input), &c.Arguments); err != nil || c.Arguments == nil {
		return errors.New("the input of a tool is the JSON of an object")
	}
	f := p.frame(ref.Frame)
	if f == nil {
		return driver.ErrDetached
	}
	d := f.doc
	if d.id != ref.Doc {
		return driver.ErrStale
	}
	at := slices.IndexFunc(d.offers(), func(t driver.Tool) bool { return t.Name == ref.Name })
	if at < 0 {
		return driver.ErrNoTool
	}
	c.Document = d.handle()
	if at < len(c.Document.tools) {
		c.Document.tools[at].Run(c)
	} else {
		d.fillTool(c, d.offers()[at])
	}
	d.afterScript()
	return nil
}

// SetValue assigns the value of a control that takes no typed text.
func (p *page) SetValue(ctx context.Context, at driver.Target, values ...string) ([]string, error) {
	var out []string
	err := p.acting(ctx, func() error {
		d, n, err := p.resolveElement(at)
		if err == nil {
			out, err = d.assign(n, values)
		}
		return err
	})
	return out, opError("setvalue", "", err)
}

// SetFiles gives a file input its files.
func (p *page) SetFiles(ctx context.Context, at driver.Target, paths ...string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
		}
		if err != nil {
			return &driver.OpError{Op: "setfiles", Target: path, Err: err}
		}
	}
	err := p.acting(ctx, func() error {
		d, n, err := p.resolveElement(at)
		if err != nil {
			return err
		}
		if !dom.IsElement(n, "input") || form.InputType(n) != "file" {
			return errors.New("not a file input")
		}
		if len(paths) > 1 && !dom.Has(n, "multiple") {
			return errors.New("the input takes one file")
		}
		c := d.Control(n)
		c.Files, c.Names = slices.Clone(paths), nil
		for _, path := range paths {
			c.Names = append(c.Names, filepath.Base(path))
		}
		d.Touched(n)
		d.fireChange(n)
		return nil
	})
	return opError("setfiles", "", err)
}

func newPage(b *browser, opener driver.PageID) *page {
	p := &page{opener: opener}
	p.self, p.browser, p.done, p.lock = p, b, make(chan struct{}), make(chan struct{}, 1)
	p.ctx, p.cancel = context.WithCancel(b.ctx)
	p.Emulation = b.opts.Emulation
	p.answer = b.opts.Dialog
	if p.Viewport == (driver.Size{}) {
		p.Viewport = driver.Size{Width: 1280, Height: 720}
	}
	if p.Scale == 0 {
		p.Scale = 1
	}
	p.main = &frame{page: p, id: b.frameID()}
	p.ordinals = 1
	p.id = driver.PageID(p.main.id)
	d := newDocument(p.main, response{url: dom.BlankURL()})
	d.complete()
	p.main.doc = d
	p.begin(d)
	p.listFrames()
	return p
}
