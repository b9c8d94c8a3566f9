package agent

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/agent/internal/verdict"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// saved is a run that waits for a person.
type saved struct {
	ID string `json:"id"`
	talked
	Turn      int            `json:"turn"`
	Calls     []llm.ToolCall `json:"calls"`             // those to go on with
	Results   *llm.Message   `json:"results,omitempty"` // of the same answer's calls before
	Actions   []Action       `json:"actions"`
	Began     time.Time      `json:"began"`
	StartedAt string         `json:"startedAt"`
	Start     string         `json:"start"` // what the page said when the run began
	Doubted   bool           `json:"doubted,omitempty"`
	Said      string         `json:"said,omitempty"`     // beside the calls
	Within    *interrupted   `json:"within,omitempty"`   // the call that the first of Calls is a step of
	Revision  int            `json:"revision,omitempty"` // of the run's log; 0 is none

	journal.Spent
	Repeated map[string]int `json:"repeated,omitempty"` // as [repetition] counts

	// What the run was shown, and what it sent. Pendings of before lack it.
	Seen     journal.Seen         `json:"seen,omitzero"`
	Texts    []verdict.Reading    `json:"texts,omitempty"`
	Requests []engine.RequestSeen `json:"requests,omitempty"`
}

// pendingError ends a run until somebody has decided.
type pendingError struct {
	pending *Pending
	of      *interrupted // the call on whose way it waits; nil if it is a call of the model's
	waiting llm.ToolCall // the step of that call
}

func (e *pendingError) Error() string        { return "waits for a person: " + string(e.pending.Kind) }
func (e *pendingError) Is(target error) bool { return target == ErrLater }

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
		ID: r.id, talked: r.talk.talked, Turn: r.turn, Calls: calls,
		Actions: r.actions, Spent: r.spent(), Repeated: r.circle.seen,
		Seen: journal.Seen{Addresses: slices.Sorted(maps.Keys(r.seen.addresses)), Long: r.addresses.long}, Texts: r.seen.readings(), Requests: r.requests(),
		Began: r.began, StartedAt: r.session.Hide(r.startedAt), Start: r.session.Hide(r.startText), Doubted: r.doubted, Said: r.said, Within: e.of,
	}
	if r.log != nil {
		s.Revision = r.log.Revision
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

// An interrupted call is one that did steps, one of which waits for a person.
// What it had come to by then goes with that step's result.
type interrupted struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// result puts what the call had come to before the step's result.
func (i *interrupted) result(step llm.ToolResult) llm.ToolResult {
	step.Name = i.Name
	step.Parts = append([]llm.Part{llm.Text{Text: i.Text + "\nThen a person decided about the step that it waited for, and the rest of it was not run:"}}, step.Parts...)
	return step
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
		return fmt.Errorf("%w: %s", ErrDenied, cmp.Or(d.Reason, "the person said no"))
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

// alike are the elements of a reading with a role and a name, of which hide takes values
// out; nil takes out none.
func alike(snap *engine.Snapshot, role, name string, hide func(string) string) (out []*accessibility.Node) {
	if snap == nil {
		return nil
	}
	for i := range snap.Nodes {
		if n := &snap.Nodes[i]; string(n.Role) == role && (hide == nil && n.Name == name || hide != nil && hide(n.Name) == name) {
			out = append(out, n)
		}
	}
	return out
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

// withoutPictures puts a line in the place of each picture: the next look brings
// a new one.
func withoutPictures(messages []llm.Message) []llm.Message {
	talk := conversation{talked: talked{Messages: slices.Clone(messages)}}
	talk.forgetPictures(0, len(messages))
	return talk.Messages
}
