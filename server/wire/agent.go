package wire

import "encoding/json"

// AgentExecuteRequest asks an agent to do a task.
type AgentExecuteRequest struct {
	AgentConfig    AgentConfig         `json:"agentConfig,omitzero"`
	ExecuteOptions AgentExecuteOptions `json:"executeOptions"`
	FrameID        string              `json:"frameId,omitempty"`
	StreamResponse *bool               `json:"streamResponse,omitempty"`
	ShouldCache    bool                `json:"shouldCache,omitempty"`
}

// AgentConfig sets an agent up.
type AgentConfig struct {
	Provider       string `json:"provider,omitempty"`
	Model          Model  `json:"model,omitempty"`
	SystemPrompt   string `json:"systemPrompt,omitempty"`
	CUA            bool   `json:"cua,omitempty"`
	Mode           string `json:"mode,omitempty"`     // dom, hybrid or cua
	Programs       bool   `json:"programs,omitempty"` // the model may write programs; not in mode cua
	ExecutionModel Model  `json:"executionModel,omitempty"`

	// PageTools are the hosts whose pages may offer tools to the model; "*" is all.
	// The session must have been started with LaunchOptions.PageTools.
	PageTools []string `json:"pageTools,omitempty"`

	// Integrations are names of the operator's, whose tools the agent gets, too.
	Integrations []string `json:"integrations,omitempty"`
}

// AgentExecuteOptions are the task and its bounds.
type AgentExecuteOptions struct {
	Instruction        string              `json:"instruction"`
	MaxSteps           int                 `json:"maxSteps,omitempty"`       // 0 is 20
	AutoScreenshot     *bool               `json:"autoScreenshot,omitempty"` // nil is true
	WaitBetweenActions Milliseconds        `json:"waitBetweenActions,omitempty"`
	Context            string              `json:"context,omitempty"`
	HighlightCursor    bool                `json:"highlightCursor,omitempty" effect:"none"`
	UseSearch          bool                `json:"useSearch,omitempty" effect:"none"`
	ToolTimeout        Milliseconds        `json:"toolTimeout,omitempty"`
	Variables          map[string]Variable `json:"variables,omitempty"`
	Checks             []Check             `json:"checks,omitempty"` // decide alone whether the task is done
	Flows              []Flow              `json:"flows,omitempty"`  // that the task wants
	ExcludeTools       []string            `json:"excludeTools,omitempty"`
	Output             json.RawMessage     `json:"output,omitempty"`   // a JSON Schema
	Messages           []AgentMessage      `json:"messages,omitempty"` // said before
}

// A Flow is what may go from the site where the agent reads it to another one.
type Flow struct {
	To   string `json:"to"`             // a host with its port if it has one, or a tool's name
	What string `json:"what,omitempty"` // the value, or the words beside it; empty is everything
}

// A Check is something that must be so when a task is done: exactly one of its
// members is set.
type Check struct {
	Address  string        `json:"address,omitempty"` // * stands for any letters
	Shown    string        `json:"shown,omitempty"`
	Gone     string        `json:"gone,omitempty"`
	Control  *ControlCheck `json:"control,omitempty"`
	Request  *RequestCheck `json:"request,omitempty"`
	Download string        `json:"download,omitempty"` // * stands for any letters
	Output   *OutputCheck  `json:"output,omitempty"`
}

// A ControlCheck is the state of a control.
type ControlCheck struct {
	Role    string  `json:"role,omitempty"`
	Name    string  `json:"name"`
	Value   *string `json:"value,omitempty"`
	Checked *bool   `json:"checked,omitempty"`
}

// A RequestCheck is a request that the agent caused, and its answer.
type RequestCheck struct {
	Method  string            `json:"method,omitempty"`
	Address string            `json:"address,omitempty"` // a part of it
	Status  int               `json:"status,omitempty"`
	Query   map[string]string `json:"query,omitempty"`
	Fields  map[string]string `json:"fields,omitempty"` // of the body
}

// An OutputCheck is a value of the output, by its JSON pointer.
type OutputCheck struct {
	Pointer string          `json:"pointer"`
	Value   json.RawMessage `json:"value"`
}

// AgentMessage is something that was said before a task.
type AgentMessage struct {
	Role    string `json:"role"` // user or assistant
	Content string `json:"content"`
}

// AgentData is the answer to an agent's task.
type AgentData struct {
	Result     AgentResult `json:"result"`
	CacheEntry *CacheEntry `json:"cacheEntry,omitempty"`
	Sent       Sent        `json:"-"` // from the header
}

// A CacheEntry is an agent's run to be stored.
type CacheEntry struct {
	CacheKey string          `json:"cacheKey"`
	Entry    json.RawMessage `json:"entry"`
}

// AgentResult says what an agent did and whether the task is done.
type AgentResult struct {
	Success   bool            `json:"success"`
	Message   string          `json:"message"`
	Actions   []AgentAction   `json:"actions"` // never nil
	Completed bool            `json:"completed"`
	Metadata  map[string]any  `json:"metadata,omitempty"`
	Usage     *AgentUsage     `json:"usage,omitempty"`
	Output    json.RawMessage `json:"output,omitempty"`
}

// AgentAction is one step of an agent. Beside the members below, its JSON has
// those of Arguments whose names are not taken.
type AgentAction struct {
	Type          string  `json:"type"`
	Action        string  `json:"action"` // the same as Type
	Selector      string  `json:"selector,omitempty"`
	Text          string  `json:"text,omitempty"`
	Reasoning     string  `json:"reasoning,omitempty"`
	TaskCompleted bool    `json:"taskCompleted,omitempty"`
	Instruction   string  `json:"instruction,omitempty"`
	PageURL       string  `json:"pageUrl,omitempty"`
	TimeMs        float64 `json:"timeMs,omitempty"`
	Timestamp     float64 `json:"timestamp,omitempty"` // milliseconds since 1970

	Status    string         `json:"status,omitempty"`    // done, failed, notRun, unknown
	Message   string         `json:"message,omitempty"`   // what came of it
	Target    string         `json:"target,omitempty"`    // the element, as button "Pay"
	Arguments map[string]any `json:"arguments,omitempty"` // of the tool, as the model gave them
	Output    string         `json:"output,omitempty"`    // of a tool that reads
}

// MarshalJSON writes the action with its arguments among its members, but for those that
// have the name of a member.
func (a AgentAction) MarshalJSON() ([]byte, error) {
	type plain AgentAction
	raw, err := json.Marshal(plain(a))
	if err != nil || len(a.Arguments) == 0 {
		return raw, err
	}
	members := map[string]any{}
	for name, value := range a.Arguments {
		if !Knows(a, name) {
			members[name] = value
		}
	}
	own := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &own); err != nil {
		return nil, err
	}
	for name, value := range own {
		members[name] = value
	}
	return json.Marshal(members)
}

// AgentUsage is what an agent's models took.
type AgentUsage struct {
	InputTokens       int     `json:"input_tokens"`
	OutputTokens      int     `json:"output_tokens"`
	ReasoningTokens   int     `json:"reasoning_tokens,omitempty"`
	CachedInputTokens int     `json:"cached_input_tokens,omitempty"`
	InferenceTimeMs   float64 `json:"inference_time_ms"`
}
