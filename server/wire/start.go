package wire

import "encoding/json"

// SessionStart asks for a session.
type SessionStart struct {
	ModelName            string       `json:"modelName,omitempty"` // "provider/model"; empty is the operator's
	DOMSettleTimeoutMs   Milliseconds `json:"domSettleTimeoutMs,omitempty"`
	Verbose              *Verbosity   `json:"verbose,omitempty"` // nil is 1
	SystemPrompt         string       `json:"systemPrompt,omitempty"`
	SelfHeal             *bool        `json:"selfHeal,omitempty"` // nil is true
	UseTouch             bool         `json:"useTouch,omitempty"`
	Experimental         bool         `json:"experimental,omitempty" effect:"none"`
	ActTimeoutMs         Milliseconds `json:"actTimeoutMs,omitempty"`
	WaitForCaptchaSolves bool         `json:"waitForCaptchaSolves,omitempty" effect:"none"`
	Browser              *Browser     `json:"browser,omitempty"`
	Trace                bool         `json:"trace,omitempty"` // record it

	// The members of a hosted vendor. A request can continue a session of this
	// server; of the parameters the viewport has an effect.
	BrowserbaseSessionID           json.RawMessage `json:"browserbaseSessionID,omitempty"`
	BrowserbaseSessionCreateParams json.RawMessage `json:"browserbaseSessionCreateParams,omitempty"`
}

// Browser says which browser a session gets. The zero value is one of the
// server's own choice.
type Browser struct {
	Type          string         `json:"type,omitempty"`   // "local"
	CDPURL        string         `json:"cdpUrl,omitempty"` // of a running Chrome
	LaunchOptions *LaunchOptions `json:"launchOptions,omitempty"`

	Labels  map[string]string `json:"labels,omitempty"`  // that the session's node has to have
	Profile string            `json:"profile,omitempty"` // that it begins with, and saves at its end
}

// LaunchOptions set up a browser. Those that decide what runs on the server,
// and which addresses it dials, are honoured only where its operator allows them.
type LaunchOptions struct {
	Args                []string          `json:"args,omitempty"`
	ExecutablePath      string            `json:"executablePath,omitempty"`
	Port                *int              `json:"port,omitempty"`
	UserDataDir         string            `json:"userDataDir,omitempty"`
	PreserveUserDataDir bool              `json:"preserveUserDataDir,omitempty"`
	Headless            *bool             `json:"headless,omitempty"` // nil is true
	Devtools            bool              `json:"devtools,omitempty"`
	ChromiumSandbox     *bool             `json:"chromiumSandbox,omitempty"`
	IgnoreDefaultArgs   *IgnoreArgs       `json:"ignoreDefaultArgs,omitempty"`
	Proxy               *Proxy            `json:"proxy,omitempty"`
	Locale              string            `json:"locale,omitempty"` // BCP 47
	Viewport            *Viewport         `json:"viewport,omitempty"`
	DeviceScaleFactor   float64           `json:"deviceScaleFactor,omitempty"`
	HasTouch            bool              `json:"hasTouch,omitempty"`
	IgnoreHTTPSErrors   bool              `json:"ignoreHTTPSErrors,omitempty"`
	CDPURL              string            `json:"cdpUrl,omitempty"`
	CDPHeaders          map[string]string `json:"cdpHeaders,omitempty"`
	ConnectTimeoutMs    Milliseconds      `json:"connectTimeoutMs,omitempty"`
	DownloadsPath       string            `json:"downloadsPath,omitempty"`
	AcceptDownloads     *bool             `json:"acceptDownloads,omitempty"`
	PageTools           bool              `json:"pageTools,omitempty"` // pages may offer tools: see AgentConfig
}

// Proxy is an upstream for a browser's requests.
type Proxy struct {
	Server   string `json:"server"`
	Bypass   string `json:"bypass,omitempty"`
	Username string `json:"username,omitempty"`
	Password string `json:"password,omitempty"`
}

// Viewport is a size in CSS pixels.
type Viewport struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// SessionStarted is the answer to SessionStart.
type SessionStarted struct {
	SessionID string  `json:"sessionId"`
	CDPURL    *string `json:"cdpUrl"` // where others can attach; nil if nowhere
	Available bool    `json:"available"`
}
