package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Step is one call of a tool, and what came of it. The last step of a run has its
// Result. Where the run ended between two calls, as by a bound or in a question to
// the model, that is a step of its own: its action's Type is "end", its Status
// [NotRun], its Message why. It stands in no [Result].Actions.
type Step struct {
	Number int // from 1; 0 only where no run began
	Turn   int // the model's answer that it comes from; from 1

	Action Action

	// Text and Reasoning are what the model said beside its calls, in the first
	// step of a turn.
	Text      string
	Reasoning string

	// Usage is what the step took: the question to the model in the first step
	// of a turn, and the questions of the tool itself.
	Usage llm.Usage
	Cost  float64 // US dollars, as far as prices are known

	Result *Result
}

// An output passes steps on, unless the caller has left the loop.
type output struct {
	yield func(Step, error) bool
	left  bool
	last  *Step // the one that ended the run; nil if it ended between two
}

func (o *output) step(s Step, err error) bool {
	if !o.left && !o.yield(s, err) {
		o.left = true
	}
	return !o.left
}

// errLeft ends the loop when the caller has left.
var errLeft = errors.New("the caller left the run")

// A Status is the outcome of a step.
type Status string

// The statuses.
const (
	Done    Status = "done"    // it was done, and nothing speaks against it
	Failed  Status = "failed"  // it was not done
	NotRun  Status = "notRun"  // what came before made it another step than was meant
	Unknown Status = "unknown" // input may have been sent; what came of it is not known
)

// An Action is what a step did: an AgentAction of the interface.
type Action struct {
	Step int    `json:"step"`
	Type string `json:"type"` // the tool
	// Parent is the step of the call that did this one on its way, as a program
	// does; 0 if the model called the tool itself.
	Parent int `json:"parent,omitempty"`

	Status  Status `json:"status"`
	Message string `json:"message"` // what came of it, or why nothing did

	// Selector is the deep XPath of the element, Target what it is, as
	// button "Pay". Text is what was written, with placeholders for variables.
	Selector string `json:"selector,omitempty"`
	Target   string `json:"target,omitempty"`
	Text     string `json:"text,omitempty"`
	// About is what the element stands in: its row, its groups, and of a drag the
	// other end. A step is evidence for what these say.
	About []string `json:"about,omitempty"`
	// Beside are words of the task that another element of the same kind says, and
	// this one does not.
	Beside []string `json:"beside,omitempty"`
	// Nearer are the names of other controls of the element's row that say all that its own
	// name says of the task, and more.
	Nearer []string `json:"nearer,omitempty"`
	// Twins counts elements of the same role and name, where no word of the task tells
	// this one from any of them.
	Twins int `json:"twins,omitempty"`
	// InRow reports that the element is one of a row or an item, of several alike.
	InRow bool `json:"inRow,omitempty"`
	// Replaced is what the fields held that the step has filled.
	Replaced []string `json:"replaced,omitempty"`

	Arguments json.RawMessage `json:"arguments,omitempty"` // as the model gave them
	Output    string          `json:"output,omitempty"`    // what a tool that reads has answered
	// Sources, Ungrounded and Omitted are those of the tool extract: see [engine.Extraction].
	Sources    map[string]engine.Source `json:"sources,omitempty"`
	Ungrounded []engine.Ungrounded      `json:"ungrounded,omitempty"`
	Omitted    []engine.Omission        `json:"omitted,omitempty"`

	Actions  []engine.Action  `json:"actions,omitempty"` // as Do takes them
	Evidence *engine.Evidence `json:"evidence,omitempty"`

	Reasoning     string `json:"reasoning,omitempty"`
	TaskCompleted bool   `json:"taskCompleted,omitempty"` // of done: what the model claims
	Instruction   string `json:"instruction,omitempty"`   // of act and extract
	PageURL       string `json:"pageUrl,omitempty"`       // where it began

	Begin    time.Time     `json:"timestamp"`
	Duration time.Duration `json:"duration"` // in JSON: nanoseconds
}

// changed reports that the step had an effect that somebody else could see.
func (a *Action) changed() bool {
	unseen := []engine.Effect{"", engine.EffectNone, engine.EffectScroll, engine.EffectFocus}
	return a.Evidence != nil && a.Status != Failed && a.Status != NotRun && !slices.Contains(unseen, a.Evidence.Effect)
}

// scrolled is how a step has moved the position of the page or of an element; nil
// if it has not.
func (a *Action) scrolled() *engine.ScrollSeen {
	if a.Evidence == nil || a.Evidence.Scroll == nil {
		return nil
	}
	s := a.Evidence.Scroll
	if s.AfterX == s.BeforeX && s.AfterY == s.BeforeY {
		return nil
	}
	return s
}

// moved reports that the step brought the position or, by a key, the focus
// elsewhere. That a press of the pointer takes the focus along says nothing.
func (a *Action) moved() bool {
	if a.scrolled() != nil {
		return true
	}
	keys := slices.ContainsFunc(a.Actions, func(one engine.Action) bool { return one.Method == engine.Press })
	return keys && a.Evidence != nil && a.Evidence.Effect == engine.EffectFocus
}

// unlisted reports that the step had an effect of a kind that an outline need not
// show. Requests are none: pages send some for every press, to count it.
func (a *Action) unlisted() bool {
	if !a.changed() {
		return a.moved()
	}
	return slices.Contains([]engine.Effect{engine.EffectPage, engine.EffectValue, engine.EffectDownload, engine.EffectNewPage}, a.Evidence.Effect)
}

// A Result says what a run did and what is known of it.
type Result struct {
	ID string `json:"id"`

	// Success reports that the task was done and that this was verified: Verdict is
	// [Verified]. Every criterion is confirmed, and every part of the instruction is
	// proven by a step whose outcome speaks for it; or every one of [Task].Checks
	// holds.
	Success bool `json:"success"`
	// Completed is what the model claims.
	Completed bool `json:"completed"`
	// Message is the model's conclusion, or why the run ended without one.
	Message string `json:"message"`

	Actions  []Action        `json:"actions"`
	Criteria []Criterion     `json:"criteria,omitempty"`
	Output   json.RawMessage `json:"output,omitempty"` // of [Task].Output

	Usage Usage `json:"usage"`

	// Metadata's fields are the result's: result.End, result.Cost.
	Metadata `json:"metadata"`

	// Messages are the conversation, for [Task].Messages.
	Messages []llm.Message `json:"-"`
	// Pending, if not nil, is what a person has to decide before the run continues.
	Pending *Pending `json:"pending,omitempty"`
}

// Metadata are what a result says of the run beside its outcome.
type Metadata struct {
	// Verdict says how well the task is proven. Success is true for [Verified] alone.
	Verdict Verdict `json:"verdict"`
	// Open are the parts of the instruction that nothing of the run proves.
	Open []OpenPart `json:"open,omitempty"`
	// Checks are those of the task, with what they found.
	Checks []CheckResult `json:"checks,omitempty"`

	End        End     `json:"end"`
	Mode       Mode    `json:"mode"`
	Model      string  `json:"model"` // that decided
	Turns      int     `json:"turns"` // answers of the model
	Steps      int     `json:"steps"` // all of them, those of programs included
	Cost       float64 `json:"costUSD"`
	DurationMs int64   `json:"durationMs"`
	// Unpriced are the models that were asked and whose price is not known: Cost is
	// without them.
	Unpriced []string `json:"unpriced,omitempty"`
	// Changed reports that a step had an effect that somebody else could see.
	Changed bool `json:"changed"`
	// Sources are where the members of Output stand on the run's last page, by JSON
	// pointer. Of one that only an earlier page or a tool said, How is the step before.
	// Ungrounded are those that no page of the run said, which is contradicted, and
	// those that the last page contradicts or does not prove; where that says only a
	// part of Output, what it contradicts is unproven. Omitted are the records of the
	// last page that the lists of Output leave out, where that page says all of it.
	Sources    map[string]engine.Source `json:"sources,omitempty"`
	Ungrounded []engine.Ungrounded      `json:"ungrounded,omitempty"`
	Omitted    []engine.Omission        `json:"omitted,omitempty"`
}

// An End says what ended a run. One that is none of the constants is the label of
// an error, as [engine.Kind] has it: "crashed", "model_rate_limited".
type End string

// The ends. All but EndDone, EndLeft and EndPending come with an error, which
// wraps the sentinel that is named.
const (
	EndDone     End = "done"     // the model called done; Completed says what it claims
	EndLeft     End = "left"     // the caller left the iterator
	EndPending  End = "pending"  // a person has to decide: Result.Pending
	EndSteps    End = "steps"    // ErrSteps
	EndTime     End = "time"     // ErrRunTime, or context.DeadlineExceeded
	EndTokens   End = "tokens"   // ErrTokens
	EndCost     End = "cost"     // ErrCost
	EndFailures End = "failures" // ErrFailures
	EndRepeated End = "repeated" // ErrRepeated
	EndStagnant End = "stagnant" // ErrStagnant
	EndWindow   End = "window"   // ErrWindow
	EndCanceled End = "canceled" // context.Canceled; its cause is beside it
)

// endOf is the end that an error stands for; nil is a caller that left.
func endOf(err error) End {
	if err == nil {
		return EndLeft
	}
	for _, end := range []struct {
		err error
		end End
	}{
		{errLeft, EndLeft}, {ErrSteps, EndSteps}, {ErrRunTime, EndTime}, {ErrTokens, EndTokens}, {ErrCost, EndCost}, {ErrFailures, EndFailures},
		{ErrRepeated, EndRepeated}, {ErrStagnant, EndStagnant}, {ErrWindow, EndWindow}, {ErrLater, EndPending},
		{context.Canceled, EndCanceled}, {context.DeadlineExceeded, EndTime},
	} {
		if errors.Is(err, end.err) {
			return end.end
		}
	}
	return End(engine.Kind(err))
}

// A PendingKind says what a person has to do.
type PendingKind string

// The kinds.
const (
	PendingAsk      PendingKind = "ask"      // to answer a question
	PendingApproval PendingKind = "approval" // to approve an action
)

// A Pending is what a run waits for. It may be stored as JSON: another process
// can resume it, on a page in the same state.
type Pending struct {
	Kind     PendingKind     `json:"kind"`
	Question string          `json:"question,omitempty"`
	Approval *Approval       `json:"approval,omitempty"`
	State    json.RawMessage `json:"state"` // what Resume needs; it holds no value of a variable
}

// A Decision is a person's answer to a [Pending].
type Decision struct {
	Answer   string // to a question
	Approved bool   // of an action
	Reason   string // for a refusal; the model gets it
	By       string // who decided, for records; empty is "person"
}

// A Verdict is the result of checking: of a criterion, of a [Check], or of a
// whole task.
type Verdict string

// The verdicts. A criterion is confirmed, contradicted or unproven; a task has any
// of the others.
const (
	Confirmed    Verdict = "confirmed"
	Verified     Verdict = "verified"     // of a task: all that it asks for is proven
	Unproven     Verdict = "unproven"     // claimed, and nothing contradicts it
	Contradicted Verdict = "contradicted" // claimed, and something contradicts it
	GivenUp      Verdict = "failed"       // of a task: the model itself says that it is not done
	Stopped      Verdict = "stopped"      // of a task: the run ended before the model's word
)

// An OpenPart is a part of an instruction that nothing proves.
type OpenPart struct {
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

// A Criterion is a condition that must hold for the task to be done, as the
// model states it, with its proof and the verdict of the check.
type Criterion struct {
	Text     string  `json:"criterion"`
	Evidence []Proof `json:"evidence"`
	Verdict  Verdict `json:"verdict,omitempty" jsonschema:"-"`
	Reason   string  `json:"reason,omitempty" jsonschema:"-"` // where it is not confirmed
}

// A Proof is the evidence that the model gives for a criterion.
type Proof struct {
	// Kind is action, value, request, text or address.
	Kind string `json:"kind" jsonschema:"enum=action,enum=value,enum=request,enum=text,enum=address"`
	// Step is that of an action or a reading.
	Step int `json:"step,omitempty" jsonschema:"description=action: the step that did it"`
	// Ref is the element that has a value or says a text now.
	Ref   string `json:"ref,omitempty" jsonschema:"description=value\\, text: its element"`
	Value string `json:"value,omitempty" jsonschema:"description=what the control holds now"`
	Text  string `json:"text,omitempty" jsonschema:"description=words that the page says now"`
	// Method, Address and Status are those of a request, or of the page.
	Method  string `json:"method,omitempty" jsonschema:"description=request: as POST"`
	Address string `json:"address,omitempty" jsonschema:"description=request\\, address: a part of it"`
	Status  int    `json:"status,omitempty" jsonschema:"description=as 200"`

	Verdict Verdict `json:"verdict,omitempty" jsonschema:"-"`
	Found   string  `json:"found,omitempty" jsonschema:"-"` // what is there instead

	ours bool // rests on what the run did
}

// Usage is what a run's models took, exact to the token.
type Usage struct {
	Input     int `json:"input_tokens"`
	Output    int `json:"output_tokens"`
	Reasoning int `json:"reasoning_tokens,omitempty"`
	Cached    int `json:"cached_input_tokens,omitempty"`
	// InferenceTime is in milliseconds.
	InferenceTime float64 `json:"inference_time_ms"`
}

func usageOf(u llm.Usage) Usage {
	return Usage{
		Input: u.Input, Output: u.Output, Reasoning: u.Reasoning, Cached: u.Cached,
		InferenceTime: float64(u.Duration) / float64(time.Millisecond),
	}
}

// acts reports whether a step sent input or went somewhere.
func (a *Action) acts() bool { return a.Evidence != nil && a.Status != NotRun }
