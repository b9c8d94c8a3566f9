package wire

// SessionList is a number of sessions, the latest first.
type SessionList struct {
	Sessions []SessionSummary `json:"sessions"` // never nil
	Omitted  int              `json:"omitted,omitempty"`
	// Operator reports that these are the sessions of all keys.
	Operator bool `json:"operator"`
	// Unreachable are nodes that did not answer.
	Unreachable []string `json:"unreachable,omitempty"`
	// Next, of sessions that have ended, asks for those before them; empty: there are
	// no more.
	Next string `json:"next,omitempty"`
}

// A SessionSummary is a session as lists have it.
type SessionSummary struct {
	ID      string `json:"id"`
	Node    string `json:"node,omitempty"` // of several
	Key     string `json:"key,omitempty"`  // the name of its key, for operators
	Run     string `json:"run,omitempty"`  // that it was started for
	Model   string `json:"model,omitempty"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	Created string `json:"createdAt"`         // RFC 3339
	Ended   string `json:"endedAt,omitempty"` // so, too; of one that has ended, empty where its process could not say
	Working bool   `json:"working"`
	Doing   *Doing `json:"doing,omitempty"`  // the latest step
	Taken   bool   `json:"taken"`            // a person has it
	Traced  bool   `json:"traced,omitempty"` // it is recorded, or was
}

// Doing is the latest step of a session.
type Doing struct {
	Operation string `json:"operation"` // act, observe, extract, navigate, agentExecute
	Text      string `json:"text"`
	Since     string `json:"since"` // RFC 3339
	Over      bool   `json:"over"`
}
