package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Ask puts a request to a model and holds the answer's text against validate.
// An answer that does not pass is shown to the model once, with what validate
// said, in a fence, since it may quote a page; if the next one does not pass either, the error is of [KindSchema]
// and wraps what validate said. An answer that does not pass is never returned
// without that error.
//
// The response's Text is the JSON alone, also where the model put it in a
// fence or talked around it. Its Usage is that of both rounds. It is there also
// with an error, if there was a first answer: then what was spent is in it, and
// its text is of no use.
func Ask(ctx context.Context, m Model, req *Request, validate func(text []byte) error) (*Response, error) {
	resp, err := m.Generate(ctx, req)
	if err != nil {
		return nil, err
	}
	said := resp.Text
	wrong := accept(resp, validate)
	if wrong == nil {
		return resp, nil
	}
	repair := *req
	repair.Messages = slices.Clone(req.Messages)
	if strings.TrimSpace(said) != "" { // providers refuse an empty message
		repair.Messages = append(repair.Messages, Message{Role: Assistant, Parts: []Part{Text{said}}})
	}
	repair.Messages = append(repair.Messages, Message{Role: User, Parts: []Part{
		Text{"That answer can't be used. What is wrong with it:"},
		Page{Kind: "error", Text: wrong.Error()},
		Text{"Answer again, whole, and with the JSON alone."},
	}})
	second, err := m.Generate(ctx, &repair)
	if err != nil {
		return &Response{Usage: resp.Usage, Model: resp.Model}, err
	}
	second.Usage = second.Usage.Add(resp.Usage)
	if wrong = accept(second, validate); wrong != nil {
		provider, _, _ := strings.Cut(m.Name(), "/")
		return second, &Error{Provider: provider, Kind: KindSchema, Message: "the answer was wrong twice: " + wrong.Error(), Err: wrong}
	}
	return second, nil
}

// accept validates an answer, and leaves the JSON alone in it.
func accept(resp *Response, validate func([]byte) error) error {
	if strings.TrimSpace(resp.Text) == "" {
		return fmt.Errorf("it is empty")
	}
	if text, ok := FindJSON(resp.Text); ok {
		resp.Text = text
	}
	return validate([]byte(resp.Text))
}

// FindJSON finds the JSON value that a model was asked for in what it said: the
// text itself, what stands in a code fence, or the first object or array with
// only words around it. Text that is cut off gives none.
func FindJSON(text string) (string, bool) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if json.Valid([]byte(text)) {
		return text, true
	}
	if _, rest, ok := strings.Cut(text, "```"); ok {
		if _, body, ok := strings.Cut(rest, "\n"); ok {
			if inner, _, ok := strings.Cut(body, "```"); ok && json.Valid([]byte(strings.TrimSpace(inner))) {
				return strings.TrimSpace(inner), true
			}
		}
	}
	start := strings.IndexAny(text, "{[")
	if start < 0 {
		return "", false
	}
	dec := json.NewDecoder(strings.NewReader(text[start:]))
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return "", false
	}
	return string(value), true
}
