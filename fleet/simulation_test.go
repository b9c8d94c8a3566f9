package fleet_test

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
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
}

// A simNode is one node.
type simNode struct {
	link   *fleettest.Link
	member *fleet.Member
	up     time.Time
	owned  map[fleet.SessionID]fleet.Owner
	until  time.Time // cut off until then
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
	at time.Time
	id fleet.SessionID
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

// run simulates. It reports what must not be by t.
func (s simulation) run(t testing.TB) simulated {
	ctx := t.Context()
	const term = 30 * time.Second
	random := rand.New(rand.NewPCG(s.seed, 1))
	passing := fleettest.NewTime()
	clock := passing.Clock()
	store := new(fleet.Memory)
	network := fleettest.NewNetwork(store)
	// Calls of clients come in at a few nodes that take no sessions; each has a
	// view of its own.
	var doors []*fleet.Placer
	for range 4 {
		doors = append(doors, s.placer(t, store, clock, term))
	}
	nodes := make([]*simNode, s.nodes)
	byID := map[fleet.NodeID]*simNode{}
	join := func(i int) {
		one := &simNode{link: network.Link(), owned: map[fleet.SessionID]fleet.Owner{}, up: clock.Now()}
		var err error
		if one.member, err = s.placer(t, blind{one.link}, clock, term).Join(ctx, fleet.Node{Name: fmt.Sprint("n", i), Capacity: 2 * s.sessions / s.nodes}); err != nil {
			t.Fatal(err)
		}
		nodes[i] = one
		byID[one.member.ID()] = one
	}
	for i := range nodes {
		join(i)
	}
	var result simulated
	var ends endings
	var orphans []fleet.Owner
	open, number := 0, 0
	begun := clock.Now()
	settle := func(o fleet.Owner) { // o.Node has the session now
		one := byID[o.Node]
		if one == nil || one.owned == nil || one.killed || one.member.Held() != nil {
			orphans = append(orphans, o) // it died right then
			return
		}
		one.owned[o.Session] = o
	}
	start := func() {
		number++
		id := fleet.SessionID(fmt.Sprint("s", number))
		o, err := doors[number%len(doors)].Place(ctx, fleet.Want{Session: id})
		if err != nil {
			t.Fatalf("Place = %v", err)
		}
		result.starts++
		open++
		settle(o)
		heap.Push(&ends, ending{clock.Now().Add(time.Duration(random.ExpFloat64() * float64(s.life))), id})
	}
	ownerOf := map[fleet.SessionID]uint64{} // tokens of what was replaced
	const step = 6 * time.Second
	for clock.Now().Sub(begun) < s.span {
		if err := context.Cause(ctx); err != nil {
			t.Fatal(err)
		}
		passing.Advance(step)
		now := clock.Now()
		// Sessions end, and others begin.
		for len(ends) > 0 && !ends[0].at.After(now) {
			id := heap.Pop(&ends).(ending).id
			o, err := doors[0].Find(ctx, id)
			if errors.Is(err, fleet.ErrGone) {
				heap.Push(&ends, ending{now.Add(time.Minute), id}) // it is replaced first
				continue
			}
			if err != nil {
				t.Fatalf("Find = %v", err)
			}
			if err := doors[0].Release(ctx, o); err != nil {
				t.Fatalf("Release = %v", err)
			}
			if one := byID[o.Node]; one != nil {
				delete(one.owned, id)
			}
			delete(ownerOf, id)
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
					one.until = now.Add(time.Duration(random.IntN(60)) * time.Second)
				} else {
					result.failures++
					one.link.Cut()
					one.killed = true
					for _, o := range one.owned {
						orphans = append(orphans, o)
					}
					one.owned = map[fleet.SessionID]fleet.Owner{}
					join(i)
				}
			}
		}
		// The living renew; who has lost its lease has stopped, and joins anew.
		for i, one := range nodes {
			err := one.member.Renew(ctx, fleet.Report{Sessions: len(one.owned)})
			if errors.Is(err, fleet.ErrLost) {
				for _, o := range one.owned {
					orphans = append(orphans, o)
				}
				one.owned = nil
				join(i)
			}
		}
		for _, d := range doors {
			if _, err := d.Sweep(ctx); err != nil {
				t.Fatal(err)
			}
		}
		// What the dead had goes on elsewhere.
		left := orphans
		orphans = nil
		for _, o := range left {
			last, err := doors[1].Find(ctx, o.Session)
			if errors.Is(err, fleet.ErrNotFound) {
				continue // it has ended
			}
			if err == nil {
				if byID[last.Node] != nil && byID[last.Node].owned[o.Session].Token == last.Token {
					continue
				}
				orphans = append(orphans, o) // its node is not found dead yet
				continue
			}
			if !errors.Is(err, fleet.ErrGone) {
				t.Fatalf("Find = %v", err)
			}
			if old := byID[last.Node]; old != nil && old.member.Held() == nil {
				t.Fatalf("session %s is replaced while its node %s holds its lease", o.Session, last.Node)
			}
			next, err := doors[1].Replace(ctx, last, fleet.Want{Session: o.Session})
			if err != nil {
				t.Fatalf("Replace = %v", err)
			}
			if next.Token <= ownerOf[o.Session] || next.Token != last.Token+1 {
				t.Fatalf("session %s has token %d after %d", o.Session, next.Token, last.Token)
			}
			ownerOf[o.Session] = next.Token
			if result.replaced++; result.replaced%1000 == 1 { // the fence, in a sample
				if _, err := doors[2].Save(ctx, last, nil); !errors.Is(err, fleet.ErrLost) {
					t.Fatalf("Save of the old owner = %v", err)
				}
			}
			settle(next)
		}
		// Once an hour: is it balanced, and owned once?
		if passed := now.Sub(begun); passed%time.Hour < step && passed > time.Hour {
			s.look(t, now, nodes, &result)
			for _, d := range doors[:1] {
				if _, err := d.Clean(ctx, time.Hour/2); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
			for id, one := range byID { // the dead of the last hour
				if one.member.Held() != nil {
					delete(byID, id)
				}
			}
		}
	}
	return result
}

func (s simulation) placer(t testing.TB, store fleet.Store, clock fleet.Clock, term time.Duration) *fleet.Placer {
	p, err := fleet.NewPlacer(t.Context(), store, &fleet.PlacerOptions{Term: term, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// look counts what every node has that is up for an hour.
func (s simulation) look(t testing.TB, now time.Time, nodes []*simNode, result *simulated) {
	seen := make(map[fleet.SessionID]bool, s.sessions)
	var counts []int
	sum := 0
	for _, one := range nodes {
		for id := range one.owned {
			if seen[id] {
				t.Fatalf("session %s has two owners", id)
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
	result.looks++
	result.worst = max(result.worst, worst)
	result.spread += (worst - result.spread) / float64(result.looks)
}

func (r simulated) report(b *testing.B) {
	b.ReportMetric(float64(r.starts), "starts")
	b.ReportMetric(float64(r.failures), "killed")
	b.ReportMetric(float64(r.cuts), "cut-off")
	b.ReportMetric(float64(r.replaced), "replaced")
	b.ReportMetric(100*r.worst, "worst-%")
	b.ReportMetric(100*r.spread, "mean-worst-%")
	b.ReportMetric(0, "ns/op")
}

// TestSimulation is a slice of BenchmarkFleetSimulation.
func TestSimulation(t *testing.T) {
	r := simulation{nodes: 20, sessions: 2000, life: 20 * time.Minute, failures: 2 * time.Hour, span: 3 * time.Hour, seed: 1}.run(t)
	if r.looks == 0 || r.failures == 0 || r.cuts == 0 || r.replaced == 0 {
		t.Errorf("nothing was tried: %+v", r)
	}
	if r.worst > 0.1 {
		t.Errorf("a node has %.1f %% more or less than the mean", 100*r.worst)
	}
	t.Logf("%+v", r)
}

// BenchmarkFleetSimulation is a day of 1,000 nodes with 1,000,000 sessions, of
// which each node fails about once. It takes minutes:
//
//	go test ./fleet -run xxx -bench FleetSimulation -benchtime 1x -timeout 60m
func BenchmarkFleetSimulation(b *testing.B) {
	for b.Loop() {
		r := simulation{nodes: 1000, sessions: 1_000_000, life: 4 * time.Hour, failures: 24 * time.Hour, span: 24 * time.Hour, seed: 1}.run(b)
		if r.worst > 0.1 {
			b.Errorf("a node has %.1f %% more or less than the mean", 100*r.worst)
		}
		r.report(b)
	}
}
