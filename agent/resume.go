package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// saved is a run that waits for a person.
type saved struct {
	ID        string         `json:"id"`
	Messages  []llm.Message  `json:"messages"`
	First     int            `json:"first"`
	Memory    bool           `json:"memory,omitempty"`
	Turns     []savedTurn    `json:"turns"`
	Turn      int            `json:"turn"`
	Calls     []llm.ToolCall `json:"calls"`             // those to go on with
	Results   *llm.Message   `json:"results,omitempty"` // of the same answer's calls before
	Actions   []Action       `json:"actions"`
	Steps     int            `json:"steps"`
	Failures  int            `json:"failures"`
	Usage     llm.Usage      `json:"usage"`
	Cost      float64        `json:"cost"`
	Began     time.Time      `json:"began"`
	StartedAt string         `json:"startedAt"`
	Start     string         `json:"start"` // what the page said when the run began
	Doubted   bool           `json:"doubted,omitempty"`
	Said      string         `json:"said,omitempty"`     // beside the calls
	Within    *interrupted   `json:"within,omitempty"`   // the call that the first of Calls is a step of
	Revision  int            `json:"revision,omitempty"` // of the run's log; 0 is none
}

type savedTurn struct {
	Answer int      `json:"answer"`
	Done   []string `json:"done,omitempty"`
}

// keep writes what the run needs to continue into a pending. Of a call that does
// steps only the one that waits is done again, under that call's name: what came
// before it in the call is done.
func (e *pendingError) keep(r *run, a Action, calls []llm.ToolCall, parts []llm.Part) {
	if e.of != nil {
		r.record(a)
		waiting := e.waiting
		waiting.ID = calls[0].ID
		calls = append([]llm.ToolCall{waiting}, calls[1:]...)
	}
	p := e.pending
	s := saved{
		ID: r.id, Messages: r.talk.messages, First: r.talk.first, Memory: r.talk.memory, Turn: r.turn, Calls: calls,
		Actions: r.actions, Steps: r.bounds.steps, Failures: r.bounds.failures, Usage: r.bounds.usage, Cost: r.bounds.cost,
		Began: r.began, StartedAt: r.session.Hide(r.startedAt), Start: r.session.Hide(r.startText), Doubted: r.doubted, Said: r.said, Within: e.of,
	}
	if r.log != nil {
		s.Revision = r.log.Revision
	}
	for _, t := range r.talk.turns {
		s.Turns = append(s.Turns, savedTurn{t.answer, t.done})
	}
	if len(parts) > 0 {
		s.Results = &llm.Message{Role: llm.User, Parts: parts}
	}
	raw, err := json.Marshal(s)
	if err != nil {
		raw = []byte(`{}`) // every member is one that JSON has a form for
	}
	p.State = json.RawMessage(r.session.Hide(string(raw)))
}

func (r *run) restore(s *saved) {
	r.resuming, r.said = s.Within, s.Said
	r.id, r.turn, r.actions, r.began, r.startedAt, r.startText, r.doubted = s.ID, s.Turn, s.Actions, s.Began, s.StartedAt, s.Start, s.Doubted
	r.talk.messages, r.talk.first, r.talk.memory = s.Messages, s.First, s.Memory
	for _, t := range s.Turns {
		r.talk.turns = append(r.talk.turns, turnAt{t.Answer, t.Done})
	}
	r.bounds.steps, r.bounds.failures, r.bounds.usage, r.bounds.cost = s.Steps, s.Failures, s.Usage, s.Cost
}

// decided returns the person's word once.
func (r *run) decided() *decided {
	d := r.decision
	r.decision = nil
	return d
}

// stopped says that a call waits on its way, with what it had come to by then.
func (e *pendingError) stopped(tool *Tool, waiting llm.ToolCall, answer *Answer, err error) error {
	text := e.Error()
	switch {
	case err != nil:
		text = err.Error()
	case answer != nil:
		text = answer.Text
	}
	e.of, e.waiting = &interrupted{Name: tool.Name, Text: text}, waiting
	return e
}

// decided is a person's word, for the first call of a run that continues.
type decided struct {
	Decision
	approval *Approval
}

// on is what the person's word means for an action.
func (d *decided) on(a *Approval) error {
	if d.approval == nil || !sameAction(*d.approval, *a) {
		return fmt.Errorf("%w: what was approved was %s, and this is %s", ErrDenied, describe(d.approval), describe(a))
	}
	if !d.Approved {
		return fmt.Errorf("%w: %s", ErrDenied, orWord(d.Reason, "the person said no"))
	}
	if was := d.approval.Outgoing; was != nil && !was.Held {
		if a.Outgoing == nil {
			return fmt.Errorf("%w: what it sends is not known any more", ErrDenied)
		}
		if other := outgoing.Differences(was, a.Outgoing); len(other) > 0 {
			return fmt.Errorf("%w: what was approved is another thing: %s", ErrDenied, strings.Join(other, "; "))
		}
	}
	return nil
}

// logBegan writes the task, and where it begins.
func (r *run) logBegan(ctx context.Context) error {
	if r.log == nil {
		return nil
	}
	t := r.task
	b := &journal.Began{
		Format: journal.Format, Instruction: t.Instruction, Context: t.Context, Variables: slices.Sorted(keysOf(t.Variables)),
		Mode: string(r.agent.cfg.Mode), At: r.began, StartedAt: r.startedAt, StartText: r.startText,
		Bounds: journal.Bounds{
			MaxSteps: t.MaxSteps, MaxFailures: t.MaxFailures, MaxTokens: t.MaxTokens, MaxCost: t.MaxCost, RunTime: t.RunTime,
			ToolTimeout: t.ToolTimeout, Wait: t.WaitBetweenActions, NoPictures: t.NoScreenshots, Exclude: t.Exclude,
		},
		Earlier: withoutPictures(t.Messages), Message: withoutPictures(r.talk.messages[r.talk.first-1:])[0],
		Seen: r.newlySeen(), Browser: r.browserNow(ctx),
	}
	var err error
	if len(t.Checks) > 0 {
		if b.Checks, err = json.Marshal(t.Checks); err != nil {
			return err
		}
	}
	if len(t.Flows) > 0 {
		if b.Flows, err = json.Marshal(t.Flows); err != nil {
			return err
		}
	}
	if t.Output != nil {
		b.Output = json.RawMessage(t.Output.String())
	}
	for name, content := range t.Files {
		if b.Files == nil {
			b.Files = map[string]string{}
		}
		b.Files[name] = digestOf(content)
	}
	return r.log.Write(ctx, b)
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// logAnswered writes the model's answer, with what its refs name.
func (r *run) logAnswered(ctx context.Context, resp *llm.Response) error {
	if r.log == nil {
		return nil
	}
	a := &journal.Answered{Turn: r.turn, Message: resp.Message(), Usage: resp.Usage, Elements: map[string]journal.Element{}}
	for _, call := range resp.ToolCalls {
		for _, ref := range refPattern.FindAllString(string(call.Arguments), -1) {
			if node, ok := lookUp(r.view.snapshot, ref); ok && len(alike(r.view.snapshot, string(node.Role), node.Name)) == 1 {
				a.Elements[ref] = journal.Element{Role: string(node.Role), Name: node.Name}
			}
		}
	}
	return r.log.Write(context.WithoutCancel(ctx), a)
}

// alike are the elements of a reading with a role and a name.
func alike(snap *engine.Snapshot, role, name string) (out []*accessibility.Node) {
	if snap == nil {
		return nil
	}
	for i := range snap.Nodes {
		if n := &snap.Nodes[i]; string(n.Role) == role && n.Name == name {
			out = append(out, n)
		}
	}
	return out
}

// intend writes what is about to be done: an action to an element, or the tool
// itself. Without that nothing is done.
func (r *run) intend(ctx context.Context, a *engine.Action, node *accessibility.Node) error {
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

// digests are those of a page's lines, whatever the refs are.
func digests(snap *engine.Snapshot) []string {
	if snap == nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(snap.Outline()) {
		out = append(out, digestOfLine(line))
	}
	return out
}

func digestOfLine(line string) string {
	sum := sha256.Sum256([]byte(oneLine(passing.ReplaceAllString(line, "$1"))))
	return hex.EncodeToString(sum[:4])
}

// logEnded writes what came of a step. The model gets result; nil is none.
func (r *run) logEnded(ctx context.Context, a *Action, result *llm.ToolResult, surprise string) error {
	if r.log == nil {
		return nil
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	e := &journal.Ended{Action: raw, Surprise: surprise, Spent: r.spent(), Doubted: r.doubted, Sent: r.sent(), Traffic: r.traffic()}
	e.Spent.Same, e.Spent.Anew = r.circle.last, r.circle.forgot
	r.circle.last, r.circle.forgot = "", ""
	if result != nil {
		e.Result = &withoutPictures([]llm.Message{{Role: llm.User, Parts: []llm.Part{*result}}})[0]
	}
	if a.changed() && a.Evidence.Value == nil {
		e.Browser = r.browserNow(ctx)
	}
	if c := r.claim; c != nil {
		e.Claim = &journal.Claim{Success: c.success, Proven: c.proven, Message: c.message, Output: c.output}
		if e.Claim.Criteria, err = json.Marshal(c.criteria); err != nil {
			return err
		}
		if len(c.sources) > 0 {
			if e.Claim.Sources, err = json.Marshal(c.sources); err != nil {
				return err
			}
		}
		if len(c.ungrounded) > 0 {
			if e.Claim.Ungrounded, err = json.Marshal(c.ungrounded); err != nil {
				return err
			}
		}
		if len(c.checks) > 0 {
			if e.Claim.Checks, err = json.Marshal(c.checks); err != nil {
				return err
			}
		}
		if len(c.open) > 0 {
			if e.Claim.Open, err = json.Marshal(c.open); err != nil {
				return err
			}
		}
	}
	return r.log.Write(context.WithoutCancel(ctx), e)
}

func (r *run) spent() journal.Spent {
	b := r.bounds
	return journal.Spent{Steps: b.steps, Failures: b.failures, Usage: b.usage, Cost: b.cost, Warned: b.warned, Still: r.circle.still}
}

// tell gives the model what it gets for its answer, and writes it.
func (r *run) tell(ctx context.Context, parts []llm.Part, done []string) error {
	r.talk.told(parts, done)
	if r.log == nil {
		return nil
	}
	return r.log.Write(context.WithoutCancel(ctx), &journal.Told{
		Message: withoutPictures([]llm.Message{{Role: llm.User, Parts: parts}})[0], Done: done,
		Seen: r.newlySeen(), Browser: r.browserNow(ctx), Spent: r.spent(), Traffic: r.traffic(),
	})
}

// logOver writes how the run ended.
func (r *run) logOver(ctx context.Context, res *Result) error {
	if r.log == nil {
		return nil
	}
	return r.log.Write(context.WithoutCancel(ctx), &journal.Over{End: string(res.End), Message: res.Message})
}

// withoutPictures puts a line in the place of each picture: the next look brings
// a new one.
func withoutPictures(messages []llm.Message) []llm.Message {
	talk := conversation{messages: slices.Clone(messages)}
	talk.forgetPictures(0, len(messages))
	return talk.messages
}

// newlySeen is what the log does not have yet of what the run has seen.
func (r *run) newlySeen() journal.Seen {
	var s journal.Seen
	l := &r.logged
	if l.addresses == nil {
		l.addresses, l.long = map[string]bool{}, map[string]bool{}
	}
	for address := range r.seen.addresses {
		if !l.addresses[address] {
			l.addresses[address] = true
			s.Addresses = append(s.Addresses, address)
		}
	}
	slices.Sort(s.Addresses)
	for short, long := range r.addresses.long {
		if !l.long[short] {
			l.long[short] = true
			if s.Long == nil {
				s.Long = map[string]string{}
			}
			s.Long[short] = long
		}
	}
	return s
}

// requests are those of the whole run.
func (r *run) requests() []engine.RequestSeen {
	return append(slices.Clone(r.earlier), r.own.Requests(r.began)...)
}

// sent counts those that may have changed something.
func (r *run) sent() (n int) {
	for _, q := range r.requests() {
		if q.Method != "GET" && q.Method != "HEAD" {
			n++
		}
	}
	return n
}

// traffic are the requests that the log does not have, or without their answers.
func (r *run) traffic() *journal.Traffic {
	from := r.logged.from
	list := r.own.Requests(cmp.Or(from, r.began))
	if len(list) == 0 {
		return nil
	}
	r.logged.from = list[len(list)-1].Begin.Add(1)
	for _, q := range list {
		if !q.Ended {
			r.logged.from = q.Begin
			break
		}
	}
	return &journal.Traffic{From: list[0].Begin, Requests: list}
}

// browserNow is what another browser needs to be like this one, as far as the log
// does not have it.
func (r *run) browserNow(ctx context.Context) *journal.Browser {
	return r.logged.browser.Now(ctx, r.own, r.page)
}
