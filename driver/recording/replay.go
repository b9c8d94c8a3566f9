package recording

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/internal/listen"
)

// ErrNotRecorded: the recording has no answer, because something else was done
// when it was made. The error says what.
var ErrNotRecorded = errors.New("not recorded")

// A player is a recording as a driver.
type player struct{ recording *Recording }

func (p player) String() string { return "recording of " + p.recording.head.Driver }

// DialsItself implements driver.SelfDialer: a recording connects to nothing.
func (p player) DialsItself() bool { return true }

// Open gives a browser at the beginning of the recording. Emulation, proxy,
// storage and the rest of the options are those of the recording.
func (p player) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	if err := ctx.Err(); err != nil {
		return nil, &driver.OpError{Op: "open", Err: err}
	}
	b := &replay{recording: p.recording, answer: opts.Dialog, known: map[driver.PageID]*tab{}}
	for _, first := range p.recording.head.Pages {
		t := b.tab(first.ID, first.Opener)
		t.frames = first.Frames
		b.open = append(b.open, t)
	}
	return b, nil
}

// A replay is a browser that a recording plays.
type replay struct {
	recording *Recording
	events    listen.Listeners
	secrets   secrets
	answer    func(driver.Dialog) driver.DialogAnswer // of pages that have no other

	mu     sync.Mutex // protects what follows
	known  map[driver.PageID]*tab
	open   []*tab
	own    cursor // in what only the browser has
	closed bool
}

var (
	_ driver.Browser = (*replay)(nil)
	_ driver.Hider   = (*replay)(nil)
)

// Hide has the value stand where the recording has the name.
func (b *replay) Hide(name, value string) { b.secrets.add(name, value) }

// tab returns the page of an identifier; the caller holds mu or is alone.
func (b *replay) tab(id, opener driver.PageID) *tab {
	t := b.known[id]
	if t == nil {
		t = &tab{browser: b, id: id, opener: opener, cursor: cursor{items: b.recording.logs[id]}}
		t.Around = t.around
		b.known[id] = t
	}
	return t
}

func (b *replay) Version() string { return b.recording.head.Browser }

func (b *replay) Pages() []driver.Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]driver.Page, len(b.open))
	for i, t := range b.open {
		out[i] = t
	}
	return out
}

func (b *replay) NewPage(ctx context.Context) (driver.Page, error) {
	c, err := b.serve(ctx, nil, &call{Op: "newpage"})
	if err != nil {
		return nil, err
	}
	id, _ := c.Answer.(driver.PageID)
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.tab(id, "")
	if !slices.Contains(b.open, t) { // its event came before the recorder listened
		b.open = append(b.open, t)
	}
	return t, nil
}

// Cookies and storage are not in a recording.
func (b *replay) Cookies(context.Context, ...string) ([]driver.Cookie, error) {
	return nil, notKept("cookies")
}

// StorageState is not in a recording.
func (b *replay) StorageState(context.Context) (*driver.StorageState, error) {
	return nil, notKept("storagestate")
}

// SetCookies changes nothing: what it led to is in the recording.
func (b *replay) SetCookies(context.Context, ...driver.Cookie) error { return b.alive("setcookies") }

// ClearCookies changes nothing.
func (b *replay) ClearCookies(context.Context) error { return b.alive("clearcookies") }

func notKept(op string) error {
	return &driver.OpError{Op: op, Err: fmt.Errorf("%w: a recording never has this", ErrNotRecorded)}
}

func (b *replay) alive(op string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return &driver.OpError{Op: op, Err: driver.ErrClosed}
	}
	return nil
}

func (b *replay) Listen(fn func(driver.Event)) (stop func()) { return b.events.Add(fn) }

func (b *replay) Close() error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed, b.open = true, nil
	b.mu.Unlock()
	b.events.Deliver(driver.BrowserGone{})
	return nil
}

// serve answers a call from the log of a page, or from the browser's own if t
// is nil: it continues in the log to where the call is, tells what happened up to
// there and after it, and returns the recorded call.
func (b *replay) serve(ctx context.Context, t *tab, asked *call) (*call, error) {
	if err := ctx.Err(); err != nil {
		return nil, &driver.OpError{Op: asked.Op, Err: err}
	}
	if hide := b.secrets.change(); len(asked.Args) > 0 {
		asked.Args = mapTexts(asked.Args, hide.hide)
	}
	b.mu.Lock()
	cursor, gone := &b.own, b.closed
	if t == nil {
		b.own.items = b.recording.logs[""]
	} else {
		cursor = &t.cursor
		gone = gone || t.gone
	}
	if gone {
		b.mu.Unlock()
		return nil, &driver.OpError{Op: asked.Op, Err: driver.ErrClosed}
	}
	if t != nil && t.late != nil {
		err := t.late
		t.late = nil
		b.mu.Unlock()
		return nil, &driver.OpError{Op: asked.Op, Err: err}
	}
	found, passed, err := cursor.seek(asked, b.recording.full)
	if found != nil && found.Op == "activity" {
		found = cursor.rest(found, passed == nil)
	}
	b.mu.Unlock()
	if err != nil {
		return nil, &driver.OpError{Op: asked.Op, Err: err}
	}
	err = b.tell(ctx, t, passed)
	if err == nil && t != nil {
		err = b.goOn(ctx, t)
	}
	if err != nil {
		return nil, &driver.OpError{Op: asked.Op, Err: err}
	}
	restore := b.secrets.change()
	out := &call{Op: found.Op, Err: mapTexts(found.Err, restore.back), Answer: found.Answer}
	if looked, ok := found.Answer.(*capture); ok && looked != nil {
		out.Answer = mapCapture(looked, restore.back)
	} else if found.Answer != nil {
		out.Answer = mapTexts(found.Answer, restore.back)
	}
	return out, out.Err.err()
}

// goOn tells what happens in a page from where its log is, up to what waits for
// somebody.
func (b *replay) goOn(ctx context.Context, t *tab) error {
	for {
		b.mu.Lock()
		passed := t.cursor.lead()
		b.mu.Unlock()
		if len(passed) == 0 {
			return nil
		}
		if err := b.tell(ctx, t, passed); err != nil {
			return err
		}
	}
}

// tell delivers what happened in a page, in order.
func (b *replay) tell(ctx context.Context, t *tab, passed []*item) error {
	restore := b.secrets.change()
	for _, it := range passed {
		if it.event == nil {
			if it.call == nil && t != nil {
				b.mu.Lock()
				t.frames = mapTexts(it.frames, restore.back)
				b.mu.Unlock()
			}
			continue
		}
		e := mapTexts(it.event, restore.back)
		opened := b.note(e)
		if gone, ok := e.(driver.BrowserGone); ok {
			gone.Err = it.gone.err()
			e = gone
		}
		b.events.Deliver(e)
		if err := b.dialog(ctx, e); err != nil {
			return err
		}
		if opened != nil {
			if err := b.goOn(ctx, opened); err != nil {
				return err
			}
		}
	}
	return nil
}

// note brings what is known of the pages up to date with an event, and returns
// the page that it opened.
func (b *replay) note(e driver.Event) (opened *tab) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := e.(type) {
	case driver.PageOpened:
		opened = b.tab(e.Page, e.Opener)
		if !slices.Contains(b.open, opened) {
			b.open = append(b.open, opened)
		}
	case driver.PageClosed:
		b.remove(b.tab(e.Page, ""))
	case driver.Navigated:
		b.tab(e.Page, "").navigated(e)
	}
	return opened
}

// remove takes a page off the list; the caller holds mu.
func (b *replay) remove(t *tab) {
	t.gone = true
	b.open = slices.DeleteFunc(b.open, func(o *tab) bool { return o == t })
}

// dialog has a dialog answered that was answered in the recording, and refuses
// another answer: what would follow it is not known. Where nobody answers now, the
// recorded answer stands.
func (b *replay) dialog(ctx context.Context, e driver.Event) error {
	b.mu.Lock()
	t := b.tab(e.From(), "")
	answered := t.cursor.answered()
	b.mu.Unlock()
	var err error
	switch e := e.(type) {
	case driver.DialogOpened:
		if answered {
			t.last, err = b.ask(ctx, t, e.Dialog)
		}
	case driver.DialogClosed:
		now, then := t.last, e.Answer
		if now == nil {
			return nil
		}
		if now.Accept != then.Accept || now.Accept && now.Text != then.Text && e.Dialog.Kind == driver.Prompt {
			return fmt.Errorf("%w: the %s %q was answered with %+v in the recording, and with %+v now", ErrNotRecorded, e.Dialog.Kind, e.Dialog.Message, then, *now)
		}
	}
	return err
}

// ask has a dialog answered, on a goroutine of its own as Page.OnDialog promises. It
// returns nil where neither the page nor the browser has anybody who answers.
func (b *replay) ask(ctx context.Context, t *tab, d driver.Dialog) (*driver.DialogAnswer, error) {
	b.mu.Lock()
	answer := b.answer
	if t.answerSet {
		answer = t.answer
	}
	b.mu.Unlock()
	if answer == nil {
		return nil, nil
	}
	given := make(chan driver.DialogAnswer, 1)
	go func() { given <- answer(d) }()
	select {
	case a := <-given:
		return &a, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", driver.ErrDialog, ctx.Err())
	}
}
