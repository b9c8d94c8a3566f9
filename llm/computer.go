package llm

// A ComputerTool is a tool for browsers or computers that a vendor defines
// itself, and that its models are trained on.
type ComputerTool struct {
	// Name is the vendor's name for it, as "computer_use".
	Name string `json:"name"`

	// Width and Height are those of the pictures that the model gets, in pixels:
	// the model's coordinates are in these.
	Width  int `json:"width"`
	Height int `json:"height"`
}

// A SafetyCheck is something that a vendor's own checks have noticed about a
// call. It is for a person to confirm: code that confirms checks by itself
// switches them off.
type SafetyCheck struct {
	ID      string `json:"id,omitempty"`
	Code    string `json:"code,omitempty"` // as malicious_instructions, require_confirmation
	Message string `json:"message,omitempty"`
}

// A BrowserState is what a browser shows after a call of a vendor's tool.
type BrowserState struct {
	URL     string          `json:"url"` // of the active tab
	Tabs    []BrowserTab    `json:"tabs,omitempty"`
	Changes []BrowserChange `json:"changes,omitempty"` // that the call made
}

// A BrowserTab is an open tab.
type BrowserTab struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Active bool   `json:"active,omitempty"` // exactly one is
}

// A BrowserChange is what a call did to the browser beside the page.
type BrowserChange struct {
	// Kind is tab_opened, download_started, download_completed or download_failed.
	Kind  string `json:"kind"`
	ID    string `json:"id"` // of the tab, or of the download
	URL   string `json:"url,omitempty"`
	Size  int64  `json:"size,omitempty"`
	Error string `json:"error,omitempty"`
}
