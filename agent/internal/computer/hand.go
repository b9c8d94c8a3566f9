package computer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/owned"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// longestWait bounds waits and held keys, in seconds.
const longestWait = 30

// A Hand does actions on the pages of a session. One goroutine at a time uses it.
type Hand struct {
	// Page is where actions go that name no tab. Actions change it.
	Page *engine.Page
	// Own are the tabs that it goes to by itself, where another one is gone. Actions
	// may name others. nil are those of the session when it begins.
	Own *owned.Pages

	// Options are those of every act; nil is none.
	Options func() *engine.ActOptions
	// May is asked before a navigation; nil allows all that the session's policy does.
	May func(ctx context.Context, address string) error
	// Before, if not nil, is called with the target of an act right before it.
	Before func(engine.Target)

	// Longest bounds the longer side of pictures, in pixels; 0 is no bound.
	Longest int

	// Fallback is a reading whose refs are known although this hand has shown none
	// of them: another process did. nil is none.
	Fallback *engine.Snapshot

	newest  *engine.Snapshot // the newest reading of all
	reading *engine.Snapshot // when the newest picture was taken; nil before
	scale   float64          // of that picture
	size    [2]int

	pointer *Place   // where the pointer was moved to
	pressed *Place   // where the button went down; nil if it is up
	held    []string // keys that are down

	shown map[accessibility.Ref]*engine.Snapshot // the reading in which each ref was shown last
	tabs  tabNames
}

// An Outcome is what an action came to. It may be there with an error.
type Outcome struct {
	// Text says it in words; what is of the page in it is not to be trusted.
	Text    string
	Picture []byte // PNG; nil is none

	// Result is that of an act.
	Result *engine.ActResult
	// Traveled is set by a navigation.
	Traveled *engine.NavigationSeen
	// Opened and Switched say that another tab was opened, or is the active one.
	Opened, Switched bool
}

// Newest is the newest reading that an action has made since the last call; nil if
// there is none.
func (h *Hand) Newest() *engine.Snapshot {
	snap := h.newest
	h.newest = nil
	return snap
}

// Do does an action.
func (h *Hand) Do(ctx context.Context, a Action) (*Outcome, error) {
	if err := h.goTo(ctx, a.Tab, a.Kind); err != nil {
		return nil, err
	}
	if h.Page == nil && a.Kind != NewTab && a.Kind != ListTabs {
		return nil, fmt.Errorf("%w: all tabs are closed; open one", engine.ErrClosed)
	}
	f, ok := hands[a.Kind]
	if !ok {
		return nil, fmt.Errorf("%w: there is no action %q", engine.ErrInvalid, a.Kind)
	}
	return f(h, ctx, a)
}

// hands are the actions by their kind. They are set in init: some do others.
var hands map[Kind]func(*Hand, context.Context, Action) (*Outcome, error)

func init() {
	hands = map[Kind]func(*Hand, context.Context, Action) (*Outcome, error){
		Click: (*Hand).click, Move: (*Hand).move, Down: (*Hand).down, Up: (*Hand).up, Drag: (*Hand).drag,
		Scroll: (*Hand).scroll, ScrollTo: (*Hand).scrollTo,
		Type: (*Hand).typeText, Fill: (*Hand).fill, Key: (*Hand).key, Hold: (*Hand).hold, KeyDown: (*Hand).keyDown, KeyUp: (*Hand).keyUp,
		Wait: (*Hand).wait, Cursor: (*Hand).cursor,
		Screenshot: (*Hand).screenshot, Home: (*Hand).screenshot,
		Zoom:     func(h *Hand, ctx context.Context, a Action) (*Outcome, error) { return h.zoom(ctx, a.Region) },
		Navigate: (*Hand).navigate, Back: (*Hand).back, Forward: (*Hand).forward, Reload: (*Hand).reload,
		ListTabs: (*Hand).listTabs, NewTab: (*Hand).newTab, SwitchTab: (*Hand).switchTab, CloseTab: (*Hand).closeTab,
		Find: (*Hand).find, ReadPage: (*Hand).readPage, PageText: (*Hand).pageText,
		FormInput: (*Hand).formInput, Upload: (*Hand).upload,
	}
}

// act does a command to a target.
func (h *Hand) act(ctx context.Context, target engine.Target, cmd engine.Command) (*Outcome, error) {
	if h.Before != nil {
		h.Before(target)
	}
	var opts *engine.ActOptions
	if h.Options != nil {
		opts = h.Options()
	}
	res, err := h.Page.DoTo(ctx, target, cmd, opts)
	if res == nil {
		return nil, err
	}
	if p := h.Own.Opened(&res.Evidence); p != nil {
		h.Page = p
	}
	return &Outcome{Text: res.Message, Result: res}, err
}

// target is the element or the point of a place.
func (h *Hand) target(p *Place) (engine.Target, error) {
	if p == nil {
		p = h.pointer
	}
	switch {
	case p == nil:
		return engine.Target{}, fmt.Errorf("%w: the pointer is nowhere yet; say where", engine.ErrInvalid)
	case p.Ref != "":
		return h.named(p.Ref)
	case h.reading == nil:
		return engine.Target{}, fmt.Errorf("%w: there is no picture of this tab yet; take one, or name elements by ref", engine.ErrInvalid)
	}
	x, y := h.point(p.X, p.Y)
	return engine.Target{Snapshot: h.reading, At: &engine.Offset{X: x, Y: y}}, nil
}

// at does a command at a place, and leaves the pointer there.
func (h *Hand) at(ctx context.Context, p *Place, cmd engine.Command) (*Outcome, error) {
	target, err := h.target(p)
	if err != nil {
		return nil, err
	}
	if p != nil && p.Ref == "" {
		h.pointer = p
	}
	return h.act(ctx, target, cmd)
}

var clicks = map[int]engine.Method{1: engine.Click, 2: engine.DoubleClick, 3: engine.TripleClick}

func (h *Hand) click(ctx context.Context, a Action) (*Outcome, error) {
	method, ok := clicks[max(a.Count, 1)]
	if !ok {
		return nil, fmt.Errorf("%w: %d clicks", engine.ErrInvalid, a.Count)
	}
	return h.at(ctx, a.At, engine.Command{Method: method, Arguments: h.gesture(a.Button, a.Modifiers)})
}

// gesture writes a button and held keys as arguments of a method have them.
func (h *Hand) gesture(button, modifiers string) []string {
	var out []string
	if button != "" && button != "left" {
		out = append(out, button)
	}
	held := append([]string(nil), h.held...)
	if modifiers != "" {
		held = append(held, Chord(modifiers))
	}
	if len(held) > 0 {
		out = append(out, strings.Join(held, "+"))
	}
	return out
}

func (h *Hand) move(ctx context.Context, a Action) (*Outcome, error) {
	if h.pressed != nil { // a drag is under way
		h.pointer = a.At
		return &Outcome{Text: "the pointer moves, with the button held"}, nil
	}
	return h.at(ctx, a.At, engine.Command{Method: engine.Hover})
}

// down presses the button. The press is sent with the release, as one gesture
// whose elements can be checked.
func (h *Hand) down(_ context.Context, a Action) (*Outcome, error) {
	at := cmp.Or(a.At, h.pointer)
	if at == nil {
		return nil, fmt.Errorf("%w: the pointer is nowhere yet; move it first", engine.ErrInvalid)
	}
	h.pressed, h.pointer = at, at
	return &Outcome{Text: "the button is held; the press is sent to the page when it is let go"}, nil
}

func (h *Hand) up(ctx context.Context, a Action) (*Outcome, error) {
	from, to := h.pressed, cmp.Or(a.At, h.pointer)
	if from == nil {
		return nil, fmt.Errorf("%w: the button is not held", engine.ErrInvalid)
	}
	h.pressed = nil
	if *from == *to {
		return h.click(ctx, Action{At: from})
	}
	return h.drag(ctx, Action{At: from, Path: []Place{*to}})
}

func (h *Hand) drag(ctx context.Context, a Action) (*Outcome, error) {
	if len(a.Path) == 0 {
		return nil, fmt.Errorf("%w: a drag needs a point where it ends", engine.ErrInvalid)
	}
	if held := h.gesture("", a.Modifiers); len(held) > 0 {
		return nil, fmt.Errorf("%w: a drag with %s held cannot be done here", engine.ErrInvalid, held[0])
	}
	end := a.Path[len(a.Path)-1]
	drop, err := h.target(&end)
	if err != nil {
		return nil, err
	}
	out, err := h.at(ctx, a.At, engine.Command{Method: engine.DragAndDrop, Drop: &drop})
	if end.Ref == "" {
		h.pointer = &end
	}
	if out != nil && err == nil && bends(a.At, a.Path) {
		out.Text += "; it was dragged straight from its first point to its last: the points between are left out"
	}
	return out, err
}

// bends reports whether a path leaves the line between its ends by more than a
// few pixels.
func bends(from *Place, path []Place) bool {
	if from == nil || len(path) < 2 {
		return false
	}
	end := path[len(path)-1]
	dx, dy := end.X-from.X, end.Y-from.Y
	for _, p := range path[:len(path)-1] {
		off := (p.X-from.X)*dy - (p.Y-from.Y)*dx
		if off*off > 100*(dx*dx+dy*dy) {
			return true
		}
	}
	return false
}

func (h *Hand) scroll(ctx context.Context, a Action) (*Outcome, error) {
	at := a.At
	if at == nil && h.pointer == nil {
		w, ht := h.Size()
		at = At(float64(w)/2, float64(ht)/2)
	}
	args := []string{number(a.DX), number(a.DY)}
	if held := h.gesture("", a.Modifiers); len(held) > 0 {
		args = append(args, held...)
	}
	return h.at(ctx, at, engine.Command{Method: engine.Wheel, Arguments: args})
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func (h *Hand) scrollTo(ctx context.Context, a Action) (*Outcome, error) {
	return h.at(ctx, a.At, engine.Command{Method: engine.ScrollIntoView})
}

// typeText types where the focus is, or at a place.
func (h *Hand) typeText(ctx context.Context, a Action) (*Outcome, error) {
	cmd := engine.Command{Method: engine.Type, Arguments: []string{a.Text}}
	if a.At != nil {
		return h.at(ctx, a.At, cmd)
	}
	out, err := h.act(ctx, engine.Target{Focused: true}, cmd)
	if errors.Is(err, engine.ErrNotFound) {
		err = fmt.Errorf("%w: click a field first", err)
	}
	return out, err
}

func (h *Hand) fill(ctx context.Context, a Action) (*Outcome, error) {
	return h.at(ctx, a.At, engine.Command{Method: engine.Fill, Arguments: []string{a.Text}})
}

func (h *Hand) key(ctx context.Context, a Action) (out *Outcome, err error) {
	for range max(a.Repeat, 1) {
		for _, chord := range a.Keys {
			if out, err = h.press(ctx, chord); err != nil || out.surprising() {
				return out, err
			}
		}
	}
	return out, err
}

// press presses one chord, with what is held.
func (h *Hand) press(ctx context.Context, chord string) (*Outcome, error) {
	chord = strings.Join(append(append([]string(nil), h.held...), Chord(chord)), "+")
	cmd := engine.Command{Method: engine.Press, Arguments: []string{chord}}
	out, err := h.act(ctx, engine.Target{Focused: true}, cmd)
	if errors.Is(err, engine.ErrNotFound) {
		return h.act(ctx, engine.Target{Selector: "body"}, cmd)
	}
	return out, err
}

// surprising reports that what was to follow is for another page.
func (o *Outcome) surprising() bool {
	if o == nil || o.Result == nil {
		return false
	}
	e := &o.Result.Evidence
	return e.Navigation != nil && !e.Navigation.SameDocument || len(e.NewPages) > 0 || len(e.Dialogs) > 0
}

// repeatsPerSecond is how often a held key is pressed: what a page sees of one is
// its repetition.
const repeatsPerSecond = 10

// hold holds keys, as a page sees it: they repeat.
func (h *Hand) hold(ctx context.Context, a Action) (*Outcome, error) {
	a.Repeat = max(1, int(min(a.Seconds, longestWait)*repeatsPerSecond))
	return h.key(ctx, a)
}

// keyDown holds a key for what follows. One that is no modifier is pressed when
// it is let go.
func (h *Hand) keyDown(_ context.Context, a Action) (*Outcome, error) {
	for _, key := range a.Keys {
		if key = Chord(key); modifier(key) {
			h.held = append(h.held, key)
		}
	}
	return &Outcome{Text: "held until it is let go"}, nil
}

func (h *Hand) keyUp(ctx context.Context, a Action) (out *Outcome, err error) {
	out = &Outcome{Text: "let go"}
	for _, key := range a.Keys {
		key = Chord(key)
		if !modifier(key) {
			if out, err = h.press(ctx, key); err != nil {
				return out, err
			}
			continue
		}
		for i := range h.held {
			if h.held[i] == key {
				h.held = append(h.held[:i:i], h.held[i+1:]...)
				break
			}
		}
	}
	return out, nil
}

func (h *Hand) wait(ctx context.Context, a Action) (*Outcome, error) {
	timer := time.NewTimer(time.Duration(min(max(a.Seconds, 0), longestWait) * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return &Outcome{Text: "waited"}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (h *Hand) cursor(context.Context, Action) (*Outcome, error) {
	if h.pointer == nil {
		return &Outcome{Text: "the pointer was not moved yet"}, nil
	}
	return &Outcome{Text: fmt.Sprintf("X=%.0f,Y=%.0f", h.pointer.X, h.pointer.Y)}, nil
}

func (h *Hand) screenshot(ctx context.Context, _ Action) (*Outcome, error) {
	p, err := h.Look(ctx, nil)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Text: "a picture of the viewport", Picture: p.PNG}
	if p.Blind {
		out.Text = "this browser paints nothing, and the picture is empty"
	}
	return out, nil
}
