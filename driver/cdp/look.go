package cdp

import (
	"context"
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

// start sends the commands of the look.
func (l *processLook) start(ctx context.Context) error {
	list := l.ask(call{name: "flush"})
	l.ticking = l.asking
	l.metrics = protocol.PerformanceGetMetrics.With(conn.None{})
	l.capturing = protocol.DOMSnapshotCaptureSnapshot.With(domsnapshot.CaptureSnapshotArgs{ComputedStyles: snapshot.ComputedStyles[:]})
	list = append(list, l.metrics, l.capturing)
	list = append(list, l.ask(call{name: "facts", deep: true})...)
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
	var worlds []world
	err = l.each(func(i int) error {
		err := l.take(ctx, &l.worlds[i], l.ticking[i], l.asking[i])
		if err == nil {
			worlds = append(worlds, l.worlds[i])
		}
		return err
	}, func() { lost = true })
	if err != nil {
		return false, err
	}
	l.worlds = worlds
	if l.counts, err = layoutCounts(ctx, l.metrics); err != nil {
		return false, err
	}
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
	var t string
	if _, err := tick.answer(ctx, &t); err != nil {
		return err
	}
	f := &factSheet{}
	var err error
	if f.nodes, err = facts.answer(ctx, f); err != nil {
		return err
	}
	if f.nodes.at(f.Document).Doc != w.Doc {
		return errMoved
	}
	l.ticks = append(l.ticks, t)
	l.facts = append(l.facts, f)
	l.hashes = append(l.hashes, facts.deep...)
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

// startTicks asks the worlds whether anything has changed.
func (l *processLook) startTicks(ctx context.Context) error {
	list := l.ask(call{name: "tick"})
	l.metrics = protocol.PerformanceGetMetrics.With(conn.None{})
	_, err := l.session.Start(ctx, append(list, l.metrics)...)
	return err
}

// gone stands for the look at a document that went away meanwhile: it is a
// change, and the next look has its successor.
const gone = "gone"

func (l *processLook) waitTicks(ctx context.Context) error {
	err := l.each(func(i int) error {
		var tick string
		_, err := l.asking[i].answer(ctx, &tick)
		if err == nil {
			l.ticks = append(l.ticks, tick)
		}
		return err
	}, func() { l.ticks = append(l.ticks, gone) })
	if err == nil {
		l.counts, err = layoutCounts(ctx, l.metrics)
	}
	return err
}

// each has what each world has answered taken in. A world that has gone, other than the
// main frame's, is lost, and made anew when it is next asked for.
func (l *processLook) each(take func(i int) error, lost func()) error {
	for i := range l.worlds {
		w := &l.worlds[i]
		err := take(i)
		switch {
		case isGone(err) && w.Parent != "":
			w.forget()
			lost()
		case err != nil:
			return err
		}
	}
	return nil
}

// forget has all worlds made anew.
func (l *processLook) forget() {
	for i := range l.worlds {
		l.worlds[i].forget()
	}
}

// worldOf returns the index of a frame's world, -1 if it has none.
func (l *processLook) worldOf(id driver.FrameID) int {
	return slices.IndexFunc(l.worlds, func(w world) bool { return w.ID == id })
}

// ask returns the commands that make a call in every world. Where first is given, the
// first world is asked that instead.
func (l *processLook) ask(c call, first ...*callRequest) (list []conn.Command) {
	l.asking = first
	for i := range l.worlds {
		w := &l.worlds[i]
		if i == len(l.asking) {
			l.asking = append(l.asking, c.request(w))
		}
		list = append(append(list, w.install()...), l.asking[i])
	}
	return list
}
