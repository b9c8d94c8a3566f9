package driver

import "context"

// A ToolProvider is a [Page] whose documents may offer tools to agents, as the
// Web Model Context API (WebMCP) has it: functions that their scripts register at
// document.modelContext, and forms with the attribute toolname. A page is asked
// only where [BrowserOptions].PageTools says so; else both methods return an
// error that wraps [errors.ErrUnsupported], and so does a browser that has no
// such API. Whoever wants it finds it by [PageAs]; a driver that wraps another
// passes the calls on.
type ToolProvider interface {
	// Tools returns what the documents of all frames offer now, in the order of
	// the frames, then of their registration; what is beyond [MaxTools] or
	// [MaxToolSize] is left out. The caller owns the slice. A [ToolsChanged] event
	// says when it is worth asking again.
	Tools(ctx context.Context) ([]Tool, error)

	// CallTool has a tool work, once, and returns when it has answered, when its
	// document is gone, or, for a form that a person is to send, when the form is
	// filled in. input is the JSON of an object; nobody checks it against the
	// tool's schema. A document or a tool that is gone before anything was sent is
	// [ErrStale], [ErrDetached] or [ErrNoTool]; after any other error the tool may
	// have worked.
	//
	// When ctx ends the tool is asked to give up, and CallTool returns without
	// waiting for it. Several tools may be called at once.
	CallTool(ctx context.Context, tool ToolRef, input string) (*ToolResult, error)
}

// Bounds of what a driver keeps of a document's tools.
const (
	MaxTools    = 1000    // tools of one document
	MaxToolSize = 1 << 20 // bytes of name, description and schema of one tool
)

// A ToolRef names a tool for good: another document of the frame, and another
// frame, have others of the same name.
type ToolRef struct {
	Frame FrameID
	Doc   DocID
	Name  ToolName
}

// A ToolName is a tool's name, unique in its document.
type ToolName string

// A Tool is what a document says of one of its tools. All of it is the page's
// word, and nobody has checked it.
type Tool struct {
	ToolRef

	// Origin is the document's, as "https://shop.example"; "null" for an opaque one.
	Origin string

	Description string
	InputSchema string // JSON, as the page gave it; empty if it gave none

	// Form is the form that the tool fills in; zero for a function. AutoSubmit:
	// it is sent, too.
	Form       NodeRef
	AutoSubmit bool

	ReadOnly      bool // claims to change nothing
	Consequential bool // has effects that a person should confirm
	Untrusted     bool // its output holds what others wrote
}

// A ToolResult is what came of a call.
type ToolResult struct {
	State  ToolState
	Output string // JSON, of ToolCompleted; empty if there is none
	Error  string // what the page says, of ToolFailed
}

// A ToolState says how a call of a tool ended.
type ToolState string

// The states.
const (
	ToolCompleted ToolState = "completed"
	ToolFailed    ToolState = "failed"  // the tool says so; it may have worked in part
	ToolWaiting   ToolState = "waiting" // the form is filled in, and not sent: see [Tool].AutoSubmit
	ToolLeft      ToolState = "left"    // the document was left before the tool answered
)
