package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

var _ driver.Glancer = (*page)(nil)

// Disarm implements driver.Glancer.
func (p *page) Disarm() {
	a := &p.kept.prepared
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.gate
	a.gate, a.after = nil, nil
	if g == nil {
		return
	}
	calls, err := g.world.session.Start(context.Background(), call{name: "liftGate"}.request(&world{id: g.world.id}))
	if err == nil { // else it has gone with its session
		a.lifting = calls[0]
	}
}

// lifted waits until a gate that was not used is gone: Chrome prefers input to what a
// script is called for.
func (p *page) lifted(ctx context.Context) {
	a := &p.kept.prepared
	a.mu.Lock()
	lifting := a.lifting
	a.lifting = nil
	a.mu.Unlock()
	if lifting == nil {
		return
	}
	select {
	case <-lifting.Done():
	case <-p.dialogSignal(): // the page takes neither
	case <-ctx.Done():
	}
}

// Described implements driver.Glancer.
func (p *page) Described(ctx context.Context, node driver.NodeRef) (role, name string, err error) {
	w, err := p.isolated(ctx, node.Frame)
	if err == nil && node.Doc != w.Doc {
		err = driver.ErrStale
	}
	var reply protocol.GetPartialAXTreeReply
	if err == nil {
		reply, err = protocol.AccessibilityGetPartialAXTree.Do(ctx, w.session, aboutElement(node.Node))
	}
	if err == nil && (len(reply.Nodes) == 0 || reply.Nodes[0].Ignored) {
		err = errors.ErrUnsupported
	}
	if err != nil {
		return "", "", opError("describe", nodeName(node), err)
	}
	return reply.Nodes[0].Role.Value, reply.Nodes[0].Name.Value, nil
}

// Glance implements driver.Glancer.
func (p *page) Glance(ctx context.Context, at driver.GlanceOptions) (*driver.Glance, error) {
	g, err := p.glance(ctx, at)
	return g, opError("glance", at.Selector.Text, err)
}

func (p *page) glance(ctx context.Context, at driver.GlanceOptions) (*driver.Glance, error) {
	p.Disarm()
	looks, err := p.allWorlds(ctx)
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
		args.Text, args.Number = &at.Selector.Text, p.kept.nodes.next()
	} else if t, err = p.handleOf(ctx, at.Node); err != nil {
		return nil, err
	} else if t.key() != w.key() {
		t.release()
		return nil, errors.ErrUnsupported // an element of the main document alone
	}
	defer t.release()
	if at.For != nil && oneFrame(looks) && (at.For.Selected == nil || at.For.Selected.Root.IsZero()) {
		args.Expected, args.Left = expectations(*at.For), timeLeft(ctx).Milliseconds()
	}
	status := func(*evaluation) call { return call{name: "status"} }
	answer, err := p.startStatus(ctx, looks, t.on(call{name: "glance", deep: true, wait: true, args: []any{args}}), p.kept.prepared.unrested.Load(), status, true)
	if err != nil {
		return nil, err
	}
	release(w.session, answer.object)
	p.remember(t)
	m, err := answer.deep.object()
	if err != nil {
		return nil, err
	}
	told, err := m["told"].text()
	if err != nil {
		return nil, err
	}
	g, more, err := p.takeStatus(ctx, looks, []byte(told))
	if err != nil {
		return nil, err
	}
	g.Revision, g.Twins = p.kept.revision.read(tupleOf(looks)), more.Twins
	found, err := m["found"].node()
	if err != nil || found.ID == 0 {
		return g, err
	}
	g.Node, g.Styles = w.refOf(found), more.Styles
	if args.Number != 0 {
		p.kept.nodes.add(w.key(), found.ID, args.Number)
	}
	if more.Place == nil || len(more.Place.Flags) != placeFlags {
		return nil, errFacts
	}
	if more.Place.hit, err = m["hit"].node(); err == nil {
		g.Location, err = p.locationOf(ctx, &nodeHandle{world: w, ref: g.Node}, more.Place, false)
	}
	if more.Armed {
		p.kept.prepared.setGate(&armedGate{w.key(), g.Node, more.Place.Label, at.For.Selected})
		if err != nil {
			p.Disarm()
		}
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
func (p *page) GlanceAfter(ctx context.Context, node driver.NodeRef) (*driver.Glance, error) {
	g, err := p.glanceAfter(ctx, node)
	return g, opError("glance", nodeName(node), err)
}

func (p *page) glanceAfter(ctx context.Context, node driver.NodeRef) (*driver.Glance, error) {
	t, err := p.handleOf(ctx, node)
	if err != nil {
		return nil, err
	}
	defer t.release()
	looks, err := p.allWorlds(ctx)
	if err != nil {
		return nil, err
	}
	w := &looks[0].worlds[0]
	if t.key() != w.key() {
		return nil, errors.ErrUnsupported // an element of the main document alone
	}
	var answer *evaluation
	if asked := p.kept.prepared.takeAfter(w.key(), t.ref); asked != nil && oneFrame(looks) {
		looks[0].asking = append(looks[0].asking, asked)
		answer, err = evaluationOf(ctx, asked)
	} else {
		answer, err = p.startStatus(ctx, looks, t.on(call{name: "glanceAfter", wait: true}), true, func(main *evaluation) call {
			var told toldStatus
			_ = json.Unmarshal(main.value, &told) // takeStatus says what is wrong with it
			return call{name: "statusAfter", wait: true, args: []any{told.Rested}}
		}, false)
	}
	if err != nil {
		return nil, err
	}
	g, more, err := p.takeStatus(ctx, looks, answer.value)
	if err != nil {
		return nil, err
	}
	g.Changed, g.Rested, g.Same = more.Changed, more.Rested, more.Same
	p.kept.prepared.unrested.Store(!g.Rested)
	g.Node, g.Revision = t.ref, p.kept.revision.noticed(tupleOf(looks).scripts)
	return g, nil
}

// startStatus makes one call in the world of the main document and another in
// all others, and returns what the first returned. inTurn asks the others when that has
// come, which they are then given. counts asks the processes for theirs, too.
func (p *page) startStatus(ctx context.Context, looks []*processLook, first call, inTurn bool, others func(main *evaluation) call, counts bool) (answer *evaluation, err error) {
	w := &looks[0].worlds[0]
	asked := first.request(w)
	looks[0].asking = append(looks[0].asking, asked)
	list := append(p.install(w), asked)
	inTurn = inTurn && !oneFrame(looks)
	if inTurn {
		if _, err := w.session.Start(ctx, list...); err != nil {
			return nil, err
		}
		if answer, err = evaluationOf(ctx, asked); err != nil {
			return nil, err
		}
		list = nil
	}
	for i, l := range looks {
		for k := range l.worlds {
			if i == 0 && k == 0 {
				continue
			}
			r := others(answer).request(&l.worlds[k])
			l.asking, list = append(l.asking, r), append(append(list, p.install(&l.worlds[k])...), r)
		}
		if counts {
			l.metrics = protocol.PerformanceGetMetrics.With(conn.None{})
			list = append(list, l.metrics)
		}
		if len(list) > 0 {
			if _, err := l.session.Start(ctx, list...); err != nil {
				return nil, err
			}
		}
		list = nil
	}
	if answer == nil {
		answer, err = evaluationOf(ctx, asked)
	}
	return answer, err
}

// A toldStatus is what our script tells of a document, and of an element in it.
type toldStatus struct {
	Tick     string
	Activity json.RawMessage
	State    *stateReply
	Place    *position
	Armed    bool // the gate is set, and holds the element to its label
	Twins    int
	Changed  bool // what controls hold
	Rested   bool // the page's tasks had their turn
	Styles   bool // it will tell Same
	Same     bool // all that styles can change
}

// takeStatus takes in what all frames tell; main is what the main document told,
// which is returned, too.
func (p *page) takeStatus(ctx context.Context, looks []*processLook, main []byte) (*driver.Glance, *toldStatus, error) {
	g, ofMain := &driver.Glance{Activity: &driver.Activity{Mutated: -1, Timers: driver.TimersNever, Channels: p.mayHear()}}, &toldStatus{}
	if g.Activity.Channels {
		g.Activity.Timers = driver.TimersUnknown
	}
	for i, l := range looks {
		for k, r := range l.asking {
			told := main
			if i > 0 || k > 0 {
				e, err := evaluationOf(ctx, r)
				if err != nil {
					return nil, nil, err
				}
				told = e.value
			}
			var status toldStatus
			if err := json.Unmarshal(told, &status); err != nil {
				return nil, nil, fmt.Errorf("status: unexpected answer: %w", err)
			}
			if err := readActivity(g.Activity, status.Activity, i == 0 && k == 0); err != nil {
				return nil, nil, err
			}
			l.ticks = append(l.ticks, strconv.Quote(status.Tick)) // as tick's own answer has it
			if status.State != nil && !hasInternals(&status.State.State) {
				g.State = status.State.state()
			}
			if i == 0 && k == 0 {
				*ofMain = status
			}
		}
		if l.metrics != nil {
			var err error
			if l.counts, err = layoutCounts(ctx, l.metrics); err != nil {
				return nil, nil, err
			}
		}
	}
	return g, ofMain, nil
}

// A preparation is what was sent ahead of the calls that it is for: the gate of
// the next input, and the question what has come of the last.
type preparation struct {
	mu      sync.Mutex // protects the following
	gate    *armedGate
	after   *askedAfter
	lifting *conn.Call // of a gate that was not used

	// unrested: the last answer did not wait for what the page put off. The main
	// document's script waits for that before it says more; other frames are asked after it.
	unrested atomic.Bool
}

// An armedGate is a gate that a glance has set, in a page of one frame.
type armedGate struct {
	world    worldKey
	ref      driver.NodeRef
	label    string
	selected *driver.Selection
}

// An askedAfter is the question that GlanceAfter will ask, on its way.
type askedAfter struct {
	world   worldKey
	ref     driver.NodeRef
	request *conn.Request[runtime.CallFunctionOnReply]
}

// takeGate returns, once, the gate that is set for a target, nil if none is or
// it is not quite that one.
func (a *preparation) takeGate(target *driver.Target) *armedGate {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.gate
	if g == nil || target.At != g.ref || target.Only || target.Label == nil || *target.Label != g.label || (target.Selected == nil) != (g.selected == nil) ||
		g.selected != nil && *target.Selected != *g.selected {
		return nil
	}
	a.gate = nil
	return g
}

// takeAfter returns, once, the question about a node that is on its way.
func (a *preparation) takeAfter(world worldKey, ref driver.NodeRef) *conn.Request[runtime.CallFunctionOnReply] {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.after
	a.after = nil
	if q == nil || q.world != world || q.ref != ref {
		return nil
	}
	return q.request
}

func (a *preparation) setGate(g *armedGate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gate = g
}

func (a *preparation) setAfter(q *askedAfter) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.after = q
}
