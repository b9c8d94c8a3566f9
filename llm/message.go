package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
)

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

		// Toolset is set in calls of the vendor's own tool, which
		// [Request].Computer asks for: Name and Arguments are the vendor's.
		Toolset string `json:"toolset,omitempty"`

		// Checks are what the vendor wants a person to confirm before the call is
		// done.
		Checks []SafetyCheck `json:"checks,omitempty"`

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

		// Toolset is that of the call.
		Toolset string `json:"toolset,omitempty"`

		// Acknowledged are the call's checks, if a person has confirmed them.
		Acknowledged []SafetyCheck `json:"acknowledged,omitempty"`

		// Browser is the browser after the call, where the tool's results have it.
		Browser *BrowserState `json:"browser,omitempty"`
	}
)

func (Instruction) part() {}
func (Text) part()        {}
func (Page) part()        {}
func (Image) part()       {}
func (Reasoning) part()   {}
func (ToolCall) part()    {}
func (ToolResult) part()  {}

// The names of the parts in JSON.
const (
	instructionPart = "instruction"
	textPart        = "text"
	pagePart        = "page"
	imagePart       = "image"
	reasoningPart   = "reasoning"
	callPart        = "call"
	resultPart      = "result"
)

// unmarshalPart reads a part: the JSON object that its MarshalJSON writes.
// A part of an unknown type is an error; unknown members are left out.
func unmarshalPart(data []byte) (Part, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("llm: a part of a message: %w", err)
	}
	read := partReaders[head.Type]
	if read == nil {
		return nil, fmt.Errorf("llm: a part of a message has the unknown type %q", head.Type)
	}
	return read(data)
}

var partReaders = map[string]func([]byte) (Part, error){
	instructionPart: readPart[Instruction], textPart: readPart[Text], pagePart: readPart[Page], imagePart: readPart[Image],
	reasoningPart: readPart[Reasoning], callPart: readPart[ToolCall], resultPart: readPart[ToolResult],
}

func readPart[P Part](data []byte) (Part, error) {
	var p P
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("llm: a part of a message: %w", err)
	}
	return p, nil
}

// partList reads a list of parts.
type partList []Part

func (l *partList) UnmarshalJSON(data []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*l = nil
	for _, data := range raw {
		p, err := unmarshalPart(data)
		if err != nil {
			return err
		}
		*l = append(*l, p)
	}
	return nil
}

// UnmarshalJSON reads a message with its parts.
func (m *Message) UnmarshalJSON(data []byte) error {
	var form struct {
		Role  Role     `json:"role"`
		Parts partList `json:"parts"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return err
	}
	*m = Message{Role: form.Role, Parts: form.Parts}
	return nil
}

// UnmarshalJSON reads a result with its parts.
func (r *ToolResult) UnmarshalJSON(data []byte) error {
	type plain ToolResult
	var form struct {
		plain
		Parts partList `json:"parts"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return err
	}
	*r = ToolResult(form.plain)
	r.Parts = form.Parts
	return nil
}

// MarshalJSON writes {"type": "instruction", …}.
func (p Instruction) MarshalJSON() ([]byte, error) {
	type plain Instruction
	return writePart(instructionPart, plain(p))
}

// MarshalJSON writes {"type": "text", …}.
func (p Text) MarshalJSON() ([]byte, error) {
	type plain Text
	return writePart(textPart, plain(p))
}

// MarshalJSON writes {"type": "page", …}.
func (p Page) MarshalJSON() ([]byte, error) {
	type plain Page
	return writePart(pagePart, plain(p))
}

// MarshalJSON writes {"type": "image", …}.
func (p Image) MarshalJSON() ([]byte, error) {
	type plain Image
	return writePart(imagePart, plain(p))
}

// MarshalJSON writes {"type": "reasoning", …}.
func (p Reasoning) MarshalJSON() ([]byte, error) {
	type plain Reasoning
	return writePart(reasoningPart, plain(p))
}

// MarshalJSON writes {"type": "call", …}.
func (p ToolCall) MarshalJSON() ([]byte, error) {
	type plain ToolCall
	return writePart(callPart, plain(p))
}

// MarshalJSON writes {"type": "result", …}.
func (p ToolResult) MarshalJSON() ([]byte, error) {
	type plain ToolResult
	return writePart(resultPart, plain(p))
}

// writePart writes a part's members behind its type. It leaves <, > and & as they are:
// whether they are escaped is up to the encoder that the part is for.
func writePart(kind string, part any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(part); err != nil {
		return nil, err
	}
	out := `{"type":"` + kind + `"`
	if members := bytes.TrimPrefix(bytes.TrimSpace(b.Bytes()), []byte("{")); len(members) > 1 {
		return append([]byte(out+","), members...), nil
	}
	return []byte(out + "}"), nil
}
