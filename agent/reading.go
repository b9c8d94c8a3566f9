package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/schema"
)

const (
	mostFound    = 20     // nodes that find lists
	mostReadText = 6_000  // tokens of a page's text
	mostOutline  = 20_000 // tokens of an outline that the model asks for
)

type (
	extractIn struct {
		Instruction string          `json:"instruction" jsonschema:"minLength=1"`
		Schema      json.RawMessage `json:"schema,omitempty" jsonschema:"description=a JSON Schema; without it a text"`
		Strict      bool            `json:"strict,omitempty" jsonschema:"description=what the page contradicts is an error"`
	}
	outlineIn struct {
		Ref       string `json:"ref,omitempty" jsonschema:"description=without it the whole page"`
		MaxTokens int    `json:"maxTokens,omitempty" jsonschema:"minimum=100"`
	}
	findIn struct {
		Query string `json:"query,omitempty" jsonschema:"description=words that the element says"`
		Role  string `json:"role,omitempty" jsonschema:"description=as button\\, link\\, row"`
	}
	readIn struct {
		Ref  string `json:"ref,omitempty" jsonschema:"description=without it the whole page"`
		From int    `json:"from,omitempty" jsonschema:"minimum=0,description=the line to go on from"`
	}
)

// readingTools tell something of the page, and change nothing.
func readingTools() []Tool {
	return []Tool{
		built("extract", reads, "Reads data from the page.", extract),
		built(toolOutline, reads, "The outline of the page or of one element, as it is now.",
			func(ctx context.Context, r *run, in outlineIn) (*Answer, error) {
				return r.excerpt(ctx, in.Ref, func(snap *engine.Snapshot, ref accessibility.Ref) (string, error) {
					most := mostOutline
					if in.MaxTokens > 0 {
						most = min(most, in.MaxTokens)
					}
					return r.session.OutlineOf(snap, engine.Excerpt{Ref: ref, MaxTokens: most})
				})
			}),
		built(toolFind, reads, "Finds elements of the whole page by words and role.", find),
		built("read", reads, "The text of the page or of one element, for reading.",
			func(ctx context.Context, r *run, in readIn) (*Answer, error) {
				return r.excerpt(ctx, in.Ref, func(snap *engine.Snapshot, ref accessibility.Ref) (string, error) {
					return r.session.TextOf(snap, engine.Excerpt{Ref: ref, MaxTokens: mostReadText, From: in.From})
				})
			}),
		built("screenshot", reads, "A picture of the viewport.",
			func(ctx context.Context, r *run, _ noIn) (*Answer, error) {
				picture, err := r.picture(ctx)
				if err != nil {
					return nil, fmt.Errorf("there is no picture of the page: %w", err)
				}
				return &Answer{Text: "a picture of the viewport", Image: picture.Data}, nil
			}),
		built("downloads", reads, "What was downloaded in this run.",
			func(_ context.Context, r *run, _ noIn) (*Answer, error) {
				text := r.downloads()
				return &Answer{Text: text, report: &report{nothing: text == nothingDownloaded}}, nil
			}),
	}
}

func extract(ctx context.Context, r *run, in extractIn) (*Answer, error) {
	opts := &engine.ExtractOptions{Model: r.executionModel(), Frames: true, Partial: true, Strict: in.Strict}
	if len(in.Schema) > 0 && string(in.Schema) != "null" {
		form, err := schema.Parse(in.Schema)
		if err != nil {
			return nil, fmt.Errorf("%w: schema: %w", engine.ErrInvalid, err)
		}
		opts.Schema = form
	}
	got, err := r.page.Extract(ctx, in.Instruction, opts)
	rep := &report{action: Action{Instruction: in.Instruction}}
	if got != nil {
		rep.usage = got.Usage
	}
	if err != nil {
		return &Answer{report: rep}, err
	}
	text := string(got.Data)
	if opts.Schema == nil {
		var plain struct{ Extraction string }
		if json.Unmarshal(got.Data, &plain) == nil {
			text = plain.Extraction
		}
	}
	rep.action.Sources, rep.action.Ungrounded, rep.action.Omitted = got.Sources, got.Ungrounded, got.Omitted
	return &Answer{Text: text + doubts(got), report: rep}, nil
}

// doubts says what of an extraction could not be traced to the page, and what it
// left out.
func doubts(got *engine.Extraction) string {
	var b strings.Builder
	list := func(title string, n int, line func(int) string) {
		for i := range min(n, mostDoubts) {
			if i == 0 {
				b.WriteString("\n" + title)
			}
			b.WriteString("\n- " + line(i))
		}
		if n > mostDoubts {
			fmt.Fprintf(&b, "\n- and %d more", n-mostDoubts)
		}
	}
	for _, of := range []struct {
		degree engine.Degree
		title  string
	}{
		{engine.Contradicted, "Contradicted by the page; do not rely on it:"},
		{engine.Unproven, "Not proven by the page; look before you rely on it:"},
	} {
		values := slices.DeleteFunc(slices.Clone(got.Ungrounded), func(u engine.Ungrounded) bool { return u.Degree != of.degree })
		list(of.title, len(values), func(i int) string { return cmp.Or(values[i].Pointer, "the value") + ": " + values[i].Reason })
	}
	list("Not in this data:", len(got.Omitted), func(i int) string {
		o := got.Omitted[i]
		why := map[engine.OmissionCause]string{engine.OmittedByBudget: "not read", engine.OmittedByPage: "the page does not show them yet", engine.OmittedByModel: "beside those of " + cmp.Or(o.Pointer, "the list")}[o.Cause]
		return fmt.Sprintf("%s (%s)", o, why)
	})
	return b.String()
}

const nothingDownloaded = "nothing was downloaded"

// mostDoubts bounds how many values and omissions an answer to the model names.
const mostDoubts = 10

func find(ctx context.Context, r *run, in findIn) (*Answer, error) {
	if strings.TrimSpace(in.Query) == "" && in.Role == "" {
		return nil, fmt.Errorf("%w: say what to find: query, role, or both", engine.ErrInvalid)
	}
	snap, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	var hits []*accessibility.Node
	if in.Query != "" {
		hits = snap.Search(in.Query)
	} else {
		for i := range snap.Nodes {
			hits = append(hits, &snap.Nodes[i])
		}
	}
	var b strings.Builder
	count := 0
	for _, n := range hits {
		if in.Role != "" && !strings.EqualFold(string(n.Role), in.Role) {
			continue
		}
		if count++; count <= mostFound {
			b.WriteString(r.session.LineOf(snap, n))
			b.WriteByte('\n')
		}
	}
	switch {
	case count == 0:
		return &Answer{Text: "nothing was found", report: &report{nothing: true}}, nil
	case count > mostFound:
		fmt.Fprintf(&b, "… %d more\n", count-mostFound)
	}
	return &Answer{Text: b.String()}, nil
}
