package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// ledger is what a run has said, done and spent, in memory and in its log: intent
// before the effect, outcome after it.
type ledger struct {
	scene
	talk      conversation
	bounds    *bounds
	circle    repetition
	addresses addresses
	seen      seen

	log      *journal.Log         // nil: nobody keeps one
	unlogged time.Time            // the log has the requests before it, with their answers; zero is the run's begin
	earlier  []engine.RequestSeen // of processes before this one

	turn    int
	actions []Action
	at      *Action // the step under way
	doing   string  // the tool under way
	said    string  // beside the calls of the newest answer
	doubted bool    // a done was questioned
	claim   *claim  // of done, once it is accepted

	errand   *errand      // the call under way that does steps; nil if there is none
	resuming *interrupted // the call that the first step of a run that continues is of
}

// record keeps an action at its place.
func (r *ledger) record(a Action) {
	r.seen.step = max(r.seen.step, a.Step)
	if a.Step <= len(r.actions) {
		r.actions[a.Step-1] = a
		return
	}
	r.actions = append(r.actions, a)
}

// logBegan writes the task, and where it begins.
func (r *ledger) logBegan(ctx context.Context) error {
	t := r.task
	b := &journal.Began{
		Format: journal.Format, Instruction: t.Instruction, Context: t.Context, Variables: slices.Sorted(maps.Keys(t.Variables)), Files: journal.Digests(t.Files),
		Mode: string(r.agent.cfg.Mode), At: r.began, StartedAt: r.startedAt, StartText: r.startText,
		Bounds: journal.Bounds{
			MaxSteps: t.MaxSteps, MaxFailures: t.MaxFailures, MaxTokens: t.MaxTokens, MaxCost: t.MaxCost, RunTime: t.RunTime,
			ToolTimeout: t.ToolTimeout, Wait: t.WaitBetweenActions, NoPictures: t.NoScreenshots, Exclude: t.Exclude,
		},
		Earlier: withoutPictures(t.Messages), Message: withoutPictures(r.talk.Messages[r.talk.First-1:])[0],
		Seen: r.newlySeen(), Browser: r.log.Browser(ctx, r.own, r.page),
	}
	if err := errors.Join(journal.Put(&b.Checks, t.Checks), journal.Put(&b.Flows, t.Flows)); err != nil {
		return err
	}
	if t.Output != nil {
		b.Output = json.RawMessage(t.Output.String())
	}
	return r.log.Write(ctx, b)
}

// logAnswered writes the model's answer, with what its refs name.
func (r *ledger) logAnswered(ctx context.Context, resp *llm.Response) error {
	if r.log == nil {
		return nil
	}
	a := &journal.Answered{Turn: r.turn, Message: resp.Message(), Usage: resp.Usage, Elements: map[string]journal.Element{}}
	for _, call := range resp.ToolCalls {
		for _, ref := range refPattern.FindAllString(string(call.Arguments), -1) {
			if node, ok := lookUp(r.view.snapshot, ref); ok && len(alike(r.view.snapshot, string(node.Role), node.Name, nil)) == 1 {
				a.Elements[ref] = journal.Element{Role: string(node.Role), Name: node.Name}
			}
		}
	}
	return r.log.Write(context.WithoutCancel(ctx), a)
}

// intend writes what is about to be done: an action to an element, or the tool
// itself. Without that nothing is done.
func (r *ledger) intend(ctx context.Context, a *engine.Action, node *accessibility.Node) error {
	if r.log == nil {
		return nil
	}
	e := &journal.Intended{Step: r.at.Step, Tool: r.doing, Arguments: r.at.Arguments, Action: a, Address: r.address(), Lines: digests(r.view.snapshot), Sent: r.sent()}
	if r.errand != nil && r.errand.step.Number != e.Step {
		e.Parent = r.errand.step.Number
	}
	if node != nil {
		e.Value = valueOf(node)
	}
	if err := r.log.Write(ctx, e); err != nil {
		return &boundError{err}
	}
	return nil
}

// logEnded writes what came of a step. The model gets result; nil is none.
func (r *ledger) logEnded(ctx context.Context, a *Action, result *llm.ToolResult, surprise string) error {
	if r.log == nil {
		return nil
	}
	action, err := json.Marshal(a)
	if err != nil {
		return err
	}
	e := &journal.Ended{Action: action, Surprise: surprise, Spent: r.spent(), Doubted: r.doubted, Sent: r.sent(), Traffic: r.traffic()}
	e.Spent.Same, e.Spent.Anew = r.circle.last, r.circle.forgot
	r.circle.last, r.circle.forgot = "", ""
	if result != nil {
		e.Result = &withoutPictures([]llm.Message{{Role: llm.User, Parts: []llm.Part{*result}}})[0]
	}
	if a.changed() && a.Evidence.Value == nil {
		e.Browser = r.log.Browser(ctx, r.own, r.page)
	}
	if r.claim != nil {
		raw, err := json.Marshal(r.claim)
		if err != nil {
			return err
		}
		e.Claim = (*json.RawMessage)(&raw)
	}
	return r.log.Write(context.WithoutCancel(ctx), e)
}

func (r *ledger) spent() journal.Spent {
	b := r.bounds
	return journal.Spent{Steps: b.steps, Failures: b.failures, Usage: b.usage, Cost: b.cost, Warned: b.warned, Still: r.circle.still}
}

// tell gives the model what it gets for its answer, and writes it.
func (r *ledger) tell(ctx context.Context, parts []llm.Part, done []string) error {
	r.talk.told(parts, done)
	if r.log == nil {
		return nil
	}
	return r.log.Write(context.WithoutCancel(ctx), &journal.Told{
		Message: withoutPictures([]llm.Message{{Role: llm.User, Parts: parts}})[0], Done: done,
		Seen: r.newlySeen(), Browser: r.log.Browser(ctx, r.own, r.page), Spent: r.spent(), Traffic: r.traffic(),
	})
}

// newlySeen is what the log does not have yet of what the run has seen.
func (r *ledger) newlySeen() journal.Seen {
	s := journal.Seen{Addresses: r.seen.fresh, Long: r.addresses.fresh}
	slices.Sort(s.Addresses)
	r.seen.fresh, r.addresses.fresh = nil, nil
	return s
}

// requests are those of the whole run, each once: a session may still have what the run
// sent before it waited.
func (r *ledger) requests() []engine.RequestSeen {
	own := r.own.Requests(r.began)
	earlier := slices.DeleteFunc(slices.Clone(r.earlier), func(q engine.RequestSeen) bool {
		return slices.ContainsFunc(own, func(o engine.RequestSeen) bool { return o.Begin.Equal(q.Begin) && o.Method == q.Method })
	})
	return append(earlier, own...)
}

// sent counts those that may have changed something.
func (r *ledger) sent() int { return sendings(r.requests()) }

func sendings(requests []engine.RequestSeen) (n int) {
	for _, q := range requests {
		if q.Method != "GET" && q.Method != "HEAD" {
			n++
		}
	}
	return n
}

// traffic are the requests that the log does not have, or without their answers.
func (r *ledger) traffic() *journal.Traffic {
	list := r.own.Requests(cmp.Or(r.unlogged, r.began))
	if len(list) == 0 {
		return nil
	}
	r.unlogged = list[len(list)-1].Begin.Add(1)
	if open := slices.IndexFunc(list, func(q engine.RequestSeen) bool { return !q.Ended }); open >= 0 {
		r.unlogged = list[open].Begin
	}
	return &journal.Traffic{From: list[0].Begin, Requests: list}
}

// historyTokens is the size at which the conversation is compacted: there has
// to be room for two outlines at least, or it would be at every turn.
func (r *ledger) historyTokens() int {
	if most := r.agent.cfg.HistoryTokens; most > 0 {
		return most
	}
	begin := &llm.Request{System: r.talk.system, Tools: r.talk.tools} // of every question
	return max(r.window()/4, llm.Estimate(begin)+2*r.outlineTokens())
}

// downloads says what the run's actions have downloaded.
func (r *ledger) downloads() string {
	var b strings.Builder
	for i := range r.actions {
		if r.actions[i].Evidence == nil {
			continue
		}
		for _, d := range r.actions[i].Evidence.Downloads {
			state := "under way"
			switch {
			case d.Canceled:
				state = "canceled"
				if d.Reason != "" {
					state += ": " + d.Reason
				}
			case d.Done:
				state = fmt.Sprintf("complete, %d bytes", d.Size)
			}
			fmt.Fprintf(&b, "%s (step %d): %s\n", d.Name, r.actions[i].Step, state)
		}
	}
	if b.Len() == 0 {
		return nothingDownloaded
	}
	return r.session.Hide(b.String())
}
