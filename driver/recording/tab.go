package recording

import (
	"context"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/internal/listen"
	"github.com/wayfinder-engine/wayfinder/driver/internal/passthrough"
)

// A tab is a page that a recording plays.
type tab struct {
	passthrough.Calls // answered by around
	browser           *replay
	id                driver.PageID
	opener            driver.PageID

	// What follows is protected by browser.mu.
	cursor    cursor
	frames    []driver.Frame
	gone      bool
	answer    func(driver.Dialog) driver.DialogAnswer
	answerSet bool

	late error // what telling the events behind a question for the frames came to

	last *driver.DialogAnswer // what was answered now, nil if nobody did; only touched while events are told
}

var _ driver.Page = (*tab)(nil)

func (t *tab) ID() driver.PageID     { return t.id }
func (t *tab) Opener() driver.PageID { return t.opener }

// Frames returns what the one who asked at this point was told, and otherwise
// what is known by now. What happened after the question, up to the next one, is
// told before it returns: who waits for it may ask nothing more.
func (t *tab) Frames() []driver.Frame {
	b := t.browser
	b.mu.Lock()
	restore := b.secrets.change()
	it := t.cursor.frames()
	if it != nil {
		t.frames = it.frames
	}
	out := mapTexts(slices.Clone(t.frames), restore.back)
	b.mu.Unlock()
	if it == nil || listen.Delivering() {
		return out // a listener asked: who tells it the event continues
	}
	if err := b.goOn(context.Background(), t); err != nil {
		b.mu.Lock()
		t.late = err
		b.mu.Unlock()
	}
	return out
}

// navigated brings the list of frames up to date until the recorded one comes;
// the caller holds browser.mu.
func (t *tab) navigated(e driver.Navigated) {
	t.frames = slices.Clone(t.frames)
	if len(t.frames) == 0 {
		t.frames = []driver.Frame{{ID: driver.FrameID(t.id)}}
	}
	for i := range t.frames {
		if t.frames[i].ID == e.Frame {
			t.frames[i].URL, t.frames[i].Doc = e.URL, e.Doc
		}
	}
}

// around answers a call from the recording.
func (t *tab) around(ctx context.Context, asked passthrough.Call, _ func() (any, error)) (any, error) {
	switch asked.Op {
	case "screenshot": // a recording has no pictures
		return nil, notKept(asked.Op)
	case "emulate", "addinitscript", "activate": // they change nothing: what they led to is in the recording
		return nil, t.browser.alive(asked.Op)
	}
	c, err := t.browser.serve(ctx, t, &call{Op: asked.Op, Node: asked.Node, Args: describe(asked)})
	if err != nil {
		return nil, err
	}
	switch answer := c.Answer.(type) {
	case *capture:
		return answer.capture(), nil
	case rest:
		a := &driver.Activity{Mutated: -1, Transition: answer.Transition, Busy: answer.Busy, Parsing: answer.Parsing && !answer.idle, Blank: answer.Blank, Idle: answer.idle}
		if answer.Mutated {
			a.Mutated = 0
		}
		return a, nil
	case string: // of Evaluate
		return []byte(answer), nil
	}
	return c.Answer, nil
}

// OnDialog sets who answers; another answer than the recorded one is an error
// of the call that opened the dialog. nil, as at first without
// BrowserOptions.Dialog, gives the recorded answers.
func (t *tab) OnDialog(answer func(driver.Dialog) driver.DialogAnswer) {
	t.browser.mu.Lock()
	defer t.browser.mu.Unlock()
	t.answer, t.answerSet = answer, true
}

// Close closes the page, whether or not it was closed in the recording.
func (t *tab) Close(ctx context.Context) error {
	b := t.browser
	b.mu.Lock()
	gone := t.gone
	b.mu.Unlock()
	if gone {
		return nil
	}
	_, err := b.serve(ctx, t, &call{Op: "close"})
	b.mu.Lock()
	told := t.gone
	b.remove(t)
	b.mu.Unlock()
	if err != nil || !told {
		b.events.Deliver(driver.PageClosed{Page: t.id})
	}
	return nil
}
