package engine_test

import (
	"os"
	"regexp"
	"sync"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// enter shows the page in a session of its own, or in one that another trial
// has left as it was: each trial's site is another origin.
func (tr *trial) enter() {
	tr.Helper()
	if tr.room = tr.plainRoom(); tr.room == nil {
		tr.room = tr.open()
	}
	tr.room.model.choices = nil
	tr.page = tr.room.session.Page()
	if _, err := tr.page.Navigate(tr.Context(), tr.site.base+tr.start, nil); err != nil {
		tr.Fatal(err)
	}
}

// A room is a session with its model.
type room struct {
	session *engine.Session
	model   chooser
}

// rooms are sessions of Chrome that nothing special has happened in, by the
// name of the attempt.
var rooms struct {
	sync.Mutex
	free map[string][]*room
}

// neverRests matches a page that would go on while other trials are made.
var neverRests = regexp.MustCompile("setInterval|requestAnimationFrame|infinite")

// plain reports whether the attempt needs no session of its own.
func (tr *trial) plain() bool {
	_, memory := tr.driver.(*fake.Driver)
	return !memory && !neverRests.Match(txtar.Format(tr.site.archive)) && len(tr.meanwhile) == 0 && tr.device.Scale == 0 && tr.options.Dialog == nil
}

// plainRoom takes a room that is free; nil if there is none.
func (tr *trial) plainRoom() *room {
	rooms.Lock()
	defer rooms.Unlock()
	free := rooms.free[tr.name]
	if !tr.plain() || len(free) == 0 {
		return nil
	}
	rooms.free[tr.name] = free[1:]
	return free[0]
}

// leaveRoom gives the room back, or closes it.
func (tr *trial) leaveRoom() {
	r := tr.room
	if tr.plain() && !tr.Failed() && len(r.session.Pages()) == 1 && r.session.Page() == tr.page {
		rooms.Lock()
		defer rooms.Unlock()
		rooms.free[tr.name] = append(rooms.free[tr.name], r)
		return
	}
	if err := r.session.Close(); err != nil {
		tr.Errorf("Close() = %v", err)
	}
}

// open opens a session, with the faults that the attempt asks for.
func (tr *trial) open() *room {
	tr.Helper()
	r := &room{}
	d := tr.driver
	for _, m := range tr.meanwhile {
		d = faults.Wrap(d, tr.fault(m))
	}
	opts := tr.options
	opts.Model = &r.model
	opts.SettleTimeout = time.Second // some pages are never quiet
	if tr.name == "never" {
		opts.Patience = 300 * time.Millisecond // nothing comes of waiting
	}
	opts.Browser = driver.BrowserOptions{Emulation: tr.device}
	_, memory := tr.driver.(*fake.Driver)
	if !memory {
		recorder, err := os.ReadFile("testdata/traps/recorder.js")
		if err != nil {
			tr.Fatal(err)
		}
		opts.Browser.InitScripts = []string{string(recorder)}
	}
	session, err := engine.Open(tr.Context(), d, &opts)
	if err != nil {
		tr.Fatal(err)
	}
	r.session = session
	if memory {
		// A failed trial leaves its room open, which a bubble does not forgive.
		tr.Cleanup(func() { _ = session.Close() })
	}
	return r
}
