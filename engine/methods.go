package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine/internal/input"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
)

// A Method is what an action does to its element.
type Method string

// The methods. [ParseMethod] also takes the older spellings.
//
// Those of the pointer take further arguments, each a word: the button ("right",
// "middle"), modifiers that are held ("Shift", "Control+Alt"), and a place
// within the element in pixels from its upper left corner ("at 12,5").
const (
	Click               Method = "click"
	DoubleClick         Method = "doubleClick"
	TripleClick         Method = "tripleClick"
	Hover               Method = "hover"
	LongPress           Method = "longPress" // holds the button down for a second, or as long as "for 2s" says
	Tap                 Method = "tap"
	Fill                Method = "fill"  // argument: the text; replaces what is there
	Type                Method = "type"  // argument: the text; key by key, where the caret is
	Press               Method = "press" // argument: a key or chord, as "Enter", "Control+A"
	SelectOption        Method = "selectOption"
	Check               Method = "check"
	Uncheck             Method = "uncheck"
	ScrollTo            Method = "scrollTo" // argument: "50%"
	ScrollIntoView      Method = "scrollIntoView"
	NextChunk           Method = "nextChunk"           // one view further down
	PrevChunk           Method = "prevChunk"           // one view back up
	ScrollByPixelOffset Method = "scrollByPixelOffset" // arguments: x, y
	Wheel               Method = "wheel"               // arguments: x, y; turns the wheel over the element
	DragAndDrop         Method = "dragAndDrop"         // argument: the selector of the element to drop on; "to 12,5" is the place in it
	DragByPixelOffset   Method = "dragByPixelOffset"   // arguments: x, y
	SetInputFiles       Method = "setInputFiles"       // arguments: paths
	Clear               Method = "clear"
	Focus               Method = "focus"
	Blur                Method = "blur"
)

const (
	many        = 1000
	anyPress    = input.TakesButton | input.TakesModifiers | input.TakesPlace
	offerPress  = "arguments only where the instruction asks for them: right or middle for the button, held keys as Shift or Control+Alt"
	offerChunk  = "scroll by one view"
	offerPixels = "arguments: x, y"
)

// methods lists all methods in the order of the documentation and of prompts.
var methods = []methodSpec{
	{
		name: Click, takes: arguments{gestures: anyPress}, offer: offerPress,
		done: "clicked %s", sends: "the click",
		needs: needPointer, presses: true, perform: (*attempt).click,
	},
	{
		name: DoubleClick, takes: arguments{gestures: anyPress}, offer: offerPress,
		done: "double-clicked %s", sends: "the double click",
		needs: needPointer, presses: true, perform: (*attempt).doubleClick,
	},
	{
		name: TripleClick, takes: arguments{gestures: anyPress}, offer: offerPress,
		done: "triple-clicked %s", sends: "the triple click",
		needs: needPointer, presses: true, perform: (*attempt).tripleClick,
	},
	{
		name: Hover, takes: arguments{gestures: input.TakesModifiers | input.TakesPlace},
		done: "moved the pointer over %s", sends: "the movement of the pointer",
		needs: needHover, confirms: byReading, prepares: true, perform: (*attempt).hover,
	},
	{
		name: LongPress, takes: arguments{gestures: anyPress | input.TakesTime},
		offer: "holds the button down; argument only where the instruction says how long, as for 2s",
		done:  "held the button down on %s", sends: "the press",
		needs: needPointer, presses: true, perform: (*attempt).longPress,
	},
	{
		name: Tap, takes: arguments{gestures: input.TakesPlace},
		done: "tapped %s", sends: "the tap",
		needs: needPointer, presses: true, perform: (*attempt).tap,
	},
	{
		name: Fill, takes: arguments{least: 1, most: 1, kind: textArgument}, offer: "argument: the whole new text of a field",
		done: "filled %s", sends: "the text",
		needs: needTyping, confirms: byElement, prepares: true, perform: (*attempt).fill,
	},
	{
		name: Type, takes: arguments{least: 1, most: 1, kind: textArgument}, offer: "argument: text to add at the caret",
		done: "typed into %s", sends: "the text",
		needs: needTyping, prepares: true, perform: (*attempt).typeKeys,
	},
	{
		name: Press, takes: arguments{least: 1, most: 1}, offer: "argument: a key, as Enter or Control+A",
		done: "pressed a key in %s", sends: "the key",
		presses: true, perform: (*attempt).press,
	},
	{
		name: SelectOption, old: "selectOptionFromDropdown", takes: arguments{least: 1, most: many}, offer: "arguments: labels of options of a select",
		done: "chose in %s", sends: "the choice",
		needs: needTyping, confirms: byElement, perform: (*attempt).selectOption,
	},
	{
		name: Check,
		done: "checked %s", sends: "the click",
		needs: needPointer, confirms: byElement, presses: true, perform: (*attempt).check,
	},
	{
		name: Uncheck,
		done: "unchecked %s", sends: "the click",
		needs: needPointer, confirms: byElement, presses: true, perform: (*attempt).uncheck,
	},
	{
		name: ScrollTo, old: "scroll", takes: arguments{least: 1, most: 1}, offer: "argument: a percentage, as 50%",
		done: "scrolled %s", sends: "the scrolling",
		confirms: byElement, prepares: true, perform: (*attempt).scrollTo,
	},
	{
		name: ScrollIntoView,
		done: "brought %s into view", sends: "the scrolling",
		confirms: byElement, prepares: true, perform: (*attempt).scrollIntoView,
	},
	{
		name: NextChunk, offer: offerChunk,
		done: "scrolled %s on", sends: "the scrolling",
		confirms: byElement, prepares: true, perform: (*attempt).nextChunk,
	},
	{
		name: PrevChunk, offer: offerChunk,
		done: "scrolled %s back", sends: "the scrolling",
		confirms: byElement, prepares: true, perform: (*attempt).prevChunk,
	},
	{
		name: ScrollByPixelOffset, old: "mouse.wheel", takes: arguments{least: 1, most: 2}, offer: offerPixels,
		done: "scrolled %s", sends: "the scrolling",
		confirms: byElement, prepares: true, perform: (*attempt).scrollByPixels,
	},
	{
		name: Wheel, takes: arguments{least: 2, most: 2, gestures: input.TakesModifiers | input.TakesPlace}, offer: "arguments: x, y; for what listens to the wheel itself, as a map",
		done: "turned the wheel over %s", sends: "the turn of the wheel",
		needs: needHover, perform: (*attempt).wheel,
	},
	{
		name: DragAndDrop, takes: arguments{least: 1, most: 1, kind: nodeArgument, gestures: input.TakesPlace | input.TakesDropPlace}, offer: "argument: the ref of the element to drop on",
		done: "dragged %s", sends: "the drag",
		needs: needHover, perCall: true, perform: (*attempt).dragAndDrop,
	},
	{
		name: DragByPixelOffset, takes: arguments{least: 2, most: 2, gestures: input.TakesPlace}, offer: offerPixels,
		done: "dragged %s", sends: "the drag",
		needs: needHover, perform: (*attempt).dragByPixels,
	},
	{
		name: SetInputFiles, takes: arguments{least: 1, most: many, kind: pathArgument}, offer: "arguments: paths",
		done: "gave files to %s", sends: "the choice of files",
		perCall: true, perform: (*attempt).setFiles,
	},
	{
		name: Clear,
		done: "cleared %s", sends: "the deletion",
		needs: needTyping, confirms: byElement, prepares: true, perform: (*attempt).clear,
	},
	{
		name: Focus,
		done: "focused %s", sends: "the focus",
		confirms: byFocus, prepares: true, perform: (*attempt).focus,
	},
	{
		name: Blur,
		done: "left %s", sends: "the focus",
		confirms: byFocus, prepares: true, perform: (*attempt).blur,
	},
}

// spec returns the method's row of the table, or an empty one if it is unknown.
func (m Method) spec() *methodSpec {
	name := cmp.Or(m, Click)
	for i := range methods {
		if methods[i].name == name {
			return &methods[i]
		}
	}
	return &methodSpec{name: m}
}

// Presses reports whether the method does what pressing the element does, so
// that it may follow a link or submit a form.
func (m Method) Presses() bool { return m.spec().presses }

// Prepares reports whether the method by itself submits nothing: it points,
// scrolls, moves the focus, or changes the text of a field.
func (m Method) Prepares() bool { return m.spec().prepares }

// offeredMethods lists the methods for a prompt.
func offeredMethods() string {
	var b strings.Builder
	for i := 0; i < len(methods); {
		end := i + 1
		for end < len(methods) && methods[i].offer != "" && methods[end].offer == methods[i].offer {
			end++
		}
		var names []string
		for _, m := range methods[i:end] {
			names = append(names, string(m.name))
		}
		separator := ", "
		if len(names) == 2 {
			separator = " and "
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(strings.Join(names, separator))
		if offer := methods[i].offer; offer != "" {
			b.WriteString(" (" + offer + ")")
		}
		i = end
	}
	return b.String()
}

// ParseMethod parses a method's name. The empty name is Click. An unknown name
// is an error that wraps [ErrInvalid] and lists the known ones.
func ParseMethod(name string) (Method, error) {
	if name == "" {
		return Click, nil
	}
	known := make([]string, len(methods))
	for i := range methods {
		known[i] = string(methods[i].name)
		if name == known[i] || name == methods[i].old {
			return methods[i].name, nil
		}
	}
	return "", fmt.Errorf("%w: unknown method %q; the methods are %s", ErrInvalid, name, strings.Join(known, ", "))
}

// checkArguments checks the arguments of a method. Surplus arguments are an
// error too: they were meant for something.
func (m Method) checkArguments(args []string) error {
	_, _, err := m.split(args)
	return err
}

// split separates the arguments of a method from the words of its gesture.
func (m Method) split(args []string) (own []string, g input.Gesture, err error) {
	a := m.spec().takes
	switch {
	case len(args) < a.least:
		return nil, g, fmt.Errorf("%w: %s needs %d argument(s), got %d", ErrInvalid, m, a.least, len(args))
	case len(args) <= a.most:
		return args, g, nil
	case a.gestures == 0:
		return nil, g, fmt.Errorf("%w: %s takes at most %d argument(s), got %d", ErrInvalid, m, a.most, len(args))
	}
	if g, err = input.ParseGesture(args[a.most:], a.gestures); err != nil {
		return nil, g, fmt.Errorf("%s: %w: %w", m, ErrInvalid, err)
	}
	return args[:a.most], g, nil
}

// A Proposal is an action right before its input is sent. It is good until the
// function that got it returns.
type Proposal struct {
	// Action has its element resolved and placeholders in place of values. Of a
	// call of a page's tool it has the description, and the tool's arguments as JSON.
	Action Action
	Tool   *PageTool // that is going to be called; nil for an action

	attempt *attempt
	sends   *Outgoing
	read    bool
}

// Outgoing says what the action would send, by the form or the link that it
// would press: method, address and fields, and the amounts of money that stand
// around it. It is nil where neither says anything, because a script decides, or
// where the action presses nothing. It holds values of variables: show what
// [Session.HideOutgoing] makes of it.
func (p *Proposal) Outgoing(ctx context.Context) (*Outgoing, error) {
	a := p.attempt
	enter := a.entersLine()
	if p.read || !enter && !a.method.presses {
		return p.sends, nil
	}
	if _, err := a.page.capture(ctx); err != nil {
		return nil, err
	}
	p.read = true
	snap := a.page.build(nil)
	sends := outgoing.FromForm(snap.Capture, a.node, enter)
	if sends == nil {
		return nil, nil
	}
	for i := range sends.Fields {
		f := &sends.Fields[i]
		if node, ok := snap.Find(f.Node); ok {
			f.Ref, f.Label = node.Ref, node.Name
		} else {
			f.Unseen = true
		}
		if f.Password { // a capture does not have it
			state, err := a.page.driver.State(ctx, f.Node)
			if err != nil {
				return nil, err
			}
			f.Value = state.Value
		}
	}
	sends.Page = outgoing.Amounts(snap, a.node)
	p.sends = sends
	return sends, nil
}

// Hold has the requests that the action causes held: h.Approved goes out once,
// and h.Ask decides about others, while the act is under way and until h.End is
// called, which is up to the caller. Owns, Known, Hide, Cookies and Page of h are set
// here. A browser that can't hold requests is an error that wraps
// [errors.ErrUnsupported].
func (p *Proposal) Hold(ctx context.Context, h *Hold) error {
	page := p.attempt.page
	h.Page = page.URL()
	h.Owns = func(r driver.RequestInfo) bool { return !page.session.ownedByOther(r.Frame, page) }
	read := page.watch.reads()
	h.Known = func(r driver.RequestInfo) bool { return read(r.URL) }
	if h.Approved != nil {
		h.Cookies = func(ctx context.Context) map[string]string { return page.session.written(ctx, h.Approved.URL) }
	}
	if err := page.session.hold(ctx, h); err != nil {
		return err
	}
	p.attempt.hold, p.attempt.decided = h, 0
	return nil
}

// Under has the action wait for what h, which stands already, decides about what it
// sends, and say what was not let out.
func (p *Proposal) Under(h *Hold) {
	seen, _, _ := h.Seen(0)
	p.attempt.hold, p.attempt.decided = h, len(seen)
}

// Guard has what leaves any page of the session held from now on, until h.End: h.Ask
// decides about each request that is not to read, but for what pages do by themselves.
// Stands, Alone, PageOf, Hide and Page of h are set here. Documents that were there before
// may have ways past it, see [Page.Guarded]. A browser that can't hold requests is an
// error that wraps [errors.ErrUnsupported].
func (s *Session) Guard(ctx context.Context, h *Hold) error {
	of := func(r driver.RequestInfo) *Page { return s.pageOf(r.Frame) }
	h.Stands = true
	h.PageOf = func(r driver.RequestInfo) string {
		if p := of(r); p != nil {
			return p.URL()
		}
		return ""
	}
	h.Alone = func(r driver.RequestInfo) bool {
		for p := of(r); p != nil; p = s.PageByID(p.Opener()) {
			if !p.watch.alone() || !strings.HasPrefix(p.URL(), "http") {
				return false
			}
			if p.Opener() == "" {
				return true
			}
		}
		return false // of a worker, or of a page whose opener is gone
	}
	return s.hold(ctx, h)
}

func (s *Session) hold(ctx context.Context, h *Hold) error {
	browser, ok := driver.BrowserAs[driver.Interceptor](s.browser)
	if !ok {
		return fmt.Errorf("the browser cannot hold requests: %w", errors.ErrUnsupported)
	}
	h.Hide = s.secrets.hide
	if err := s.holds.Add(ctx, browser, h); err != nil {
		return fmt.Errorf("requests cannot be held: %w", err)
	}
	return nil
}

// written are the cookies that scripts can write and that go to an address.
func (s *Session) written(ctx context.Context, address string) map[string]string {
	out := map[string]string{}
	list, err := s.browser.Cookies(ctx, address)
	if err != nil {
		return out // the browser is gone, and nothing leaves it
	}
	for _, c := range list {
		if !c.HTTPOnly {
			out[c.Name] = c.Value
		}
	}
	return out
}
