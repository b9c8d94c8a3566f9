package cdp

import (
	"fmt"
	"sync/atomic"
	"time"

	cdpbrowser "github.com/mafredri/cdp/protocol/browser"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// mostOwed is how many questions in a row Chrome may leave unanswered. They are
// counted, not timed: while this program is stopped, or has no processor, it asks
// none.
const mostOwed = 6

var errSilent = fmt.Errorf("Chrome answered nothing any more, and was ended: %w", driver.ErrCrashed)

// A watchdog ends a Chrome of ours that answers nothing any more.
type watchdog struct {
	chrome  *Chrome
	owed    atomic.Int32  // questions in a row that Chrome has not answered
	watched chan struct{} // closed when watch has returned; nil where there is none
}

// watch asks Chrome whether it still answers each time that it has said nothing for
// a while, until the connection ends. Its commands have limits of their own, but
// nobody may be waiting for one.
func (w *watchdog) watch(every time.Duration) {
	defer close(w.watched)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for heard := w.chrome.conn.Heard(); ; {
		select {
		case <-w.chrome.conn.Ended():
			return
		case <-tick.C:
			heard = w.ask(heard)
		}
	}
}

// ask is one turn of watch. heard is how many messages had come at the last one.
func (w *watchdog) ask(heard int64) int64 {
	if now := w.chrome.conn.Heard(); now != heard {
		w.owed.Store(0)
		return now
	}
	if w.owed.Load() == mostOwed {
		w.chrome.log.Warn("cdp: Chrome answers nothing any more and is ended", "pid", w.chrome.process.Pid())
		w.chrome.process.Kill()
		_ = w.chrome.conn.Close() // what outlives Chrome may hold its end of the pipe
		return heard
	}
	w.owed.Add(1)
	w.chrome.root.Post(protocol.BrowserGetVersion.With(conn.None{}).Then(func(cdpbrowser.GetVersionReply, error) { w.owed.Store(0) }))
	return heard
}
