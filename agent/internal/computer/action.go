// Package computer does what vendors' tools for browsers and computers ask for, on
// the engine: one kind of action for all of them. Refs and points become targets
// of the engine, so that actionability, evidence, policy, variables and approvals
// hold as they do for every other action.
package computer

// A Kind says what an action does.
type Kind string

// The kinds.
const (
	Click      Kind = "click" // Button, Count, Modifiers
	Move       Kind = "move"
	Down       Kind = "down" // the button is held; what it does comes with Up
	Up         Kind = "up"
	Drag       Kind = "drag"   // from At along Path
	Scroll     Kind = "scroll" // by DX, DY
	ScrollTo   Kind = "scroll_to"
	Type       Kind = "type" // Text, into what has the focus
	Fill       Kind = "fill" // Text, in the place of what the field at At holds
	Key        Kind = "key"  // Keys, one after the other, Repeat times
	Hold       Kind = "hold" // Keys, for Seconds
	KeyDown    Kind = "key_down"
	KeyUp      Kind = "key_up"
	Wait       Kind = "wait" // Seconds
	Screenshot Kind = "screenshot"
	Zoom       Kind = "zoom"   // Region
	Cursor     Kind = "cursor" // tells where the pointer is
	Navigate   Kind = "navigate"
	Back       Kind = "back"
	Forward    Kind = "forward"
	Reload     Kind = "reload"
	Home       Kind = "home" // shows what is there, without a change
	ListTabs   Kind = "list_tabs"
	NewTab     Kind = "new_tab"
	SwitchTab  Kind = "switch_tab"
	CloseTab   Kind = "close_tab"
	Find       Kind = "find"
	ReadPage   Kind = "read_page"
	PageText   Kind = "page_text"
	FormInput  Kind = "form_input" // Value, into the field at At
	Upload     Kind = "upload"     // Files, into the field at At
)

// An Action is one thing to do. Points are in pixels of the newest picture.
type Action struct {
	Kind Kind

	// Tab is where; empty is the active one.
	Tab string

	At   *Place  // nil is where the pointer is, or what has the focus
	Path []Place // of a drag, after At

	Button    string // left, right, middle; empty is left
	Count     int    // of clicks; 0 is 1
	Modifiers string // held meanwhile, as "ctrl+shift"

	Text    string
	Keys    []string // chords
	Repeat  int
	DX, DY  float64 // pixels of the page
	Seconds float64
	Region  [4]float64 // left, top, right, bottom
	URL     string
	Query   string
	Value   string
	Files   []string

	Depth       int  // of ReadPage
	Interactive bool // ReadPage: only what can be acted on
}

// A Place is an element by its ref, or a point.
type Place struct {
	Ref  string
	X, Y float64
}

// At is a point.
func At(x, y float64) *Place { return &Place{X: x, Y: y} }

// Blind reports whether an action makes sense on a page that nobody has looked at
// yet: it looks, or goes somewhere by itself.
func (a *Action) Blind() bool {
	switch a.Kind {
	case Wait, Screenshot, Home, ListTabs, Find, ReadPage, PageText, Navigate, NewTab, SwitchTab, CloseTab:
		return true
	}
	return false
}

// Acts reports whether an action sends input, or goes somewhere.
func (a *Action) Acts() bool {
	switch a.Kind {
	case Move, Wait, Screenshot, Zoom, Cursor, Home, ListTabs, Find, ReadPage, PageText, KeyDown, KeyUp, Down:
		return false
	}
	return true
}
