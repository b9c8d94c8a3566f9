package wire

import (
	"bytes"
	"encoding/json"
)

// ActRequest asks for one action.
type ActRequest struct {
	Input          Input       `json:"input"`
	Options        *ActOptions `json:"options,omitempty"`
	FrameID        string      `json:"frameId,omitempty"` // empty is the active page
	StreamResponse *bool       `json:"streamResponse,omitempty"`
}

// ActOptions refine an act.
type ActOptions struct {
	Model     Model               `json:"model,omitempty"`
	Variables map[string]Variable `json:"variables,omitempty"`
	Timeout   Milliseconds        `json:"timeout,omitempty"`
	// Locators asks for actions whose selector is a locator, as role=button[name="Print"],
	// where one names the element and no other. Such an action finds its element also on a
	// page where it stands elsewhere.
	Locators bool `json:"locators,omitempty"`
}

// Input is what to do: an instruction in words, or an Action.
type Input struct {
	Instruction string
	Action      *Action
}

// UnmarshalJSON reads a string or an object.
func (in *Input) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		in.Action = new(Action)
		return Decode(raw, in.Action)
	}
	return json.Unmarshal(raw, &in.Instruction)
}

// MarshalJSON writes a string or an object.
func (in Input) MarshalJSON() ([]byte, error) {
	if in.Action != nil {
		return json.Marshal(in.Action)
	}
	return json.Marshal(in.Instruction)
}

// An Action is one thing that can be done to a page.
type Action struct {
	Selector      string   `json:"selector"` // CSS, XPath or a locator; answers have deep XPaths, and locators if asked
	Description   string   `json:"description"`
	BackendNodeID float64  `json:"backendNodeId,omitempty"` // information alone
	Method        string   `json:"method,omitempty"`        // empty is a click
	Arguments     []string `json:"arguments,omitempty"`     // may hold %name% placeholders
}

// ActData is the answer to an act.
type ActData struct {
	Result   ActResult `json:"result"`
	ActionID string    `json:"actionId,omitempty"`
	Sent     Sent      `json:"-"` // from the header
}

// HeaderSent is the response header that says whether an act sent input to the
// page, in a stream the trailer.
const HeaderSent = "x-action-sent"

// Sent says whether input was sent.
type Sent string

// What was sent of an act's input.
const (
	SentNone     Sent = "none"     // nothing: to repeat the act is safe
	SentAll      Sent = "all"      // all, and the browser has taken it
	SentPossible Sent = "possible" // a part, or its effect is unknown: look at the page before you retry
)

// ActResult says what was tried and what was done.
type ActResult struct {
	Success     bool     `json:"success"`
	Message     string   `json:"message"`
	Description string   `json:"actionDescription"`
	Actions     []Action `json:"actions"` // never nil
}

// object is the form of an input that is no text.
func (Input) object() any { return Action{} }
