package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mafredri/cdp/protocol/dom"
	"github.com/mafredri/cdp/protocol/domsnapshot"
	cdppage "github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/performance"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/snapshot"
)

var (
	errFacts = errors.New("unexpected answer of our script")

	// errMoved: the page has gone on between two parts of one look.
	errMoved = errors.New("the page changed while it was read")
)

// A processLook is one look at what one process renders: commands of one
// session, sent in one write.
type processLook struct {
	session *session
	worlds  []world
	owners  []driver.FrameID // frames of other processes whose owners are here

	// What was sent: of the worlds, of the process, and for the owners.
	ticking, asking []*callRequest
	metrics         *conn.Request[performance.GetMetricsReply]
	capturing       *conn.Request[json.RawMessage]
	owning          []*conn.Request[dom.GetFrameOwnerReply]

	ticks    []string // of the worlds, and what the process counts
	snapshot []byte
	facts    []*factSheet // of the worlds
	hashes   []byte       // the facts as they came
	owner    map[driver.FrameID]driver.NodeID
}

// frameStates returns the frames in document order.
func (p *page) frameStates() ([]frameState, error) {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	if p.gone != nil {
		return nil, p.gone
	}
	var list []frameState
	var walk func(f *frame)
	walk = func(f *frame) {
		list = append(list, frameState{f.describe(), f.session})
		for _, c := range f.children {
			walk(c)
		}
	}
	walk(p.main)
	return list, nil
}

// allWorlds returns our worlds in all frames, by process, that of the main
// frame first. A frame that goes away meanwhile is left out.
func (p *page) allWorlds(ctx context.Context) ([]*processLook, error) {
	frames, err := p.frameStates()
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
		w, err := p.isolated(ctx, f.ID)
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
func (l *processLook) start(ctx context.Context, p *page) error {
	var list []conn.Command
	for i := range l.worlds {
		list = append(list, p.install(&l.worlds[i])...)
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
func (l *processLook) wait(ctx context.Context, p *page) (lost bool, err error) {
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
			p.forget(w)
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
	l.ticks = append(l.ticks, counts)
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

func evaluationOf(ctx context.Context, r *callRequest) (*evaluation, error) {
	reply, err := r.Wait(ctx)
	if err != nil {
		return nil, err
	}
	return readEvaluation(&reply)
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

// tuple is a look at all processes as one text: documents, worlds, ticks,
// counts.
func tuple(looks []*processLook) string {
	var b strings.Builder
	for _, l := range looks {
		for i := range l.worlds {
			fmt.Fprintf(&b, "%s %s %d ", l.worlds[i].ID, l.worlds[i].Doc, l.worlds[i].id)
		}
		b.WriteString(strings.Join(l.ticks, " "))
		b.WriteByte('\n')
	}
	return b.String()
}
