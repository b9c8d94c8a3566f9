package cdp

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

var _ driver.Glancer = (*page)(nil)

// A glancer looks at one element, and sends ahead what the next calls need.
type glancer struct {
	page     *page
	prepared preparation
}

// Disarm implements driver.Glancer.
func (gl *glancer) Disarm() {
	a := &gl.prepared
	a.mu.Lock()
	defer a.mu.Unlock()
	a.after.Store(nil)
	g := a.gate.Swap(nil)
	if g == nil {
		return
	}
	for _, w := range g.worlds {
		calls, err := w.session.Start(context.Background(), call{name: "liftGate"}.request(&w))
		if err == nil { // else it has gone with its session
			a.lifting = append(a.lifting, calls...)
		}
	}
}

// lifted waits until a gate that was not used is gone: Chrome prefers input to what a
// script is called for.
func (gl *glancer) lifted(ctx context.Context) {
	a := &gl.prepared
	a.mu.Lock()
	lifting := a.lifting
	a.lifting = nil
	a.mu.Unlock()
	if len(lifting) == 0 {
		return
	}
	ctx, stop := unless(ctx, gl.page.dialogSignal(), driver.ErrDialog) // then the page takes neither
	defer stop()
	awaitGate(ctx, gl.page.session, lifting)
}

// Described implements driver.Glancer.
func (gl *glancer) Described(ctx context.Context, node driver.NodeRef) (role, name string, err error) {
	defer inOp("describe", nodeName(node), &err)
	w, err := gl.page.isolated(ctx, node.Frame)
	if err != nil {
		return "", "", err
	}
	if node.Doc != w.Doc {
		return "", "", driver.ErrStale
	}
	of, err := axNode(ctx, w.session, node.Node)
	if err != nil {
		return "", "", err
	}
	if of == nil || of.Ignored {
		return "", "", errors.ErrUnsupported
	}
	return of.Role.Value, of.Name.Value, nil
}

// Glance implements driver.Glancer.
func (gl *glancer) Glance(ctx context.Context, at driver.GlanceOptions) (_ *driver.Glance, err error) {
	defer inOp("glance", at.Selector.Text, &err)
	gl.Disarm()
	looks, err := gl.page.allWorlds(ctx)
	if err != nil {
		return nil, err
	}
	w := looks[0].worlds[0]
	args := glanceArguments{XPath: at.Selector.Kind == driver.XPath, Styles: at.Styles, Twins: at.Twins}
	if at.Offset != nil {
		args.Place = []float64{at.Offset.X, at.Offset.Y}
	}
	t := &nodeHandle{world: w}
	if at.Node.IsZero() {
		args.Text, args.Number = &at.Selector.Text, int(gl.page.handles.last.Add(1))
	} else if t, err = gl.page.handleOf(ctx, at.Node); err != nil {
		return nil, err
	} else if t.key() != w.key() {
		t.release()
		return nil, errors.ErrUnsupported // an element of the main document alone
	}
	defer t.release()
	other, armed := call{name: "status"}, false
	if at.For != nil && (at.For.Selected == nil || at.For.Selected.Root.IsZero()) {
		args.Expected, args.Left = expectations(*at.For), timeLeft(ctx).Milliseconds()
		if !oneFrame(looks) {
			other.args = []any{args.Left}
			gl.prepared.gate.Store(&armedGate{worlds: worldsOf(looks)})
		}
		defer func() {
			if !armed {
				gl.Disarm()
			}
		}()
	}
	asked := t.on(call{name: "glance", deep: true, wait: true, args: []any{args}}).request(&w)
	if err := gl.askStatus(ctx, looks, asked, other, true); err != nil {
		return nil, err
	}
	more := &toldStatus{}
	nodes, err := asked.answer(ctx, more)
	if err != nil {
		return nil, err
	}
	t.remember()
	if more.Waited && !oneFrame(looks) {
		// What the main document had put off may have reached the others since they told.
		if err := gl.askStatus(ctx, looks, nil, other, true); err != nil {
			return nil, err
		}
	}
	g, err := gl.takeStatus(ctx, looks, more)
	if err != nil {
		return nil, err
	}
	g.Revision = gl.page.revision.read(tupleOf(looks))
	found := nodes.at(more.Found)
	if found.ID == 0 {
		return g, nil
	}
	g.Node = w.refOf(found)
	if args.Number != 0 {
		gl.page.handles.remember(w.key(), found.ID, args.Number)
	}
	more.Place.hit = nodes.at(more.Place.Hit)
	g.Location, err = gl.page.location(ctx, &w, &more.Place, false)
	if more.Armed {
		aim := *at.For
		aim.At, aim.Label = g.Node, &more.Place.Label
		gl.prepared.gate.Store(&armedGate{worldsOf(looks), aim})
		armed = err == nil
	}
	return g, err
}

// glanceArguments are what our script's glance takes, see script/85-glance.js.
type glanceArguments struct {
	XPath    bool                `json:"xpath"`
	Text     *string             `json:"text"` // of the selector; null: it is the element that is given
	Place    []float64           `json:"place"`
	Number   int                 `json:"number"` // by which what is found is remembered
	Expected map[string]any      `json:"expected"`
	Left     int64               `json:"left"`
	Styles   bool                `json:"styles"`
	Twins    *driver.Description `json:"twins"`
}

// oneFrame reports a page whose one frame all input goes to.
func oneFrame(looks []*processLook) bool { return len(looks) == 1 && len(looks[0].worlds) == 1 }

// GlanceAfter implements driver.Glancer.
func (gl *glancer) GlanceAfter(ctx context.Context, node driver.NodeRef) (_ *driver.Glance, err error) {
	defer inOp("glance", nodeName(node), &err)
	t, err := gl.page.handleOf(ctx, node)
	if err != nil {
		return nil, err
	}
	defer t.release()
	looks, err := gl.page.allWorlds(ctx)
	if err != nil {
		return nil, err
	}
	if t.key() != looks[0].worlds[0].key() {
		return nil, errors.ErrUnsupported // an element of the main document alone
	}
	if asked := gl.prepared.takeAfter(t.ref, looks); asked != nil {
		looks = asked.looks
	} else if err := gl.askStatus(ctx, looks, t.on(call{name: "glanceAfter", wait: true}).request(&t.world), statusAfter(false), false); err != nil {
		return nil, err
	}
	more := &toldStatus{}
	if _, err := looks[0].asking[0].answer(ctx, more); err != nil {
		return nil, err
	}
	if more.Rested && !oneFrame(looks) {
		// They told before the main document's tasks had their turn, and may hear from these.
		if err := gl.askStatus(ctx, looks, nil, statusAfter(true), false); err != nil {
			return nil, err
		}
	}
	g, err := gl.takeStatus(ctx, looks, more)
	if err != nil {
		return nil, err
	}
	gl.prepared.unrested.Store(!g.Rested)
	g.Node, g.Revision = t.ref, gl.page.revision.noticed(tupleOf(looks).scripts)
	return g, nil
}

// statusAfter asks a frame that the element is not in; rests has what it has put off run before.
func statusAfter(rests bool) call {
	return call{name: "statusAfter", wait: true, args: []any{rests}}
}

// askStatus makes a call in the world of the main document and another in all others,
// in one write for each process. Where first is nil, the main document has told and the
// others are asked again. counts asks the processes for theirs, too.
func (gl *glancer) askStatus(ctx context.Context, looks []*processLook, first *callRequest, other call, counts bool) error {
	for i, l := range looks {
		var list []conn.Command
		switch {
		case i > 0:
			list = l.ask(other)
		case first != nil:
			list = l.ask(other, first)
		default:
			list = l.ask(other, l.asking[0])[1:]
		}
		if counts {
			l.metrics = protocol.PerformanceGetMetrics.With(conn.None{})
			list = append(list, l.metrics)
		}
		if len(list) == 0 {
			continue
		}
		if _, err := l.session.Start(ctx, list...); err != nil {
			return err
		}
	}
	return nil
}

// A toldStatus is what our script tells of a document, and of an element in it.
type toldStatus struct {
	driver.Glance
	Tick     string
	Activity toldActivity
	Found    int // the element's place among the nodes of the answer
	Place    position
	Armed    bool // the gate is set, and holds the element to its label
	Waited   bool // for what was put off before
}

// takeStatus takes in what all frames tell; main is what the main document told.
func (gl *glancer) takeStatus(ctx context.Context, looks []*processLook, main *toldStatus) (*driver.Glance, error) {
	g := &main.Glance
	g.Activity = gl.page.noActivity()
	if g.State != nil && hasInternals(g.State) {
		g.State = nil
	}
	for i, l := range looks {
		for k, r := range l.asking {
			told := main
			if i > 0 || k > 0 {
				told = &toldStatus{}
				if _, err := r.answer(ctx, told); err != nil {
					return nil, err
				}
			}
			told.Activity.addTo(g.Activity, told == main)
			l.ticks = append(l.ticks, told.Tick)
		}
		if l.metrics != nil {
			var err error
			if l.counts, err = layoutCounts(ctx, l.metrics); err != nil {
				return nil, err
			}
		}
	}
	return g, nil
}

// callThen makes a call in a world, and decodes its result into v. Behind it, it asks what
// GlanceAfter will ask about a node, in all frames; nothing where at is nil or an element
// of another frame than the main one. It forgets what was asked before.
func (gl *glancer) callThen(ctx context.Context, w *world, c call, at *nodeHandle, v any) error {
	gl.prepared.after.Store(nil)
	r := c.request(w)
	list := append(w.install(), r)
	var looks []*processLook // nil: nothing is asked
	if at != nil && at.Parent == "" && at.object == "" && at.number != 0 {
		if all, err := gl.page.allWorlds(ctx); err == nil && all[0].worlds[0].key() == at.key() {
			looks = all
			list = append(list, looks[0].ask(statusAfter(false), at.on(call{name: "glanceAfter", wait: true}).request(&at.world))...)
		}
	}
	if _, err := w.session.Start(ctx, list...); err != nil {
		return err
	}
	asked := looks != nil
	for i := 1; asked && i < len(looks); i++ {
		_, err := looks[i].session.Start(ctx, looks[i].ask(statusAfter(false))...)
		asked = err == nil // else GlanceAfter asks again
	}
	if asked {
		gl.prepared.after.Store(&askedAfter{at.ref, looks})
	}
	_, err := r.answer(ctx, v)
	return err
}

// A preparation is what was sent ahead of the calls that it is for: the gate of
// the next input, and the question what has come of the last.
type preparation struct {
	gate  atomic.Pointer[armedGate]
	after atomic.Pointer[askedAfter]

	mu      sync.Mutex   // protects lifting, and is held until what lifts a gate is in it
	lifting []*conn.Call // of a gate that was not used

	// unrested: the last answer did not wait for what the page put off. The main
	// document's script waits for that before it says more; other frames are asked after it.
	unrested atomic.Bool
}

// An armedGate is a gate that a glance has set, or is about to, in all frames of the page.
type armedGate struct {
	worlds []world       // that of the main document first
	aim    driver.Target // zero: the main document has not said yet that it is set there
}

// covers reports that there are no frames and documents but those in which the gate is set.
func (g *armedGate) covers(frames []driver.Frame) bool {
	if len(frames) != len(g.worlds) {
		return false
	}
	for _, f := range frames {
		if !slices.ContainsFunc(g.worlds, func(w world) bool { return w.ID == f.ID && w.Doc == f.Doc }) {
			return false
		}
	}
	return true
}

// worldsOf returns the worlds of all processes.
func worldsOf(looks []*processLook) (list []world) {
	for _, l := range looks {
		list = append(list, l.worlds...)
	}
	return list
}

// An askedAfter is the question that GlanceAfter will ask, on its way.
type askedAfter struct {
	ref   driver.NodeRef
	looks []*processLook
}

// takeGate returns, once, the gate that is set for a target, nil if none is or
// it is not quite that one.
func (a *preparation) takeGate(target *driver.Target) *armedGate {
	g, aim := a.gate.Load(), *target
	aim.Text, aim.Continued = false, false // these are not the gate's
	if g == nil || !reflect.DeepEqual(aim, g.aim) || !a.gate.CompareAndSwap(g, nil) {
		return nil
	}
	return g
}

// takeAfter returns, once, the question about a node that is on its way, if it went to
// the worlds that there are.
func (a *preparation) takeAfter(ref driver.NodeRef, looks []*processLook) *askedAfter {
	q := a.after.Swap(nil)
	if q == nil || q.ref != ref || !slices.EqualFunc(worldsOf(q.looks), worldsOf(looks), func(a, b world) bool { return a.key() == b.key() }) {
		return nil
	}
	return q
}
