package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/weburl"
)

// A call is the frame of every page operation that the history records: the
// page's turn, the time limit, the entry, and the wording and redaction of the
// error.
type call struct {
	page  *Page
	name  Operation
	limit limit

	acts  bool // work sends input, and itself awaits the end of a dialog of before
	leads bool // work leads to another document, which may close a dialog that is open

	// work does the operation. id identifies the call.
	work func(ctx context.Context, id string) error
	// finish, if not nil, completes the result. It gets the error that the
	// caller will get, and runs before history and hooks hear of the end.
	finish func(ctx context.Context, err error)
	// fill completes the entry.
	fill func(e *Entry)

	begun bool // input was sent, so an expired limit means "not finished"

	caller  context.Context // not bounded by the limit
	bounded context.Context // by the limit that holds now
}

func (c *call) run(ctx context.Context) error {
	s := c.page.session
	c.caller = ctx
	ctx, end, err := c.page.begin(ctx, c.limit)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	defer end()
	ctx, entry := s.enter(ctx, c.name, c.page)
	c.bounded = ctx
	work := func(ctx context.Context) error { return c.work(ctx, entry.ID) }
	if c.acts || c.leads {
		err = c.page.untilDialog(ctx, work)
	} else {
		err = c.page.withoutDialog(ctx, work)
	}
	if err != nil {
		how := "done"
		if c.begun {
			how = "finished"
		}
		late := c.page.late
		if c.leads { // it says itself where it leads
			late = lateIn
		}
		err = s.secrets.hideError(s.explain(string(c.name), late(c.bounded, how, err)))
	}
	if c.finish != nil {
		c.finish(ctx, err)
	}
	s.journal.ended(ctx, entry, err, c.fill)
	return err
}

// extend gives the call another limit from now on, for work that turns out to be
// long. The context has the values of within, and ends with the caller's, or by a
// dialog, as within does.
func (c *call) extend(within context.Context, l limit) (context.Context, context.CancelFunc) {
	ctx := context.WithoutCancel(within)
	drop := func() {}
	if deadline, ok := c.caller.Deadline(); ok {
		ctx, drop = context.WithDeadline(ctx, deadline)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.caller, func() { cancel(context.Cause(c.caller)) })
	alone := context.AfterFunc(within, func() {
		if cause := context.Cause(within); errors.Is(cause, driver.ErrDialog) {
			cancel(cause)
		}
	})
	ctx, end := l.bound(ctx)
	c.bounded = ctx
	return ctx, func() { end(); alone(); stop(); cancel(nil); drop() }
}

// A limit is how long one call on a page may take; [Options].Timeout documents
// the rule.
type limit time.Duration

const (
	defaultLimit = limit(30 * time.Second)
	// readingLimit is for Observe and Extract, whose models write long answers.
	readingLimit = limit(2 * time.Minute)
)

// expired is the cause of a context that a limit ended. To callers it looks
// like the context's own deadline.
type expired struct{ limit limit }

func (e *expired) Error() string { return context.DeadlineExceeded.Error() }
func (e *expired) Unwrap() error { return context.DeadlineExceeded }

// bound adds the limit to ctx.
func (l limit) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, time.Duration(l), &expired{l})
}

// lateIn adds to an error which of the engine's limits ended the context, if one
// did.
func lateIn(ctx context.Context, how string, err error) error {
	var own *expired
	if err == nil || ctx.Err() == nil || !errors.As(context.Cause(ctx), &own) {
		return err
	}
	return fmt.Errorf("not %s within %v: %w", how, time.Duration(own.limit), err)
}

// late is lateIn for work on the page. Where another document is to take the page's
// place, it says so: the browser may answer nothing until that one has come.
func (p *Page) late(ctx context.Context, how string, err error) error {
	if to := p.watch.leavingFor(); to != "" && errors.Is(err, context.DeadlineExceeded) {
		shown, _ := weburl.WithoutPassword(to)
		err = fmt.Errorf("the page is on its way to %q, which has not answered: %w", abbreviate(p.session.secrets.hide(shown)), err)
	}
	return lateIn(ctx, how, err)
}

// A Page is one tab or window of a session. Its methods take turns: a second
// call waits until the first is done, or its context ends.
type Page struct {
	session *Session
	id      driver.PageID
	driver  driver.Page // set once, under Session.mu, before the page is handed out
	watch   *watch
	turn    chan struct{} // a semaphore of one: the page's turn
	rests   bool          // the pointer, where an act has left it; used in turn

	// The parts that read it, and say which element is meant.

	reader
	finder
	resolver
	identifier
}

// begin waits for the page's turn, which counts towards the limit, and bounds
// ctx. end releases the turn.
func (p *Page) begin(ctx context.Context, l limit) (_ context.Context, end func(), _ error) {
	ctx, cancel := l.bound(ctx)
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		err := lateIn(ctx, "done", fmt.Errorf("waiting for the page's turn: %w", context.Cause(ctx)))
		cancel()
		return nil, nil, err
	}
	p.session.activate(p.id)
	return ctx, func() { cancel(); <-p.turn }, nil
}

// brief is inTurn for a reading, which needs a page without a dialog.
func (p *Page) brief(ctx context.Context, name string, l limit, work func(context.Context) error) error {
	return p.inTurn(ctx, name, l, func(ctx context.Context) error { return p.withoutDialog(ctx, work) })
}

// inTurn is the frame of a call that the history does not record: the page's turn, the
// limit, and the wording and redaction of the error.
func (p *Page) inTurn(ctx context.Context, name string, l limit, work func(context.Context) error) error {
	ctx, end, err := p.begin(ctx, l)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer end()
	if err := work(ctx); err != nil {
		return p.session.secrets.hideError(p.session.explain(name, p.late(ctx, "done", err)))
	}
	return nil
}

// bounded is the frame of a call that takes no turn: the usual limit, and the wording of
// the error.
func bounded[T any](ctx context.Context, p *Page, name string, work func(context.Context) (T, error)) (T, error) {
	ctx, cancel := p.session.opts.limitOf(0, defaultLimit).bound(ctx)
	defer cancel()
	value, err := work(ctx)
	if err != nil {
		var none T
		return none, p.session.explain(name, p.late(ctx, "done", err))
	}
	return value, nil
}

// withoutDialog does work that needs a page without a dialog: where one is open it
// waits for its end first, and in its midst untilDialog bounds it.
func (p *Page) withoutDialog(ctx context.Context, work func(context.Context) error) error {
	if err := p.awaitDialog(ctx); err != nil {
		return err
	}
	return p.untilDialog(ctx, work)
}

// awaitDialog waits until no dialog is open, as long as for a quiet page. One that
// stands longer waits for somebody else, a person or a client that is attached: the
// page answers nothing meanwhile, and the error wraps driver.ErrDialog.
func (p *Page) awaitDialog(ctx context.Context) error {
	err := p.outlastDialog(ctx, time.Time{})
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w; nothing was done", err)
	}
	return err
}

// outlastDialog waits for the end of a dialog that is open. It is an error if that stands,
// counted from begun at the earliest, for as long as a page may take to become quiet.
func (p *Page) outlastDialog(ctx context.Context, begun time.Time) error {
	limit := p.session.settleTimeout()
	for {
		d, since, changed := p.watch.openDialog()
		if d == nil {
			return nil
		}
		if since.Before(begun) {
			since = begun
		}
		left := time.Until(since.Add(limit))
		if left <= 0 {
			return fmt.Errorf("%w: %s %q has had no answer for %v", driver.ErrDialog, d.Kind, d.Message, limit)
		}
		rest(ctx, left, changed)
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", driver.ErrDialog, context.Cause(ctx))
		}
	}
}

// untilDialog does work that gets no answer while a dialog is open: it ends once one
// has stood, within the work, for as long as awaitDialog waits.
func (p *Page) untilDialog(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begun := time.Now()
	go func() {
		for ctx.Err() == nil {
			if err := p.outlastDialog(ctx, begun); err != nil {
				cancel(err)
				return
			}
			d, _, changed := p.watch.openDialog()
			if d != nil {
				continue
			}
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}()
	err := work(ctx)
	if err != nil && endedByDialog(ctx) && !errors.Is(err, driver.ErrDialog) {
		return context.Cause(ctx)
	}
	return err
}

// endedByDialog reports that untilDialog has ended the context.
func endedByDialog(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), driver.ErrDialog)
}

// Input sends what a person does to the page, when it is the page's turn. Where
// it goes is for the sender to say: no element is looked for or held to, nothing
// is waited for, and the history says nothing of it. What the page asks for
// because of it is held to the policy as ever.
func (p *Page) Input(ctx context.Context, events ...driver.InputEvent) error {
	return p.inTurn(ctx, "input", p.session.opts.limitOf(0, defaultLimit), func(ctx context.Context) error {
		p.watch.acted(time.Now(), false)
		return p.driver.Input(ctx, events...)
	})
}

// Title returns the title of the document.
func (p *Page) Title(ctx context.Context) (string, error) {
	look, err := p.Snapshot(ctx, nil)
	if err != nil {
		return "", err
	}
	return look.Capture.Documents[0].Title, nil
}

// Snapshot waits until the page is quiet and reads it. opts may be nil, for the
// whole page without limit. The outline is suitable for a model: it holds no
// values of variables. The nodes and the text are the page's own.
func (p *Page) Snapshot(ctx context.Context, opts *SnapshotOptions) (*Snapshot, error) {
	opts = cmp.Or(opts, &SnapshotOptions{})
	var snap *Snapshot
	err := p.brief(ctx, "snapshot", p.session.opts.limitOf(opts.Timeout, defaultLimit), func(ctx context.Context) (err error) {
		snap, err = p.look(ctx, view{SnapshotOptions: *opts})
		return err
	})
	return snap, err
}

// Screenshot returns an encoded picture of the page. opts may be nil, for the
// viewport as PNG.
func (p *Page) Screenshot(ctx context.Context, opts *driver.ScreenshotOptions) ([]byte, error) {
	return bounded(ctx, p, "screenshot", func(ctx context.Context) ([]byte, error) { return p.driver.Screenshot(ctx, opts) })
}

// PDF prints the page. opts may be nil. Only browsers that paint can: the one in
// memory returns an error that wraps [errors.ErrUnsupported].
func (p *Page) PDF(ctx context.Context, opts *driver.PDFOptions) ([]byte, error) {
	return bounded(ctx, p, "pdf", func(ctx context.Context) ([]byte, error) { return p.driver.PDF(ctx, opts) })
}

// Activate brings the page to the front and makes it the session's active one.
func (p *Page) Activate(ctx context.Context) error {
	if err := p.driver.Activate(ctx); err != nil {
		return p.session.explain("activate page", err)
	}
	p.session.activate(p.id)
	return nil
}

// Close closes the page.
func (p *Page) Close(ctx context.Context) error {
	if err := p.driver.Close(ctx); err != nil {
		return p.session.explain("close page", err)
	}
	return nil
}

// NavigateOptions refine a navigation.
type NavigateOptions struct {
	// WaitUntil is the event that completes the navigation. Empty means load, and at most
	// 10 s for it once the page is shown: one of whose pictures or frames never answers can
	// be used, too.
	WaitUntil driver.WaitUntil
	Referer   string
	Timeout   time.Duration // overrides the session's
}

// Navigate goes to an address. The response is nil if nothing was fetched, as
// for about:blank. A status such as 404 is not an error.
func (p *Page) Navigate(ctx context.Context, address string, opts *NavigateOptions) (*driver.Response, error) {
	err := weburl.Check(address)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrInvalid, err)
	} else {
		err = p.session.guard.checkAddress(address)
	}
	if err != nil {
		return nil, p.session.rejected("navigate", err)
	}
	return p.travel(ctx, OperationNavigate, address, opts, func(ctx context.Context, o *driver.NavigateOptions) (*driver.Response, error) {
		return p.driver.Navigate(ctx, address, o)
	})
}

// Reload loads the page again.
func (p *Page) Reload(ctx context.Context, opts *NavigateOptions) (*driver.Response, error) {
	return p.travel(ctx, OperationReload, "", opts, p.driver.Reload)
}

// Back goes back in the page's history.
func (p *Page) Back(ctx context.Context, opts *NavigateOptions) (*driver.Response, error) {
	return p.travel(ctx, OperationBack, "", opts, p.driver.Back)
}

// Forward goes forward in the page's history.
func (p *Page) Forward(ctx context.Context, opts *NavigateOptions) (*driver.Response, error) {
	return p.travel(ctx, OperationForward, "", opts, p.driver.Forward)
}

func (p *Page) travel(ctx context.Context, name Operation, address string, opts *NavigateOptions,
	move func(context.Context, *driver.NavigateOptions) (*driver.Response, error),
) (*driver.Response, error) {
	opts = cmp.Or(opts, &NavigateOptions{})
	switch opts.WaitUntil {
	case "", driver.WaitLoad, driver.WaitDOMContentLoaded, driver.WaitNetworkIdle, driver.WaitCommit:
	default:
		return nil, p.session.rejected(string(name), fmt.Errorf("%w: waitUntil %q; it is load, domcontentloaded, networkidle or commit", ErrInvalid, opts.WaitUntil))
	}
	s := p.session
	var resp *driver.Response
	c := &call{page: p, name: name, limit: s.opts.limitOf(opts.Timeout, defaultLimit), leads: true}
	c.work = func(ctx context.Context, _ string) (err error) {
		p.watch.acted(time.Now(), false)
		o := &driver.NavigateOptions{WaitUntil: opts.WaitUntil, Referer: opts.Referer}
		if opts.WaitUntil == "" {
			o.AtMost = longestLoad
		}
		resp, err = move(ctx, o)
		if resp != nil {
			shown := *resp
			shown.Headers = maps.Clone(resp.Headers)
			s.secrets.hideTexts(reflect.ValueOf(&shown).Elem())
			resp = &shown
		}
		return s.guard.clarify(err)
	}
	arrived := ""
	c.finish = func(_ context.Context, err error) {
		if err == nil {
			arrived = s.secrets.hide(p.URL())
		}
	}
	c.fill = func(e *Entry) {
		e.Address, e.Arrived, e.Response = s.secrets.hide(address), arrived, resp
	}
	err := c.run(ctx)
	return resp, err
}

// Picture returns a picture of the viewport for a model: a PNG with one pixel
// per CSS pixel, scaled down if a side would exceed longest pixels (0 is no
// limit). scale is the number of picture pixels per CSS pixel: divide a point
// of the picture by it to get a point of the viewport.
func (p *Page) Picture(ctx context.Context, longest int) (png []byte, scale float64, _ error) {
	ctx, end, err := p.begin(ctx, p.session.opts.limitOf(0, defaultLimit))
	if err != nil {
		return nil, 0, fmt.Errorf("picture: %w", err)
	}
	defer end()
	scale = 1
	if _, err := p.capture(ctx); err != nil {
		return nil, 0, p.session.explain("picture", err)
	}
	view := p.last.capture.Viewport
	if side := max(view.Width, view.Height); longest > 0 && side > float64(longest) {
		scale = float64(longest) / side
	}
	png, err = p.driver.Screenshot(ctx, &driver.ScreenshotOptions{Scale: scale})
	if err != nil {
		return nil, 0, p.session.explain("picture", err)
	}
	return png, scale, nil
}

// AnswerDialogs sets the answers to the page's next confirms and prompts, in their
// order, overriding Options.Dialog. Other dialogs are answered as before. A further
// call replaces the answers that were not used yet; without any, it takes them back.
// [ActOptions].Dialogs has those of one act alone.
func (p *Page) AnswerDialogs(answers ...DialogAnswer) {
	if len(answers) == 0 {
		p.driver.OnDialog(p.session.opts.Dialog)
		return
	}
	answers = slices.Clone(answers)
	var used atomic.Int32
	p.driver.OnDialog(func(d driver.Dialog) driver.DialogAnswer {
		if d.Kind == driver.Confirm || d.Kind == driver.Prompt {
			if n := int(used.Add(1)); n <= len(answers) {
				return answers[n-1]
			}
		}
		if usual := p.session.opts.Dialog; usual != nil {
			return usual(d)
		}
		return driver.DialogAnswer{Accept: d.Kind == driver.Alert || d.Kind == driver.BeforeUnload}
	})
}

// ID names the page. It is the id of the page's main frame.
func (p *Page) ID() driver.PageID { return p.id }

// Opener names the page that opened this one, by script or by a link with a
// target, whether it is still open or not; it is empty if there is none.
func (p *Page) Opener() driver.PageID { return p.driver.Opener() }

// Session returns the session that the page belongs to.
func (p *Page) Session() *Session { return p.session }

// Driver returns the driver's page, for what the engine does not cover. Calls
// on it do not take turns with the engine's.
func (p *Page) Driver() driver.Page { return p.driver }

// URL returns the address that the page shows.
func (p *Page) URL() string {
	for _, f := range p.driver.Frames() {
		return f.URL
	}
	return ""
}

func newPage(s *Session, id driver.PageID) *Page {
	p := &Page{session: s, id: id, watch: newWatch(id, &s.inputs), turn: make(chan struct{}, 1)}
	p.reader.page, p.finder.page, p.resolver.page, p.identifier.page = p, p, p, p
	return p
}

// Guarded reports whether nothing leaves the page's document past [Session.Guard]: it
// came after that. One that was there before is to be loaded again.
func (p *Page) Guarded() bool {
	browser, ok := driver.BrowserAs[driver.Interceptor](p.session.browser)
	return ok && browser.Covers(p.id)
}
