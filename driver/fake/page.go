package fake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// callLimit bounds a call whose context has no deadline of its own.
const callLimit = 30 * time.Second

var _ driver.Page = (*page)(nil)

// A page is one tab. What it shows is guarded by a lock that can be given up
// when a context ends, because a caller may hold it while a dialog is open.
type page struct {
	browser *browser
	id      driver.PageID
	opener  driver.PageID
	ctx     context.Context // ends with the page: for what runs in the background
	cancel  context.CancelFunc

	frameList atomic.Pointer[[]driver.Frame] // what Frames returns
	dialog    atomic.Pointer[driver.Dialog]  // the one that stands open

	mu     sync.Mutex    // protects the fields below
	gone   error         // why the page ended: ErrClosed, ErrCrashed
	done   chan struct{} // closed when it ends
	answer func(driver.Dialog) driver.DialogAnswer

	lock chan struct{} // holds a token while somebody has the page

	// All that follows belongs to the holder of lock.
	main     *frame
	ordinals int
	revision uint64
	shown    bool // brought to the front
	emulation
	history
	timers
	inputState
	tasks   []func()        // to run before the lock is released
	waiting []chan struct{} // closed at the next change
	stepped bool            // something changed that somebody may wait for
	mutations
	inflight int       // requests under way
	idle     time.Time // when the last of them ended
	yielded  chan struct{}
}

func (p *page) ID() driver.PageID { return p.id }

func (p *page) Opener() driver.PageID { return p.opener }

// acquire takes the page for the caller, and makes up for what is due.
func (p *page) acquire(ctx context.Context) error {
	if err := p.lost(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.lock <- struct{}{}:
	case <-p.done:
		return p.lost()
	case <-ctx.Done():
		if p.dialog.Load() != nil {
			return fmt.Errorf("%w: %w", driver.ErrDialog, ctx.Err())
		}
		return ctx.Err()
	}
	if err := p.lost(); err != nil {
		<-p.lock
		return err
	}
	p.runDue()
	p.runTasks()
	return nil
}

// release finishes what the holder has begun and lets the page go.
func (p *page) release() {
	p.runTasks()
	p.armTimer()
	if p.stepped {
		p.stepped = false
		for _, ch := range p.waiting {
			close(ch)
		}
		p.waiting = nil
	}
	<-p.lock
}

// later has f run before the lock is released, outside of any event handler.
func (p *page) later(f func()) { p.tasks = append(p.tasks, f) }

func (p *page) runTasks() {
	for len(p.tasks) > 0 {
		f := p.tasks[0]
		p.tasks = p.tasks[1:]
		f()
	}
	p.tasks = nil
}

// step says that something happened that a waiting call may want to know.
func (p *page) step() { p.stepped = true }

// await waits without the lock until cond, asked with the lock, holds.
// The caller holds the lock, and holds it again if no error is returned.
func (p *page) await(ctx context.Context, cond func() bool) error {
	for !cond() {
		ch := make(chan struct{})
		p.waiting = append(p.waiting, ch)
		p.release()
		select {
		case <-ch:
		case <-p.done:
			return p.lost()
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := p.acquire(ctx); err != nil {
			return err
		}
	}
	return nil
}

// lost is the reason why the page can't be used, nil if it can.
func (p *page) lost() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone
}

// do runs f with the page held and puts op and target to its error.
func (p *page) do(ctx context.Context, op, target string, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := p.acquire(ctx)
	if err == nil {
		func() {
			defer p.release()
			err = f(ctx)
		}()
	}
	return opError(op, target, err)
}

// opError puts the operation to an error that has none yet.
func opError(op, target string, err error) error {
	var oe *driver.OpError
	if err == nil || errors.As(err, &oe) {
		return err
	}
	return &driver.OpError{Op: op, Target: target, Err: err}
}

// end closes the page for good, without its lock.
func (p *page) end(why error) bool {
	p.mu.Lock()
	if p.gone != nil {
		p.mu.Unlock()
		return false
	}
	p.gone = why
	p.mu.Unlock()
	p.cancel()
	close(p.done)
	p.stopTimer()
	return true
}

// removePage takes a page off the list; false if it was not on it.
func (b *browser) removePage(p *page) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.pages, p)
	if i < 0 {
		return false
	}
	b.pages = slices.Delete(b.pages, i, i+1)
	return true
}

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
	return p.do(ctx, "activate", "", func(context.Context) error { p.shown = true; return nil })
}

// emulation is what the page takes its environment to be.
type emulation struct {
	driver.Emulation
}

func (m *emulation) merge(e *driver.Emulation) {
	set := func(to *string, v string) {
		if v != "" {
			*to = v
		}
	}
	if e.Viewport != (driver.Size{}) {
		m.Viewport = e.Viewport
	}
	if e.Scale != 0 {
		m.Scale = e.Scale
	}
	m.Touch = m.Touch || e.Touch
	m.Mobile = m.Mobile || e.Mobile
	set(&m.Locale, e.Locale)
	set(&m.TimeZone, e.TimeZone)
	set(&m.UserAgent, e.UserAgent)
	set((*string)(&m.ColorScheme), string(e.ColorScheme))
	set((*string)(&m.Connection), string(e.Connection))
	if e.Geolocation != nil {
		m.Geolocation = e.Geolocation
	}
	if len(e.Headers) > 0 {
		headers := make(map[string]string, len(e.Headers)+len(m.Headers))
		for k, v := range m.Headers {
			headers[k] = v
		}
		for k, v := range e.Headers {
			headers[k] = v
		}
		m.Headers = headers
	}
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
	var r driver.Revision
	err := p.do(ctx, "revision", "", func(context.Context) error {
		r = driver.Revision(p.revision + 1)
		return nil
	})
	return r, err
}

// after has f run for a document once the time has come, unless the document
// has gone by then.
func (p *page) after(d *document, wait time.Duration, f func()) {
	at := time.Now().Add(max(0, wait))
	i, _ := slices.BinarySearchFunc(p.due, at, func(t timer, at time.Time) int {
		if t.at.After(at) {
			return 1
		}
		return -1
	})
	p.due = slices.Insert(p.due, i, timer{at, d, f})
}

// runDue runs what is due now, and what that makes due at once.
func (p *page) runDue() {
	if len(p.due) == 0 {
		return
	}
	now := time.Now()
	for n := 0; len(p.due) > 0 && !p.due[0].at.After(now) && n < 100000; n++ {
		t := p.due[0]
		p.due = p.due[1:]
		if t.d.frame.doc == t.d && !t.d.frame.detached {
			t.f()
			p.runTasks()
		}
	}
}

// armTimer sets the alarm for the next thing to do. The caller holds the page.
func (p *page) armTimer() {
	if len(p.due) == 0 || p.due[0].at.Equal(p.armed) {
		return
	}
	p.armed = p.due[0].at
	wait := time.Until(p.armed)
	p.wakeMu.Lock()
	defer p.wakeMu.Unlock()
	if p.wake != nil {
		p.wake.Stop()
	}
	if p.lost() != nil {
		return
	}
	p.wake = time.AfterFunc(wait, func() {
		if p.acquire(context.Background()) != nil {
			return
		}
		p.armed = time.Time{}
		p.release()
	})
}

func (p *page) stopTimer() {
	p.wakeMu.Lock()
	defer p.wakeMu.Unlock()
	if p.wake != nil {
		p.wake.Stop()
	}
}

// dropTimers forgets what a document had to do: it is no longer shown. A
// document in the cache keeps what it had, and continues when it comes back.
func (p *page) dropTimers(d *document) {
	now := time.Now()
	d.paused = nil
	p.due = slices.DeleteFunc(p.due, func(t timer) bool {
		if t.d != d {
			return false
		}
		t.at = time.Time{}.Add(t.at.Sub(now))
		d.paused = append(d.paused, t)
		return true
	})
}

// resetInput is for a new main document.
func (p *page) resetInput() {
	p.pointer, p.down, p.spaceDown, p.dragging, p.pressed = hit{}, hit{}, hit{}, hit{}, false
	p.focused = nil
}

// hovers reports that the pointer is on n or within it.
func (p *page) hovers(d *document, n *html.Node) bool {
	return p.pointer.d == d && d.ComposedWithin(p.pointer.n, n)
}

// focusedDocument is the document that keys go to.
func (p *page) focusedDocument() *document {
	if p.focused != nil && !p.focused.detached {
		return p.focused.doc
	}
	return p.main.doc
}

// changed gives the page a new revision.
func (p *page) changed() {
	p.revision++
	p.stepped = true
}

// frames returns the attached frames in document order, main frame first.
func (p *page) frames() []*frame {
	if len(p.main.children) == 0 {
		return []*frame{p.main}
	}
	var out []*frame
	stack := []*frame{p.main}
	for len(stack) > 0 {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		out = append(out, f)
		for i := len(f.children) - 1; i >= 0; i-- {
			stack = append(stack, f.children[i])
		}
	}
	return out
}

// frame finds an attached frame; the main frame for the zero id.
func (p *page) frame(id driver.FrameID) *frame {
	if id == "" || id == p.main.id {
		return p.main
	}
	for _, f := range p.frames() {
		if f.id == id {
			return f
		}
	}
	return nil
}

// timers are what a page has to do later. They are kept in the order in which
// they are due, and those due at one moment in the order in which they were
// set. Whoever takes the page first makes up for what is due, so a reader never
// sees a state older than the clock; a single timer of package time wakes the
// page when nobody comes. Within testing/synctest that clock is virtual.
type timers struct {
	due   []timer
	armed time.Time // what wake is set for

	wakeMu sync.Mutex // protects wake, which Close stops without the page's lock
	wake   *time.Timer
}

type timer struct {
	at time.Time
	d  *document
	f  func()
}

// mutations are the changes of the tree that scripts made.
type mutations struct {
	last    time.Time
	touched time.Time // when input last came
	changes map[*html.Node][]time.Time
}
