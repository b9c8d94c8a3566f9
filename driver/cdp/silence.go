package cdp

import (
	"fmt"
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

// Silent reports whether Chrome says nothing, although it was asked: for a sixth of
// [Launch].AnswerLimit at least. It may still recover. At the limit it is ended, and
// what its browsers do fails with [driver.ErrCrashed].
func (c *Chrome) Silent() bool { return c.owed.Load() > 1 }

// watch asks Chrome whether it still answers each time that it has said nothing for
// a while, until the connection ends. Its commands have limits of their own, but
// nobody may be waiting for one.
func (c *Chrome) watch(every time.Duration) {
	defer close(c.watched)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for heard := c.conn.Heard(); ; {
		select {
		case <-c.conn.Ended():
			return
		case <-tick.C:
			heard = c.ask(heard)
		}
	}
}

// ask is one turn of watch. heard is how many messages had come at the last one.
func (c *Chrome) ask(heard int64) int64 {
	if now := c.conn.Heard(); now != heard {
		c.owed.Store(0)
		return now
	}
	if c.owed.Load() == mostOwed {
		c.log.Warn("cdp: Chrome answers nothing any more and is ended", "pid", c.process.Pid())
		c.process.Kill()
		_ = c.conn.Close() // what outlives Chrome may hold its end of the pipe
		return heard
	}
	c.owed.Add(1)
	c.root.Post(protocol.BrowserGetVersion.With(conn.None{}).Then(func(cdpbrowser.GetVersionReply, error) { c.owed.Store(0) }))
	return heard
}
