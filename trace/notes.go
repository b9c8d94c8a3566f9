package trace

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// What a collector notes in the recording. The agent's steps that were not run
// stand in its result alone.
const (
	noteHead      = "trace"     // head
	noteBegan     = "began"     // engine.Entry, as far as it is known then
	noteEntry     = "entry"     // engine.Entry
	noteLook      = "look"      // looked
	noteQuestion  = "question"  // asked; it belongs to the exchange before it
	noteRun       = "run"       // agent.RunInfo
	noteStepBegan = "stepBegan" // agent.Step
	noteStepEnded = "stepEnded" // agent.Step
	noteResult    = "result"    // concluded
	noteExchange  = "exchange"  // by the recorder
)

// A head says what wrote a trace.
type head struct {
	Version string    `json:"version"`
	Driver  string    `json:"driver"`
	Now     time.Time `json:"now"` // when it was noted
}

// A looked is a reading of a page within a call.
type looked struct {
	Entry string      `json:"entry"`
	Look  engine.Look `json:"look"`
}

// An asked is a question to a model within a call.
type asked struct {
	Entry string        `json:"entry"`
	Begin time.Time     `json:"begin"`
	Took  time.Duration `json:"took"`
}

// A concluded is the end of an agent's run.
type concluded struct {
	Result *agent.Result `json:"result"`
	Error  string        `json:"error,omitempty"`
}

// An exchange is a question and its answer, as recordings hold it.
type exchange struct {
	Model    string        `json:"model"`
	Request  *llm.Request  `json:"request"`
	Response *llm.Response `json:"response"`
	Error    *struct {
		Kind    llm.ErrorKind `json:"kind"`
		Status  int           `json:"status"`
		Message string        `json:"message"`
	} `json:"error"`
}

// take reads a note and hands it on.
func take[T any](data json.RawMessage, to func(T)) error {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	to(v)
	return nil
}

// readable indents what is JSON.
func readable(text string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", "  ") != nil {
		return text
	}
	return letters.Replace(out.String())
}

// letters are what encoding/json escapes only for HTML.
var letters = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
