package engine

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// An Action is one thing to do on a page: Observe finds it, Act returns it, and
// Do repeats it, also from storage.
type Action struct {
	// Selector is a CSS selector, an XPath or the text of a [Locator]. The engine
	// returns deep XPaths that begin at an id, a landmark or a heading and lead through
	// frames and shadow roots, as [accessibility.Snapshot.XPath] writes them; actions
	// with paths from the root ("xpath=/html[1]/…") can be done as well. With a
	// Fingerprint such a path only says where to look first.
	Selector string `json:"selector"`
	// Description says in words what the action is for.
	Description string `json:"description"`
	// BackendNodeID is the node's number when the action was made. Elements are
	// not looked up by it: together with the selector it identifies the action
	// among those that the session returned, to restore a missing fingerprint.
	BackendNodeID int64 `json:"backendNodeId,omitempty"`
	// Method is Click if empty.
	Method Method `json:"method,omitempty"`
	// Arguments may hold %name% placeholders, never the values of variables.
	Arguments []string `json:"arguments,omitempty"`

	// Fingerprint describes the element when the action was made, and
	// Surroundings its place among elements that look the same. If they are
	// set, Do finds the element by them, also where it stands elsewhere by now, and
	// refuses one that differs or is in another row.
	Fingerprint  *Fingerprint  `json:"fingerprint,omitempty"`
	Surroundings *Surroundings `json:"surroundings,omitempty"`

	// Onto is the element that DragAndDrop drops on, the one at the path that is the first
	// argument: what it is, and where it stands. Do holds the place to it as it holds the
	// element to its own.
	Onto *Action `json:"onto,omitempty"`

	// Locator named this element and no other when the action was made; empty if no
	// locator of role and name did. It is for people and for stores of one text an
	// action, which may put it in Selector. Do does not read it.
	Locator Locator `json:"locator,omitempty"`
}

// Named is the text that names the action's element to a person: its locator, or the
// selector if it has none.
func (a *Action) Named() string { return cmp.Or(string(a.Locator), a.Selector) }

// A Fingerprint identifies an element by what it looks like to a person.
type Fingerprint struct {
	Role string `json:"role"`
	Name string `json:"name"`
	Tag  string `json:"tag"`
}

func (f Fingerprint) String() string {
	if f.Name == "" {
		return f.Role
	}
	return fmt.Sprintf("%s %q", f.Role, f.Name)
}

// Surroundings tell an element from others that look the same, such as one
// product's button from those of the others.
type Surroundings struct {
	// Row is the text that belongs to this element and to no other that looks the same:
	// that of its table row or list item, else of the largest element that holds none of
	// the others. If several rows have the same text, Row also has the text between the
	// neighbours, and then the heading above. It is cut off at a distance.
	Row string `json:"row"`
	// Alike is how many elements look the same, including this one.
	Alike int `json:"alike"`
	// Head is what the element's table row or list item begins with, empty if it stands
	// in none. An element in a row that begins with something else is another one, also
	// where no other looks like it.
	Head string `json:"head,omitempty"`
}

// An ActResult says what was tried, what was done, and what came of it.
type ActResult struct {
	// Success reports that everything was done and nothing contradicts it. A
	// click without a visible effect is a success whose Evidence.Effect is
	// EffectNone; Message says so.
	Success bool `json:"success"`
	// Message is for people.
	Message string `json:"message"`
	// Description says what the action was.
	Description string `json:"actionDescription"`
	// Actions are those whose input was sent, in order, ready for Do. With an
	// error, the last of them may not have worked: see Sent.
	Actions []Action `json:"actions"`
	// Sent says whether input was sent, also with an error. Only an act that
	// sent nothing is safe to repeat without looking.
	Sent Sent `json:"sent"`
	// Evidence is what changed.
	Evidence Evidence `json:"evidence"`

	ID       string        `json:"actionId"`
	Usage    Usage         `json:"usage"`
	Duration time.Duration `json:"duration"` // in JSON: nanoseconds
	// Healed reports that the first choice could not be used and the page was
	// looked at again.
	Healed bool `json:"healed,omitempty"`
	// Cache is the cache's part in the act; nil if it was not asked.
	Cache *CacheUse `json:"cache,omitempty"`
}

// Sent says whether input was sent.
type Sent string

// How much of an act's input was sent.
const (
	// SentNone: nothing. Repeating the act is safe.
	SentNone Sent = "none"
	// SentAll: all input of the result's actions, and the browser has processed
	// it.
	SentAll Sent = "all"
	// SentPossible: a part of it, or the browser did not confirm it.
	SentPossible Sent = "possible"
)

// and adds the input of a further step.
func (s Sent) and(next Sent) Sent {
	if next == SentNone {
		return s
	}
	return next
}

// A CacheResult says whether the cache served an act.
type CacheResult string

// The results.
const (
	CacheHit     CacheResult = "hit"     // replayed without a model
	CacheMiss    CacheResult = "miss"    // no entry; a model was asked
	CacheStale   CacheResult = "stale"   // the entry did not fit the page and sent no input; a model was asked
	CacheRefuted CacheResult = "refuted" // the entry was replayed with another outcome and dropped
)

// A CacheReason says why an entry was not used.
type CacheReason string

// The reasons.
const (
	ReasonAbsent     CacheReason = "absent"     // there is no entry
	ReasonUnreadable CacheReason = "unreadable" // the entry cannot be read
	ReasonWording    CacheReason = "wording"    // the instruction has other spaces and says what to enter
	ReasonGone       CacheReason = "gone"       // the selector matches no element, or several
	ReasonChanged    CacheReason = "changed"    // another element, other surroundings, or another state
	ReasonUnusable   CacheReason = "unusable"   // the element could not be used
	ReasonOutcome    CacheReason = "outcome"    // the action was done with another outcome
)

// A CacheUse is the cache's part in one act.
type CacheUse struct {
	Result CacheResult `json:"outcome"`
	Reason CacheReason `json:"reason,omitempty"` // empty for a hit
	Detail string      `json:"detail,omitempty"` // the reason in words
	// Kept reports that the act was stored.
	Kept bool `json:"kept,omitempty"`
}

// An Effect is the strongest thing that an action was seen to do.
type Effect string

// The effects, weakest first.
const (
	EffectNone       Effect = "none"       // none noticed
	EffectScroll     Effect = "scroll"     // content moved
	EffectFocus      Effect = "focus"      // the focus moved, and the action asked for that
	EffectRequest    Effect = "request"    // the page asked a server for something
	EffectPage       Effect = "page"       // the page changed
	EffectValue      Effect = "value"      // a control took a value or a state
	EffectDownload   Effect = "download"   // a download began
	EffectDialog     Effect = "dialog"     // a dialog opened
	EffectNewPage    Effect = "newPage"    // a page opened
	EffectNavigation Effect = "navigation" // a new document, or a new address
)

// strength orders the effects.
var strength = map[Effect]int{
	EffectNone: 0, EffectScroll: 1, EffectFocus: 2, EffectRequest: 3, EffectPage: 4, EffectValue: 5,
	EffectDownload: 6, EffectDialog: 7, EffectNewPage: 8, EffectNavigation: 9,
}

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

	// FileChooser reports that the page asked for files. No dialog is shown;
	// SetInputFiles on the same element answers it.
	FileChooser bool `json:"fileChooser,omitempty"`

	// Revision is the page's revision before the action and when the evidence
	// was complete; nil if the document is gone. A difference means that
	// something changed, if only the focus.
	Revision *RevisionSeen `json:"revision,omitempty"`

	// Changes are the outline lines that the action added (+), removed (-) and
	// changed (~), if [ActOptions].Changes asks for them.
	Changes string `json:"changes,omitempty"`
}

// A NewPageSeen is a page that an action opened.
type NewPageSeen struct {
	ID  string `json:"id" hide:"-"`
	URL string `json:"url"`
}

// A ScrollSeen is the scroll position before and after an action, in pixels.
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

// words says where a key or the wheel has brought the content.
func (s *ScrollSeen) words() string {
	if s.AfterY == s.BeforeY {
		return fmt.Sprintf("scrolled across from %.0f to %.0f of %.0f pixels", s.BeforeX, s.AfterX, s.MaxX)
	}
	return fmt.Sprintf("scrolled from %.0f to %.0f of %.0f pixels", s.BeforeY, s.AfterY, s.MaxY)
}

// A RevisionSeen is a page's revision before and after an action. Revisions can
// only be compared for equality.
type RevisionSeen struct {
	Before driver.Revision `json:"before"`
	After  driver.Revision `json:"after"`
}

// A Refusal is a request that a session's policy, or BrowserOptions.Allow,
// refused.
type Refusal struct {
	// URL is what was requested. For a refused connection, only the host is
	// known.
	URL    string             `json:"url"`
	Kind   driver.RequestKind `json:"kind,omitempty"`
	Reason string             `json:"reason"`

	frame driver.FrameID // empty if not known
	err   error
}

// Rule returns the part of the policy that refused, as package policy names it:
// scheme, deny, allow, private, …; "caller" is BrowserOptions.Allow.
func (r Refusal) Rule() string {
	if refused, ok := errors.AsType[*policy.RefusedError](r.err); ok {
		return string(refused.Rule)
	}
	return "caller"
}

// maxRefusedSeen bounds the refusals that evidence lists.
const maxRefusedSeen = 10

// merge adds the evidence of a further step.
func merge(a, b Evidence) Evidence {
	if strength[b.Effect] >= strength[a.Effect] {
		a.Effect = b.Effect
	}
	if b.Navigation != nil {
		if a.Navigation != nil {
			b.Navigation.From = a.Navigation.From
		}
		a.Navigation = b.Navigation
	}
	a.NewPages = append(a.NewPages, b.NewPages...)
	a.Dialogs = append(a.Dialogs, b.Dialogs...)
	a.Downloads = append(a.Downloads, b.Downloads...)
	a.Refused = append(a.Refused, b.Refused...)
	a.Refused = a.Refused[:min(len(a.Refused), maxRefusedSeen)]
	a.Value, a.Scroll = cmp.Or(b.Value, a.Value), cmp.Or(b.Scroll, a.Scroll)
	if b.States != nil {
		a.States = b.States
	}
	if b.Revision != nil {
		if a.Revision != nil {
			b.Revision.Before = a.Revision.Before
		}
		a.Revision = b.Revision
	}
	a.FileChooser = a.FileChooser || b.FileChooser
	a.Changes += b.Changes
	a.Requests += b.Requests
	return a
}

// issuedActions remember the actions that a session returned, so that one that
// comes back without fingerprint and surroundings (an Action over HTTP has no
// room for them) is verified all the same.
type issuedActions struct {
	mu    sync.Mutex // protects what follows
	known map[issuedKey]issuedElement
	order []issuedKey // oldest first
}

type issuedKey struct {
	selector string
	node     int64
}

type issuedElement struct {
	print  Fingerprint
	around *Surroundings
	onto   *Action // of the last drag of it
}

// maxIssued bounds the memory; the oldest are forgotten first.
const maxIssued = 10_000

// note remembers an action that is returned to the caller.
func (l *issuedActions) note(a Action) {
	if a.Fingerprint == nil || a.BackendNodeID == 0 {
		return
	}
	key := issuedKey{a.Selector, a.BackendNodeID}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[issuedKey]issuedElement{}
	}
	if _, ok := l.known[key]; !ok {
		if len(l.order) >= maxIssued {
			delete(l.known, l.order[0])
			l.order = l.order[1:]
		}
		l.order = append(l.order, key)
	}
	l.known[key] = issuedElement{*a.Fingerprint, a.Surroundings, cmp.Or(a.Onto, l.known[key].onto)}
}

// complete restores what an action has lost. An unknown action is returned
// unchanged.
func (l *issuedActions) complete(a Action) Action {
	if a.Fingerprint != nil || a.BackendNodeID == 0 {
		return a
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.known[issuedKey{a.Selector, a.BackendNodeID}]; ok {
		a.Fingerprint, a.Surroundings = &e.print, e.around
		if e.onto != nil && len(a.Arguments) > 0 && a.Arguments[0] == e.onto.Selector {
			a.Onto = e.onto
		}
	}
	return a
}

type (
	// Outgoing is what leaves a page, or would.
	Outgoing = outgoing.Request
	// An OutgoingField is one of its values.
	OutgoingField = outgoing.Field
	// Hold lets an approved request out, once, and holds others.
	Hold = outgoing.Hold
)

// A PageTool is something that a document of the page offers to agents (WebMCP): a
// function of its script, or a form. What it says of itself is the page's word, as
// all text of a page is; a tool that claims to change nothing may order something.
type PageTool struct {
	// Name is "host/name", made of what needs no quotes, and "host/frame2/name"
	// for another frame than the main one. It is unique on the page.
	Name string
	driver.Tool
}

// Check rejects what Do would reject without looking at the page: an unknown
// method, wrong arguments, a missing selector. The error wraps [ErrInvalid].
func (a Action) Check() error {
	method, err := ParseMethod(string(a.Method))
	if err != nil {
		return err
	}
	if a.Selector == "" {
		return fmt.Errorf("%w: the action has no selector", ErrInvalid)
	}
	if onto := a.Onto; onto != nil && (method != DragAndDrop || onto.Fingerprint == nil || len(a.Arguments) == 0 || onto.Selector != a.Arguments[0]) {
		return fmt.Errorf("%w: onto is for dragAndDrop, and says what stands at its first argument", ErrInvalid)
	}
	return method.checkArguments(a.Arguments)
}
