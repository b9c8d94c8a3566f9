package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
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

	calls []*conn.Call

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
	skip := len(list)
	each := func(c call) {
		for i := range l.worlds {
			list = append(list, c.command(&l.worlds[i]))
		}
	}
	each(call{name: "flush"})
	list = append(list, conn.Command{Method: "Performance.getMetrics"},
		conn.Command{Method: "DOMSnapshot.captureSnapshot", Params: map[string]any{"computedStyles": snapshot.ComputedStyles}})
	each(call{name: "facts", deep: true})
	for _, id := range l.owners {
		list = append(list, conn.Command{Method: "DOM.getFrameOwner", Params: map[string]any{"frameId": id}})
	}
	calls, err := l.session.Start(ctx, list...)
	if err != nil {
		return err
	}
	l.calls = calls[skip:]
	return nil
}

// wait takes in the answers. lost says that frames have gone or changed
// meanwhile; their worlds are left out. The main frame's is not: without it
// there is an error.
func (l *processLook) wait(ctx context.Context, p *page) (lost bool, err error) {
	calls := l.calls
	l.calls = nil // they hold the snapshot, too
	n := len(l.worlds)
	metrics, snapshot, facts, owners := calls[n], calls[n+1], calls[n+2:2*n+2], calls[2*n+2:]
	worlds := l.worlds[:0:0]
	for i := range l.worlds {
		w := &l.worlds[i]
		err := l.take(ctx, w, calls[i], facts[i])
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
	raw, err := metrics.Wait(ctx)
	if err != nil {
		return false, err
	}
	counts, err := layoutCounts(raw)
	if err != nil {
		return false, err
	}
	l.ticks = append(l.ticks, counts)
	if l.snapshot, err = snapshot.Wait(ctx); err != nil {
		return false, err
	}
	l.owner = make(map[driver.FrameID]driver.NodeID, len(l.owners))
	for i, c := range owners {
		raw, err := c.Wait(ctx)
		if errors.As(err, new(*CommandError)) {
			continue // the frame is gone, and will be missed
		}
		var reply struct{ BackendNodeID driver.NodeID }
		if err == nil {
			err = json.Unmarshal(raw, &reply)
		}
		if err != nil {
			return false, err
		}
		l.owner[l.owners[i]] = reply.BackendNodeID
	}
	return lost, nil
}

// take takes in what our script in one world reported.
func (l *processLook) take(ctx context.Context, w *world, tick, facts *conn.Call) error {
	t, err := evaluationOf(ctx, tick)
	if err != nil {
		return err
	}
	o, err := evaluationOf(ctx, facts)
	if err != nil {
		return err
	}
	release(l.session, o.Result.ObjectID)
	f, err := readFacts(o.Result.DeepSerializedValue)
	if err != nil {
		return err
	}
	if f.document.Doc != w.Doc {
		return errMoved
	}
	l.ticks = append(l.ticks, string(t.Result.Value))
	l.facts = append(l.facts, f)
	l.hashes = append(l.hashes, o.Result.DeepSerializedValue.Value...)
	return nil
}

func evaluationOf(ctx context.Context, c *conn.Call) (*evaluation, error) {
	raw, err := c.Wait(ctx)
	if err != nil {
		return nil, err
	}
	return readEvaluation(raw)
}

// layoutCounts reads how often a process has computed styles and layout.
func layoutCounts(metrics []byte) (string, error) {
	var reply struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	if err := json.Unmarshal(metrics, &reply); err != nil {
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
