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

	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/fleet/fleettest"
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
	spread                                 float64 // the mean of that, over all hours
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
	const term = time.Minute
	random := rand.New(rand.NewPCG(s.seed, 1))
	passing := fleettest.NewTime()
	clock := passing.Clock()
	store := new(fleet.Memory)
	network := fleettest.NewNetwork(store)
	// Calls of clients come in at a few nodes that take no sessions; each has a
	// view of its own.
	var doors []*fleet.Placer
	for range 4 {
		doors = append(doors, s.placer(ctx, store, clock, term))
	}
	nodes := make([]*simNode, s.nodes)
	byID := map[fleet.NodeID]*simNode{}
	join := func(i int) {
		one := &simNode{link: network.Link(), owned: map[int]uint64{}, up: clock.Now()}
		var err error
		if one.member, err = s.placer(ctx, blind{one.link}, clock, term).Join(ctx, fleet.Node{Name: fmt.Sprint("n", i), Capacity: 2 * s.sessions / s.nodes}); err != nil {
			fail("%v", err)
		}
		nodes[i] = one
		byID[one.member.ID()] = one
	}
	for i := range nodes {
		join(i)
	}
	var ends endings
	var orphans []int // sessions whose node is no more
	open, number := 0, 0
	begun := clock.Now()
	settle := func(session int, o fleet.Owner) { // o.Node has the session now
		one := byID[o.Node]
		if one == nil || one.owned == nil || one.killed || one.member.Held() != nil {
			orphans = append(orphans, session) // it died right then
			return
		}
		one.owned[session] = o.Token
	}
	start := func() {
		number++
		o, err := doors[number%len(doors)].Place(ctx, fleet.Want{Session: sessionID(number)})
		if err != nil {
			fail("Place = %v", err)
		}
		result.starts++
		open++
		settle(number, o)
		heap.Push(&ends, ending{clock.Now().Add(time.Duration(random.ExpFloat64() * float64(s.life))), number})
	}
	tokens := map[int]uint64{} // of what was replaced
	const step = term / 5
	for clock.Now().Sub(begun) < s.span {
		if err := context.Cause(ctx); err != nil {
			fail("%v", err)
		}
		passing.Advance(step)
		now := clock.Now()
		// Sessions end, and others begin.
		for len(ends) > 0 && !ends[0].at.After(now) {
			session := heap.Pop(&ends).(ending).session
			o, err := doors[0].Find(ctx, sessionID(session))
			if errors.Is(err, fleet.ErrGone) {
				heap.Push(&ends, ending{now.Add(time.Minute), session}) // it is replaced first
				continue
			}
			if err != nil {
				fail("Find = %v", err)
			}
			if err := doors[0].Release(ctx, o); err != nil {
				fail("Release = %v", err)
			}
			if one := byID[o.Node]; one != nil {
				delete(one.owned, session)
			}
			delete(tokens, session)
			result.ends++
			open--
		}
		for i := 0; open < s.sessions && i < s.sessions/50+1; i++ { // a ramp at the beginning
			start()
		}
		// Nodes fail: most are killed, some are cut off for a while.
		for i, one := range nodes {
			switch {
			case !one.until.IsZero() && now.After(one.until):
				one.link.Heal()
				one.until = time.Time{}
			case one.until.IsZero() && random.Float64() < float64(step)/float64(s.failures):
				if random.IntN(4) == 0 {
					result.cuts++
					one.link.Cut()
					one.until = now.Add(time.Duration(random.IntN(180)) * time.Second)
				} else {
					result.failures++
					one.link.Cut()
					one.killed = true
					orphans = slices.AppendSeq(orphans, maps.Keys(one.owned))
					one.owned = nil
					join(i)
				}
			}
		}
		// The living renew; who has lost its lease has stopped, and joins anew.
		for i, one := range nodes {
			err := one.member.Renew(ctx, fleet.Report{Sessions: len(one.owned)})
			if errors.Is(err, fleet.ErrLost) {
				orphans = slices.AppendSeq(orphans, maps.Keys(one.owned))
				one.owned = nil
				join(i)
			}
		}
		for _, d := range doors {
			if _, err := d.Sweep(ctx); err != nil {
				fail("%v", err)
			}
		}
		// What the dead had goes on elsewhere.
		left := orphans
		orphans = nil
		for _, session := range left {
			last, err := doors[1].Find(ctx, sessionID(session))
			if errors.Is(err, fleet.ErrNotFound) {
				continue // it has ended
			}
			if err == nil {
				if byID[last.Node] != nil && byID[last.Node].owned[session] == last.Token {
					continue
				}
				orphans = append(orphans, session) // its node is not found dead yet
				continue
			}
			if !errors.Is(err, fleet.ErrGone) {
				fail("Find = %v", err)
			}
			if old := byID[last.Node]; old != nil && old.member.Held() == nil {
				fail("session %d is replaced while its node %s holds its lease", session, last.Node)
			}
			next, err := doors[1].Replace(ctx, last, fleet.Want{Session: last.Session})
			if err != nil {
				fail("Replace = %v", err)
			}
			if next.Token <= tokens[session] || next.Token != last.Token+1 {
				fail("session %d has token %d after %d", session, next.Token, last.Token)
			}
			tokens[session] = next.Token
			if result.replaced++; result.replaced%1000 == 1 { // the fence, in a sample
				if _, err := doors[2].Save(ctx, last, nil); !errors.Is(err, fleet.ErrLost) {
					fail("Save of the old owner = %v", err)
				}
			}
			settle(session, next)
		}
		// Once an hour: is it balanced, and owned once?
		if passed := now.Sub(begun); passed%time.Hour < step && passed > time.Hour {
			s.look(now, nodes, &result)
			for _, d := range doors[:1] {
				if _, err := d.Clean(ctx, time.Hour/2); err != nil && !errors.Is(err, context.Canceled) {
					fail("%v", err)
				}
			}
			for id, one := range byID { // the dead of the last hour
				if one.member.Held() != nil {
					delete(byID, id)
				}
			}
		}
	}
	result.took = time.Since(started)
	return result, nil
}

func (s simulation) placer(ctx context.Context, store fleet.Store, clock fleet.Clock, term time.Duration) *fleet.Placer {
	p, err := fleet.NewPlacer(ctx, store, &fleet.PlacerOptions{Term: term, Clock: clock})
	if err != nil {
		fail("%v", err)
	}
	return p
}

// look counts what every node has that is up for an hour.
func (s simulation) look(now time.Time, nodes []*simNode, result *simulated) {
	seen := make(map[int]bool, s.sessions)
	var counts []int
	sum := 0
	for _, one := range nodes {
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
	result.memory = max(result.memory, m.Sys)
	result.looks++
	result.worst = max(result.worst, worst)
	result.spread += (worst - result.spread) / float64(result.looks)
}

func (r simulated) String() string {
	return fmt.Sprintf("%d starts, %d ends, %d nodes killed, %d cut off, %d sessions replaced; nodes that are up for an hour have %.2f %% more or less than the mean, at most; took %v and %d MB",
		r.starts, r.ends, r.failures, r.cuts, r.replaced, 100*r.worst, r.took.Round(time.Second), r.memory>>20)
}
