package wire

import (
	"encoding/json"
	"time"
)

// RunCreate asks for a task to be done by an agent, or for a script to be replayed,
// in a session of its own, whether or not the client waits for it.
type RunCreate struct {
	Task string `json:"task,omitempty"`
	// Script is one, in the place of a task, and Files are contents that it uploads, by
	// name. Heal has the model mend steps that no longer fit.
	Script json.RawMessage   `json:"script,omitempty"`
	Files  map[string][]byte `json:"files,omitempty"`
	Heal   bool              `json:"heal,omitempty"`

	URL          string `json:"url,omitempty"`   // where it begins; of a script, in the place of its own
	Model        string `json:"model,omitempty"` // "provider/model"; empty is that of the service
	Mode         string `json:"mode,omitempty"`  // dom, hybrid or cua
	MaxSteps     int    `json:"maxSteps,omitempty"`
	SystemPrompt string `json:"systemPrompt,omitempty"`

	Checks []Check `json:"checks,omitempty"` // decide alone whether the task is done
	Flows  []Flow  `json:"flows,omitempty"`  // that the task wants

	Priority int    `json:"priority,omitempty"` // among the runs of one key, higher first
	Webhook  string `json:"webhook,omitempty"`  // gets the run when it is over

	// Variables stand in the task as %name%. They are encrypted until the run is
	// over, and gone then.
	Variables map[string]Variable `json:"variables,omitempty"`

	Browser *Browser `json:"browser,omitempty"` // that of a session, but for what names a machine
	Trace   bool     `json:"trace,omitempty"`   // record its session
}

// A RunStatus is where a run stands.
type RunStatus string

// The statuses. The last four are final.
const (
	RunQueued    RunStatus = "queued"
	RunRunning   RunStatus = "running"
	RunSucceeded RunStatus = "succeeded"
	// RunCompleted is a run whose task its model calls done, and which nothing
	// contradicts or proves in all parts: its result has no success, the verdict
	// unproven, and the parts that are open.
	RunCompleted RunStatus = "completed"
	RunFailed    RunStatus = "failed"
	RunCanceled  RunStatus = "canceled"
)

// A Run is a task as the service knows it.
type Run struct {
	ID       string          `json:"id"`
	Status   RunStatus       `json:"status"`
	Task     string          `json:"task,omitempty"` // its beginning; of a script, what it is for
	Priority int             `json:"priority"`
	Created  time.Time       `json:"createdAt"`
	Started  *time.Time      `json:"startedAt,omitempty"`
	Ended    *time.Time      `json:"endedAt,omitempty"`
	Result   json.RawMessage `json:"result,omitempty"` // an AgentResult, or a ScriptResult
	Error    *RunError       `json:"error,omitempty"`  // of one that failed
}

// A RunError says why a run failed.
type RunError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// RunData is the answer to a run's creation, retrieval and cancellation.
type RunData struct {
	Run Run `json:"run"`
}

// RunList is a number of runs, the latest first.
type RunList struct {
	Runs []Run `json:"runs"` // never nil
}

// A RunEvent is something that happened in a run.
type RunEvent struct {
	Type    string    `json:"type"` // begun, resumed, step, over
	Time    time.Time `json:"time"`
	Message string    `json:"message,omitempty"`
	Session string    `json:"session,omitempty"` // of begun and resumed: the one it is done in
	Traced  bool      `json:"traced,omitempty"`  // and there is a trace of it
	Run     *Run      `json:"run,omitempty"`     // of the last one
}
