package cdp

import (
	"context"
	"encoding/json"
	"fmt"
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
	defer func() {
		if isGone(err) {
			for i := range looks[0].worlds {
				looks[0].worlds[i].forget()
			}
		}
	}()
	s := &stitcher{page: r.page, capture: &driver.Capture{}, owners: map[driver.FrameID]driver.NodeID{}}
	s.hash.SetSeed(contentSeed)
	errs := make([]error, len(looks))
	for i, l := range looks {
		errs[i] = l.start(ctx)
	}
	for i, l := range looks {
		var lost bool
		err := errs[i]
		if err == nil {
			lost, err = l.wait(ctx)
			s.again = s.again || lost
		}
		if err == nil {
			err = s.add(ctx, l)
		}
		if i > 0 && isGone(err) {
			s.again = true // the process went away with its frame
			continue
		}
		if err != nil {
			return nil, false, err
		}
	}
	if err := s.stitch(); err != nil {
		return nil, false, err
	}
	c = s.capture
	c.Revision = r.revision.captured(tupleOf(looks), s.hash.Sum64())
	r.page.trees.keep(c.Documents)
	return c, s.again, nil
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
	errs := make([]error, len(looks))
	for i, l := range looks {
		errs[i] = l.startTicks(ctx)
	}
	for i, l := range looks {
		err := errs[i]
		if err == nil {
			err = l.waitTicks(ctx)
		}
		if i > 0 && isGone(err) {
			l.ticks = append(l.ticks, gone) // the process went away with its frame
			continue
		}
		if err != nil {
			for k := range l.worlds {
				l.worlds[k].forget()
			}
			return 0, err
		}
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
		_, err = w.run(ctx, call{name: "rest", wait: true})
	}
	return opError("yield", string(frame), err)
}

func (r *reader) activity(ctx context.Context) (*driver.Activity, error) {
	looks, err := r.allWorlds(ctx)
	if err != nil {
		return nil, err
	}
	if r.page.prepared.unrested.Swap(false) && !oneFrame(looks) {
		if _, err := looks[0].worlds[0].run(ctx, call{name: "rest", wait: true}); err != nil {
			return nil, err
		}
	}
	lost := false
	for _, l := range looks {
		_, err := l.session.Start(ctx, l.ask(call{name: "activity", wait: true})...)
		if err != nil && (l == looks[0] || !isGone(err)) {
			return nil, err
		}
		if err != nil {
			l.asking, lost = nil, true
		}
	}
	a := r.noActivity()
	if lost {
		a.Timers = driver.TimersUnknown
	}
	for _, l := range looks {
		for i, c := range l.asking {
			o, err := evaluationOf(ctx, c)
			if err == nil {
				err = readActivity(a, o.value, l.worlds[i].Parent == "")
			}
			if err != nil {
				l.worlds[i].forget()
				if !isGone(err) || l.worlds[i].Parent == "" {
					return nil, err
				}
				a.Timers = driver.TimersUnknown
				// The frame goes to another document, which events tell.
			}
		}
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

// readActivity takes in what our script says of one frame.
func readActivity(a *driver.Activity, raw json.RawMessage, main bool) error {
	var ms float64
	var transition, busy, parsing, blank, spent bool
	var timers driver.Timers
	var changes int
	if err := json.Unmarshal(raw, &[]any{&ms, &transition, &busy, &parsing, &blank, &timers, &changes, &spent}); err != nil {
		return fmt.Errorf("activity: unexpected answer: %w", err)
	}
	if ms >= 0 {
		if ago := time.Duration(ms * float64(time.Millisecond)); a.Mutated < 0 || ago < a.Mutated {
			a.Mutated = ago
		}
	}
	a.Timers = min(a.Timers, timers)
	a.Changes += 1 + changes
	a.Transition = a.Transition || transition
	a.Busy = a.Busy || busy
	a.Spent = a.Spent || spent
	a.Parsing = a.Parsing || main && parsing
	a.Blank = a.Blank || main && blank
	return nil
}
