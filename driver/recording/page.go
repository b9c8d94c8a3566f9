package recording

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/internal/passthrough"
)

// A browser passes calls on, and keeps what opens pages. The rest is not
// recorded: cookies and storage are nobody's to keep.
type browser struct {
	passthrough.Browser
	recorder *Recorder
}

var _ driver.Hider = (*browser)(nil)

// newBrowser wraps a browser.
func newBrowser(b driver.Browser, r *Recorder) *browser {
	w := &browser{recorder: r}
	w.Browser.Browser, w.Around = b, w.around
	w.Wrap = func(p driver.Page) driver.Page { return newPage(p, r) }
	return w
}

// Hide keeps a value out of the bundle.
func (b *browser) Hide(name, value string) {
	b.recorder.Hide(name, value)
	b.Browser.Hide(name, value)
}

func (b *browser) around(_ context.Context, c passthrough.Call, do func() (any, error)) (any, error) {
	if c.Op != "newpage" {
		return do()
	}
	kept := b.recorder.begin("", c.Op, driver.NodeRef{}, nil)
	start := time.Now()
	v, err := do()
	took := time.Since(start)
	var answer any
	if p, ok := v.(driver.Page); ok && err == nil {
		answer = p.ID()
	}
	b.recorder.end(kept, answer, took, err)
	return v, err
}

// A page passes calls on and keeps them. What is not recorded: pictures,
// emulation, who answers dialogs.
type page struct {
	*passthrough.Page
	recorder *Recorder
	camera   camera

	mu     sync.Mutex     // protects what follows
	frames []driver.Frame // as they were noted last
	acted  bool           // the last call was an action
	begun  time.Time      // when the first of the last actions in a row began
}

// newPage wraps a page.
func newPage(p driver.Page, r *Recorder) *page {
	w := &page{recorder: r, camera: camera{page: p, recorder: r}}
	w.Page = passthrough.Wrap(p, w.around)
	return w
}

type unrecordedKey struct{}

// Unrecorded returns a context for calls to pages that are not kept: a person's
// input, or looks that are no part of the run. A replay lacks them, too.
func Unrecorded(ctx context.Context) context.Context {
	return context.WithValue(ctx, unrecordedKey{}, true)
}

// Recorded reports that a context is none of Unrecorded.
func Recorded(ctx context.Context) bool { return ctx.Value(unrecordedKey{}) == nil }

// around makes a call and keeps it.
func (p *page) around(ctx context.Context, c passthrough.Call, do func() (any, error)) (any, error) {
	if _, kept := answers[c.Op]; !kept || !Recorded(ctx) {
		return do()
	}
	inner := p.Unwrap()
	p.note(inner.Frames(), false)
	p.camera.before(ctx, c)
	p.mu.Lock()
	if acting[c.Op] && !p.acted {
		p.begun = time.Now()
	}
	p.acted = acting[c.Op]
	p.mu.Unlock()
	kept := p.recorder.begin(p.ID(), c.Op, c.Node, describe(c))
	start := time.Now()
	v, err := do()
	took := time.Since(start)
	var answer any
	if err == nil && v != nil {
		answer = p.form(v)
	}
	p.recorder.end(kept, answer, took, err)
	p.note(inner.Frames(), false)
	if looked, ok := v.(*driver.Capture); ok && err == nil && looked != nil {
		p.camera.after(ctx, looked)
	}
	return v, err
}

// form is an answer as it is kept: a copy, which nobody else holds.
func (p *page) form(v any) any {
	switch v := v.(type) {
	case *driver.Response: // without what the server wants to be remembered
		out := mapTexts(v, same)
		if out != nil {
			delete(out.Headers, "set-cookie")
		}
		return out
	case *driver.Capture:
		return newCapture(v)
	case *driver.Activity:
		return activity{v.Mutated >= 0 && v.Mutated <= p.since(), v.Transition, v.Busy, v.Parsing, v.Blank}
	case []byte: // of Evaluate
		return string(v)
	}
	return mapTexts(v, same)
}

func same(s string) string { return s }

// Frames are noted each time: who asks goes by what they were then.
func (p *page) Frames() []driver.Frame {
	frames := p.Unwrap().Frames()
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
