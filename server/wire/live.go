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

// Nodes is what a service is made of, for operators.
type Nodes struct {
	Nodes []Node `json:"nodes"`           // never nil
	Queue *Queue `json:"queue,omitempty"` // nil where there are no runs
}

// A Node is one process of a service.
type Node struct {
	ID       string            `json:"id"`
	Address  string            `json:"address,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Capacity int               `json:"capacity"` // sessions at most; 0 is no limit
	Sessions int               `json:"sessions"`
	Pressure float64           `json:"pressure"` // of the machine: 0 is idle, 1 takes no more
	Draining bool              `json:"draining"`
	Here     bool              `json:"here"` // it has answered
}

// A Queue is how many runs there are, of all keys.
type Queue struct {
	Waiting int `json:"waiting"`
	Running int `json:"running"`
}

// A LiveEvent is one event of a session that is looked at. The members besides
// Type are there for one type each.
type LiveEvent struct {
	Type    string        `json:"type"`              // hello, state, picture, outline, entry, over
	Viewer  string        `json:"viewer,omitempty"`  // hello: names the viewer, to take the session
	State   *LiveState    `json:"state,omitempty"`   // state
	Picture *LivePicture  `json:"picture,omitempty"` // picture
	Outline *LiveOutline  `json:"outline,omitempty"` // outline
	URL     string        `json:"url,omitempty"`     // entry: where it was done
	Entry   *ReplayAction `json:"entry,omitempty"`   // entry: a call that has ended
	Message string        `json:"message,omitempty"` // over: why
}

// LiveState is where a session stands.
type LiveState struct {
	Page    string     `json:"page"` // that is shown: the active one; empty is none
	URL     string     `json:"url"`
	Title   string     `json:"title"`
	Pages   []LivePage `json:"pages"` // never nil
	Working bool       `json:"working"`
	Traced  bool       `json:"traced,omitempty"` // it is recorded
	Doing   *Doing     `json:"doing,omitempty"`
	Taken   string     `json:"taken,omitempty"` // the viewer that has the session; empty: it is not taken
	Asked   string     `json:"asked,omitempty"` // the viewer that waits for the step under way to end
}

// A LivePage is an open page of a session.
type LivePage struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// LivePicture is what a page shows.
type LivePicture struct {
	Page   string  `json:"page"`
	Width  float64 `json:"width"` // of the viewport, CSS pixels
	Height float64 `json:"height"`
	JPEG   string  `json:"jpeg,omitempty"` // in base64
	None   string  `json:"none,omitempty"` // why there is none
}

// LiveOutline is what a page says.
type LiveOutline struct {
	Page string `json:"page"`
	Text string `json:"text"`
}

// TakeRequest asks for a session for its viewer, or gives it back.
type TakeRequest struct {
	Viewer string `json:"viewer"` // of the event hello
}

// Taken is the answer to a session that was taken.
type Taken struct {
	LeaseMs int64 `json:"leaseMs"` // without input, after which it is given back
}

// GivenBack is the answer to a session that was given back, and to input.
type GivenBack struct{}

// InputRequest is the input of a person who has taken a session.
type InputRequest struct {
	Viewer string       `json:"viewer"`
	Page   string       `json:"page"` // that the person sees
	Events []InputEvent `json:"events"`
}

// An InputEvent is one act of a hand.
type InputEvent struct {
	// Type is move, down, up, wheel, keydown, keyup, text, navigate, back,
	// forward, reload or activate.
	Type   string  `json:"type"`
	X      float64 `json:"x,omitempty"` // CSS pixels in the viewport
	Y      float64 `json:"y,omitempty"`
	Button string  `json:"button,omitempty"` // left, middle, right
	Clicks int     `json:"clicks,omitempty"`
	DeltaX float64 `json:"deltaX,omitempty"`
	DeltaY float64 `json:"deltaY,omitempty"`
	Key    string  `json:"key,omitempty"` // its UI Events "key" value
	Alt    bool    `json:"alt,omitempty"`
	Ctrl   bool    `json:"ctrl,omitempty"`
	Meta   bool    `json:"meta,omitempty"`
	Shift  bool    `json:"shift,omitempty"`
	Text   string  `json:"text,omitempty"`
	URL    string  `json:"url,omitempty"`
}
