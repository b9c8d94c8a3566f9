package computer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/owned"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// longestWait bounds waits and held keys, in seconds.
const longestWait = 30

// A Hand does actions on the pages of a session. One goroutine at a time uses it.
type Hand struct {
	// Page is where actions go that name no tab. Actions change it.
	Page *engine.Page
	// Own are the tabs that it goes to by itself, where another one is gone. Actions
	// may name others of the session.
	Own *owned.Pages

	// Options are those of every act.
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

// hands are the actions by their kind.
var hands = map[Kind]func(*Hand, context.Context, Action) (*Outcome, error){
	Click: (*Hand).click, Move: (*Hand).move, Down: (*Hand).down, Up: (*Hand).up, Drag: (*Hand).drag,
	Scroll: (*Hand).scroll, ScrollTo: placed(func(Action) engine.Command { return engine.Command{Method: engine.ScrollIntoView} }),
	Fill: placed(func(a Action) engine.Command {
		return engine.Command{Method: engine.Fill, Arguments: []string{a.Text}}
	}),
	Upload: placed(func(a Action) engine.Command {
		return engine.Command{Method: engine.SetInputFiles, Arguments: a.Files}
	}),
	Type: (*Hand).typeText, Key: (*Hand).key, Hold: (*Hand).hold, KeyDown: (*Hand).keyDown, KeyUp: (*Hand).keyUp,
	Wait: (*Hand).wait, Cursor: (*Hand).cursor,
	Screenshot: (*Hand).screenshot, Home: (*Hand).screenshot, Zoom: (*Hand).zoom,
	Navigate: (*Hand).navigate,
	Back:     travels("went back to", (*engine.Page).Back), Forward: travels("went forward to", (*engine.Page).Forward),
	Reload:   travels("loaded again:", (*engine.Page).Reload),
	ListTabs: (*Hand).listTabs, NewTab: (*Hand).newTab, SwitchTab: (*Hand).switchTab, CloseTab: (*Hand).closeTab,
	Find: (*Hand).find, ReadPage: reads((*Hand).Read),
	PageText: reads(func(h *Hand, snap *engine.Snapshot, _ Action) (string, error) {
		text, err := h.Page.Session().TextOf(snap, engine.Excerpt{MaxTokens: mostRead / 4})
		return cut(text), err
	}),
	FormInput: (*Hand).formInput,
}

// placed is an action that is one command at a place.
func placed(command func(Action) engine.Command) func(*Hand, context.Context, Action) (*Outcome, error) {
	return func(h *Hand, ctx context.Context, a Action) (*Outcome, error) { return h.at(ctx, a.At, command(a)) }
}

// reads is an action that says something of a new reading of the page.
func reads(say func(*Hand, *engine.Snapshot, Action) (string, error)) func(*Hand, context.Context, Action) (*Outcome, error) {
	return func(h *Hand, ctx context.Context, a Action) (*Outcome, error) {
		snap, err := h.Page.Snapshot(ctx, nil)
		if err != nil {
			return nil, err
		}
		text, err := say(h, snap, a)
		if err != nil {
			return nil, err
		}
		return &Outcome{Text: text}, nil
	}
}

// travels is an action that goes elsewhere without an address.
func travels(words string, move func(*engine.Page, context.Context, *engine.NavigateOptions) (*driver.Response, error)) func(*Hand, context.Context, Action) (*Outcome, error) {
	return func(h *Hand, ctx context.Context, _ Action) (*Outcome, error) {
		return h.travel(words, func() error { _, err := move(h.Page, ctx, nil); return err })
	}
}

// act does a command to a target.
func (h *Hand) act(ctx context.Context, target engine.Target, cmd engine.Command) (*Outcome, error) {
	if h.Before != nil {
		h.Before(target)
	}
	res, err := h.Page.DoTo(ctx, target, cmd, h.Options())
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

// Clicks are the methods by how often they click.
var Clicks = map[int]engine.Method{1: engine.Click, 2: engine.DoubleClick, 3: engine.TripleClick}

func (h *Hand) click(ctx context.Context, a Action) (*Outcome, error) {
	method, ok := Clicks[max(a.Count, 1)]
	if !ok {
		return nil, fmt.Errorf("%w: %d clicks", engine.ErrInvalid, a.Count)
	}
	return h.at(ctx, a.At, engine.Command{Method: method, Arguments: h.gesture(a.Button, a.Modifiers)})
}

// Gesture writes a button and held keys as arguments of a method have them.
func Gesture(button string, held []string) (out []string) {
	if button != "" && button != "left" {
		out = append(out, button)
	}
	if len(held) > 0 {
		out = append(out, strings.Join(held, "+"))
	}
	return out
}

// gesture is that of an action, with the keys that are down.
func (h *Hand) gesture(button, modifiers string) []string {
	held := slices.Clone(h.held)
	if modifiers != "" {
		held = append(held, Chord(modifiers))
	}
	return Gesture(button, held)
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
	args := append(Pixels(a.DX, a.DY), h.gesture("", a.Modifiers)...)
	return h.at(ctx, at, engine.Command{Method: engine.Wheel, Arguments: args})
}

// Pixels writes a distance as arguments of a method have it.
func Pixels(x, y float64) []string {
	return []string{strconv.FormatFloat(x, 'f', -1, 64), strconv.FormatFloat(y, 'f', -1, 64)}
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

func (h *Hand) key(ctx context.Context, a Action) (out *Outcome, err error) {
	for range max(a.Repeat, 1) {
		for _, chord := range a.Keys {
			if out, err = h.press(ctx, chord); err != nil || out.Surprise() != "" {
				return out, err
			}
		}
	}
	return out, err
}

// press presses one chord, with what is held.
func (h *Hand) press(ctx context.Context, chord string) (*Outcome, error) {
	chord = strings.Join(append(slices.Clone(h.held), Chord(chord)), "+")
	cmd := engine.Command{Method: engine.Press, Arguments: []string{chord}}
	out, err := h.act(ctx, engine.Target{Focused: true}, cmd)
	if errors.Is(err, engine.ErrNotFound) {
		return h.act(ctx, engine.Target{Selector: "body"}, cmd)
	}
	return out, err
}

// Surprise says why what was meant for the page before an act is not for the one after
// it; empty if it is.
func (o *Outcome) Surprise() string {
	if o == nil || o.Result == nil {
		return ""
	}
	switch e := &o.Result.Evidence; {
	case e.Navigation != nil && !e.Navigation.SameDocument:
		return "another page is shown now"
	case len(e.NewPages) > 0:
		return "a new tab was opened"
	case len(e.Dialogs) > 0:
		return "a dialog came"
	}
	return ""
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
		if i := slices.Index(h.held, key); i >= 0 {
			h.held = slices.Delete(slices.Clone(h.held), i, i+1)
		}
	}
	return out, nil
}

func (h *Hand) wait(ctx context.Context, a Action) (*Outcome, error) {
	if !pause.For(ctx, time.Duration(min(max(a.Seconds, 0), longestWait)*float64(time.Second))) {
		return nil, context.Cause(ctx)
	}
	return &Outcome{Text: "waited"}, nil
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

func (h *Hand) navigate(ctx context.Context, a Action) (*Outcome, error) {
	address := strings.TrimSpace(a.URL)
	if !strings.Contains(address, ":") {
		address = "https://" + address
	}
	if h.May != nil {
		if err := h.May(ctx, address); err != nil {
			return nil, err
		}
	}
	return h.travel("went to", func() error { _, err := h.Page.Navigate(ctx, address, nil); return err })
}

func (h *Hand) travel(words string, move func() error) (*Outcome, error) {
	hide := h.Page.Session().Hide
	from := hide(h.Page.URL())
	err := move()
	to := hide(h.Page.URL())
	out := &Outcome{Text: words + " " + to}
	if from != to || err == nil {
		out.Traveled = &engine.NavigationSeen{From: from, To: to}
	}
	return out, err
}

// tabNames are what tabs are called: short, and the same for as long as they live.
type tabNames struct {
	pages []*engine.Page
}

func (t *tabNames) of(p *engine.Page) string {
	i := slices.Index(t.pages, p)
	if i < 0 {
		i = len(t.pages)
		t.pages = append(t.pages, p)
	}
	return fmt.Sprintf("tab_%d", i+1)
}

func (t *tabNames) page(name string) (*engine.Page, error) {
	for i, p := range t.pages {
		if fmt.Sprintf("tab_%d", i+1) == name && slices.Contains(p.Session().Pages(), p) {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: there is no tab %q; list them", engine.ErrInvalid, name)
}

// goTo makes the tab that an action names the active one.
func (h *Hand) goTo(ctx context.Context, tab string, kind Kind) error {
	if h.Page != nil {
		h.tabs.of(h.Page)
	}
	for _, p := range h.Own.Session().Pages() {
		h.tabs.of(p)
	}
	h.Page = h.Own.Follow(h.Page)
	if tab == "" || kind == SwitchTab || kind == CloseTab {
		return nil
	}
	p, err := h.tabs.page(tab)
	if err != nil || p == h.Page {
		return err
	}
	if err := p.Activate(ctx); err != nil {
		return err
	}
	h.show(p)
	return nil
}

// show makes a page the one that actions go to. Points of the former one's
// picture mean nothing on it.
func (h *Hand) show(p *engine.Page) {
	h.Page, h.reading, h.pointer, h.pressed = p, nil, nil, nil
	h.Own.Add(p)
}

func (h *Hand) listTabs(ctx context.Context, _ Action) (*Outcome, error) {
	state := h.State(ctx, nil)
	var b strings.Builder
	for _, t := range state.Tabs {
		mark := " "
		if t.Active {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s %s %s\n", mark, t.ID, t.URL, t.Title)
	}
	return &Outcome{Text: b.String()}, nil
}

func (h *Hand) newTab(ctx context.Context, _ Action) (*Outcome, error) {
	p, err := h.Own.Session().NewPage(ctx)
	if err != nil {
		return nil, err
	}
	h.show(p)
	return &Outcome{Text: "opened " + h.tabs.of(p), Opened: true, Switched: true}, nil
}

func (h *Hand) switchTab(ctx context.Context, a Action) (*Outcome, error) {
	p, err := h.tabs.page(a.Tab)
	if err != nil {
		return nil, err
	}
	if err := p.Activate(ctx); err != nil {
		return nil, err
	}
	h.show(p)
	return &Outcome{Text: a.Tab + " is the active tab now", Switched: true}, nil
}

func (h *Hand) closeTab(ctx context.Context, a Action) (*Outcome, error) {
	p, err := h.tabs.page(a.Tab)
	if err != nil {
		return nil, err
	}
	if err := p.Close(ctx); err != nil && !errors.Is(err, engine.ErrClosed) {
		return nil, err
	}
	out := &Outcome{Text: a.Tab + " is closed"}
	if p == h.Page {
		h.show(h.Own.Follow(p))
		out.Switched = true
	}
	return out, nil
}

// State is what the browser shows, and what an outcome has changed of it.
func (h *Hand) State(ctx context.Context, out *Outcome) *llm.BrowserState {
	state := &llm.BrowserState{}
	s := h.Own.Session()
	for _, p := range s.Pages() {
		title, err := p.Title(ctx)
		if err != nil {
			title = "" // the tab is listed in any case
		}
		tab := llm.BrowserTab{ID: h.tabs.of(p), Title: s.Hide(strings.Join(strings.Fields(title), " ")), URL: s.Hide(p.URL()), Active: p == h.Page}
		state.Tabs = append(state.Tabs, tab)
		if tab.Active {
			state.URL = tab.URL
		}
	}
	if out == nil {
		return state
	}
	if out.Opened && h.Page != nil {
		state.Changes = append(state.Changes, llm.BrowserChange{Kind: "tab_opened", ID: h.tabs.of(h.Page)})
	}
	if out.Result != nil {
		state.Changes = append(state.Changes, h.changes(s, &out.Result.Evidence)...)
	}
	return state
}

// changes are what an act has opened and downloaded.
func (h *Hand) changes(s *engine.Session, e *engine.Evidence) []llm.BrowserChange {
	var out []llm.BrowserChange
	for _, seen := range e.NewPages {
		for _, p := range s.Pages() {
			if string(p.ID()) == seen.ID {
				out = append(out, llm.BrowserChange{Kind: "tab_opened", ID: h.tabs.of(p)})
			}
		}
	}
	for _, d := range e.Downloads {
		c := llm.BrowserChange{Kind: "download_started", ID: s.Hide(d.Name), URL: s.Hide(d.URL)}
		switch {
		case d.Canceled:
			c.Kind, c.Error = "download_failed", d.Reason
		case d.Done:
			c.Kind, c.Size = "download_completed", d.Size
		}
		out = append(out, c)
	}
	return out
}

const (
	mostFound = 20     // elements that find tells
	mostRead  = 50_000 // characters of a page that is read
)

// refPrefix stands before our refs: the vendor's models know refs as "ref_7".
const refPrefix = "ref_"

// lineRef is the ref at the beginning of an outline's line.
var lineRef = regexp.MustCompile(`(?m)^(\s*)\[([0-9]+-[0-9]+)\]`)

// remember writes refs as the model is to name them, and keeps in which reading
// each was shown.
func (h *Hand) remember(snap *engine.Snapshot, outline string) string {
	if h.shown == nil {
		h.shown = map[accessibility.Ref]*engine.Snapshot{}
	}
	h.newest = snap
	return lineRef.ReplaceAllStringFunc(outline, func(head string) string {
		m := lineRef.FindStringSubmatch(head)
		h.shown[accessibility.Ref(m[2])] = snap
		return m[1] + "[" + refPrefix + m[2] + "]"
	})
}

func plainRef(ref string) accessibility.Ref {
	return accessibility.Ref(strings.TrimPrefix(strings.Trim(ref, "[] "), refPrefix))
}

// named is the element that a ref names, as it was when the model was shown it.
func (h *Hand) named(ref string) (engine.Target, error) {
	plain := plainRef(ref)
	snap := h.shown[plain]
	if snap == nil && h.Fallback != nil {
		if _, ok := h.Fallback.Lookup(plain); ok {
			snap = h.Fallback
		}
	}
	if snap == nil {
		return engine.Target{}, fmt.Errorf("%w: nothing that was read has the ref %q; read the page, or find the element, and take a ref from there", engine.ErrNotFound, ref)
	}
	return engine.Target{Snapshot: snap, Ref: plain}, nil
}

// Read is a reading as the action ReadPage shows it. Its refs can be named then.
func (h *Hand) Read(snap *engine.Snapshot, a Action) (string, error) {
	s := h.Page.Session()
	part := engine.Excerpt{MaxTokens: mostRead / 4}
	if a.At != nil {
		part.Ref = plainRef(a.At.Ref)
	}
	text, err := s.OutlineOf(snap, part)
	if err != nil {
		return "", err
	}
	if a.Interactive {
		text = onlyInteractive(snap, text)
	}
	return h.remember(snap, cut(shallow(text, a.Depth))), nil
}

// onlyInteractive keeps the lines of what can be acted on.
func onlyInteractive(snap *engine.Snapshot, text string) string {
	keep := map[string]bool{}
	for i := range snap.Nodes {
		if n := &snap.Nodes[i]; n.Interactive {
			keep[string(n.Ref)] = true
		}
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if m := lineRef.FindStringSubmatch(line); m != nil && keep[m[2]] {
			b.WriteString(strings.TrimLeft(line, " "))
		}
	}
	return b.String()
}

// shallow leaves out what lies deeper than so many levels; 0 is 15.
func shallow(text string, depth int) string {
	if depth <= 0 {
		depth = 15
	}
	var b strings.Builder
	left := 0
	for line := range strings.Lines(text) {
		if len(line)-len(strings.TrimLeft(line, " ")) >= 2*depth {
			left++
			continue
		}
		b.WriteString(line)
	}
	if left > 0 {
		fmt.Fprintf(&b, "… %d lines lie deeper\n", left)
	}
	return b.String()
}

// cut ends a text that is too long at a line, and says so.
func cut(text string) string {
	if len(text) <= mostRead {
		return text
	}
	head := strings.ToValidUTF8(text[:mostRead], "")
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i]
	}
	return fmt.Sprintf("%s\n… %d more characters were left out: name a ref, or a smaller depth", head, len(text)-len(head))
}

// find lists the elements whose text has the words of a query. It asks no model.
func (h *Hand) find(ctx context.Context, a Action) (*Outcome, error) {
	if strings.TrimSpace(a.Query) == "" {
		return nil, fmt.Errorf("%w: say what to find", engine.ErrInvalid)
	}
	snap, err := h.Page.Snapshot(ctx, nil)
	if err != nil {
		return nil, err
	}
	s := h.Page.Session()
	var b strings.Builder
	hits := snap.Search(a.Query)
	for _, n := range hits[:min(len(hits), mostFound)] {
		b.WriteString(s.LineOf(snap, n))
		b.WriteByte('\n')
	}
	switch {
	case len(hits) == 0:
		return &Outcome{Text: "nothing was found; read the page"}, nil
	case len(hits) > mostFound:
		fmt.Fprintf(&b, "… %d more\n", len(hits)-mostFound)
	}
	return &Outcome{Text: h.remember(snap, b.String())}, nil
}

func (h *Hand) formInput(ctx context.Context, a Action) (*Outcome, error) {
	target, err := h.target(a.At)
	if err != nil {
		return nil, err
	}
	if target.Ref == "" {
		return nil, fmt.Errorf("%w: name the field by its ref", engine.ErrInvalid)
	}
	node, ok := target.Snapshot.Lookup(target.Ref)
	if !ok {
		return nil, fmt.Errorf("%w: %s is gone", engine.ErrNotFound, a.At.Ref)
	}
	cmd, err := engine.FillCommand(node, a.Value)
	if err != nil {
		return nil, err
	}
	return h.act(ctx, target, cmd)
}

// A Picture is what a model gets to see.
type Picture struct {
	PNG           []byte
	Width, Height int

	// Blind says that the browser paints nothing: the picture is empty.
	Blind bool
}

// Look reads the page and takes a picture of its viewport, one pixel for each CSS
// pixel unless that exceeds Longest. Points are in this picture from then on, and
// what lies at one must be what lay there in this reading. snap is a reading that
// was just made; nil makes one.
func (h *Hand) Look(ctx context.Context, snap *engine.Snapshot) (*Picture, error) {
	if snap == nil {
		var err error
		if snap, err = h.Page.Snapshot(ctx, nil); err != nil {
			return nil, err
		}
	}
	view := snap.Capture.Viewport
	data, scale, err := h.Page.Picture(ctx, h.Longest)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, err
	}
	p := &Picture{PNG: data, Blind: err != nil}
	if p.Blind {
		scale = 1
	}
	p.Width, p.Height = int(math.Round(view.Width*scale)), int(math.Round(view.Height*scale))
	if p.Blind {
		if p.PNG, err = blank(p.Width, p.Height); err != nil {
			return nil, err
		}
	}
	h.newest, h.reading, h.scale, h.size = snap, snap, scale, [2]int{p.Width, p.Height}
	return p, nil
}

// Saw reports whether the newest picture shows the page as a reading has it.
func (h *Hand) Saw(snap *engine.Snapshot) bool {
	return h.reading != nil && h.reading.Capture == snap.Capture
}

// Size is that of the pictures, in pixels; zero before the first.
func (h *Hand) Size() (width, height int) { return h.size[0], h.size[1] }

// blank is an empty picture.
func blank(width, height int) ([]byte, error) {
	img := image.NewPaletted(image.Rect(0, 0, max(width, 1), max(height, 1)), color.Palette{color.White})
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// zoom takes a picture of a part of the viewport, as large as one of the whole.
func (h *Hand) zoom(ctx context.Context, a Action) (*Outcome, error) {
	snap, region := h.reading, a.Region
	if snap == nil {
		if _, err := h.Look(ctx, nil); err != nil {
			return nil, err
		}
		snap = h.reading
	}
	left, top := h.point(region[0], region[1])
	right, bottom := h.point(region[2], region[3])
	view := snap.Capture.Viewport
	left, top, right, bottom = max(left, 0), max(top, 0), min(right, view.Width), min(bottom, view.Height)
	if right-left < 1 || bottom-top < 1 {
		return nil, fmt.Errorf("%w: the region %v holds nothing of the picture; give left, top, right, bottom in its pixels", engine.ErrInvalid, region)
	}
	clip := driver.Rect{X: left, Y: top, Width: right - left, Height: bottom - top}
	if docs := snap.Capture.Documents; len(docs) > 0 {
		clip.X, clip.Y = clip.X+docs[0].ScrollX, clip.Y+docs[0].ScrollY
	}
	scale := min(view.Width/clip.Width, view.Height/clip.Height) * cmp.Or(h.scale, 1)
	data, err := h.Page.Screenshot(ctx, &driver.ScreenshotOptions{Clip: &clip, Scale: scale})
	if errors.Is(err, errors.ErrUnsupported) {
		data, err = blank(int(clip.Width*scale), int(clip.Height*scale))
	}
	if err != nil {
		return nil, err
	}
	return &Outcome{Text: "a closer picture of that part", Picture: data}, nil
}

// point is where a pixel of the picture is in the viewport.
func (h *Hand) point(x, y float64) (float64, float64) {
	scale := cmp.Or(h.scale, 1) // 0 before the first
	return x / scale, y / scale
}
