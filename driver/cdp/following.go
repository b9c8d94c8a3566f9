package cdp

import (
	"sync"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A following notices when the document that keys are meant for is left while
// they are on their way. Chrome takes what comes too late, and says nothing: so a
// key counts as taken for sure where nothing led away by the reply to the key
// before it.
type following struct {
	page     *page
	at       driver.NodeRef
	oneByOne bool // the next key waits until the last was taken, and for no other document

	mu      sync.Mutex // protects what follows
	leaving bool       // the document was left, or about to be, by the last reply
	late    bool       // a key came after that
	sent    bool       // some of the input was
}

func (f *following) begun() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = true
}

// interrupted is input that a dialog has cut off.
func (f *following) interrupted() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &driver.MissedError{Taken: f.sent, Err: driver.ErrDialog}
}

// errLeft is input that may have gone to the next document.
var errLeft = &driver.MissedError{Taken: true, Err: driver.ErrStale}

// watch has the reply to an event's command be looked at.
func (f *following) watch(acts []act, e driver.InputEvent) {
	switch e.(type) {
	case driver.KeyDown, driver.InsertText:
	default:
		return
	}
	for i := range acts {
		acts[i].command.Then = func([]byte, error) { f.replied() }
	}
}

// replied runs on the reader goroutine.
func (f *following) replied() {
	gone, leaving := f.look()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.late = f.late || f.leaving
	f.leaving = f.leaving || gone || leaving
}

// look tells whether the document is gone, and whether a navigation would have it go.
func (f *following) look() (gone, leaving bool) {
	f.page.browser.mu.Lock()
	defer f.page.browser.mu.Unlock()
	frame := f.page.frames[f.at.Frame]
	if frame == nil || frame.doc != f.at.Doc {
		return true, false
	}
	return false, frame.pending != nil
}

// tooLate reports that a key may have come when the document was gone.
func (f *following) tooLate() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.late
}

// over reports that nothing more is to be sent.
func (f *following) over() bool {
	gone, leaving := f.look()
	return gone || leaving && f.oneByOne
}

// writing counts the keys that write a letter.
func writing(events []driver.InputEvent) int {
	n := 0
	for _, e := range events {
		if k, ok := e.(driver.KeyDown); ok && utf8.RuneCountInString(k.Key) == 1 && k.Modifiers&^driver.Shift == 0 {
			n++
		}
	}
	return n
}
