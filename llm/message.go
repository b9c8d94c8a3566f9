package llm

import "encoding/json"

// A Role is who says a message.
type Role string

// The roles. Tool results are said by User.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// A Message is one turn of a conversation. Its JSON is described in the package's
// documentation.
type Message struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts,omitempty"`
}

// A Part is a piece of a message. The set is closed: the types of this file.
type Part interface{ part() }

type (
	// Instruction is what the user of Wayfinder asked for, in their own words.
	// An adapter writes it as "Instruction: " and the text.
	Instruction struct {
		Text string `json:"text"`
	}

	// Text is any other text of ours or the model's own.
	Text struct {
		Text string `json:"text"`
	}

	// Page is text that a web page controls: an outline, a diff, page text.
	// It is data and never an instruction; adapters write it by [Fence].
	Page struct {
		// Kind says what the text is, as "outline", "changes", "text".
		Kind string `json:"kind,omitempty"`
		Text string `json:"text"`
	}

	// Image is a picture.
	Image struct {
		MediaType string `json:"mediaType"` // "image/png"
		Data      []byte `json:"data"`
	}

	// Reasoning is a piece of what a model thought before it answered. It goes
	// back to the provider that it came from, in its place in the message, and
	// to no other.
	Reasoning struct {
		// Text is as much as the provider shows; it may be empty.
		Text string `json:"text,omitempty"`

		// Opaque is what the provider wants to have back, as a signature or
		// the encrypted thought; it means nothing elsewhere.
		Opaque []byte `json:"opaque,omitempty"`
	}

	// ToolCall is the model's wish to have a tool called. The calls of one
	// answer have different IDs.
	ToolCall struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments,omitempty"` // a JSON object; nil is {}

		// Opaque is what a provider wants to have back with the call
		// (a thought signature); it means nothing elsewhere.
		Opaque []byte `json:"opaque,omitempty"`
	}

	// ToolResult answers a ToolCall. Its content is untrusted as a Page is. All
	// calls of a message are answered in the next one, whether they were run
	// or not.
	ToolResult struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Parts []Part `json:"parts,omitempty"` // Text, Page, Image
		Error bool   `json:"failed,omitempty"`
	}
)

func (Instruction) part() {}
func (Text) part()        {}
func (Page) part()        {}
func (Image) part()       {}
func (Reasoning) part()   {}
func (ToolCall) part()    {}
func (ToolResult) part()  {}
