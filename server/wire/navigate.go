package wire

// NavigateRequest asks to go to an address.
type NavigateRequest struct {
	URL            string           `json:"url"`
	Options        *NavigateOptions `json:"options,omitempty"`
	FrameID        string           `json:"frameId,omitempty"`
	StreamResponse *bool            `json:"streamResponse,omitempty"`
}

// NavigateOptions refine a navigation.
type NavigateOptions struct {
	Referer   string       `json:"referer,omitempty"`
	Timeout   Milliseconds `json:"timeout,omitempty"`
	WaitUntil string       `json:"waitUntil,omitempty"` // load, domcontentloaded or networkidle; empty is load
}

// NavigateData is the answer to a navigation.
type NavigateData struct {
	Result   *NavigateResult `json:"result"` // nil where nothing was fetched
	ActionID string          `json:"actionId,omitempty"`
}

// NavigateResult is what the page's server answered.
type NavigateResult struct {
	URL     string            `json:"url"` // after redirects
	Status  int               `json:"status"`
	OK      bool              `json:"ok"`
	Headers map[string]string `json:"headers"` // never nil
}
