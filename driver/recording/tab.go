package recording

import (
	"context"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/internal/listen"
)

// A tab is a page that a recording plays.
type tab struct {
	browser *replay
	id      driver.PageID
	opener  driver.PageID

	// What follows is protected by browser.mu.
	cursor    cursor
	frames    []driver.Frame
	gone      bool
	answer    func(driver.Dialog) driver.DialogAnswer
	answerSet bool

	late error // what telling the events behind a question for the frames came to

	last driver.DialogAnswer // what was answered now; only touched while events are told
}

var _ driver.Page = (*tab)(nil)

func (t *tab) ID() driver.PageID     { return t.id }
func (t *tab) Opener() driver.PageID { return t.opener }

// Frames returns what the one who asked at this point was told, and otherwise
// what is known by now. What happened after the question, up to the next one, is
// told before it returns: who waits for it may ask nothing more.
func (t *tab) Frames() []driver.Frame {
	b := t.browser
	b.mu.Lock()
	restore := b.secrets.change()
	it := t.cursor.frames()
	if it != nil {
		t.frames = it.frames
	}
	out := mapTexts(slices.Clone(t.frames), restore.back)
	b.mu.Unlock()
	if it == nil || listen.Delivering() {
		return out // a listener asked: who tells it the event goes on
	}
	if err := b.goOn(context.Background(), t); err != nil {
		b.mu.Lock()
		t.late = err
		b.mu.Unlock()
	}
	return out
}

// navigated brings the list of frames up to date until the recorded one comes;
// the caller holds browser.mu.
func (t *tab) navigated(e driver.Navigated) {
	t.frames = slices.Clone(t.frames)
	if len(t.frames) == 0 {
		t.frames = []driver.Frame{{ID: driver.FrameID(t.id)}}
	}
	for i := range t.frames {
		if t.frames[i].ID == e.Frame {
			t.frames[i].URL, t.frames[i].Doc = e.URL, e.Doc
		}
	}
}

// given makes a call that has an answer.
func given[T any](ctx context.Context, t *tab, op string, node driver.NodeRef, args []arg) (T, error) {
	var none T
	c, err := t.browser.serve(ctx, t, &call{Op: op, Node: node, Args: args})
	if err != nil {
		return none, err
	}
	answer, _ := c.Answer.(T)
	return answer, nil
}

// taken makes a call that has none.
func taken(ctx context.Context, t *tab, op string, node driver.NodeRef, args []arg) error {
	_, err := t.browser.serve(ctx, t, &call{Op: op, Node: node, Args: args})
	return err
}

func (t *tab) Navigate(ctx context.Context, url string, opts *driver.NavigateOptions) (*driver.Response, error) {
	return given[*driver.Response](ctx, t, "navigate", driver.NodeRef{}, append([]arg{text(url)}, travelArgs(opts)...))
}

func (t *tab) Reload(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return given[*driver.Response](ctx, t, "reload", driver.NodeRef{}, travelArgs(opts))
}

func (t *tab) Back(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return given[*driver.Response](ctx, t, "back", driver.NodeRef{}, travelArgs(opts))
}

func (t *tab) Forward(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return given[*driver.Response](ctx, t, "forward", driver.NodeRef{}, travelArgs(opts))
}

func (t *tab) Capture(ctx context.Context) (*driver.Capture, error) {
	c, err := given[*capture](ctx, t, "capture", driver.NodeRef{}, nil)
	if err != nil {
		return nil, err
	}
	return c.capture(), nil
}

func (t *tab) Revision(ctx context.Context) (driver.Revision, error) {
	return given[driver.Revision](ctx, t, "revision", driver.NodeRef{}, nil)
}

func (t *tab) Activity(ctx context.Context) (*driver.Activity, error) {
	r, err := given[rest](ctx, t, "activity", driver.NodeRef{}, nil)
	if err != nil {
		return nil, err
	}
	a := &driver.Activity{Mutated: -1, Transition: r.Transition, Busy: r.Busy, Parsing: r.Parsing && !r.idle, Blank: r.Blank, Idle: r.idle}
	if r.Mutated {
		a.Mutated = 0
	}
	return a, nil
}

func (t *tab) Find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	return given[[]driver.NodeRef](ctx, t, "find", root, findArgs(sel))
}

func (t *tab) Locate(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
	return given[*driver.Location](ctx, t, "locate", node, locateArgs(opts))
}

func (t *tab) HitTest(ctx context.Context, point driver.Point) (driver.NodeRef, error) {
	return given[driver.NodeRef](ctx, t, "hittest", driver.NodeRef{}, []arg{is("%s", at(point))})
}

func (t *tab) Input(ctx context.Context, events ...driver.InputEvent) error {
	return taken(ctx, t, "input", driver.NodeRef{}, inputArgs(events))
}

func (t *tab) Focus(ctx context.Context, at driver.Target) error {
	return taken(ctx, t, "focus", at.At, nil)
}

func (t *tab) SelectText(ctx context.Context, at driver.Target) error {
	return taken(ctx, t, "selecttext", at.At, nil)
}

func (t *tab) SetValue(ctx context.Context, at driver.Target, values ...string) ([]string, error) {
	return given[[]string](ctx, t, "setvalue", at.At, textArgs(values))
}

func (t *tab) SetFiles(ctx context.Context, at driver.Target, paths ...string) error {
	return taken(ctx, t, "setfiles", at.At, fileArgs(paths))
}

func (t *tab) ScrollTo(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error) {
	return given[driver.ScrollState](ctx, t, "scrollto", node, scrollArgs(to))
}

func (t *tab) State(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
	return given[*driver.State](ctx, t, "state", node, nil)
}

func (t *tab) Evaluate(ctx context.Context, expression string, opts *driver.EvaluateOptions) ([]byte, error) {
	result, err := given[string](ctx, t, "evaluate", evaluateNode(opts), evaluateArgs(expression, opts))
	if err != nil {
		return nil, err
	}
	return []byte(result), nil
}

// Screenshot is refused: a recording has no pictures.
func (t *tab) Screenshot(context.Context, *driver.ScreenshotOptions) ([]byte, error) {
	return nil, notKept("screenshot")
}

// Emulate changes nothing: what it led to is in the recording.
func (t *tab) Emulate(context.Context, *driver.Emulation) error { return t.browser.alive("emulate") }

// AddInitScript changes nothing.
func (t *tab) AddInitScript(context.Context, string) error { return t.browser.alive("addinitscript") }

// Activate changes nothing.
func (t *tab) Activate(context.Context) error { return t.browser.alive("activate") }

// OnDialog sets who answers; another answer than the recorded one is an error
// of the call that opened the dialog.
func (t *tab) OnDialog(answer func(driver.Dialog) driver.DialogAnswer) {
	t.browser.mu.Lock()
	defer t.browser.mu.Unlock()
	t.answer, t.answerSet = answer, true
}

// Close closes the page, whether or not it was closed in the recording.
func (t *tab) Close(ctx context.Context) error {
	b := t.browser
	b.mu.Lock()
	gone := t.gone
	b.mu.Unlock()
	if gone {
		return nil
	}
	_, err := b.serve(ctx, t, &call{Op: "close"})
	b.mu.Lock()
	told := t.gone
	b.remove(t)
	b.mu.Unlock()
	if err != nil || !told {
		b.events.Deliver(driver.PageClosed{Page: t.id})
	}
	return nil
}
