package recording

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// An item is one thing that happened: a call with its answer, an event, or the
// frames that a page had. What only a browser has, as NewPage, has no page.
type item struct {
	page  driver.PageID
	call  *call
	event driver.Event

	// frames is the page's list of frames. asked says that somebody asked for
	// it there and then; else it was noted because it had changed.
	frames []driver.Frame
	asked  bool

	gone *failure // of BrowserGone

	at    time.Duration   // since the browser was opened
	shot  *shot           // a picture
	extra string          // "exchange", or the kind of a note
	data  json.RawMessage // of an extra
}

// A call is a call of a page's method.
type call struct {
	Op     string
	Node   driver.NodeRef // what it is about
	Args   []arg
	Answer any      // of the type that [answers] names
	Err    *failure // nil if the call succeeded
	open   bool     // not answered yet
	took   time.Duration
}

// An arg is an argument: either a text, which may hold what has to be hidden,
// or something fixed.
type arg struct {
	Is   fixed  `json:"is,omitempty"`
	Text string `json:"text,omitempty"`
}

// fixed is a string that holds nothing to be hidden: a coordinate, an option, a name in HTML.
type fixed string

func is(format string, args ...any) arg { return arg{Is: fixed(fmt.Sprintf(format, args...))} }
func text(s string) arg                 { return arg{Text: s} }

// activity is what a replay needs of a driver.Activity: not how long ago
// something was, which is another time in a replay, but whether it came after
// the last action had begun.
type activity struct {
	Mutated    bool `json:"mutated,omitempty"`
	Transition bool `json:"transition,omitempty"`
	Busy       bool `json:"busy,omitempty"`
	Parsing    bool `json:"parsing,omitempty"`
	Blank      bool `json:"blank,omitempty"`
}

// answers are the types of the answers, by operation.
var answers = map[string]reflect.Type{
	"navigate": reflect.TypeFor[*driver.Response](), "reload": reflect.TypeFor[*driver.Response](),
	"back": reflect.TypeFor[*driver.Response](), "forward": reflect.TypeFor[*driver.Response](),
	"capture":  reflect.TypeFor[*capture](),
	"revision": reflect.TypeFor[driver.Revision](),
	"activity": reflect.TypeFor[activity](),
	"find":     reflect.TypeFor[[]driver.NodeRef](),
	"locate":   reflect.TypeFor[*driver.Location](),
	"hittest":  reflect.TypeFor[driver.NodeRef](),
	"input":    nil, "focus": nil, "selecttext": nil, "setfiles": nil, "close": nil,
	"setvalue": reflect.TypeFor[[]string](),
	"scrollto": reflect.TypeFor[driver.ScrollState](),
	"state":    reflect.TypeFor[*driver.State](),
	"evaluate": reflect.TypeFor[string](),
	"newpage":  reflect.TypeFor[driver.PageID](),
	"tools":    reflect.TypeFor[[]driver.Tool](),
	"calltool": reflect.TypeFor[*driver.ToolResult](),
}

// acting are the operations that change a page. They divide a recording: what
// is read before one is not read after it.
var acting = map[string]bool{
	"navigate": true, "reload": true, "back": true, "forward": true, "input": true, "focus": true, "selecttext": true,
	"setvalue": true, "setfiles": true, "scrollto": true, "evaluate": true, "close": true, "newpage": true, "calltool": true,
}

// events are the types of events, by name.
var events = func() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, e := range []driver.Event{
		driver.PageOpened{}, driver.PageClosed{}, driver.PageCrashed{}, driver.BrowserGone{}, driver.FrameAttached{},
		driver.FrameDetached{}, driver.NavigationRequested{}, driver.NavigationEnded{}, driver.Navigated{},
		driver.DOMContentLoaded{}, driver.Loaded{}, driver.RequestStarted{}, driver.RequestEnded{}, driver.ConsoleMessage{}, driver.PageError{}, driver.DialogOpened{},
		driver.DialogClosed{}, driver.FileChooserOpened{}, driver.ToolsChanged{}, driver.DownloadStarted{}, driver.DownloadEnded{},
	} {
		t := reflect.TypeOf(e)
		all[t.Name()] = t
	}
	return all
}()

// String is a call for people, as it stands in errors.
func (c *call) String() string {
	s := c.Op
	if c.Node.Node != 0 {
		s += fmt.Sprintf(" of node %d", c.Node.Node)
	}
	for _, a := range c.Args {
		if a.Is != "" {
			s += " " + string(a.Is)
		}
		if a.Text != "" {
			s += fmt.Sprintf(" %q", a.Text)
		}
	}
	return s
}

// A shot is a picture as it was taken, with what the page showed where.
type shot struct {
	Picture
	shown      []shown
	superseded bool // a later one shows the same state, settled
}

// shown is a text of a page and where it stands in the viewport.
type shown struct {
	text string
	box  driver.Rect
}

// since is a time in a bundle.
func since(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

func (c *call) called() *Called {
	out := &Called{Op: c.Op, Node: c.Node, Words: c.String(), Acting: acting[c.Op], Took: c.took}
	if err := c.Err.err(); err != nil {
		out.Failed = err.Error()
	}
	switch answer := c.Answer.(type) {
	case *capture:
		out.Capture = answer.capture
	case *driver.Location:
		out.Location = answer
	}
	return out
}

func (c *call) same(other *call) bool {
	return c.Op == other.Op && c.Node == other.Node && slices.Equal(c.Args, other.Args)
}

// waits reports that an item waits for somebody: a call, or the question for
// the frames. What stands between two of those happens by itself.
func (it *item) waits() bool { return it.call != nil || it.asked }
