package wire

// ObserveRequest asks which actions there are.
type ObserveRequest struct {
	Instruction    string          `json:"instruction,omitempty"` // empty: every one, and no model is asked
	Options        *ObserveOptions `json:"options,omitempty"`
	FrameID        string          `json:"frameId,omitempty"`
	StreamResponse *bool           `json:"streamResponse,omitempty"`
}

// ObserveOptions refine an observe.
type ObserveOptions struct {
	Model           Model               `json:"model,omitempty"`
	Variables       map[string]Variable `json:"variables,omitempty"`
	Timeout         Milliseconds        `json:"timeout,omitempty"`
	Selector        string              `json:"selector,omitempty"` // limits the search to what it matches
	IgnoreSelectors []string            `json:"ignoreSelectors,omitempty"`
	Locators        bool                `json:"locators,omitempty"` // as in ActOptions
}

// ObserveData is the answer to an observe.
type ObserveData struct {
	Result   []Action `json:"result"` // never nil
	ActionID string   `json:"actionId,omitempty"`
}
