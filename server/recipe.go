package server

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A recipe is what a client may store of an agent's run, to do it again without
// a model. Its form and its key are those that the published TypeScript client
// of interface 3.1.0 stores and looks for.
type recipe struct {
	Version         int             `json:"version"`
	Instruction     string          `json:"instruction"`
	StartURL        string          `json:"startUrl"`
	Options         recipeOptions   `json:"options"`
	ConfigSignature string          `json:"configSignature"`
	Steps           []recipeStep    `json:"steps"`
	Result          json.RawMessage `json:"result"`
	Timestamp       string          `json:"timestamp"`

	variables []string
}

type recipeOptions struct {
	MaxSteps        int  `json:"maxSteps,omitempty"`
	HighlightCursor bool `json:"highlightCursor,omitempty"`
}

// A recipeStep is one thing that is done again: act, goto, navback, wait.
type recipeStep struct {
	Type              string        `json:"type"`
	Instruction       string        `json:"instruction,omitempty"`
	Actions           []wire.Action `json:"actions,omitempty"`
	ActionDescription string        `json:"actionDescription,omitempty"`
	Message           string        `json:"message,omitempty"`
	URL               string        `json:"url,omitempty"`
	WaitUntil         string        `json:"waitUntil,omitempty"`
	TimeMs            int64         `json:"timeMs,omitempty"`
}

// newRecipe notes what a run begins with.
func newRecipe(s *session, req *wire.AgentExecuteRequest, startURL string) *recipe {
	o := req.ExecuteOptions
	r := &recipe{
		Version: 1, Instruction: strings.TrimSpace(o.Instruction), StartURL: startURL,
		Options:         recipeOptions{MaxSteps: o.MaxSteps, HighlightCursor: o.HighlightCursor},
		ConfigSignature: signatureOf(s, &req.AgentConfig),
		variables:       slices.Sorted(maps.Keys(o.Variables)),
	}
	if r.variables == nil {
		r.variables = []string{}
	}
	return r
}

// signatureOf says how an agent was set up, without keys.
func signatureOf(s *session, c *wire.AgentConfig) string {
	type settings struct {
		CUA            bool    `json:"cua"`
		Model          any     `json:"model"`
		ExecutionModel any     `json:"executionModel"`
		SystemPrompt   *string `json:"systemPrompt"`
	}
	signature := struct {
		Model        string   `json:"v3Model"`
		SystemPrompt string   `json:"systemPrompt"`
		Agent        settings `json:"agent"`
	}{s.model, s.systemPrompt, settings{Model: withoutKeys(c.Model), ExecutionModel: withoutKeys(c.ExecutionModel)}}
	if c.SystemPrompt != "" {
		signature.Agent.SystemPrompt = &c.SystemPrompt
	}
	raw, err := encode(signature)
	if err != nil {
		return "" // it holds texts alone
	}
	return string(raw)
}

// withoutKeys is a model's configuration with nothing in it that may be secret.
func withoutKeys(model wire.Model) any {
	var name string
	if model == nil || json.Unmarshal(model, &name) == nil {
		if name == "" {
			return nil
		}
		return name
	}
	var config struct {
		ModelName string `json:"modelName"`
		Provider  string `json:"provider,omitempty"`
		BaseURL   string `json:"baseURL,omitempty"`
	}
	if json.Unmarshal(model, &config) != nil {
		return nil
	}
	options := map[string]string{}
	for name, value := range map[string]string{"provider": config.Provider, "baseURL": config.BaseURL} {
		if value != "" {
			options[name] = value
		}
	}
	if len(options) == 0 {
		return config.ModelName
	}
	return struct {
		ModelName string            `json:"modelName"`
		Options   map[string]string `json:"options"`
	}{config.ModelName, options}
}

// entry is what of a run can be stored; nil if the run was not verified, or did
// something that the form has no step for: to do the rest again would be
// another task.
func (r *recipe) entry(result *agent.Result, raw json.RawMessage) (*wire.CacheEntry, error) {
	if !result.Success {
		return nil, nil
	}
	r.Steps = nil
	for i := range result.Actions {
		a := &result.Actions[i]
		if a.Status == agent.NotRun || a.Status == agent.Failed && a.Evidence == nil {
			continue
		}
		step, repeatable := stepOf(a)
		if !repeatable {
			return nil, nil
		}
		if step != nil {
			r.Steps = append(r.Steps, *step)
		}
	}
	if len(r.Steps) == 0 {
		return nil, nil
	}
	r.Result, r.Timestamp = raw, time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	entry, err := encode(r)
	if err != nil {
		return nil, err
	}
	key, err := r.key()
	return &wire.CacheEntry{CacheKey: key, Entry: entry}, err
}

// key is what a client finds the run by when it is asked the same again.
func (r *recipe) key() (string, error) {
	raw, err := encode(struct {
		Instruction     string        `json:"instruction"`
		StartURL        string        `json:"startUrl"`
		Options         recipeOptions `json:"options"`
		ConfigSignature string        `json:"configSignature"`
		VariableKeys    []string      `json:"variableKeys"`
	}{r.Instruction, r.StartURL, r.Options, r.ConfigSignature, r.variables})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), err
}

// stepOf is how a step is done again; nil if there is nothing to do.
func stepOf(a *agent.Action) (_ *recipeStep, repeatable bool) {
	if a.Status == agent.Unknown {
		return nil, false
	}
	if len(a.Actions) > 0 {
		return &recipeStep{
			Type: "act", Instruction: instructionOf(a), Actions: toWire(a.Actions, false),
			ActionDescription: a.Actions[0].Description, Message: a.Message,
		}, !slices.ContainsFunc(a.Actions, func(a engine.Action) bool { return a.Selector == "" })
	}
	switch a.Type {
	case "navigate":
		var in struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(a.Arguments, &in) != nil || in.URL == "" || strings.Contains(in.URL, "…") { // shortened: the whole address is the run's alone
			return nil, false
		}
		return &recipeStep{Type: "goto", URL: in.URL, WaitUntil: "load"}, true
	case "back":
		return &recipeStep{Type: "navback", WaitUntil: "domcontentloaded"}, true
	case "wait":
		return &recipeStep{Type: "wait", TimeMs: max(a.Duration.Milliseconds(), 1)}, true
	case "done", "think", "extract", "outline", "find", "read", "screenshot", "downloads", "none":
		return nil, true
	}
	return nil, false
}

// instructionOf is a step in words.
func instructionOf(a *agent.Action) string {
	if a.Instruction != "" {
		return a.Instruction
	}
	var words []string
	for _, action := range a.Actions {
		words = append(words, action.Description)
	}
	return strings.Join(words, ", then ")
}
