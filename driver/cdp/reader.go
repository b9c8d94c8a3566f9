package cdp

import (
	"context"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// readAttempts is how often a page is read whose documents come and go.
const readAttempts = 4

// retried reads a page until no document or frame that it is about goes away meanwhile:
// the next reading has the successor.
func retried[T any](read func() (T, error)) (v T, err error) {
	for range readAttempts {
		if v, err = read(); !isGone(err) {
			break
		}
	}
	return v, err
}

// A reader reads what a page is.
type reader struct {
	page     *page
	revision revisions
}

// Capture implements driver.Reader.
//
// Shadow trees are watched for changes from the first capture that shows them,
// which reads the page twice for that. A page that changes while it is read is
// not read again: each part is true, and the revision is that of the beginning,
// so that the change is noticed by the next one.
func (r *reader) Capture(ctx context.Context) (*driver.Capture, error) {
	var c *driver.Capture
	var err error
	for range readAttempts {
		var again bool
		c, again, err = r.captureOnce(ctx)
		if err == nil && !again || err != nil && !isGone(err) {
			break
		}
	}
	if err != nil {
		return nil, opError("capture", "", err)
	}
	return c, nil
}

// captureOnce reads the page. again says that it should be read once more.
func (r *reader) captureOnce(ctx context.Context) (c *driver.Capture, again bool, err error) {
	looks, err := r.allWorlds(ctx)
	if err != nil {
		return nil, false, err
	}
	s := &stitcher{page: r.page, capture: &driver.Capture{}, owners: map[driver.FrameID]driver.NodeID{}}
	s.hash.SetSeed(contentSeed)
	start := func(l *processLook) error { return l.start(ctx) }
	wait := func(l *processLook) error {
		lost, err := l.wait(ctx)
		s.again = s.again || lost
		if err == nil {
			err = s.add(ctx, l)
		}
		return err
	}
	if err := atAll(looks, start, wait, func(*processLook) { s.again = true }); err != nil {
		return nil, false, err
	}
	if err := s.stitch(); err != nil {
		looks[0].forget()
		return nil, false, err
	}
	c = s.capture
	c.Revision = r.revision.captured(tupleOf(looks), s.hash.Sum64())
	r.page.trees.keep(c.Documents)
	return c, s.again, nil
}

// atAll starts a look at each process and then waits for each, so that they look at the
// same time. A process that goes away with its frame is lost. One that fails otherwise
// ends this, and its worlds are made anew.
func atAll(looks []*processLook, start, wait func(*processLook) error, lost func(*processLook)) error {
	errs := make([]error, len(looks))
	for i, l := range looks {
		errs[i] = start(l)
	}
	for i, l := range looks {
		err := errs[i]
		if err == nil {
			err = wait(l)
		}
		switch {
		case i > 0 && isGone(err):
			lost(l)
		case err != nil:
			l.forget()
			return err
		}
	}
	return nil
}

// allWorlds returns our worlds in all frames, by process, that of the main
// frame first. A frame that goes away meanwhile is left out.
func (r *reader) allWorlds(ctx context.Context) ([]*processLook, error) {
	frames, err := r.page.frameStates()
	if err != nil {
		return nil, err
	}
	var looks []*processLook
	of := func(s *session) *processLook {
		i := slices.IndexFunc(looks, func(l *processLook) bool { return l.session == s })
		if i < 0 {
			looks = append(looks, &processLook{session: s})
			i = len(looks) - 1
		}
		return looks[i]
	}
	sessions := make(map[driver.FrameID]*session, len(frames))
	for i, f := range frames {
		w, err := r.page.isolated(ctx, f.ID)
		if err != nil {
			if i > 0 && isGone(err) {
				continue
			}
			return nil, err
		}
		sessions[f.ID] = w.session
		l := of(w.session)
		l.worlds = append(l.worlds, w)
		if parent := sessions[f.Parent]; i > 0 && parent != nil && parent != w.session {
			up := of(parent)
			up.owners = append(up.owners, f.ID)
		}
	}
	return looks, nil
}

// Revision implements driver.Reader.
//
// It reads, of every frame, which document it shows, whether our script there
// has noticed a change since it was last asked, and where it is scrolled to;
// and of every process how often styles and layout were computed. Equal
// looks have equal numbers.
//
// It does not notice, until something else changes with it: indeterminate,
// a custom validity message, what ElementInternals says, a new listener;
// changes that no style depends on in a shadow tree that no capture has shown
// yet; and what a script has just done to the value or the state of a control,
// to the rules of a style sheet, or by an animation, until the browser has drawn
// the next frame.
func (r *reader) Revision(ctx context.Context) (driver.Revision, error) {
	rev, err := retried(func() (driver.Revision, error) { return r.readRevision(ctx) })
	return rev, opError("revision", "", err)
}

func (r *reader) readRevision(ctx context.Context) (driver.Revision, error) {
	looks, err := r.allWorlds(ctx)
	if err != nil {
		return 0, err
	}
	start := func(l *processLook) error { return l.startTicks(ctx) }
	wait := func(l *processLook) error { return l.waitTicks(ctx) }
	lost := func(l *processLook) { l.ticks = append(l.ticks, gone) }
	if err := atAll(looks, start, wait, lost); err != nil {
		return 0, err
	}
	return r.revision.read(tupleOf(looks)), nil
}

// Activity implements driver.Reader.
//
// From the first call on, for ten seconds after the last one, every change of
// the page is looked at; before, only that there was one.
func (r *reader) Activity(ctx context.Context) (*driver.Activity, error) {
	a, err := retried(func() (*driver.Activity, error) { return r.activity(ctx) })
	if !isGone(err) {
		return a, opError("activity", "", err)
	}
	// It goes from document to document: it is busy.
	return &driver.Activity{Mutated: 0, Parsing: true}, nil
}

// Yield implements driver.Yielder.
func (r *reader) Yield(ctx context.Context, frame driver.FrameID) error {
	w, err := r.page.isolated(ctx, frame)
	if err == nil {
		_, err = w.ask(ctx, call{name: "rest", wait: true}, nil)
	}
	return opError("yield", string(frame), err)
}

func (r *reader) activity(ctx context.Context) (*driver.Activity, error) {
	looks, err := r.allWorlds(ctx)
	if err != nil {
		return nil, err
	}
	if r.page.prepared.unrested.Swap(false) && !oneFrame(looks) {
		if _, err := looks[0].worlds[0].ask(ctx, call{name: "rest", wait: true}, nil); err != nil {
			return nil, err
		}
	}
	a := r.noActivity()
	start := func(l *processLook) error {
		_, err := l.session.Start(ctx, l.ask(call{name: "activity", wait: true})...)
		return err
	}
	// Events tell of a frame that goes to another document.
	lost := func() { a.Timers = driver.TimersUnknown }
	wait := func(l *processLook) error {
		return l.each(func(i int) error {
			var told toldActivity
			_, err := l.asking[i].answer(ctx, &told)
			if err == nil {
				told.addTo(a, l.worlds[i].Parent == "")
			}
			return err
		}, lost)
	}
	if err := atAll(looks, start, wait, func(*processLook) { lost() }); err != nil {
		return nil, err
	}
	return a, nil
}

// noActivity is that of a page without frames. Its scripts may still be called by what
// no number tells of: a WebSocket's messages, a worker's.
func (r *reader) noActivity() *driver.Activity {
	r.page.browser.mu.Lock()
	defer r.page.browser.mu.Unlock()
	a := &driver.Activity{Mutated: -1, Timers: driver.TimersNever}
	if r.page.sockets || len(r.page.workers) > 0 || len(r.page.browser.workers) > 0 {
		a.Channels, a.Timers = true, driver.TimersUnknown
	}
	return a
}

// A toldActivity is what our script says of one document.
type toldActivity struct {
	Mutated                                 float64 // how long ago, in milliseconds; negative: never
	Transition, Busy, Parsing, Blank, Spent bool
	Timers                                  driver.Timers
	Changes                                 int
}

// addTo takes it in for the page; main says that it is the main document.
func (t *toldActivity) addTo(a *driver.Activity, main bool) {
	if t.Mutated >= 0 {
		if ago := time.Duration(t.Mutated * float64(time.Millisecond)); a.Mutated < 0 || ago < a.Mutated {
			a.Mutated = ago
		}
	}
	a.Timers = min(a.Timers, t.Timers)
	a.Changes += 1 + t.Changes
	a.Transition = a.Transition || t.Transition
	a.Busy = a.Busy || t.Busy
	a.Spent = a.Spent || t.Spent
	a.Parsing = a.Parsing || main && t.Parsing
	a.Blank = a.Blank || main && t.Blank
}
