package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/agent"
)

// Bounds of an answer.
const (
	defaultAnswer = 32 << 10 // bytes of text
	maxPicture    = 5 << 20  // bytes, what providers take
	maxRefusal    = 2000     // bytes of an error
)

// answer is what the model gets of a tool's result. Text and one picture are
// passed on, anything else is named.
func answer(result *sdk.CallToolResult, most int) (*agent.Answer, error) {
	out := &agent.Answer{}
	var text strings.Builder
	say := func(s string) {
		if s == "" {
			return
		}
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(s)
	}
	for _, c := range result.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			say(c.Text)
		case *sdk.ImageContent:
			switch {
			case len(c.Data) > maxPicture:
				say(fmt.Sprintf("(a picture of %d bytes is left out: %d are allowed)", len(c.Data), maxPicture))
			case !slices.Contains([]string{"image/png", "image/jpeg", "image/webp"}, http.DetectContentType(c.Data)):
				say(fmt.Sprintf("(a picture of type %s is left out: PNG, JPEG and WebP are supported)", oneLine(c.MIMEType, 50)))
			case out.Image != nil:
				say("(another picture is left out: one is allowed)")
			default:
				out.Image = c.Data
			}
		case *sdk.AudioContent:
			say(fmt.Sprintf("(a sound of %d bytes, %s, is left out)", len(c.Data), oneLine(c.MIMEType, 50)))
		case *sdk.ResourceLink:
			say(fmt.Sprintf("(a link to a resource: %s, %s)", oneLine(c.Name, 200), oneLine(c.URI, 1000)))
		case *sdk.EmbeddedResource:
			switch r := c.Resource; {
			case r == nil:
			case len(r.Blob) > 0:
				say(fmt.Sprintf("(a resource of %d bytes is left out: %s, %s)", len(r.Blob), oneLine(r.URI, 1000), oneLine(r.MIMEType, 50)))
			default:
				say(r.Text)
			}
		case nil:
		default:
			say(fmt.Sprintf("(content of kind %T is left out)", c))
		}
	}
	if text.Len() == 0 && result.StructuredContent != nil {
		// Beside a text it is the same once more, as the protocol wants it.
		if raw, err := json.Marshal(result.StructuredContent); err == nil {
			say(string(raw))
		}
	}
	out.Text = strings.ToValidUTF8(text.String(), "�")
	if result.NeedsInput() {
		return nil, errors.New("the tool asks for input in the middle of its work, which is not supported; call it with all that it needs")
	}
	if result.IsError {
		if out.Text == "" {
			return nil, errors.New("the tool failed and says nothing more")
		}
		return nil, errors.New(limited(out.Text, maxRefusal))
	}
	out.Text = limited(out.Text, most)
	if out.Text == "" && out.Image == nil {
		out.Text = "(the tool answered nothing)"
	}
	return out, nil
}

// limited cuts a text and says so.
func limited(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s\n(cut here: %d of %d bytes)", cut(text, most), most, len(text))
}
