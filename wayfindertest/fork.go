package wayfindertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Fork has a recorded run continue otherwise from a step: with another model,
// prompt or page. What is before the step is answered from the record.
type Fork struct {
	// Step is the first that is done otherwise: of the agent's run, as its steps
	// are numbered, and in a bundle without one of the bundle's. A step that a
	// model wanted together with others before it takes these along.
	Step int

	// Model answers from there on; nil is the recorded one.
	Model engine.LLM
	// Prompt, if not nil, changes what that model is asked. It gets a copy.
	Prompt func(*llm.Request)

	// Driver, if not nil, opens a live browser in the place of the recorded one,
	// from the beginning: another page, or the same one to continue with. The steps
	// before Step are done there as the record has them. A page that lacks an
	// element that they need ends the run with an error that names it. Without
	// it, only what was recorded can be done in the browser.
	Driver engine.Driver
}

// An exchange is a question and its answer, as bundles hold it.
type exchange struct {
	Request  *llm.Request  `json:"request"`
	Response *llm.Response `json:"response"`
	Error    *struct {
		Kind    llm.ErrorKind `json:"kind"`
		Status  int           `json:"status"`
		Message string        `json:"message"`
	} `json:"error"`
}

// readExchanges reads those of a recording.
func readExchanges(r io.Reader) ([]exchange, error) {
	var all []exchange
	for lines := json.NewDecoder(r); ; {
		var x exchange
		err := lines.Decode(&x)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
}

// forked answers from the record first, and then asks another model.
type forked struct {
	recorded  engine.LLM
	exchanges []exchange
	known     int // how many of them are answered from the record
	fork      Fork

	mu   sync.Mutex // protects next
	next int
}

func (m *forked) Name() string {
	if m.fork.Model != nil {
		return m.fork.Model.Name()
	}
	return m.recorded.Name()
}

func (m *forked) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	m.mu.Lock()
	n := m.next
	m.next++
	m.mu.Unlock()
	switch {
	case n >= m.known && m.fork.Model != nil:
		if m.fork.Prompt != nil {
			changed := *req
			changed.Messages = slices.Clone(req.Messages)
			m.fork.Prompt(&changed)
			req = &changed
		}
		return m.fork.Model.Generate(ctx, req)
	case n >= m.known:
		return nil, &llm.Error{Provider: "fork", Kind: llm.KindInvalid, Message: "the record ends here; give the fork a model"}
	case m.fork.Driver == nil: // in another browser elements have other refs
		return m.recorded.Generate(ctx, req)
	}
	x := m.exchanges[n]
	if x.Error != nil || x.Response == nil {
		return nil, &llm.Error{Provider: "fork", Kind: llm.KindInvalid, Message: "the record has a failure of the model here; fork before it"}
	}
	return carried(&x, req)
}

// refText is a ref as a whole value.
var refText = regexp.MustCompile(`^[0-9]+-[0-9]+(:[0-9]+)?$`)

// carried is a recorded answer with the refs that the page has now.
func carried(x *exchange, req *llm.Request) (*llm.Response, error) {
	out := *x.Response
	var failed error
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k])
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case string:
			if refText.MatchString(v) {
				ref, err := carry(v, x.Request, req)
				failed = errors.Join(failed, err)
				return ref
			}
		}
		return v
	}
	rewrite := func(raw []byte) []byte {
		var v any
		if json.Unmarshal(raw, &v) != nil {
			return raw // words
		}
		text, err := json.Marshal(walk(v))
		if err != nil {
			return raw
		}
		return text
	}
	out.ToolCalls = slices.Clone(out.ToolCalls)
	for i := range out.ToolCalls {
		out.ToolCalls[i].Arguments = rewrite(out.ToolCalls[i].Arguments)
	}
	out.Text = string(rewrite([]byte(out.Text)))
	if failed != nil {
		return nil, &llm.Error{Provider: "fork", Kind: llm.KindInvalid, Message: failed.Error()}
	}
	return &out, nil
}

// carry finds the element of a recorded request in one of now, by its line.
func carry(ref string, then, now *llm.Request) (string, error) {
	line, nth := lineOf(then, ref)
	if line == "" {
		return ref, nil // it was none of an outline's: an answer with a wrong one
	}
	for _, same := range []func(string) string{
		func(s string) string { return s },
		func(s string) string { s, _, _ = strings.Cut(s, " ("); s, _, _ = strings.Cut(s, " value="); return s },
	} {
		for _, page := range pagesOf(now) {
			n := 0
			for _, m := range outlineLine.FindAllStringSubmatch(page, -1) {
				if same(m[2]) != same(line) {
					continue
				}
				if n == nth {
					return m[1], nil
				}
				n++
			}
		}
	}
	return "", fmt.Errorf("the page has no %s, which the recorded answer names; fork at an earlier step", line)
}

// outlineLine is a line of an outline, or of its changes.
var outlineLine = regexp.MustCompile(`(?m)^[+~ ]*\[([0-9]+-[0-9]+)\] (.*)$`)

// lineOf is what an outline says of a ref, and how many lines before it say the same.
func lineOf(req *llm.Request, ref string) (line string, nth int) {
	ref, _, _ = strings.Cut(ref, ":")
	for _, page := range pagesOf(req) {
		counts := map[string]int{}
		for _, m := range outlineLine.FindAllStringSubmatch(page, -1) {
			if m[1] == ref {
				return m[2], counts[m[2]]
			}
			counts[m[2]]++
		}
	}
	return "", 0
}

// pagesOf are the texts of pages in a request, newest first.
func pagesOf(req *llm.Request) []string {
	var out []string
	if req == nil {
		return nil
	}
	var walk func(parts []llm.Part)
	walk = func(parts []llm.Part) {
		for _, p := range slices.Backward(parts) {
			switch p := p.(type) {
			case llm.Page:
				out = append(out, p.Text)
			case llm.ToolResult:
				walk(p.Parts)
			}
		}
	}
	for _, m := range slices.Backward(req.Messages) {
		walk(m.Parts)
	}
	return out
}
