package fleettest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// placerCases are the rules of placement.
var placerCases = []testCase{
	{"placer/find", "every node finds a session's owner, and a session is placed once", func(t *testing.T, e *env) {
		a, b := e.node(10), e.node(0)
		o := a.place("s")
		if o.Node != a.member.ID() || o.Token != 1 {
			t.Errorf("Place = %+v, want node %s and token 1", o, a.member.ID())
		}
		if found, err := b.placer.Find(e.ctx, "s"); err != nil || found.Node != o.Node || found.Token != o.Token {
			t.Errorf("Find = %+v, %v", found, err)
		}
		e.want("Place of what is placed", second(b.placer.Place(e.ctx, fleet.Placement{Session: "s"})), fleet.ErrOwned)
		e.want("Replace of what is owned", second(b.placer.Replace(e.ctx, o, fleet.Placement{Session: "s"})), fleet.ErrOwned)
		e.want("Release", a.placer.Release(e.ctx, o), nil)
		e.want("Find of what was released", second(b.placer.Find(e.ctx, "s")), fleet.ErrNotFound)
		e.want("Release again", a.placer.Release(e.ctx, o), fleet.ErrLost)
	}},
	{"placer/own", "what a node has begun by itself is found by all, also where there is no room, and is nobody's who has it first", func(t *testing.T, e *env) {
		a, b := e.node(0), e.node(10)
		o, err := a.placer.Own(e.ctx, "s", a.member.ID())
		if err != nil || o.Node != a.member.ID() || o.Token != 1 {
			t.Fatalf("Own = %+v, %v", o, err)
		}
		if found, err := b.placer.Find(e.ctx, "s"); err != nil || found.Node != o.Node {
			t.Errorf("Find = %+v, %v", found, err)
		}
		e.want("Own of another's", second(b.placer.Own(e.ctx, "s", b.member.ID())), fleet.ErrOwned)
		e.want("Own for an unknown node", second(b.placer.Own(e.ctx, "t", "nobody")), fleet.ErrGone)
		e.want("Release", a.placer.Release(e.ctx, o), nil)
	}},
	{"placer/room", "a node gets no more than it has room for, none while it drains or is under pressure, and none without the labels", func(t *testing.T, e *env) {
		a := e.node(2)
		gpu := e.node(-1)
		gpu.member = e.join(gpu, fleet.Node{Name: "gpu", Capacity: 1, Labels: map[string]string{"gpu": "yes"}, Address: "there"})
		o, err := a.placer.Place(e.ctx, fleet.Placement{Session: "g", Labels: map[string]string{"gpu": "yes"}})
		if err != nil || o.Node != gpu.member.ID() || o.Address != "there" {
			t.Errorf("Place with labels = %+v, %v", o, err)
		}
		a.place("1")
		a.place("2")
		_, err = a.placer.Place(e.ctx, fleet.Placement{Session: "3"})
		e.want("Place beyond the room", err, fleet.ErrNoRoom)
		for _, r := range []fleet.Report{{Draining: true}, {Pressure: 1}} {
			a.report(r)
			e.want(fmt.Sprintf("Place at %+v", r), second(a.placer.Place(e.ctx, fleet.Placement{Session: "4"})), fleet.ErrNoRoom)
		}
		e.must("Renew", a.member.Renew(e.ctx, fleet.Report{Sessions: 1}))
		e.settle()
		a.place("5")
	}},
	{"placer/pressure", "of nodes with the same sessions the less used one is taken, the most used one last, and what was placed since a report counts", func(t *testing.T, e *env) {
		a, b := e.node(100), e.node(100)
		next := 0
		count := func(sessions int) (atA int) {
			for range sessions {
				next++
				if a.place(fleet.SessionID(fmt.Sprint(next))).Node == a.member.ID() {
					atA++
				}
			}
			return atA
		}
		for _, c := range []struct {
			a, b     fleet.Report
			place, n int // at a
		}{
			{fleet.Report{Sessions: 50, Pressure: 0.3}, fleet.Report{Sessions: 50, Pressure: 0.2}, 1, 0},
			{fleet.Report{Sessions: 50, Pressure: 0.2}, fleet.Report{Sessions: 50, Pressure: 0.3}, 1, 1},
			{fleet.Report{Sessions: 5, Pressure: 0.9}, fleet.Report{Sessions: 50}, 5, 0},
			{fleet.Report{Sessions: 5, Pressure: 0.5}, fleet.Report{Sessions: 5, Pressure: 0.54}, 8, 6},
			{fleet.Report{Pressure: 0.99}, fleet.Report{Sessions: 97}, 3, 0},
			{fleet.Report{Pressure: 0.99}, fleet.Report{Sessions: 100}, 3, 3},
			{fleet.Report{Pressure: 0.99}, fleet.Report{Pressure: 0.99}, 4, 2},
		} {
			a.report(c.a)
			b.report(c.b)
			if got := count(c.place); got != c.n {
				t.Errorf("%d of %d sessions are at a with %+v, want %d; b has %+v", got, c.place, c.a, c.n, c.b)
			}
		}
	}},
	{"placer/near", "a session goes where it is wanted if there is room", func(t *testing.T, e *env) {
		a, b := e.node(2), e.node(100)
		for i := range 4 {
			o := b.placeNear(a, fleet.SessionID(fmt.Sprint(i)))
			if near := o.Node == a.member.ID(); near != (i < 2) {
				t.Errorf("session %d is at %s", i, o.Node)
			}
		}
	}},
	{"placer/race", "of nodes that place or replace one session at once, one succeeds", func(t *testing.T, e *env) {
		nodes := []*node{e.node(100), e.node(100), e.node(100)}
		dead := e.node(100)
		o := dead.placeNear(dead, "dead")
		e.must("Leave", dead.member.Leave(e.ctx))
		e.settle()
		one := func(what string, do func(*node) error) {
			t.Helper()
			results := make(chan error, len(nodes))
			for _, n := range nodes {
				go func() { results <- do(n) }()
			}
			won := 0
			for range nodes {
				switch err := <-results; {
				case err == nil:
					won++
				case !errors.Is(err, fleet.ErrOwned) && !errors.Is(err, fleet.ErrConflict):
					t.Errorf("%s = %v", what, err)
				}
			}
			if won != 1 {
				t.Errorf("%s: %d succeeded", what, won)
			}
		}
		for i := range 10 {
			id := fleet.SessionID(fmt.Sprint(i))
			one("Place", func(n *node) error { return second(n.placer.Place(e.ctx, fleet.Placement{Session: id})) })
		}
		one("Replace", func(n *node) error { return second(n.placer.Replace(e.ctx, o, fleet.Placement{Session: "dead"})) })
	}},
	{"placer/partition", "the owner that is cut off has stopped before its session has another, and the store takes nothing from it afterwards", func(t *testing.T, e *env) {
		old, other := e.node(10), e.node(0)
		o := old.place("s")
		o, err := old.placer.Save(e.ctx, o, []byte("first"))
		if err != nil {
			t.Fatal(err)
		}
		spare := e.node(10)
		old.link.Cut()
		var next fleet.Owner
		for passed := time.Duration(0); next.Token == 0; passed += term / 10 {
			if passed > 4*term {
				t.Fatal("the session found no other owner")
			}
			e.pass(term/10, other, spare)
			found, err := other.placer.Find(e.ctx, "s")
			switch {
			case errors.Is(err, fleet.ErrGone):
				if old.member.Held() == nil || old.member.Context().Err() == nil {
					t.Error("the session is gone, and its old owner does not know")
				}
				if next, err = other.placer.Replace(e.ctx, found, fleet.Placement{Session: "s"}); err != nil {
					t.Fatal("Replace =", err)
				}
			case err != nil:
				t.Fatal("Find =", err)
			}
		}
		if next.Token <= o.Token || next.Node != spare.member.ID() || string(next.State) != "first" {
			t.Errorf("Replace = %+v", next)
		}
		old.link.Heal()
		e.settle()
		e.want("Save of the old owner", second(old.placer.Save(e.ctx, o, []byte("late"))), fleet.ErrLost)
		e.want("Release of the old owner", old.placer.Release(e.ctx, o), fleet.ErrLost)
		e.want("Renew of the old owner", old.member.Renew(e.ctx, fleet.Report{}), fleet.ErrLost)
		if now, err := spare.placer.Save(e.ctx, next, []byte("second")); err != nil || string(now.State) != "second" {
			t.Errorf("Save of the new owner = %+v, %v", now, err)
		}
	}},
	{"placer/pause", "an owner whose clock did not see it pass is stopped by the store", func(t *testing.T, e *env) {
		old, other := e.node(10), e.node(10)
		o := old.placeNear(old, "s")
		// As a machine that sleeps: its clock stands still.
		for range 40 {
			old.clock.Jump(-term / 10)
			e.pass(term/10, other)
		}
		found, err := other.placer.Find(e.ctx, "s")
		e.want("Find", err, fleet.ErrGone)
		e.must("Replace", second(other.placer.Replace(e.ctx, found, fleet.Placement{Session: "s"})))
		if err := old.member.Held(); err != nil {
			t.Fatal("this case needs an owner that does not know:", err)
		}
		e.want("Save", second(old.placer.Save(e.ctx, o, []byte("late"))), fleet.ErrLost)
		e.want("Renew", old.member.Renew(e.ctx, fleet.Report{}), fleet.ErrLost)
		e.want("Held", old.member.Held(), fleet.ErrLost)
	}},
	{"placer/jumps", "a clock that jumps takes nobody's lease but its own node's", func(t *testing.T, e *env) {
		a, b := e.node(10), e.node(10)
		o := a.placeNear(a, "s")
		e.pass(term, a, b)
		for _, jump := range []time.Duration{time.Hour, -2 * time.Hour, 24 * time.Hour} {
			b.clock.Jump(jump)
			if dead, err := b.placer.Sweep(e.ctx); len(dead) > 0 || err != nil {
				t.Errorf("after a jump of %v: Sweep = %v, %v", jump, dead, err)
			}
			e.pass(term, a)
		}
		e.want("Save", second(a.placer.Save(e.ctx, o, nil)), nil)
		e.want("Held", a.member.Held(), nil)
		e.want("Held of whose clock jumped", b.member.Held(), fleet.ErrLost)
	}},
	{"placer/restless", "an observer whose clock jumps whenever it looks takes no lease that still holds", func(t *testing.T, e *env) {
		a, b := e.node(10), e.node(10)
		a.link.Cut()
		for passed := time.Duration(0); ; passed += term / 10 {
			if passed > 4*term {
				t.Fatal("the node was not found dead")
			}
			e.time.Advance(term / 10)
			if passed%(term/5) != 0 {
				continue // it looks once a beat
			}
			b.clock.Jump(time.Hour)
			dead, err := b.placer.Sweep(e.ctx)
			if err != nil {
				t.Fatal("Sweep =", err)
			}
			if len(dead) > 0 {
				e.want("Held of who was found dead", a.member.Held(), fleet.ErrLost)
				return
			}
		}
	}},
	{"placer/observer", "who was cut off itself finds nobody dead", func(t *testing.T, e *env) {
		a, b := e.node(10), e.node(10)
		a.place("s")
		b.link.Cut()
		e.pass(5*term, a)
		for range 10 { // its clock continues, and what it has missed has not arrived
			e.time.Advance(term / 10)
			e.must("Renew", a.member.Renew(e.ctx, fleet.Report{}))
			if dead, err := b.placer.Sweep(e.ctx); len(dead) > 0 {
				t.Errorf("Sweep = %v, %v", dead, err)
			}
		}
		b.link.Heal()
		e.settle()
		if dead, err := b.placer.Sweep(e.ctx); len(dead) > 0 || err != nil {
			t.Errorf("Sweep after it was connected again = %v, %v", dead, err)
		}
		if err := a.member.Held(); err != nil {
			t.Error(err)
		}
	}},
	{"placer/unseen", "a node that another has not seen yet is not dead", func(t *testing.T, e *env) {
		late := e.node(0)
		late.link.Cut()
		a := e.node(10)
		a.place("s")
		// Calls reach the store again, and what was missed comes last.
		late.link.change(func() { late.link.cut = false })
		o, err := late.placer.Find(e.ctx, "s")
		if err != nil || o.Node != a.member.ID() {
			t.Errorf("Find = %+v, %v", o, err)
		}
		e.want("Replace", second(late.placer.Replace(e.ctx, o, fleet.Placement{Session: "s"})), fleet.ErrOwned)
		late.link.Heal()
		e.want("Renew", a.member.Renew(e.ctx, fleet.Report{}), nil)
	}},
	{"placer/lost answers", "a write whose answer is lost is neither done twice nor taken for another's", func(t *testing.T, e *env) {
		a := e.node(10)
		a.link.LoseAnswers(1)
		o, err := a.placer.Place(e.ctx, fleet.Placement{Session: "s"})
		if err != nil || o.Token != 1 {
			t.Fatalf("Place = %+v, %v", o, err)
		}
		a.link.LoseAnswers(1)
		e.want("Renew", a.member.Renew(e.ctx, fleet.Report{}), fleet.ErrUnavailable)
		e.want("Renew again", a.member.Renew(e.ctx, fleet.Report{}), nil)
		a.link.LoseAnswers(1)
		_, err = a.placer.Save(e.ctx, o, []byte("1"))
		e.want("Save", err, fleet.ErrUnavailable)
		if o, err = a.placer.Save(e.ctx, o, []byte("2")); err != nil {
			t.Error("Save again =", err)
		}
		if o, err = a.placer.Save(e.ctx, o, []byte("3")); err != nil || string(o.State) != "3" {
			t.Error("Save after it =", err)
		}
		a.link.LoseAnswers(1)
		e.want("Leave", a.member.Leave(e.ctx), fleet.ErrUnavailable)
		e.want("Leave again", a.member.Leave(e.ctx), nil)
	}},
	{"placer/changes", "through many changes of owners, no two own a session, and tokens grow", func(t *testing.T, e *env) {
		nodes := []*node{e.node(100), e.node(100)}
		o := nodes[0].place("s")
		for change := range 20 {
			var owner, other *node
			for _, n := range nodes {
				if n.member.ID() == o.Node {
					owner = n
				} else {
					other = n
				}
			}
			saved, err := owner.placer.Save(e.ctx, o, fmt.Append(nil, change))
			if err != nil {
				t.Fatalf("change %d: Save = %v", change, err)
			}
			e.must("Leave", owner.member.Leave(e.ctx))
			e.settle()
			next, err := other.placer.Replace(e.ctx, saved, fleet.Placement{Session: "s"})
			if err != nil {
				t.Fatalf("change %d: Replace = %v", change, err)
			}
			if next.Token != o.Token+1 || string(next.State) != fmt.Sprint(change) {
				t.Fatalf("change %d: Replace = %+v after %+v", change, next, o)
			}
			e.want("Save of the old owner", second(owner.placer.Save(e.ctx, saved, nil)), fleet.ErrLost)
			o = next
			owner.member = e.join(owner, fleet.Node{Capacity: 100})
		}
	}},
	{"placer/clean", "what dead nodes have left goes, and nothing else", func(t *testing.T, e *env) {
		a, b := e.node(10), e.node(10)
		for i, n := range []*node{a, a, b} {
			n.placeNear(n, fleet.SessionID(fmt.Sprint(i)))
		}
		e.must("Leave", a.member.Leave(e.ctx))
		e.settle()
		if n, err := b.placer.Clean(e.ctx, 0); n != 2 || err != nil {
			t.Errorf("Clean = %d, %v; want 2", n, err)
		}
		e.want("Find of what was cleaned", second(b.placer.Find(e.ctx, "0")), fleet.ErrNotFound)
		e.want("Find of another", second(b.placer.Find(e.ctx, "2")), nil)
		e.want("Renew of the dead", a.member.Renew(e.ctx, fleet.Report{}), fleet.ErrLost)
		if nodes := b.placer.Nodes(); len(nodes) != 1 || nodes[0].ID != b.member.ID() {
			t.Errorf("Nodes = %+v", nodes)
		}
	}},
}
