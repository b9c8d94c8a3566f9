package cdp

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mafredri/cdp/protocol/input"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// An inputState is what is held down on a page, from one call of Input to the next.
type inputState struct {
	mu      sync.Mutex // protects the following
	buttons int        // of the mouse, as a mask
	button  driver.Button
	keys    driver.Modifiers
	drags   sync.Mutex // held while a Drag is under way
}

// masks are the bits that tell a page what buttons are down.
var masks = map[driver.Button]int{driver.Left: 1, driver.Right: 2, driver.Middle: 4}

// A dispatch is a command of an input event, for the session that takes it.
type dispatch struct {
	session *session
	command conn.Command
}

// Input implements driver.Actor.
//
// The events are sent in one write, as far as they are few and go to one
// process, and are then waited for: one by one, each would take a frame.
func (p *page) Input(ctx context.Context, events ...driver.InputEvent) error {
	if len(events) > 0 {
		if target, ok := events[0].(driver.Target); ok {
			return opError("input", nodeName(target.At), p.inputAt(ctx, target, events[1:]))
		}
	}
	return opError("input", "", p.input(ctx, events, nil))
}

// input sends events; f, if not nil, follows what becomes of keys.
func (p *page) input(ctx context.Context, events []driver.InputEvent, f *tracker) error {
	var acts []dispatch
	for _, e := range events {
		if d, ok := e.(driver.Drag); ok {
			if err := p.perform(ctx, acts, f); err != nil {
				return err
			}
			acts = nil
			if err := p.drag(ctx, d); err != nil {
				return err
			}
			continue
		}
		more, err := p.dispatches(ctx, e)
		if err != nil {
			return err
		}
		if f != nil {
			f.observe(more, e)
		}
		acts = append(acts, more...)
	}
	return p.perform(ctx, acts, f)
}

// mostAtOnce bounds what is on its way to a page when a call is given up.
const mostAtOnce = 64

// perform sends acts and waits until the browser has taken them. A dialog ends
// the waiting: what it withholds is answered when it is gone. What would come
// behind it is not sent, which is driver.ErrDialog.
func (p *page) perform(ctx context.Context, acts []dispatch, f *tracker) error {
	most := mostAtOnce
	if f != nil && f.oneByOne {
		most = 2 // a key and its release
	}
	for len(acts) > 0 {
		if f != nil && f.over() {
			return errLeft
		}
		n := 1
		for n < min(len(acts), most) && acts[n].session == acts[0].session {
			n++
		}
		commands := make([]conn.Command, n)
		for i := range commands {
			commands[i] = acts[i].command
		}
		dialog, err := p.noDialog()
		if err != nil {
			return err
		}
		calls, err := acts[0].session.Start(ctx, commands...)
		if err != nil {
			return err
		}
		if f != nil {
			f.begun()
		}
		opened, err := awaitAll(ctx, calls, dialog)
		if opened {
			p.browser.delivered() // DialogOpened, before the call returns
		}
		if err == nil && opened && n < len(acts) {
			err = driver.ErrDialog
		}
		if err != nil || opened {
			return err
		}
		acts = acts[n:]
	}
	return nil
}

// noDialog returns the signal of the next dialog, and an error if one is open.
func (p *page) noDialog() (<-chan struct{}, error) {
	signal := p.dialogSignal()
	select {
	case <-signal:
		p.browser.delivered() // DialogOpened, before the call returns
		return nil, driver.ErrDialog
	default:
		return signal, nil
	}
}

// awaitAll waits for all calls, or for a dialog, which it reports.
func awaitAll(ctx context.Context, calls []*conn.Call, dialog <-chan struct{}) (opened bool, err error) {
	var limit <-chan time.Time
	if _, ok := ctx.Deadline(); !ok {
		t := time.NewTimer(conn.CommandLimit)
		defer t.Stop()
		limit = t.C
	}
	for i, c := range calls {
		select {
		case <-c.Done():
			if _, err := c.Wait(ctx); err != nil {
				return false, err
			}
			continue
		case <-dialog:
			opened = true
		case <-ctx.Done():
			err = fmt.Errorf("%s: %w", c.Method(), ctx.Err())
		case <-limit:
			err = conn.ErrNoAnswer
		}
		for _, rest := range calls[i:] {
			rest.Forget()
		}
		return opened, err
	}
	return false, nil
}

// dispatches returns the commands of one event.
func (p *page) dispatches(ctx context.Context, e driver.InputEvent) ([]dispatch, error) {
	h := &p.kept.input
	switch e := e.(type) {
	case driver.MouseMove:
		return p.mouse(ctx, e.At, h.mouse("mouseMoved", "", 0, e.Modifiers))
	case driver.MouseDown:
		return p.mouse(ctx, e.At, h.mouse("mousePressed", e.Button, e.Clicks, e.Modifiers))
	case driver.MouseUp:
		return p.mouse(ctx, e.At, h.mouse("mouseReleased", e.Button, e.Clicks, e.Modifiers))
	case driver.Wheel:
		args := h.mouse("mouseWheel", "", 0, e.Modifiers)
		args.DeltaX, args.DeltaY = &e.DeltaX, &e.DeltaY
		return p.mouse(ctx, e.At, args)
	case driver.KeyDown:
		return p.keyboard(protocol.InputDispatchKeyEvent.With(h.keyDown(e.Key, e.Modifiers))), nil
	case driver.KeyUp:
		return p.keyboard(protocol.InputDispatchKeyEvent.With(h.keyUp(e.Key, e.Modifiers))), nil
	case driver.InsertText:
		return p.keyboard(protocol.InputInsertText.With(input.InsertTextArgs{Text: e.Text})), nil
	case driver.Tap:
		s, x, y, err := p.toProcess(ctx, e.At)
		return []dispatch{
			{s, protocol.InputDispatchTouchEvent.With(input.DispatchTouchEventArgs{Type: "touchStart", TouchPoints: []input.TouchPoint{{X: x, Y: y}}})},
			{s, protocol.InputDispatchTouchEvent.With(input.DispatchTouchEventArgs{Type: "touchEnd", TouchPoints: []input.TouchPoint{}})},
		}, err
	default:
		return nil, fmt.Errorf("unknown input event %T", e)
	}
}

// keyboard returns a command for whoever has the focus, in whatever process.
func (p *page) keyboard(c conn.Command) []dispatch {
	return []dispatch{{p.session, c}}
}

func (p *page) mouse(ctx context.Context, at driver.Point, args input.DispatchMouseEventArgs) ([]dispatch, error) {
	s, x, y, err := p.toProcess(ctx, at)
	if err != nil {
		return nil, err
	}
	args.X, args.Y = x, y
	return []dispatch{{s, protocol.InputDispatchMouseEvent.With(args)}}, nil
}

// mouse returns what all mouse events tell, and notes what is held.
func (h *inputState) mouse(kind string, b driver.Button, clicks int, m driver.Modifiers) input.DispatchMouseEventArgs {
	h.mu.Lock()
	defer h.mu.Unlock()
	button := b
	if button == "" {
		button = driver.Left
	}
	args := input.DispatchMouseEventArgs{Type: kind, PointerType: new("mouse")}
	switch kind {
	case "mousePressed":
		h.buttons |= masks[button]
		h.button = button
		args.ClickCount = new(max(1, clicks))
	case "mouseReleased":
		h.buttons &^= masks[button]
		h.button = ""
		args.ClickCount = new(max(1, clicks))
	default:
		if button = h.button; button == "" {
			button = "none"
		}
	}
	args.Button, args.Buttons, args.Modifiers = input.MouseButton(button), new(h.buttons), new(int(m|h.keys))
	return args
}

// toProcess returns the session that takes input at a point, and the point in
// its coordinates: those of the outermost frame of the same process.
func (p *page) toProcess(ctx context.Context, at driver.Point) (*session, float64, float64, error) {
	f, err := p.frame(at.Frame)
	if err != nil {
		return nil, 0, 0, err
	}
	if f.Parent == "" || f.OwnProcess {
		return f.session, at.X, at.Y, nil
	}
	w, err := p.isolated(ctx, f.ID)
	if err != nil {
		return nil, 0, 0, err
	}
	xy := [2]float64{at.X, at.Y}
	for w.Parent != "" && !w.OwnProcess {
		parent, err := p.isolated(ctx, w.Parent)
		if err != nil {
			return nil, 0, 0, err
		}
		o, err := p.ownerAt(ctx, &w, &parent, xy, false)
		if err != nil {
			return nil, 0, 0, err
		}
		xy, w = o.at, parent
	}
	return w.session, xy[0], xy[1], nil
}

// A key is one of a US keyboard.
type key struct {
	name    string // UI Events "key"
	code    string // UI Events "code"
	virtual int    // Windows virtual key code, which pages read as keyCode
	text    string // what it writes
	at      int    // location: 1 is the left one of two
}

// named are the keys that write nothing, or not what they are called.
var named = map[string]key{
	"Enter": {code: "Enter", virtual: 13, text: "\r"}, "Tab": {code: "Tab", virtual: 9},
	"Backspace": {code: "Backspace", virtual: 8}, "Delete": {code: "Delete", virtual: 46}, "Insert": {code: "Insert", virtual: 45},
	"Escape": {code: "Escape", virtual: 27}, "CapsLock": {code: "CapsLock", virtual: 20}, "ContextMenu": {code: "ContextMenu", virtual: 93},
	"Home": {code: "Home", virtual: 36}, "End": {code: "End", virtual: 35}, "PageUp": {code: "PageUp", virtual: 33}, "PageDown": {code: "PageDown", virtual: 34},
	"ArrowLeft": {code: "ArrowLeft", virtual: 37}, "ArrowUp": {code: "ArrowUp", virtual: 38},
	"ArrowRight": {code: "ArrowRight", virtual: 39}, "ArrowDown": {code: "ArrowDown", virtual: 40},
	"Shift": {code: "ShiftLeft", virtual: 16, at: 1}, "Control": {code: "ControlLeft", virtual: 17, at: 1},
	"Alt": {code: "AltLeft", virtual: 18, at: 1}, "Meta": {code: "MetaLeft", virtual: 91, at: 1},
	"Pause": {code: "Pause", virtual: 19}, "PrintScreen": {code: "PrintScreen", virtual: 44}, "ScrollLock": {code: "ScrollLock", virtual: 145}, "NumLock": {code: "NumLock", virtual: 144},
	"F1": {code: "F1", virtual: 112}, "F2": {code: "F2", virtual: 113}, "F3": {code: "F3", virtual: 114}, "F4": {code: "F4", virtual: 115},
	"F5": {code: "F5", virtual: 116}, "F6": {code: "F6", virtual: 117}, "F7": {code: "F7", virtual: 118}, "F8": {code: "F8", virtual: 119},
	"F9": {code: "F9", virtual: 120}, "F10": {code: "F10", virtual: 121}, "F11": {code: "F11", virtual: 122}, "F12": {code: "F12", virtual: 123},
}

// aliases are names that people use besides those of UI Events.
var aliases = map[string]string{
	"Esc": "Escape", "Return": "Enter", "Space": " ", "Spacebar": " ", "Del": "Delete", "Ctrl": "Control", "Cmd": "Meta", "Command": "Meta",
	"Option": "Alt", "Left": "ArrowLeft", "Right": "ArrowRight", "Up": "ArrowUp", "Down": "ArrowDown",
}

// punctuation are the keys with signs, each with the sign that Shift gives. A
// sign's character code is no virtual key code: that of "." would be Delete.
var punctuation = []struct {
	plain, shifted rune
	code           string
	virtual        int
}{
	{'`', '~', "Backquote", 192}, {'-', '_', "Minus", 189}, {'=', '+', "Equal", 187}, {'[', '{', "BracketLeft", 219}, {']', '}', "BracketRight", 221},
	{'\\', '|', "Backslash", 220}, {';', ':', "Semicolon", 186}, {'\'', '"', "Quote", 222}, {',', '<', "Comma", 188}, {'.', '>', "Period", 190},
	{'/', '?', "Slash", 191}, {' ', ' ', "Space", 32},
	{'0', ')', "Digit0", 48}, {'1', '!', "Digit1", 49}, {'2', '@', "Digit2", 50}, {'3', '#', "Digit3", 51}, {'4', '$', "Digit4", 52},
	{'5', '%', "Digit5", 53}, {'6', '^', "Digit6", 54}, {'7', '&', "Digit7", 55}, {'8', '*', "Digit8", 56}, {'9', '(', "Digit9", 57},
}

// keyOf finds a key by its name, and what it is and writes with Shift held. A
// name that no key has is taken for a text that some keyboard writes.
func keyOf(name string, shift bool) key {
	if other, ok := aliases[name]; ok {
		name = other
	}
	if k, ok := named[name]; ok {
		k.name = name
		return k
	}
	r, size := utf8.DecodeRuneInString(name)
	if size != len(name) {
		if len(name) > 1 && name[0] < utf8.RuneSelf && isWord(name) {
			return key{name: name}
		}
		return key{name: name, text: name}
	}
	if r < utf8.RuneSelf && unicode.IsLetter(r) {
		if shift {
			r = unicode.ToUpper(r)
		}
		upper := unicode.ToUpper(r)
		return key{name: string(r), code: "Key" + string(upper), virtual: int(upper), text: string(r)}
	}
	for _, p := range punctuation {
		if r == p.plain && shift {
			r = p.shifted
		}
		if r == p.plain || r == p.shifted {
			return key{name: string(r), code: p.code, virtual: p.virtual, text: string(r)}
		}
	}
	return key{name: name, text: name}
}

// isWord reports that a name is one of UI Events, as "AudioVolumeUp", rather
// than a text.
func isWord(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0 &&
		unicode.IsUpper(rune(name[0]))
}

var modifierKeys = map[string]driver.Modifiers{"Alt": driver.Alt, "Control": driver.Control, "Meta": driver.Meta, "Shift": driver.Shift}

func (h *inputState) keyDown(name string, m driver.Modifiers) input.DispatchKeyEventArgs {
	h.mu.Lock()
	defer h.mu.Unlock()
	m |= h.keys
	k := keyOf(name, m&driver.Shift != 0)
	h.keys |= modifierKeys[k.name]
	m |= h.keys
	args := k.args(m)
	args.Type = "rawKeyDown"
	if k.text != "" && m&(driver.Alt|driver.Control|driver.Meta) == 0 {
		args.Type, args.Text, args.UnmodifiedText = "keyDown", &k.text, &k.text
	}
	return args
}

func (h *inputState) keyUp(name string, m driver.Modifiers) input.DispatchKeyEventArgs {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := keyOf(name, (m|h.keys)&driver.Shift != 0)
	h.keys &^= modifierKeys[k.name]
	args := k.args((m | h.keys) &^ modifierKeys[k.name])
	args.Type = "keyUp"
	return args
}

func (k *key) args(m driver.Modifiers) input.DispatchKeyEventArgs {
	return input.DispatchKeyEventArgs{
		Key: &k.name, Code: &k.code, Location: &k.at, Modifiers: new(int(m)),
		WindowsVirtualKeyCode: &k.virtual, NativeVirtualKeyCode: &k.virtual,
	}
}
