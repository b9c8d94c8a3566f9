package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mafredri/cdp/protocol/dom"
	"github.com/mafredri/cdp/protocol/domsnapshot"
	cdppage "github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/performance"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/snapshot"
)

// captureAttempts is how often a page is read whose documents come and go.
const captureAttempts = 4

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
	for range captureAttempts {
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
	r.page.kept.trees.keep(c.Documents)
	return c, s.again, nil
}

// A processLook is one look at what one process renders: commands of one
// session, sent in one write.
type processLook struct {
	session *session
	worlds  []world
	owners  []driver.FrameID // frames of other processes whose owners are here

	// What was sent: of the worlds, of the process, and for the owners.
	ticking, asking []*callRequest
	metrics         *conn.Request[performance.GetMetricsReply]
	capturing       *conn.Request[conn.Wire]
	owning          []*conn.Request[dom.GetFrameOwnerReply]

	ticks    []string // of the worlds
	counts   string   // of the process
	snapshot []byte
	facts    []*factSheet // of the worlds
	hashes   []byte       // the facts as they came
	owner    map[driver.FrameID]driver.NodeID
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

// isGone reports that an error is about a document or a frame that is no more.
func isGone(err error) bool {
	return errors.Is(err, driver.ErrStale) || errors.Is(err, driver.ErrDetached) || errors.Is(err, errMoved)
}

// start sends the commands of the look.
func (l *processLook) start(ctx context.Context) error {
	var list []conn.Command
	for i := range l.worlds {
		list = append(list, l.worlds[i].install()...)
	}
	each := func(c call) (requests []*callRequest) {
		for i := range l.worlds {
			r := c.request(&l.worlds[i])
			requests, list = append(requests, r), append(list, r)
		}
		return requests
	}
	l.ticking = each(call{name: "flush"})
	l.metrics = protocol.PerformanceGetMetrics.With(conn.None{})
	l.capturing = protocol.DOMSnapshotCaptureSnapshot.With(domsnapshot.CaptureSnapshotArgs{ComputedStyles: snapshot.ComputedStyles[:]})
	list = append(list, l.metrics, l.capturing)
	l.asking = each(call{name: "facts", deep: true})
	for _, id := range l.owners {
		r := protocol.DOMGetFrameOwner.With(dom.GetFrameOwnerArgs{FrameID: cdppage.FrameID(id)})
		l.owning, list = append(l.owning, r), append(list, r)
	}
	_, err := l.session.Start(ctx, list...)
	return err
}

// wait takes in the answers. lost says that frames have gone or changed
// meanwhile; their worlds are left out. The main frame's is not: without it
// there is an error.
func (l *processLook) wait(ctx context.Context) (lost bool, err error) {
	capturing := l.capturing
	l.capturing = nil // it holds the snapshot, too
	worlds := l.worlds[:0:0]
	for i := range l.worlds {
		w := &l.worlds[i]
		err := l.take(ctx, w, l.ticking[i], l.asking[i])
		switch {
		case err == nil:
			worlds = append(worlds, *w)
		case isGone(err) && w.Parent != "":
			w.forget()
			lost = true
		default:
			return false, err
		}
	}
	l.worlds = worlds
	counts, err := layoutCounts(ctx, l.metrics)
	if err != nil {
		return false, err
	}
	l.counts = counts
	if l.snapshot, err = capturing.Wait(ctx); err != nil {
		return false, err
	}
	l.owner = make(map[driver.FrameID]driver.NodeID, len(l.owners))
	for i, r := range l.owning {
		reply, err := r.Wait(ctx)
		if errors.As(err, new(*CommandError)) {
			continue // the frame is gone, and will be missed
		}
		if err != nil {
			return false, err
		}
		l.owner[l.owners[i]] = driver.NodeID(reply.BackendNodeID)
	}
	return lost, nil
}

// take takes in what our script in one world reported.
func (l *processLook) take(ctx context.Context, w *world, tick, facts *callRequest) error {
	t, err := evaluationOf(ctx, tick)
	if err != nil {
		return err
	}
	o, err := evaluationOf(ctx, facts)
	if err != nil {
		return err
	}
	release(l.session, o.object)
	f, err := readFacts(o.deep)
	if err != nil {
		return err
	}
	if f.document.Doc != w.Doc {
		return errMoved
	}
	l.ticks = append(l.ticks, string(t.value))
	l.facts = append(l.facts, f)
	l.hashes = append(l.hashes, o.deep.Value...)
	return nil
}

// layoutCounts reads how often a process has computed styles and layout.
func layoutCounts(ctx context.Context, metrics *conn.Request[performance.GetMetricsReply]) (string, error) {
	reply, err := metrics.Wait(ctx)
	if err != nil {
		return "", err
	}
	var counts []string
	for _, m := range reply.Metrics {
		if m.Name == "RecalcStyleCount" || m.Name == "LayoutCount" {
			counts = append(counts, fmt.Sprint(m.Value))
		}
	}
	if len(counts) != 2 {
		return "", fmt.Errorf("the browser does not count layouts: %w", errors.ErrUnsupported)
	}
	return strings.Join(counts, " "), nil
}

// A tuple is a look at all processes.
type tuple struct {
	scripts string // documents, worlds, ticks
	counts  string // what each process counts
}

func tupleOf(looks []*processLook) tuple {
	var b, counts strings.Builder
	for _, l := range looks {
		counts.WriteString(l.counts)
		counts.WriteByte('\n')
		for i := range l.worlds {
			fmt.Fprintf(&b, "%s %s %d ", l.worlds[i].ID, l.worlds[i].Doc, l.worlds[i].id)
		}
		b.WriteString(strings.Join(l.ticks, " "))
		b.WriteByte('\n')
	}
	return tuple{b.String(), counts.String()}
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
	rev, err := r.readRevision(ctx)
	// Where a document went away between two commands, the next look has
	// its successor.
	for i := 1; i < captureAttempts && isGone(err); i++ {
		rev, err = r.readRevision(ctx)
	}
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

func (l *processLook) startTicks(ctx context.Context) error {
	var list []conn.Command
	for i := range l.worlds {
		list = append(list, l.worlds[i].install()...)
	}
	for i := range l.worlds {
		r := call{name: "tick"}.request(&l.worlds[i])
		l.ticking, list = append(l.ticking, r), append(list, r)
	}
	l.metrics = protocol.PerformanceGetMetrics.With(conn.None{})
	_, err := l.session.Start(ctx, append(list, l.metrics)...)
	return err
}

// gone stands for the look at a document that went away meanwhile: it is a
// change, and the next look has its successor.
const gone = "gone"

func (l *processLook) waitTicks(ctx context.Context) error {
	for i, r := range l.ticking {
		o, err := evaluationOf(ctx, r)
		switch {
		case err == nil:
			l.ticks = append(l.ticks, string(o.value))
		case isGone(err) && l.worlds[i].Parent != "":
			l.worlds[i].forget()
			l.ticks = append(l.ticks, gone)
		default:
			return err
		}
	}
	counts, err := layoutCounts(ctx, l.metrics)
	if err != nil {
		return err
	}
	l.counts = counts
	return nil
}

// worldOf returns the index of a frame's world, -1 if it has none.
func (l *processLook) worldOf(id driver.FrameID) int {
	return slices.IndexFunc(l.worlds, func(w world) bool { return w.ID == id })
}

// A revisions gives looks at a page their numbers.
type revisions struct {
	mu      sync.Mutex // protects the following
	last    driver.Revision
	tuple   tuple  // the look that last belongs to
	content uint64 // hash of the capture that last belongs to; 0 if there is none
}

// read returns the number of a look.
func (r *revisions) read(t tuple) driver.Revision {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == 0 || t != r.tuple {
		r.last++
		r.tuple, r.content = t, 0
	}
	return r.last
}

// noticed returns the number of a look whose processes were not asked for their
// counts, 0 if our scripts have noticed nothing: then these decide. The next
// whole look is another one.
func (r *revisions) noticed(scripts string) driver.Revision {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == 0 || scripts == r.tuple.scripts {
		return 0
	}
	r.last++
	r.tuple, r.content = tuple{scripts: scripts}, 0
	return r.last
}

// captured returns the number of a capture with that content. Where the
// look has changed since the last capture and the content has not, the
// number stays: something moved, or changed and changed back.
func (r *revisions) captured(t tuple, content uint64) driver.Revision {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := content != r.content
	if r.content == 0 {
		changed = t != r.tuple
	}
	if r.last == 0 || changed {
		r.last++
	}
	r.tuple, r.content = t, content
	return r.last
}

// Activity implements driver.Reader.
//
// From the first call on, for ten seconds after the last one, every change of
// the page is looked at; before, only that there was one.
func (r *reader) Activity(ctx context.Context) (*driver.Activity, error) {
	for range captureAttempts {
		a, err := r.activity(ctx)
		if !isGone(err) {
			return a, opError("activity", "", err)
		}
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
		var list []conn.Command
		for i := range l.worlds {
			list = append(list, l.worlds[i].install()...)
		}
		for i := range l.worlds {
			r := call{name: "activity", wait: true}.request(&l.worlds[i])
			l.asking, list = append(l.asking, r), append(list, r)
		}
		_, err := l.session.Start(ctx, list...)
		if err != nil && (l == looks[0] || !isGone(err)) {
			return nil, err
		}
		if err != nil {
			l.asking, lost = nil, true
		}
	}
	a := &driver.Activity{Mutated: -1, Timers: driver.TimersNever, Channels: r.mayHear()}
	if lost || a.Channels {
		a.Timers = driver.TimersUnknown
	}
	for _, l := range looks {
		for i, c := range l.asking {
			if err := addActivity(ctx, a, c, l.worlds[i].Parent == ""); err != nil {
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

// mayHear reports that the page's scripts may be called by what no number tells
// of: a WebSocket's messages, a worker's.
func (r *reader) mayHear() bool {
	r.page.browser.mu.Lock()
	defer r.page.browser.mu.Unlock()
	return r.page.sockets || len(r.page.workers) > 0 || len(r.page.browser.workers) > 0
}

// addActivity takes in what one frame tells.
func addActivity(ctx context.Context, a *driver.Activity, r *callRequest, main bool) error {
	o, err := evaluationOf(ctx, r)
	if err != nil {
		return err
	}
	return readActivity(a, o.value, main)
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
