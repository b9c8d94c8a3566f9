package body

import "github.com/wayfinder-engine/wayfinder/server/wire"

// A LiveEvent is one event of a session that is looked at. The members besides
// Type are there for one type each.
type LiveEvent struct {
	Type    string             `json:"type"`              // hello, state, picture, outline, entry, over
	Viewer  string             `json:"viewer,omitempty"`  // hello: names the viewer, to take the session
	State   *LiveState         `json:"state,omitempty"`   // state
	Picture *LivePicture       `json:"picture,omitempty"` // picture
	Outline *LiveOutline       `json:"outline,omitempty"` // outline
	URL     string             `json:"url,omitempty"`     // entry: where it was done
	Entry   *wire.ReplayAction `json:"entry,omitempty"`   // entry: a call that has ended
	Message string             `json:"message,omitempty"` // over: why
}

// LiveState is where a session stands.
type LiveState struct {
	Page    string      `json:"page"` // that is shown: the active one; empty is none
	URL     string      `json:"url"`
	Title   string      `json:"title"`
	Pages   []LivePage  `json:"pages"` // never nil
	Working bool        `json:"working"`
	Traced  bool        `json:"traced,omitempty"` // it is recorded
	Doing   *wire.Doing `json:"doing,omitempty"`
	Taken   string      `json:"taken,omitempty"` // the viewer that has the session; empty: it is not taken
	Asked   string      `json:"asked,omitempty"` // the viewer that waits for the step under way to end
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
