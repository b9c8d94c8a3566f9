package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
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
		// Claim is a done that was accepted. In logs of before, the paths alone say what is
		// ungrounded.
		Claim *json.RawMessage `json:"claim,omitempty"`
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
var kinds = map[string]reflect.Type{
	"began":     reflect.TypeFor[Began](),
	"asked":     reflect.TypeFor[Asked](),
	"answered":  reflect.TypeFor[Answered](),
	"intended":  reflect.TypeFor[Intended](),
	"ended":     reflect.TypeFor[Ended](),
	"told":      reflect.TypeFor[Told](),
	"compacted": reflect.TypeFor[Compacted](),
	"resumed":   reflect.TypeFor[Resumed](),
	"over":      reflect.TypeFor[Over](),
	"scripted":  reflect.TypeFor[Scripted](),
	"arrived":   reflect.TypeFor[Arrived](),
	"doing":     reflect.TypeFor[Doing](),
	"did":       reflect.TypeFor[Did](),
}

// kindOf is the kind of an entry, which is a pointer.
func kindOf(entry any) (string, error) {
	t := reflect.TypeOf(entry)
	for kind, of := range kinds {
		if t == reflect.PointerTo(of) {
			return kind, nil
		}
	}
	return "", fmt.Errorf("%T is no entry of a log", entry)
}

// Put has a member of an entry hold a value as JSON; one that is empty it does not hold.
func Put(member *json.RawMessage, value any) error {
	raw, err := json.Marshal(value)
	switch string(raw) {
	case "null", "[]", "{}":
		raw = nil
	}
	*member = raw
	return err
}

// Get reads what Put has put; nothing leaves the value as it is.
func Get(member json.RawMessage, value any) error {
	if len(member) == 0 {
		return nil
	}
	return json.Unmarshal(member, value)
}

// Digest is that of a file's content, or a script's text.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Digests are those of files, by name; nil for none.
func Digests(files map[string][]byte) map[string]string {
	if len(files) == 0 {
		return nil
	}
	digests := map[string]string{}
	for name, content := range files {
		digests[name] = Digest(content)
	}
	return digests
}
