package journal

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// Format is that of the entries.
const Format = 1

type (
	// Began is the first entry: the task, and where it began.
	Began struct {
		Format      int               `json:"format"`
		Instruction string            `json:"instruction"`
		Context     string            `json:"context,omitempty"`
		Variables   []string          `json:"variables,omitempty"` // names alone
		Files       map[string]string `json:"files,omitempty"`     // SHA-256, by name
		Output      json.RawMessage   `json:"output,omitempty"`    // a schema
		Checks      json.RawMessage   `json:"checks,omitempty"`    // the task's
		Flows       json.RawMessage   `json:"flows,omitempty"`     // the task's
		Mode        string            `json:"mode"`
		Bounds      Bounds            `json:"bounds"`

		At        time.Time     `json:"at"`
		StartedAt string        `json:"startedAt,omitempty"`
		StartText string        `json:"startText,omitempty"`
		Earlier   []llm.Message `json:"earlier,omitempty"` // of the run that this one continues
		Message   llm.Message   `json:"message"`           // the first
		Seen      Seen          `json:"seen"`
		Browser   *Browser      `json:"browser,omitempty"`
	}

	// Bounds are a task's.
	Bounds struct {
		MaxSteps    int           `json:"maxSteps,omitempty"`
		MaxFailures int           `json:"maxFailures,omitempty"`
		MaxTokens   int           `json:"maxTokens,omitempty"`
		MaxCost     float64       `json:"maxCost,omitempty"`
		RunTime     time.Duration `json:"runTime,omitempty"`
		ToolTimeout time.Duration `json:"toolTimeout,omitempty"`
		Wait        time.Duration `json:"wait,omitempty"`
		NoPictures  bool          `json:"noPictures,omitempty"`
		Exclude     []string      `json:"exclude,omitempty"`
	}

	// Asked is a question to the model that is about to be put.
	Asked struct {
		Turn  int    `json:"turn"`
		Model string `json:"model"`
		Input int    `json:"input"` // tokens, as estimated
	}

	// Answered is the model's answer.
	Answered struct {
		Turn     int                `json:"turn"`
		Message  llm.Message        `json:"message"`
		Usage    llm.Usage          `json:"usage"`
		Elements map[string]Element `json:"elements,omitempty"` // that its calls name, by ref
	}

	// An Element is what the model's ref names.
	Element struct {
		Role string `json:"role"`
		Name string `json:"name,omitempty"`
	}

	// Intended is input that is about to be sent.
	Intended struct {
		Step      int             `json:"step"`
		Parent    int             `json:"parent,omitempty"`
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
		Action    *engine.Action  `json:"action,omitempty"` // nil: the tool itself
		Address   string          `json:"address,omitempty"`
		Value     string          `json:"value,omitempty"` // of the element, before it
		Lines     []string        `json:"lines,omitempty"` // digests of those of the page, before it
		Sent      int             `json:"sent,omitempty"`  // requests other than to read, so far
	}

	// Ended is a step that is over.
	Ended struct {
		Action   json.RawMessage `json:"action"`
		Result   *llm.Message    `json:"result,omitempty"` // holds the result alone; nil if the model gets none
		Surprise string          `json:"surprise,omitempty"`
		Spent    Spent           `json:"spent"`
		Doubted  bool            `json:"doubted,omitempty"`
		Sent     int             `json:"sent,omitempty"`
		Traffic  *Traffic        `json:"traffic,omitempty"`
		Browser  *Browser        `json:"browser,omitempty"`
		Claim    *Claim          `json:"claim,omitempty"`
	}

	// Spent is what the run has taken so far.
	Spent struct {
		Steps    int       `json:"steps"`
		Failures int       `json:"failures,omitempty"`
		Usage    llm.Usage `json:"usage"`
		Cost     float64   `json:"cost,omitempty"`
		Warned   bool      `json:"warned,omitempty"`
		Still    int       `json:"still,omitempty"` // actions in a row that changed nothing
		Same     string    `json:"same,omitempty"`  // a digest of the step's call and of its page
		Anew     string    `json:"anew,omitempty"`  // the digest whose count begins anew
	}

	// A Claim is a done that was accepted.
	Claim struct {
		Success    bool            `json:"success"`
		Proven     bool            `json:"proven"`
		Message    string          `json:"message"`
		Criteria   json.RawMessage `json:"criteria,omitempty"`
		Output     json.RawMessage `json:"output,omitempty"`
		Sources    json.RawMessage `json:"sources,omitempty"`
		Ungrounded json.RawMessage `json:"ungrounded,omitempty"` // in logs of before, paths
		Omitted    json.RawMessage `json:"omitted,omitempty"`
		Open       json.RawMessage `json:"open,omitempty"` // parts of the instruction
		Checks     json.RawMessage `json:"checks,omitempty"`
	}

	// Told is what the model gets for its answer.
	Told struct {
		Message llm.Message `json:"message"`
		Done    []string    `json:"done,omitempty"`
		Seen    Seen        `json:"seen"`
		Browser *Browser    `json:"browser,omitempty"`
		Spent   Spent       `json:"spent"`
		Traffic *Traffic    `json:"traffic,omitempty"`
	}

	// Traffic are the requests since a moment. They stand for what earlier entries
	// have of that time.
	Traffic struct {
		From     time.Time            `json:"from"`
		Requests []engine.RequestSeen `json:"requests"`
	}

	// Compacted is a conversation of which all but the last turns became a list.
	Compacted struct {
		Keep int  `json:"keep"`
		Open bool `json:"open,omitempty"` // the turn that is under way, too
	}

	// Resumed is a run that another owner continues.
	Resumed struct{}

	// Over is the end of a run, or of the part that one process did.
	Over struct {
		End     string `json:"end"`
		Message string `json:"message,omitempty"`
	}

	// Seen is what a look has shown beside its words.
	Seen struct {
		Addresses []string          `json:"addresses,omitempty"` // that were not seen before
		Long      map[string]string `json:"long,omitempty"`      // what stands for long ones
	}

	// Scripted is the first entry of a script's replay.
	Scripted struct {
		Format    int               `json:"format"`
		Script    string            `json:"script"` // SHA-256 of its JSON
		Start     string            `json:"start"`  // where it begins
		Variables []string          `json:"variables,omitempty"`
		Files     map[string]string `json:"files,omitempty"` // SHA-256, by name
	}

	// Arrived is a replay whose start was opened.
	Arrived struct {
		Browser *Browser `json:"browser,omitempty"`
	}

	// Doing is a step of a script whose input is about to be sent.
	Doing struct {
		Index   int             `json:"index"`             // in the script, as it is by then
		Script  json.RawMessage `json:"script,omitempty"`  // the script as it is by then; empty: as before
		Heal    string          `json:"heal,omitempty"`    // what was changed in it for the step
		Changes bool            `json:"changes,omitempty"` // it may change something beyond the page
		Said    []string        `json:"said,omitempty"`    // of the words that it has to bring, those that are there before it
		Usage   llm.Usage       `json:"usage,omitzero"`
	}

	// Did is a step of a script that is over.
	Did struct {
		Index   int             `json:"index"`
		Script  json.RawMessage `json:"script,omitempty"`
		Result  json.RawMessage `json:"result"`
		Refused *Refusal        `json:"refused,omitempty"`
		Left    bool            `json:"left,omitempty"`  // the page has another address, or is another document
		Kept    bool            `json:"kept,omitempty"`  // the browser's storage has changed
		Blind   bool            `json:"blind,omitempty"` // the page may have sent what nobody saw
		Said    []string        `json:"said,omitempty"`  // after the last step, of the words of the script's end those that the page says
		Usage   llm.Usage       `json:"usage,omitzero"`
		Browser *Browser        `json:"browser,omitempty"`
	}

	// A Refusal is why a step of a script ended the replay.
	Refusal struct {
		Expected string      `json:"expected"`
		Found    string      `json:"found"`
		Sent     engine.Sent `json:"sent"`
		Unknown  bool        `json:"unknown,omitempty"` // whether it was done
	}
)

// kinds are the entries by the kind of their records.
var kinds = map[string]func() any{
	"began":     func() any { return new(Began) },
	"asked":     func() any { return new(Asked) },
	"answered":  func() any { return new(Answered) },
	"intended":  func() any { return new(Intended) },
	"ended":     func() any { return new(Ended) },
	"told":      func() any { return new(Told) },
	"compacted": func() any { return new(Compacted) },
	"resumed":   func() any { return new(Resumed) },
	"over":      func() any { return new(Over) },
	"scripted":  func() any { return new(Scripted) },
	"arrived":   func() any { return new(Arrived) },
	"doing":     func() any { return new(Doing) },
	"did":       func() any { return new(Did) },
}

func newEntry(kind string) any {
	if f := kinds[kind]; f != nil {
		return f()
	}
	return nil
}

func kindOf(entry any) (string, error) {
	switch entry.(type) {
	case *Began:
		return "began", nil
	case *Asked:
		return "asked", nil
	case *Answered:
		return "answered", nil
	case *Intended:
		return "intended", nil
	case *Ended:
		return "ended", nil
	case *Told:
		return "told", nil
	case *Compacted:
		return "compacted", nil
	case *Resumed:
		return "resumed", nil
	case *Over:
		return "over", nil
	case *Scripted:
		return "scripted", nil
	case *Arrived:
		return "arrived", nil
	case *Doing:
		return "doing", nil
	case *Did:
		return "did", nil
	}
	return "", fmt.Errorf("%T is no entry of a log", entry)
}
