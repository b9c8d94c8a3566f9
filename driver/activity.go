package driver

import (
	"context"
	"time"
)

// An Activity tells how busy a page is. It covers all frames. Requests and
// navigations are not in it: they come as events.
type Activity struct {
	// Mutated is how long ago the last novel change of the DOM was. A node
	// that changes again and again by itself (four times within 1.5 s, no
	// elements added, and not within 250 ms of input) is habitual and does not
	// count. Negative if there was none in the documents that are shown.
	Mutated time.Duration

	// Changes is another number after each change that Mutated tells of: where two are
	// equal, there was none in between. 0 if the driver does not count them.
	Changes int

	Transition bool // a CSS transition is running
	Busy       bool // a visible aria-busy, progress bar without a value, skeleton or spinner
	Parsing    bool // the main document is not parsed yet

	// Blank reports that the main document has scripts and nothing that could
	// be seen: no text, no picture, no control, nothing in a shadow tree. An
	// application that is about to draw itself begins so.
	Blank bool

	// Timers tells what scripts have put off.
	Timers Timers

	// Channels reports that the page has a WebSocket or a worker: by these it may
	// send, and be told, what no event shows.
	Channels bool

	// Spent reports that the page has consumed the transient activation (HTML) of the last
	// input: it asked for something that only a person's act permits, such as full screen,
	// which is about to begin or was refused.
	Spent bool

	// Idle reports that nothing is under way and nothing is scheduled, so that
	// the page cannot change until somebody acts: to wait would show nothing
	// new. Only a driver that knows all timers and requests can say so; Chrome
	// never does.
	Idle bool
}

// Timers says whether the scripts of a page have anything to come back to by
// themselves: a timer, an interval, an animation frame, an idle callback, the end of
// an animation. What else may call them (an answer, a message of another process) is
// not in it. It counts from the first input of the last action, see [Target]; what only
// prepares input, as [Glancer] does, is none.
type Timers uint8

const (
	// TimersUnknown: some were asked for since input was last sent, or the driver
	// cannot tell. A page with a WebSocket or a worker is one of these.
	TimersUnknown Timers = iota
	// TimersBefore: none since input was last sent. An interval that began before
	// may be running.
	TimersBefore
	// TimersNever: the documents that are shown have never asked for any, and
	// not for a frame or an idle callback since input was last sent.
	TimersNever
)

// A Yielder is a [Page] that can wait for what a page has put off, which Activity
// does not show. A driver need not have it; [PageAs] finds it.
type Yielder interface {
	// Yield returns once the scripts of a frame have run the tasks that were due
	// when it was called, and the tasks that these made due at once. Events that
	// come of them have been delivered by then.
	Yield(ctx context.Context, frame FrameID) error
}
