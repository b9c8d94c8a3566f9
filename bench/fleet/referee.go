package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"sync"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// A deed is what a node tells the referee: that it acts for a session, or has
// saved its state.
type deed struct {
	Session fleet.SessionID
	Node    fleet.NodeID
	Fence   uint64 // the owner's token
	After   uint64 // the last answer that the node had before it asked whether it still owns the session
	Saved   bool   // the store took the session's state after that answer
	Back    bool   // the node's clock was set back since it has joined, so it cannot know
}

// A referee stands outside the nodes, where no fault reaches, and hears of each
// deed of an owner. It lets nothing pass that is done under a fence lower than the
// highest that it has seen, as a resource does that is guarded by fences. Its
// answers are numbered: a node that was given a number above that of another
// owner's first deed, and asked only then whether it still owns the session, has
// been an owner beside another. No clock is needed to say so, and no pause of
// anybody excuses it.
type referee struct {
	listener net.Listener
	all      sync.WaitGroup

	mu       sync.Mutex // protects what follows
	open     map[net.Conn]bool
	now      uint64
	sessions map[fleet.SessionID]*judged
	tally    tally
	findings []string
}

// judged is what is known of a session.
type judged struct {
	fence uint64
	owner fleet.NodeID
	since uint64 // when the owner's first deed came
	last  uint64 // when its last one came
}

// A tally counts what a referee has seen.
type tally struct {
	deeds, saves, changes int
	late                  int // deeds that were on their way when the owner changed, and did not pass
	back                  int // of owners whose clock was set back, that did not pass
}

func newReferee() (*referee, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &referee{listener: listener, open: map[net.Conn]bool{}, sessions: map[fleet.SessionID]*judged{}}
	r.all.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return // closed
			}
			r.mu.Lock()
			r.open[c] = true
			r.mu.Unlock()
			r.all.Go(func() { r.listen(c) })
		}
	})
	return r, nil
}

func (r *referee) close() {
	_ = r.listener.Close() // nobody else closes it
	r.mu.Lock()
	for c := range r.open {
		_ = c.Close() // its node ends
	}
	r.mu.Unlock()
	r.all.Wait()
}

// listen answers the deeds of one node.
func (r *referee) listen(c net.Conn) {
	defer c.Close()
	lines, answers := json.NewDecoder(bufio.NewReader(c)), json.NewEncoder(c)
	for {
		var d deed
		if lines.Decode(&d) != nil || answers.Encode(r.judge(d)) != nil {
			return
		}
	}
}

// judge takes a deed, and returns the number of the answer.
func (r *referee) judge(d deed) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now++
	if d.Session == "" {
		return r.now // it asks for a number
	}
	r.tally.deeds++
	if d.Saved {
		r.tally.saves++
	}
	s := r.sessions[d.Session]
	if s == nil {
		s = &judged{}
		r.sessions[d.Session] = s
	}
	switch {
	case d.Fence > s.fence:
		if s.fence > 0 {
			r.tally.changes++
		}
		*s = judged{d.Fence, d.Node, r.now, r.now}
	case d.Fence == s.fence && d.Node != s.owner:
		r.find("session %s: %s and %s own it under fence %d", d.Session, s.owner, d.Node, d.Fence)
	case d.Fence == s.fence:
		s.last = r.now
	case d.Saved && d.After >= s.since:
		r.find("session %s: the store took what %s saved under fence %d after %s began under %d", d.Session, d.Node, d.Fence, s.owner, s.fence)
	case d.Saved, d.After < s.since:
		r.tally.late++
	case d.Back:
		r.tally.back++
	default:
		r.find("session %s: %s holds it under fence %d beside %s under %d", d.Session, d.Node, d.Fence, s.owner, s.fence)
	}
	return r.now
}

// find notes what must not be. r.mu is held.
func (r *referee) find(format string, v ...any) {
	r.findings = append(r.findings, fmt.Sprintf(format, v...))
}

// report returns what was counted so far, the findings, and the number of the last answer.
func (r *referee) report() (tally, []string, uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tally, append([]string(nil), r.findings...), r.now
}

// idle returns the sessions for which no owner has acted since an answer.
func (r *referee) idle(sessions []fleet.SessionID, since uint64) (without []fleet.SessionID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range sessions {
		if s := r.sessions[id]; s == nil || s.last <= since {
			without = append(without, id)
		}
	}
	return without
}

// highest returns the owner of a session with the highest fence seen.
func (r *referee) highest(id fleet.SessionID) (fleet.NodeID, uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sessions[id]; s != nil {
		return s.owner, s.fence
	}
	return "", 0
}

// read returns what watches the sessions' records: the store's own word of who
// owned what.
func (r *referee) read() func(fleet.Record) {
	type owner struct {
		Node  fleet.NodeID `json:"n"`
		Token uint64       `json:"t"`
	}
	last := map[string]owner{}
	return func(record fleet.Record) {
		var now owner
		if record.Deleted || json.Unmarshal(record.Value, &now) != nil {
			return
		}
		before := last[record.Key]
		last[record.Key] = now
		if now.Token < before.Token || now.Token == before.Token && now.Node != before.Node {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.find("record %s: %s under fence %d, and then %s under %d", record.Key, before.Node, before.Token, now.Node, now.Token)
		}
	}
}
