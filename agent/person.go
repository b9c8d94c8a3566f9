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
		Text   string `json:"text,omitempty" jsonschema:"description=for a prompt"`
	}
)

// personTools speak with people, and for them.
func personTools() []Tool {
	return []Tool{
		built(toolDialog, talks, "Answers the page's next confirm or prompt. Without it, they are dismissed.",
			func(ctx context.Context, r *run, in dialogIn) (*Answer, error) {
				answers, err := r.answers(ctx, in)
				if err != nil {
					return nil, err
				}
				r.page.AnswerDialogs(answers...)
				return &Answer{Text: "the next dialog will be answered so"}, nil
			}),
		built("think", talks, "A place to think: nothing is done.",
			func(context.Context, *run, thinkIn) (*Answer, error) { return &Answer{Text: "noted"}, nil }),
		built(toolAsk, talks, "Asks the person whose task it is, where only they can know.", ask),
	}
}

// A dialogAnswer is the model's answer to the dialog that an act opens: accept,
// dismiss, or accept= and the text for a prompt. Empty is none. It is one string
// because it stands in the schemas of several tools, which each question has.
type dialogAnswer string

func (a dialogAnswer) parse() (dialogIn, error) {
	word, text, written := strings.Cut(string(a), "=")
	if word == "accept" || word == "dismiss" && !written {
		return dialogIn{Accept: word == "accept", Text: text}, nil
	}
	return dialogIn{}, fmt.Errorf("%w: dialog %q; write accept, dismiss or accept=text", engine.ErrInvalid, string(a))
}

func ask(ctx context.Context, r *run, in askIn) (*Answer, error) {
	if d := r.decided(); d != nil {
		r.flows.ledger.Say(d.Answer)
		return &Answer{Text: d.Answer}, nil
	}
	answer, err := r.agent.cfg.Ask(ctx, in.Question)
	if errors.Is(err, ErrLater) {
		return nil, &pendingError{pending: &Pending{Kind: PendingAsk, Question: r.session.Hide(in.Question)}}
	}
	if err != nil {
		return nil, fmt.Errorf("no answer: %w", err)
	}
	r.flows.ledger.Say(answer)
	return &Answer{Text: answer}, nil
}
