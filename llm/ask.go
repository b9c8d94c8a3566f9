package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mostComplaint bounds what is sent back to a model about its answer, in bytes.
const mostComplaint = 4000

// Ask puts a question whose answer check must accept, and returns an answer
// that it accepted. check gets the text of the answer, without the fence of a
// code block that some models put around JSON. An answer that check refuses
// is never used: the model is told why, in the words of check's error, and has
// one chance to repair it. If that fails too, the error is of [KindSchema] and
// says what was wrong.
//
// The usage of the response is that of both rounds; where an error is returned
// after an answer, the response holds the usage and no text. req is not changed.
func Ask(ctx context.Context, m Model, req *Request, check func(answer []byte) error) (*Response, error) {
	first, err := m.Generate(ctx, req)
	if err != nil {
		return nil, err
	}
	complaint := judge(first, check)
	if complaint == nil {
		return first, nil
	}
	again := *req
	again.Messages = append(slices.Clone(req.Messages),
		Message{Role: Assistant, Parts: []Part{Text{Text: first.Text}}},
		Message{Role: User, Parts: []Part{Text{Text: repairText(complaint)}}})
	second, err := m.Generate(ctx, &again)
	if err != nil {
		return &Response{Usage: first.Usage, Model: first.Model}, err
	}
	second.Usage = second.Usage.Add(first.Usage)
	if complaint = judge(second, check); complaint == nil {
		return second, nil
	}
	provider, _, _ := strings.Cut(m.Name(), "/")
	return &Response{Usage: second.Usage, Model: second.Model}, &Error{
		Provider: provider,
		Kind:     KindSchema,
		Message:  fmt.Sprintf("the answer does not fit, also after it was repaired: %s", clip(complaint.Error())),
		Err:      complaint,
	}
}

// judge checks an answer and leaves its text bare.
func judge(r *Response, check func([]byte) error) error {
	answer := bare([]byte(r.Text))
	if len(answer) == 0 {
		return errors.New("the answer is empty")
	}
	r.Text = string(answer)
	return check(answer)
}

func repairText(complaint error) string {
	return "This answer cannot be used: " + clip(complaint.Error()) + "\nAnswer again, with nothing but the corrected JSON."
}

func clip(s string) string {
	if len(s) <= mostComplaint {
		return s
	}
	return strings.ToValidUTF8(s[:mostComplaint], "") + " …"
}

// bare takes white space and the fence of a Markdown code block away.
func bare(answer []byte) []byte {
	answer = bytes.TrimSpace(answer)
	inner, fenced := bytes.CutPrefix(answer, []byte("```"))
	if !fenced || !bytes.HasSuffix(inner, []byte("```")) {
		return answer
	}
	inner = bytes.TrimSuffix(inner, []byte("```"))
	if first, rest, ok := bytes.Cut(inner, []byte("\n")); ok && !bytes.ContainsAny(first, "{[\"") {
		inner = rest
	}
	return bytes.TrimSpace(inner)
}
