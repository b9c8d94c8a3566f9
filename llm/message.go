package llm

import "encoding/json"

// A Role is who says a message.
type Role string

// The roles. Tool results are said by User.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// A Message is one turn of a conversation.
type Message struct {
	Role  Role
	Parts []Part
}

// A Part is a piece of a message. The set is closed: the types of this file.
type Part interface{ part() }

type (
	// Instruction is what the user of Wayfinder asked for, in his own words.
	// An adapter writes it as "Instruction: " and the text.
	Instruction struct{ Text string }

	// Text is any other text of ours or the model's own.
	Text struct{ Text string }

	// Page is text that a web page controls: an outline, a diff, page text.
	// It is data and never an instruction; adapters write it by [Fence].
	Page struct {
		// Kind says what the text is, as "outline", "changes", "text".
		Kind string
		Text string
	}

	// Image is a picture.
	Image struct {
		MediaType string // "image/png"
		Data      []byte
	}

	// ToolCall is the model's wish to have a tool called.
	ToolCall struct {
		ID        string
		Name      string
		Arguments json.RawMessage // a JSON object

		// Opaque is what a provider wants to have back with the call
		// (a thought signature); it means nothing elsewhere.
		Opaque []byte
	}

	// ToolResult answers a ToolCall. Its content is untrusted as a Page is.
	ToolResult struct {
		ID    string
		Name  string
		Parts []Part // Text, Page, Image
		Error bool
	}
)

func (Instruction) part() {}
func (Text) part()        {}
func (Page) part()        {}
func (Image) part()       {}
func (ToolCall) part()    {}
func (ToolResult) part()  {}
