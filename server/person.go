package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/weburl"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/internal/live"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

const (
	personLease = 60 * time.Second // without input, after which a session is given back
	personWait  = 2 * time.Minute  // for the work under way to end or to pause
	releaseTime = 2 * time.Second  // to release the keys and buttons that are down
)

// handleTake gives the session to the person who views it.
func handleTake(c *call, req *body.TakeRequest) error {
	done, err := c.core.beginWork()
	if err != nil {
		return err
	}
	defer done()
	p, err := c.session.claim(req.Viewer)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), personWait)
	defer cancel()
	if err := p.grant(ctx); err != nil {
		p.giveBack("it was not taken")
		return err
	}
	return c.writeJSON(http.StatusOK, wire.Success[body.Taken]{Success: true, Data: body.Taken{LeaseMs: personLease.Milliseconds()}})
}

// attend gives the session back when the person does not.
func (p *person) attend(v *live.Viewer) {
	defer p.lease.Stop()
	select {
	case <-v.Gone():
		p.giveBack("the viewer went away")
	case <-p.lease.C:
		p.giveBack(fmt.Sprintf("nothing came for %v", personLease))
	case <-p.session.ctx.Done():
		p.giveBack("the session ended")
	case <-p.over:
	}
}

// grant waits until all work in the session has ended or paused.
func (p *person) grant(ctx context.Context) error {
	s := p.session
	for {
		s.mu.Lock()
		if s.person != p {
			s.mu.Unlock()
			return newFault(wire.SessionNotTaken, "the viewer went away before the session was free")
		}
		if p.has {
			s.mu.Unlock()
			return nil
		}
		if s.working-1 == s.paused {
			s.persons++
			s.mu.Unlock()
			break
		}
		moved := s.moved
		s.mu.Unlock()
		s.hub.Poke()
		select {
		case <-moved:
		case <-p.over:
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		case <-ctx.Done():
			return newFault(wire.SessionBusy, "the step under way has not ended within %v; ask again", personWait)
		}
	}
	p.sending.Lock()
	defer p.sending.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.person != p {
		return newFault(wire.SessionNotTaken, "the viewer went away before the session was free")
	}
	if !p.has {
		p.ctx, p.call = s.engine.BeginCall(context.Background(), nil, "person", "")
		p.begun, p.has = time.Now(), true
	}
	p.lease.Reset(personLease)
	s.hub.Poke()
	return nil
}

// giveBack ends a person's hold on the session, after the input under way. It may
// be called again.
func (p *person) giveBack(why string) {
	s := p.session
	p.sending.Lock()
	defer p.sending.Unlock()
	s.mu.Lock()
	if s.person != p {
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	if p.call != nil {
		p.release()
		p.call.End(nil, func(e *engine.Entry) { e.Message = p.story(why) })
	}
	s.mu.Lock()
	s.person = nil
	close(p.over)
	s.rest()
	s.mu.Unlock()
	s.hub.Poke()
}

// A person has taken a session, or waits for the work under way in it to end.
// Meanwhile no other work begins, and agents pause after their step.
type person struct {
	session *session
	viewer  string
	over    chan struct{} // closed once the session is given back
	lease   *time.Timer

	// sending is held while input is sent, above session.mu. It protects what
	// follows.
	sending sync.Mutex
	ctx     context.Context // of the call, for what belongs to it
	call    *engine.Call
	begun   time.Time
	done    map[string]int // how often
	page    *engine.Page   // of the last input
	at      driver.Point   // of the pointer
	buttons map[driver.Button]bool
	keys    map[string]bool

	has bool // protected by session.mu
}

// release releases the buttons and keys that are held.
func (p *person) release() {
	var events []driver.InputEvent
	for b := range p.buttons {
		events = append(events, driver.MouseUp{At: p.at, Button: b, Clicks: 1})
	}
	for key := range p.keys {
		events = append(events, driver.KeyUp{Key: key})
	}
	if len(events) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, releaseTime)
	defer cancel()
	_ = p.page.Input(ctx, events...) // a page that is gone holds nothing
}

// story is what the history says of a person.
func (p *person) story(why string) string {
	var did []string
	for _, kind := range []string{"click", "key", "text", "scroll", "navigation"} {
		switch n := p.done[kind]; n {
		case 0:
		case 1:
			did = append(did, "1 "+kind)
		default:
			did = append(did, fmt.Sprintf("%d %ss", n, kind))
		}
	}
	if did == nil {
		did = []string{"nothing was done"}
	}
	return fmt.Sprintf("a person had the session for %v: %s; %s", time.Since(p.begun).Round(time.Second), strings.Join(did, ", "), why)
}

// handleGiveBack gives the session back for its person.
func handleGiveBack(c *call, req *body.TakeRequest) error {
	p, err := c.session.held(req.Viewer)
	if err != nil {
		return err
	}
	p.giveBack("it was given back")
	return c.writeJSON(http.StatusOK, wire.Success[body.GivenBack]{Success: true})
}

// handleInput does what a person does, in order.
func handleInput(c *call, req *body.InputRequest) error {
	done, err := c.core.beginWork()
	if err != nil {
		return err
	}
	defer done()
	p, err := c.session.held(req.Viewer)
	if err != nil {
		return err
	}
	p.sending.Lock()
	defer p.sending.Unlock()
	if _, err := c.session.held(req.Viewer); err != nil || p.call == nil {
		return newFault(wire.SessionNotTaken, "the viewer does not have the session, or not any more: take it first")
	}
	page, err := c.session.page(req.Page)
	if err != nil {
		return err
	}
	p.lease.Reset(personLease)
	ctx, cancel := context.WithTimeoutCause(c.r.Context(), c.core.limits.Operation, errTimeout)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer context.AfterFunc(c.session.ctx, func() { stop(context.Cause(c.session.ctx)) })()
	defer c.session.hub.Poke()
	p.page = page
	if err := p.act(traces.Unseen(engine.WithParent(ctx, p.call.ID())), page, req.Events); err != nil {
		return err
	}
	return c.writeJSON(http.StatusOK, wire.Success[body.GivenBack]{Success: true})
}

// act does events on a page: those of the hand together.
func (p *person) act(ctx context.Context, page *engine.Page, events []body.InputEvent) error {
	var hand []driver.InputEvent
	flush := func() error {
		if len(hand) == 0 {
			return nil
		}
		sent := hand
		hand = nil
		return page.Input(ctx, sent...)
	}
	for i := range events {
		e := &events[i]
		switch e.Type {
		case "move", "down", "up", "wheel":
			hand = append(hand, p.mouse(e))
		case "keydown", "keyup", "text":
			hand = append(hand, p.key(e)...)
		default:
			if err := flush(); err != nil {
				return err
			}
			if err := p.travel(ctx, page, e); err != nil {
				return err
			}
		}
	}
	return flush()
}

// travel moves the page, or to it.
func (p *person) travel(ctx context.Context, page *engine.Page, e *body.InputEvent) (err error) {
	if e.Type == "activate" {
		return page.Activate(ctx)
	}
	// The viewers see the page appear, so this does not wait for its load.
	opts := &engine.NavigateOptions{WaitUntil: driver.WaitCommit}
	switch e.Type {
	case "navigate":
		if err := weburl.Check(e.URL); err != nil {
			return invalid([]any{"events", "url"}, "%v: %v", engine.ErrInvalid, err)
		}
		_, err = page.Navigate(ctx, e.URL, opts)
	case "back":
		_, err = page.Back(ctx, opts)
	case "forward":
		_, err = page.Forward(ctx, opts)
	case "reload":
		_, err = page.Reload(ctx, opts)
	}
	if errors.Is(err, driver.ErrNoHistory) {
		return newFault(wire.InvalidRequest, "the page has nowhere to go %s", e.Type)
	}
	if err != nil {
		_, hide := weburl.WithoutPassword(e.URL)
		return hidden(ctx, err, hide)
	}
	p.done["navigation"]++
	return nil
}

// mouse is an event of the mouse.
func (p *person) mouse(e *body.InputEvent) driver.InputEvent {
	p.at = driver.Point{X: e.X, Y: e.Y}
	button, clicks := cmp.Or(driver.Button(e.Button), driver.Left), max(e.Clicks, 1)
	switch e.Type {
	case "down":
		p.done["click"]++
		p.buttons[button] = true
		return driver.MouseDown{At: p.at, Button: button, Clicks: clicks, Modifiers: modifiers(e)}
	case "up":
		delete(p.buttons, button)
		return driver.MouseUp{At: p.at, Button: button, Clicks: clicks, Modifiers: modifiers(e)}
	case "wheel":
		p.done["scroll"]++
		return driver.Wheel{At: p.at, DeltaX: e.DeltaX, DeltaY: e.DeltaY, Modifiers: modifiers(e)}
	}
	return driver.MouseMove{At: p.at, Modifiers: modifiers(e)}
}

// key is what a key does, or a text.
func (p *person) key(e *body.InputEvent) []driver.InputEvent {
	switch {
	case e.Type == "text":
		p.done["text"]++
		return []driver.InputEvent{driver.InsertText{Text: e.Text}}
	case e.Type == "keydown" && writesOnly(e.Key):
		p.done["key"]++
		return []driver.InputEvent{driver.InsertText{Text: e.Key}}
	case e.Type == "keydown":
		p.done["key"]++
		p.keys[e.Key] = true
		return []driver.InputEvent{driver.KeyDown{Key: e.Key, Modifiers: modifiers(e)}}
	case !p.keys[e.Key]:
		return nil // it was pressed before the session was taken
	}
	delete(p.keys, e.Key)
	return []driver.InputEvent{driver.KeyUp{Key: e.Key, Modifiers: modifiers(e)}}
}

// writesOnly reports a letter that the keyboard of the driver has no key for.
func writesOnly(key string) bool {
	r, n := utf8.DecodeRuneInString(key)
	return n == len(key) && r > '~'
}

func modifiers(e *body.InputEvent) (m driver.Modifiers) {
	for _, one := range []struct {
		held bool
		is   driver.Modifiers
	}{{e.Alt, driver.Alt}, {e.Ctrl, driver.Control}, {e.Meta, driver.Meta}, {e.Shift, driver.Shift}} {
		if one.held {
			m |= one.is
		}
	}
	return m
}
