package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
)

// A tenant is a process that owns sessions and does nothing else: it keeps a
// lease, takes sessions whose owner is gone, and tells the referee of all that it
// does for its own. Lines of its standard input set its clock.
type tenant struct {
	Name     string
	Store    string // nats://host:port
	Referee  string // host:port
	Sessions int
	Term     time.Duration

	clock shifted
	back  atomic.Bool // the clock was set back in this life

	placer *fleet.Placer

	mu    sync.Mutex // protects what follows
	owned map[fleet.SessionID]fleet.Owner
}

// shifted is a clock that can be set.
type shifted struct{ by atomic.Int64 }

func (c *shifted) Now() time.Time { return fleet.System.Now().Add(time.Duration(c.by.Load())) }
func (c *shifted) AfterFunc(d time.Duration, f func()) fleet.Timer {
	return fleet.System.AfterFunc(d, f)
}

func sessionID(i int) fleet.SessionID { return fleet.SessionID(fmt.Sprint("s", i)) }

// be is the process, until SIGTERM or the end of its input.
func (t *tenant) be() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	store, err := jetstream.Connect(ctx, t.Store, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	if t.placer, err = fleet.NewPlacer(ctx, store, &fleet.PlacerOptions{Term: t.Term, Clock: &t.clock}); err != nil {
		return err
	}
	defer t.placer.Close()
	conn, err := net.Dial("tcp", t.Referee)
	if err != nil {
		return err
	}
	defer conn.Close()
	told := &teller{answers: json.NewDecoder(bufio.NewReader(conn)), deeds: json.NewEncoder(conn)}
	fmt.Println("ready")
	ctx, end := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer end()
	go func() { // until the input ends
		defer end()
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			if by, err := time.ParseDuration(strings.TrimPrefix(lines.Text(), "jump ")); err == nil {
				if by < 0 {
					t.back.Store(true) // first: no deed in between is unmarked
				}
				t.clock.by.Add(int64(by))
			}
		}
	}()
	for ctx.Err() == nil {
		t.back.Store(false)
		joining, stop := context.WithTimeout(ctx, 10*time.Second)
		member, err := t.placer.Join(joining, fleet.Node{Name: t.Name, Capacity: t.Sessions})
		stop()
		if err != nil {
			pause.For(ctx, t.Term/10)
			continue
		}
		t.mu.Lock()
		t.owned = map[fleet.SessionID]fleet.Owner{}
		t.mu.Unlock()
		living, stop := context.WithCancel(ctx)
		var life sync.WaitGroup
		life.Go(func() { t.look(living, member) })
		life.Go(func() {
			_ = fleet.Maintain(living, member, func() fleet.Report { return fleet.Report{Sessions: t.count()} }) // its end shows in the member
		})
		err = t.act(living, member, told)
		stop()
		life.Wait()
		if errors.Is(err, fleet.ErrLost) {
			err = t.saveLate(ctx, member, told)
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

func (t *tenant) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.owned)
}

// own returns the sessions of this life.
func (t *tenant) own() []fleet.Owner {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]fleet.Owner, 0, len(t.owned))
	for _, o := range t.owned {
		all = append(all, o)
	}
	return all
}

// look goes through all sessions again and again: it places those that are not,
// takes those whose node is gone, and finds those that others have given to it.
func (t *tenant) look(ctx context.Context, m *fleet.Member) {
	for ctx.Err() == nil {
		for _, i := range rand.Perm(t.Sessions) {
			if ctx.Err() != nil {
				return
			}
			id := sessionID(i)
			want := fleet.Placement{Session: id, Near: m.ID()}
			asked, stop := context.WithTimeout(ctx, t.Term)
			o, err := t.placer.Find(asked, id)
			switch {
			case errors.Is(err, fleet.ErrNotFound):
				o, err = t.placer.Place(asked, want)
			case errors.Is(err, fleet.ErrGone), err == nil && rand.IntN(50) == 0: // and sometimes one that is not gone
				o, err = t.placer.Replace(asked, o, want)
			}
			stop()
			if err == nil && o.Node == m.ID() {
				t.mu.Lock()
				if t.owned[id].Token != o.Token {
					t.owned[id] = o
				}
				t.mu.Unlock()
			}
			pause.For(ctx, t.Term/time.Duration(2*t.Sessions)) // all of them in half a term, where the machine can
		}
	}
}

// act does something for one session after the other, as long as the lease holds.
// It returns why it has ended.
func (t *tenant) act(ctx context.Context, m *fleet.Member, told *teller) error {
	after, err := told.tell(deed{})
	if err != nil {
		return err
	}
	for n := 0; ; {
		if err := errors.Join(ctx.Err(), m.Held()); err != nil {
			return err
		}
		all := t.own()
		if len(all) == 0 {
			pause.For(ctx, t.Term/50)
		}
		for _, o := range all {
			if err := ctx.Err(); err != nil {
				return err
			}
			// What a node does before each effect.
			if err := m.Held(); err != nil {
				return err
			}
			if after, err = told.tell(deed{Session: o.Session, Node: o.Node, Fence: o.Token, After: after, Back: t.back.Load()}); err != nil {
				return err
			}
			if n++; n%10 == 0 {
				if err := t.save(ctx, o, &after, told); err != nil {
					return err
				}
			}
			pause.For(ctx, 2*time.Millisecond)
		}
	}
}

// save writes a session's state, which the store takes from its owner alone.
func (t *tenant) save(ctx context.Context, o fleet.Owner, after *uint64, told *teller) error {
	asked, stop := context.WithTimeout(ctx, t.Term)
	saved, err := t.placer.Save(asked, o, fmt.Append(nil, *after))
	stop()
	t.mu.Lock()
	switch {
	case err == nil:
		t.owned[o.Session] = saved
	case errors.Is(err, fleet.ErrLost):
		delete(t.owned, o.Session)
	}
	t.mu.Unlock()
	if err == nil {
		*after, err = told.tell(deed{Session: o.Session, Node: o.Node, Fence: o.Token, After: *after, Saved: true})
		return err
	}
	return nil
}

// saveLate has a node that has lost its lease write what it owned: the store must
// not take it once another has begun.
func (t *tenant) saveLate(ctx context.Context, m *fleet.Member, told *teller) error {
	after, err := told.tell(deed{})
	for i, o := range t.own() {
		if err != nil || i == 3 || m.Held() == nil {
			return err
		}
		err = t.save(ctx, o, &after, told)
	}
	return err
}

// A teller is a node's connection to the referee.
type teller struct {
	deeds   *json.Encoder
	answers *json.Decoder
}

func (c *teller) tell(d deed) (after uint64, err error) {
	if err := c.deeds.Encode(d); err != nil {
		return 0, err
	}
	if err := c.answers.Decode(&after); err != nil {
		return 0, fmt.Errorf("the referee is gone: %w", errors.Join(err, io.ErrUnexpectedEOF))
	}
	return after, nil
}
