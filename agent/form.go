package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/engine"
)

type (
	fillFormIn struct {
		Fields []fieldIn `json:"fields" jsonschema:"minItems=1"`
	}
	fieldIn = struct { // as an alias it is written where it is used, without $defs
		Ref   string `json:"ref"`
		Value string `json:"value" jsonschema:"description=a text\\, an option's label\\, or true or false for a box"`
	}
)

// fillForm fills fields in order. None is filled unless all of them are there;
// each has an outcome of its own.
func fillForm(ctx context.Context, r *run, in fillFormIn) (*Answer, error) {
	commands, err := r.findFields(ctx, in.Fields)
	if err != nil {
		return nil, err
	}
	total := &report{}
	var said []string
	failed := 0
	for i, cmd := range commands {
		field := in.Fields[i]
		answer, err := r.onRef(ctx, field.Ref, cmd, field.Value)
		name := field.Ref
		if node, ok := lookUp(r.view.snapshot, field.Ref); ok {
			name = r.session.LineOf(r.view.snapshot, node)
		}
		if answer != nil {
			total.add(answer.report)
		}
		if err != nil {
			failed++
			said = append(said, fmt.Sprintf("%s: failed: %v", name, err))
			if ctx.Err() != nil {
				return &Answer{Text: strings.Join(said, "\n"), report: total}, err
			}
			if errors.Is(err, engine.ErrMayHaveHappened) {
				said = append(said, fmt.Sprintf("the other %d fields were left alone", len(commands)-i-1))
				return &Answer{Text: strings.Join(said, "\n"), report: total}, errors.Join(errors.New(strings.Join(said, "\n")), err)
			}
			continue
		}
		said = append(said, answer.Text)
		if total.surprise != "" && i < len(commands)-1 {
			said = append(said, fmt.Sprintf("%s; the other %d fields were left alone", total.surprise, len(commands)-i-1))
			total.failed = true
			break
		}
	}
	total.action.Message = fmt.Sprintf("filled %d of %d fields", len(commands)-failed, len(commands))
	if failed > 0 {
		total.failed = true
		total.surprise = "not every field was filled"
	}
	return &Answer{Text: strings.Join(said, "\n"), report: total}, nil
}
