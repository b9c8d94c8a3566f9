package main

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/fleettest"
)

// A simulation is a fleet in one process under a virtual clock, with the same
// code that runs on machines: nodes that fail, are cut off and come back, and
// sessions that begin and end, for a given time.
type simulation struct {
	nodes, sessions int           // that are kept up
	life            time.Duration // of a session, on average
	failures        time.Duration // between two of one node, on average
	span            time.Duration
	seed            uint64
}

// simulated is what a simulation came to.
type simulated struct {
	starts, ends, failures, cuts, replaced int
	worst                                  float64 // the greatest share above or below the mean, of nodes that are up for an hour
	looks                                  int
	took                                   time.Duration
	memory                                 uint64 // of the process, in bytes, at most
}

// A simNode is one node.
type simNode struct {
	link   *fleettest.Link
	member *fleet.Member
	up     time.Time
	owned  map[int]uint64 // the sessions that it takes for its own, with their tokens; nil: none any more
	until  time.Time      // cut off until then
	killed bool
}

// blind is the store of nodes that only take sessions: they need no view of the
// others.
type blind struct{ fleet.Store }

func (blind) Watch(context.Context, string, func(fleet.Record)) (func(), error) {
	return func() {}, nil
}

// An ending is when a session ends.
type ending struct {
	at      time.Time
	session int
}

type endings []ending

func (e endings) Len() int           { return len(e) }
func (e endings) Less(i, j int) bool { return e[i].at.Before(e[j].at) }
func (e endings) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *endings) Push(x any)        { *e = append(*e, x.(ending)) }
func (e *endings) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// broken is what must not be.
type broken string

func fail(format string, v ...any) { panic(broken(fmt.Sprintf(format, v...))) }

// A world is a simulation that is under way.
type world struct {
	simulation
	random  *rand.Rand
	passing *fleettest.Time
	clock   fleet.Clock
	store   *fleet.Memory
	network *fleettest.Network
	doors   []*fleet.Placer // calls of clients come in here, at nodes without sessions; each has a view of its own
	nodes   []*simNode
	byID    map[fleet.NodeID]*simNode
	ends    endings
	orphans []int          // sessions whose node is no more
	tokens  map[int]uint64 // of what was replaced
	open    int
	number  int // of the session that began last
	begun   time.Time
	result  simulated
}

const (
	simTerm = time.Minute
	simStep = simTerm / 5
)

// run simulates. Its error is what must not be.
func (s simulation) run(ctx context.Context) (result simulated, err error) {
	defer func() {
		switch what := recover().(type) {
		case nil:
		case broken:
			err = fmt.Errorf("simulation: %s", string(what))
		default:
			panic(what)
		}
	}()
	// There is little else in the process: half of the time would go to looking
	// for garbage.
	defer debug.SetGCPercent(debug.SetGCPercent(300))
	started := time.Now()
	w := s.world(ctx)
	for w.clock.Now().Sub(w.begun) < s.span {
		if err := context.Cause(ctx); err != nil {
			fail("%v", err)
		}
		w.passing.Advance(simStep)
		now := w.clock.Now()
		w.end(ctx, now)
		for i := 0; w.open < s.sessions && i < s.sessions/50+1; i++ { // a ramp at the beginning
			w.start(ctx)
		}
		w.disturb(ctx, now)
		w.renew(ctx)
		w.replace(ctx)
		if passed := now.Sub(w.begun); passed%time.Hour < simStep && passed > time.Hour {
			w.check(ctx, now)
		}
	}
	w.result.took = time.Since(started)
	return w.result, nil
}

// world begins a simulation.
func (s simulation) world(ctx context.Context) *world {
	w := &world{
		simulation: s, random: rand.New(rand.NewPCG(s.seed, 1)), passing: fleettest.NewTime(), store: new(fleet.Memory),
		nodes: make([]*simNode, s.nodes), byID: map[fleet.NodeID]*simNode{}, tokens: map[int]uint64{},
	}
	w.clock, w.network = w.passing.Clock(), fleettest.NewNetwork(w.store)
	for range 4 {
		w.doors = append(w.doors, w.placer(ctx, w.store))
	}
	for i := range w.nodes {
		w.join(ctx, i)
	}
	w.begun = w.clock.Now()
	return w
}

// join puts a new node in place i.
func (w *world) join(ctx context.Context, i int) {
	one := &simNode{link: w.network.Link(), owned: map[int]uint64{}, up: w.clock.Now()}
	var err error
	if one.member, err = w.placer(ctx, blind{one.link}).Join(ctx, fleet.Node{Name: fmt.Sprint("n", i), Capacity: 2 * w.sessions / w.simulation.nodes}); err != nil {
		fail("%v", err)
	}
	w.nodes[i] = one
	w.byID[one.member.ID()] = one
}

// settle has the node of an owner know its session.
func (w *world) settle(session int, o fleet.Owner) {
	one := w.byID[o.Node]
	if one == nil || one.owned == nil || one.killed || one.member.Held() != nil {
		w.orphans = append(w.orphans, session) // it died right then
		return
	}
	one.owned[session] = o.Token
}

// start begins a session.
func (w *world) start(ctx context.Context) {
	w.number++
	o, err := w.doors[w.number%len(w.doors)].Place(ctx, fleet.Placement{Session: sessionID(w.number)})
	if err != nil {
		fail("Place = %v", err)
	}
	w.result.starts++
	w.open++
	w.settle(w.number, o)
	heap.Push(&w.ends, ending{w.clock.Now().Add(time.Duration(w.random.ExpFloat64() * float64(w.life))), w.number})
}

// end ends the sessions whose time has come.
func (w *world) end(ctx context.Context, now time.Time) {
	for len(w.ends) > 0 && !w.ends[0].at.After(now) {
		session := heap.Pop(&w.ends).(ending).session
		o, err := w.doors[0].Find(ctx, sessionID(session))
		if errors.Is(err, fleet.ErrGone) {
			heap.Push(&w.ends, ending{now.Add(time.Minute), session}) // it is replaced first
			continue
		}
		if err != nil {
			fail("Find = %v", err)
		}
		if err := w.doors[0].Release(ctx, o); err != nil {
			fail("Release = %v", err)
		}
		if one := w.byID[o.Node]; one != nil {
			delete(one.owned, session)
		}
		delete(w.tokens, session)
		w.result.ends++
		w.open--
	}
}

// disturb has nodes fail: most are killed, some are cut off for a while.
func (w *world) disturb(ctx context.Context, now time.Time) {
	for i, one := range w.nodes {
		switch {
		case !one.until.IsZero() && now.After(one.until):
			one.link.Heal()
			one.until = time.Time{}
		case one.until.IsZero() && w.random.Float64() < float64(simStep)/float64(w.failures):
			one.link.Cut()
			if w.random.IntN(4) == 0 {
				w.result.cuts++
				one.until = now.Add(time.Duration(w.random.IntN(180)) * time.Second)
			} else {
				w.result.failures++
				one.killed = true
				w.lose(ctx, i)
			}
		}
	}
}

// lose has the node in place i own nothing any more, and a new one take its place.
func (w *world) lose(ctx context.Context, i int) {
	one := w.nodes[i]
	w.orphans = slices.AppendSeq(w.orphans, maps.Keys(one.owned))
	one.owned = nil
	w.join(ctx, i)
}

// renew renews the leases of the living. A node that has lost its lease has
// stopped, and joins anew.
func (w *world) renew(ctx context.Context) {
	for i, one := range w.nodes {
		if err := one.member.Renew(ctx, fleet.Report{Sessions: len(one.owned)}); errors.Is(err, fleet.ErrLost) {
			w.lose(ctx, i)
		}
	}
	for _, d := range w.doors {
		if _, err := d.Sweep(ctx); err != nil {
			fail("%v", err)
		}
	}
}

// replace has what the dead owned continue elsewhere.
func (w *world) replace(ctx context.Context) {
	left := w.orphans
	w.orphans = nil
	for _, session := range left {
		last, err := w.doors[1].Find(ctx, sessionID(session))
		switch {
		case errors.Is(err, fleet.ErrNotFound):
			continue // it has ended
		case err == nil:
			if one := w.byID[last.Node]; one == nil || one.owned[session] != last.Token {
				w.orphans = append(w.orphans, session) // its node is not found dead yet
			}
			continue
		case !errors.Is(err, fleet.ErrGone):
			fail("Find = %v", err)
		}
		if old := w.byID[last.Node]; old != nil && old.member.Held() == nil {
			fail("session %d is replaced while its node %s holds its lease", session, last.Node)
		}
		next, err := w.doors[1].Replace(ctx, last, fleet.Placement{Session: last.Session})
		if err != nil {
			fail("Replace = %v", err)
		}
		if next.Token <= w.tokens[session] || next.Token != last.Token+1 {
			fail("session %d has token %d after %d", session, next.Token, last.Token)
		}
		w.tokens[session] = next.Token
		if w.result.replaced++; w.result.replaced%1000 == 1 { // the fence, in a sample
			if _, err := w.doors[2].Save(ctx, last, nil); !errors.Is(err, fleet.ErrLost) {
				fail("Save of the old owner = %v", err)
			}
		}
		w.settle(session, next)
	}
}

// check looks whether all is balanced and owned once, and forgets the dead of the
// last hour.
func (w *world) check(ctx context.Context, now time.Time) {
	w.look(now)
	if _, err := w.doors[0].Clean(ctx, time.Hour/2); err != nil && !errors.Is(err, context.Canceled) {
		fail("%v", err)
	}
	for id, one := range w.byID {
		if one.member.Held() != nil {
			delete(w.byID, id)
		}
	}
}

func (w *world) placer(ctx context.Context, store fleet.Store) *fleet.Placer {
	p, err := fleet.NewPlacer(ctx, store, &fleet.PlacerOptions{Term: simTerm, Clock: w.clock})
	if err != nil {
		fail("%v", err)
	}
	return p
}

// look counts what every node has that is up for an hour.
func (w *world) look(now time.Time) {
	seen := make(map[int]bool, w.sessions)
	var counts []int
	sum := 0
	for _, one := range w.nodes {
		for id := range one.owned {
			if seen[id] {
				fail("session %d has two owners", id)
			}
			seen[id] = true
		}
		if now.Sub(one.up) > time.Hour && one.until.IsZero() {
			counts = append(counts, len(one.owned))
			sum += len(one.owned)
		}
	}
	if len(counts) == 0 {
		return
	}
	mean := float64(sum) / float64(len(counts))
	worst := 0.0
	for _, n := range counts {
		worst = max(worst, math.Abs(float64(n)-mean)/mean)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	w.result.memory = max(w.result.memory, m.Sys)
	w.result.looks++
	w.result.worst = max(w.result.worst, worst)
}

func (r simulated) String() string {
	return fmt.Sprintf("%d starts, %d ends, %d nodes killed, %d cut off, %d sessions replaced; nodes that are up for an hour have %.2f %% more or less than the mean, at most; took %v and %d MB",
		r.starts, r.ends, r.failures, r.cuts, r.replaced, 100*r.worst, r.took.Round(time.Second), r.memory>>20)
}
