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
	Sources            bool         `json:"sources,omitempty"`   // say where each value stands
	Strict             bool         `json:"strict,omitempty"`    // refuse what the page contradicts
	StrictAll          bool         `json:"strictAll,omitempty"` // and what it does not prove
	Direct             bool         `json:"direct,omitempty"`    // read without a model what the page structures
}

// HeaderGrounded is the response header, and the trailer of a stream, that says
// how many values of an extract the page proves, of how many: "12/14".
const HeaderGrounded = "x-extract-grounded"

// ExtractData is the answer to an extract.
type ExtractData struct {
	Result   json.RawMessage `json:"result"`
	ActionID string          `json:"actionId,omitempty"`

	// Report is there where ExtractOptions.Sources asks for it.
	Report *ExtractReport `json:"report,omitempty"`
}

// An ExtractReport says where the values of a result stand on the page, by JSON
// pointer, and what is missing.
type ExtractReport struct {
	Sources    map[string]Source `json:"sources"`
	Ungrounded []Ungrounded      `json:"ungrounded"`
	Omitted    []Omission        `json:"omitted"`
	Unfilled   []string          `json:"unfilled"` // what a direct extract did not find
	Sentences  []Sentence        `json:"sentences,omitempty"`
}

// A Sentence is one of a result without a schema, with where on the page stands
// what it quotes, and what it quotes that does not.
type Sentence struct {
	Text    string   `json:"text"`
	Sources []Source `json:"sources,omitempty"`
	Doubts  []string `json:"doubts,omitempty"`
}

// A Source is where a value stands. Start and End delimit Text within the name
// of the element, in bytes.
type Source struct {
	Frame string   `json:"frame,omitempty"`
	Ref   string   `json:"ref,omitempty"` // of the outline
	Kind  string   `json:"kind"`          // text, attribute, number, date, state, address, empty, derived
	Text  string   `json:"text,omitempty"`
	Start int      `json:"start,omitempty"`
	End   int      `json:"end,omitempty"`
	Parts []string `json:"parts,omitempty"` // of a derived value
	How   string   `json:"how,omitempty"`
	Found bool     `json:"found,omitempty"` // the model cited other places
}

// An Ungrounded is a value that the page contradicts or does not prove.
type Ungrounded struct {
	Pointer string `json:"pointer"`
	Degree  string `json:"degree"` // contradicted, unproven
	Reason  string `json:"reason"`
}

// An Omission is something of the page that the result does not cover.
type Omission struct {
	Cause   string   `json:"cause"` // budget, page, model
	Pointer string   `json:"pointer,omitempty"`
	Refs    []string `json:"refs,omitempty"`
	Count   int      `json:"count,omitempty"` // 0 is not known
	Noun    string   `json:"noun"`
}
