package protocol

import (
	"encoding/json"

	"github.com/mafredri/cdp/protocol/dom"
	"github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// The domain WebMCP, which mafredri/cdp lacks: the tools that documents offer to
// agents. Its events tell of those that are there already when it is enabled. A
// Chrome without the feature takes the command and tells of none. No event tells
// of the tools of a document that is left.
//
// In Chromium 156 to cancel an invocation of a form that another one has taken
// the place of ends the page's process.
const (
	WebMCPEnable           = conn.Method[conn.None, conn.None]("WebMCP.enable")
	WebMCPDisable          = conn.Method[conn.None, conn.None]("WebMCP.disable")
	WebMCPInvokeTool       = conn.Method[WebMCPInvokeToolArgs, WebMCPInvokeToolReply]("WebMCP.invokeTool")
	WebMCPCancelInvocation = conn.Method[WebMCPCancelInvocationArgs, conn.None]("WebMCP.cancelInvocation")
)

// WebMCPInvokeToolArgs are what WebMCP.invokeTool takes.
type WebMCPInvokeToolArgs struct {
	FrameID  page.FrameID    `json:"frameId"`
	ToolName string          `json:"toolName"`
	Input    json.RawMessage `json:"input"` // an object
}

// A WebMCPInvokeToolReply comes before WebMCP.toolResponded.
type WebMCPInvokeToolReply struct {
	InvocationID string `json:"invocationId"`
}

// WebMCPCancelInvocationArgs are what WebMCP.cancelInvocation takes.
type WebMCPCancelInvocationArgs struct {
	InvocationID string `json:"invocationId"`
}

// A WebMCPTool is what Chrome tells of a tool.
type WebMCPTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations struct {
		ReadOnly         bool `json:"readOnly"`
		UntrustedContent bool `json:"untrustedContent"`
		Consequential    bool `json:"consequential"`
		AutoSubmit       bool `json:"autosubmit"`
	} `json:"annotations"`
	FrameID       page.FrameID      `json:"frameId"`
	BackendNodeID dom.BackendNodeID `json:"backendNodeId"` // of a form
}

// WebMCPTools are the parameters of WebMCP.toolsAdded, and of toolsRemoved, which
// names tool and frame alone.
type WebMCPTools struct {
	Tools []WebMCPTool `json:"tools"`
}

// WebMCPToolResponded are the parameters of WebMCP.toolResponded.
type WebMCPToolResponded struct {
	InvocationID string                `json:"invocationId"`
	Status       string                `json:"status"` // Completed, Canceled, Error
	Output       json.RawMessage       `json:"output"`
	ErrorText    string                `json:"errorText"`
	Exception    *runtime.RemoteObject `json:"exception"`
}
