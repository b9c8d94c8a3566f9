package wire

// Replay is what was done in a session, page by page.
type Replay struct {
	Pages          []ReplayPage `json:"pages"`                    // never nil
	ClientLanguage string       `json:"clientLanguage,omitempty"` // as the client named it
}

// ReplayPage is a stay on one page.
type ReplayPage struct {
	URL       string         `json:"url"`
	Timestamp int64          `json:"timestamp"` // milliseconds since 1970
	Duration  int64          `json:"duration"`  // milliseconds
	Actions   []ReplayAction `json:"actions"`
}

// ReplayAction is one call of the session.
type ReplayAction struct {
	ID         string         `json:"id"`
	Parent     string         `json:"parent,omitempty"` // the ID of the agent's run that it belongs to
	Method     string         `json:"method"`           // act, do, observe, extract, navigate, agent, generate, …
	Parameters map[string]any `json:"parameters"`
	Result     map[string]any `json:"result"`
	Timestamp  int64          `json:"timestamp"`
	EndTime    int64          `json:"endTime"`
	TokenUsage *TokenUsage    `json:"tokenUsage,omitempty"`
}

// TokenUsage is what a call's models took.
type TokenUsage struct {
	InputTokens  int      `json:"inputTokens"`
	OutputTokens int      `json:"outputTokens"`
	TimeMs       int64    `json:"timeMs"`
	Cost         *float64 `json:"cost,omitempty"` // US dollars; nil where no price is known
}
