package engine

import (
	"encoding/json"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// An ActResult says what was tried, what was done, and what came of it.
type ActResult struct {
	// Success reports that everything was done and nothing speaks against it.
	// A click of which no effect was noticed is a success whose
	// Evidence.Effect is EffectNone, and Message says so.
	Success bool `json:"success"`
	// Message is for people.
	Message string `json:"message"`
	// Description says what the action was.
	Description string `json:"actionDescription"`
	// Actions are those whose input was sent, in order, ready to be done again
	// by Do. With an error the last of them may not have taken: see Sent.
	Actions []Action `json:"actions"`
	// Sent says whether input was sent, also with an error. Only an act of
	// which nothing was sent is safe to repeat without a look.
	Sent Sent `json:"sent"`
	// Evidence is what changed.
	Evidence Evidence `json:"evidence"`

	ID       string        `json:"actionId"`
	Usage    Usage         `json:"usage"`
	Duration time.Duration `json:"duration"` // in JSON: nanoseconds
	// Healed reports that the first choice could not be used and a second look was taken.
	Healed bool `json:"healed,omitempty"`
	// Cache says what the session's cache did for the act; nil where none was asked.
	Cache *CacheUse `json:"cache,omitempty"`
}

// An Effect is the strongest thing that an action was seen to do.
type Effect string

// The effects, weakest first.
const (
	EffectNone       Effect = "none"       // none that was noticed
	EffectScroll     Effect = "scroll"     // content moved
	EffectFocus      Effect = "focus"      // the focus moved, for an action that asks for that
	EffectRequest    Effect = "request"    // the page asked a server for something
	EffectPage       Effect = "page"       // the page changed
	EffectValue      Effect = "value"      // a control took a value or a state
	EffectDownload   Effect = "download"   // a download began
	EffectDialog     Effect = "dialog"     // a dialog opened
	EffectNewPage    Effect = "newPage"    // a page opened
	EffectNavigation Effect = "navigation" // a document came, or the address changed
)

// Evidence is what was seen to change through an action.
type Evidence struct {
	Effect     Effect            `json:"effect"`
	Navigation *NavigationSeen   `json:"navigation,omitempty"`
	NewPages   []NewPageSeen     `json:"newPages,omitempty"`
	Dialogs    []DialogSeen      `json:"dialogs,omitempty"`
	Downloads  []DownloadSeen    `json:"downloads,omitempty"`
	Value      *Change           `json:"value,omitempty"`
	States     map[string]Change `json:"states,omitempty"` // checked, expanded, focused, pressed, selected
	Requests   int               `json:"requests,omitempty"`
	Scroll     *ScrollSeen       `json:"scroll,omitempty"`
	Refused    []Refusal         `json:"refused,omitempty"` // by policy; at most ten

	// FileChooser reports that the page asked for files. None is shown to
	// anybody; SetInputFiles on the same element answers it.
	FileChooser bool `json:"fileChooser,omitempty"`

	// Revision is that of the page before the action, and when the evidence
	// was complete; nil where the document it belongs to is gone. That it
	// differs means that something was noticed, if only a focus.
	Revision *RevisionSeen `json:"revision,omitempty"`

	// Changes are the lines of the outline that the action added (+), removed
	// (-) and changed (~), where [ActOptions].Changes asks for them.
	Changes string `json:"changes,omitempty"`
}

// A Change is a value before and after.
type Change struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// A NavigationSeen is a navigation that an action caused.
type NavigationSeen struct {
	From         string `json:"from"`
	To           string `json:"to"`
	Status       int    `json:"status,omitempty"`
	SameDocument bool   `json:"sameDocument,omitempty"`
	Pending      bool   `json:"pending,omitempty"` // not answered yet when the action ended
	Failed       string `json:"failed,omitempty"`  // why To could not be opened, as "net::ERR_CONNECTION_REFUSED"

	failed *driver.NavigationError
}

// A NewPageSeen is a page that an action opened.
type NewPageSeen struct {
	ID  string `json:"id" hide:"-"`
	URL string `json:"url"`
}

// A DialogSeen is a dialog that an action opened, and what was answered.
type DialogSeen struct {
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	Accepted bool   `json:"accepted"`
	Answer   string `json:"answer,omitempty"` // what was written into a prompt
	Open     bool   `json:"open,omitempty"`   // still unanswered when the action ended
}

// A DownloadSeen is a download that an action began.
type DownloadSeen struct {
	URL      string `json:"url"`
	Name     string `json:"name"` // as the site suggests it
	Path     string `json:"path,omitempty" hide:"-"`
	Size     int64  `json:"size,omitempty"`
	Canceled bool   `json:"canceled,omitempty"`
	Reason   string `json:"reason,omitempty"` // why it was canceled, where that is known
	Done     bool   `json:"done"`
}

// A ScrollSeen is how far content was scrolled, in pixels.
type ScrollSeen struct {
	BeforeX float64 `json:"beforeX,omitempty"`
	AfterX  float64 `json:"afterX,omitempty"`
	MaxX    float64 `json:"maxX,omitempty"`
	BeforeY float64 `json:"beforeY"`
	AfterY  float64 `json:"afterY"`
	MaxY    float64 `json:"maxY"`
}

func scrollSeen(before, after driver.ScrollState) *ScrollSeen {
	return &ScrollSeen{
		BeforeX: before.X, AfterX: after.X, MaxX: after.MaxX,
		BeforeY: before.Y, AfterY: after.Y, MaxY: after.MaxY,
	}
}

func (s *ScrollSeen) moved() bool { return s.BeforeX != s.AfterX || s.BeforeY != s.AfterY }

// A RevisionSeen is a page's revision before and after an action. Only equality
// has a meaning.
type RevisionSeen struct {
	Before driver.Revision `json:"before"`
	After  driver.Revision `json:"after"`
}

// An Observation is what Observe found.
type Observation struct {
	Actions  []Action      `json:"actions"`
	ID       string        `json:"actionId"`
	Usage    Usage         `json:"usage"`
	Duration time.Duration `json:"duration"`
}

// An Extraction is what Extract read. Data is, without instruction and schema,
// {"pageText": …}; without schema {"extraction": …}; else a value of the schema.
type Extraction struct {
	Data     json.RawMessage `json:"data"`
	ID       string          `json:"actionId"`
	Usage    Usage           `json:"usage"`
	Duration time.Duration   `json:"duration"`
}
