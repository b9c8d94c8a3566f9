package wire

import "encoding/json"

// ExtractRequest asks for data from a page.
type ExtractRequest struct {
	Instruction    string          `json:"instruction,omitempty"`
	Schema         json.RawMessage `json:"schema,omitempty"` // a JSON Schema
	Options        *ExtractOptions `json:"options,omitempty"`
	FrameID        string          `json:"frameId,omitempty"`
	StreamResponse *bool           `json:"streamResponse,omitempty"`
}

// ExtractOptions refine an extract.
type ExtractOptions struct {
	Model              Model        `json:"model,omitempty"`
	Timeout            Milliseconds `json:"timeout,omitempty"`
	Selector           string       `json:"selector,omitempty"`
	IgnoreSelectors    []string     `json:"ignoreSelectors,omitempty"`
	Screenshot         bool         `json:"screenshot,omitempty"` // the model gets a picture too
	Iframes            bool         `json:"iframes,omitempty"`    // include the content of frames
	DOMSettleTimeoutMs Milliseconds `json:"domSettleTimeoutMs,omitempty"`
}

// ExtractData is the answer to an extract.
type ExtractData struct {
	Result   json.RawMessage `json:"result"`
	ActionID string          `json:"actionId,omitempty"`
}
