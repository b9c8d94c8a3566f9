package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/engine"
)

type (
	thinkIn struct {
		Thought string `json:"thought"`
	}
	askIn struct {
		Question string `json:"question" jsonschema:"minLength=1"`
	}
	dialogIn struct {
		Accept bool   `json:"accept"`
		Text   string `json:"text,omitempty" jsonschema:"description=what is written into a prompt"`
	}
)

// personTools speak with people, and for them.
func personTools() []Tool {
	return []Tool{
		built(toolDialog, talks, "Says how the next dialog of the page (confirm, prompt) is to be answered. Without it, confirm and prompt are dismissed.",
			func(_ context.Context, r *run, in dialogIn) (*Answer, error) {
				r.page.AnswerNextDialog(engine.DialogAnswer{Accept: in.Accept, Text: r.expand(in.Text)})
				return &Answer{Text: "the next dialog will be answered so"}, nil
			}),
		built("think", talks, "A place to think: nothing is done.",
			func(context.Context, *run, thinkIn) (*Answer, error) { return &Answer{Text: "noted"}, nil }),
		built(toolAsk, talks, "Asks the person whose task it is, where only they can know.", ask),
	}
}

func ask(ctx context.Context, r *run, in askIn) (*Answer, error) {
	if d := r.decided(); d != nil {
		return &Answer{Text: d.Answer}, nil
	}
	answer, err := r.agent.cfg.Ask(ctx, in.Question)
	if errors.Is(err, ErrLater) {
		return nil, &pendingError{pending: &Pending{Kind: PendingAsk, Question: r.session.Hide(in.Question)}}
	}
	if err != nil {
		return nil, fmt.Errorf("nobody answered: %w", err)
	}
	return &Answer{Text: answer}, nil
}

// expand puts the values of variables in. The dialog of a page is no element
// that a variable's hosts could be held against, so bound ones are left alone.
func (r *run) expand(text string) string {
	for name, v := range r.task.Variables {
		if v.TOTP == nil && len(v.Hosts) == 0 {
			text = strings.ReplaceAll(text, "%"+name+"%", v.Value)
		}
	}
	return text
}
