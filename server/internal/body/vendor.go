package body

// VendorSession is a session as a hosted vendor's clients read it.
type VendorSession struct {
	ID         string `json:"id"`
	Status     string `json:"status"`    // RUNNING, COMPLETED or ERROR
	CreatedAt  string `json:"createdAt"` // RFC 3339, as the other times
	StartedAt  string `json:"startedAt"`
	UpdatedAt  string `json:"updatedAt"`
	ExpiresAt  string `json:"expiresAt"`
	KeepAlive  bool   `json:"keepAlive"`
	ProjectID  string `json:"projectId"`
	ProxyBytes int    `json:"proxyBytes"`
	Region     string `json:"region"`
	ConnectURL string `json:"connectUrl,omitempty"` // where others can attach; empty if nowhere
}

// VendorUpdate asks for a change of a session: its end is the only one.
type VendorUpdate struct {
	Status string `json:"status"` // REQUEST_RELEASE
}

// VendorDebug says where a session's pages can be looked at. The addresses are
// empty where the browser has no debugging port.
type VendorDebug struct {
	DebuggerURL           string       `json:"debuggerUrl"`
	DebuggerFullscreenURL string       `json:"debuggerFullscreenUrl"`
	WSURL                 string       `json:"wsUrl"`
	Pages                 []VendorPage `json:"pages"` // never nil
}

// VendorPage is an open page.
type VendorPage struct {
	ID                    string `json:"id"`
	URL                   string `json:"url"`
	Title                 string `json:"title"`
	DebuggerURL           string `json:"debuggerUrl"`
	DebuggerFullscreenURL string `json:"debuggerFullscreenUrl"`
	FaviconURL            string `json:"faviconUrl"`
}

// VendorParams are what of a vendor's parameters has an effect.
type VendorParams struct {
	BrowserSettings struct {
		Viewport *VendorViewport `json:"viewport"`
	} `json:"browserSettings"`
}

// VendorViewport is a size in CSS pixels; a side that is missing is 0.
type VendorViewport struct {
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
}
