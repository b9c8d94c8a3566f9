package wire

import "encoding/json"

// ScriptRequest asks for a script to be replayed in a session.
type ScriptRequest struct {
	Script         json.RawMessage `json:"script"` // as `wayfinder script` and package trace write it
	Options        *ScriptOptions  `json:"options,omitempty"`
	FrameID        string          `json:"frameId,omitempty"`
	StreamResponse *bool           `json:"streamResponse,omitempty"`
}

// ScriptOptions refine the replay of a script.
type ScriptOptions struct {
	Start     string              `json:"start,omitempty"` // in the place of the script's
	Variables map[string]Variable `json:"variables,omitempty"`
	Files     map[string][]byte   `json:"files,omitempty"` // contents to upload, by the names that the script has
	// Heal has a model mend steps that no longer fit the page; without it they are
	// refused.
	Heal  bool  `json:"heal,omitempty"`
	Model Model `json:"model,omitempty"` // that heals; nil is the session's
}

// ScriptData is the answer to a replay.
type ScriptData struct {
	Result ScriptResult `json:"result"`
	Sent   Sent         `json:"-"` // from the header
}

// A ScriptResult says what a replay did.
type ScriptResult struct {
	Success bool         `json:"success"` // each step was done and proved
	Message string       `json:"message"`
	Steps   []ScriptStep `json:"steps"` // never nil
	Refused *Refused     `json:"refused,omitempty"`
	// Healed is how many steps were mended, and Script is the script as it is then;
	// missing if it is as it was.
	Healed int             `json:"healed"`
	Script json.RawMessage `json:"script,omitempty"`
	Usage  *AgentUsage     `json:"usage,omitempty"` // of the model that healed
}

// A ScriptStep is what came of a step.
type ScriptStep struct {
	Step    string `json:"step"` // its name in the script
	Do      string `json:"do"`
	Target  string `json:"target,omitempty"`
	Outcome string `json:"outcome"` // unchanged, healed, skipped, refused, unknown
	Message string `json:"message"`
	Heal    string `json:"heal,omitempty"` // what was changed in the script
}

// A Refused is the step at which a replay has ended.
type Refused struct {
	Step     string `json:"step"`
	Expected string `json:"expected"`
	Found    string `json:"found"`
	Sent     Sent   `json:"sent"` // of the step's input
}
