package cdp

import (
	"sync/atomic"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A tracker notices when the page leaves the document that keys are meant for while they
// are in flight. Chrome accepts a key that comes too late, without an error. A key
// therefore counts as taken for certain only if no navigation had begun when the key
// before it was answered.
type tracker struct {
	page     *page
	at       driver.NodeRef
	oneByOne bool // the next key waits until the last was taken, and for no other document

	leaving atomic.Bool // the document was left, or about to be, by the last reply
	late    atomic.Bool // a key came after that: it may have come when the document was gone
	sent    atomic.Bool // some of the input was
}

// interrupted is input that a dialog has cut off.
func (t *tracker) interrupted() error {
	return &driver.MissedError{Taken: t.sent.Load(), Err: driver.ErrDialog}
}

// errLeft is input that may have gone to the next document.
var errLeft = &driver.MissedError{Taken: true, Err: driver.ErrStale}

// replied runs on the reader goroutine.
func (t *tracker) replied() {
	if t.leaving.Load() {
		t.late.Store(true)
	}
	if gone, leaving := t.state(); gone || leaving {
		t.leaving.Store(true)
	}
}

// state reports whether the document is gone, and whether a navigation would have it go.
func (t *tracker) state() (gone, leaving bool) {
	t.page.browser.mu.Lock()
	defer t.page.browser.mu.Unlock()
	frame := t.page.frames[t.at.Frame]
	if frame == nil || frame.doc != t.at.Doc {
		return true, false
	}
	return false, frame.pending != nil
}

// over reports that nothing more is to be sent.
func (t *tracker) over() bool {
	gone, leaving := t.state()
	return gone || leaving && t.oneByOne
}

// observe looks at the reply to an event's command.
func (t *tracker) observe(list []dispatch, e driver.InputEvent) {
	switch e.(type) {
	case driver.KeyDown, driver.InsertText:
	default:
		return
	}
	for i := range list {
		list[i].command.OnAnswer(func(error) { t.replied() })
	}
}

// lettersIn counts what writes: keys of letters, and inserted texts.
func lettersIn(events []driver.InputEvent) int {
	n := 0
	for _, e := range events {
		switch e := e.(type) {
		case driver.KeyDown:
			if utf8.RuneCountInString(e.Key) == 1 && e.Modifiers&^driver.Shift == 0 {
				n++
			}
		case driver.InsertText:
			if e.Text != "" {
				n++
			}
		}
	}
	return n
}
