package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A stage is a page of which only Activity exists, driven by a timetable.
type stage struct {
	driver.Page

	mu         sync.Mutex // protects what follows: cues run on timers
	mutated    time.Time  // the last novel change
	changes    int        // of these; 0: not counted
	transition bool
	busy       bool
	blank      bool
	parsing    bool
	asked      int
	timers     driver.Timers
	lag        time.Duration // how old an answer is when it comes
}

func (s *stage) Activity(context.Context) (*driver.Activity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	a := &driver.Activity{Mutated: -1, Changes: s.changes, Transition: s.transition, Busy: s.busy, Blank: s.blank, Parsing: s.parsing, Timers: s.timers}
	if !s.mutated.IsZero() {
		a.Mutated = time.Since(s.mutated) - s.lag
	}
	return a, nil
}

// bareSession is a session that only logs, to nowhere.
func bareSession() *Session {
	return &Session{journal: journal{log: slog.New(slog.DiscardHandler)}}
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// A cue is what happens on the stage at a time after the action.
type cue struct {
	at int // ms
	do func(*Page, *stage)
}

func event(e driver.Event) func(*Page, *stage) {
	return func(p *Page, _ *stage) { p.watch.take(e) }
}

func mutate(_ *Page, s *stage) { s.mutated = time.Now() }

func started(id string, kind driver.RequestKind, url string) func(*Page, *stage) {
	return event(driver.RequestStarted{Page: "p", Frame: "p", ID: id, Kind: kind, Method: "GET", URL: url})
}

func ended(id string) func(*Page, *stage) { return event(driver.RequestEnded{Page: "p", ID: id}) }

// polls is a request every 200 ms for three seconds, with its answer at once.
func polls() []cue {
	var cues []cue
	for i := range 15 {
		id := fmt.Sprint("poll", i)
		cues = append(cues,
			cue{200 * i, started(id, driver.RequestFetch, fmt.Sprintf("https://a.test/poll?n=%d", i))},
			cue{200*i + 5, ended(id)})
	}
	return cues
}

// TestSettle holds the rule against the kinds of pages that it was made for:
// when the page is ready, and that quiet is told after that and soon.
func TestSettle(t *testing.T) {
	requested := event(driver.NavigationRequested{Page: "p", Frame: "p", URL: "https://a.test/next"})
	committed := event(driver.Navigated{Page: "p", Frame: "p", Doc: "d2", URL: "https://a.test/next"})
	parsed := event(driver.DOMContentLoaded{Page: "p", Frame: "p"})
	for _, test := range []struct {
		name     string
		cues     []cue
		ready    int // ms after the action
		from, to int // ms: when quiet may be told
		typed    bool
	}{
		{"a click without effect", nil, 0, 200, 200, false},
		{"a change at once", []cue{{0, mutate}}, 0, 100, 100, false},
		{"a fetch, then rendering", []cue{
			{1, started("1", driver.RequestFetch, "https://a.test/data")}, {800, ended("1")}, {830, mutate},
		}, 830, 930, 935, false},
		{"two fetches 80 ms apart", []cue{
			{1, started("1", driver.RequestFetch, "https://a.test/a")}, {150, ended("1")},
			{230, started("2", driver.RequestFetch, "https://a.test/b")}, {340, ended("2")}, {341, mutate},
		}, 341, 440, 445, false},
		{"images do not count", []cue{
			{0, mutate}, {1, started("1", driver.RequestImage, "https://a.test/i.png")}, {900, ended("1")},
		}, 0, 100, 100, false},
		{"a navigation 150 ms after the click", []cue{
			{150, requested}, {160, started("1", driver.RequestDocument, "https://a.test/next")}, {180, committed},
			{185, ended("1")}, {190, parsed},
		}, 190, 285, 295, false},
		{"a slow navigation requested at once", []cue{
			{3, requested}, {700, committed}, {717, parsed},
		}, 717, 817, 820, false},
		{"a navigation that comes to nothing", []cue{
			{3, requested}, {300, event(driver.NavigationEnded{Page: "p", Frame: "p"})},
		}, 300, 300, 300, false},
		{"a route change, then a fetch", []cue{
			{0, event(driver.Navigated{Page: "p", Frame: "p", Doc: "d", URL: "https://a.test/r", SameDocument: true})},
			{1, started("1", driver.RequestFetch, "https://a.test/route")}, {298, ended("1")}, {300, mutate},
		}, 300, 398, 405, false},
		{"a skeleton that a timer replaces", []cue{
			{0, func(_ *Page, s *stage) { s.busy = true }},
			{1228, func(p *Page, s *stage) { s.busy = false; mutate(p, s) }},
		}, 1228, 1328, 1400, false},
		{"a transition of 0.3 s", []cue{
			{0, func(p *Page, s *stage) { s.transition = true; mutate(p, s) }},
			{291, func(_ *Page, s *stage) { s.transition = false }},
		}, 291, 291, 400, false},
		{"a suggestion list, debounced", []cue{
			{300, started("1", driver.RequestFetch, "https://a.test/suggest")}, {480, ended("1")}, {485, mutate},
		}, 485, 580, 600, true},
		{"a page that polls, and a click", append(polls(),
			cue{1, started("1", driver.RequestFetch, "https://a.test/save")}, cue{300, ended("1")}, cue{303, mutate},
		), 303, 400, 510, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &stage{}
				p := newPage(bareSession(), "p")
				p.driver = s
				start := time.Now()
				p.watch.acted(start, test.typed)
				for _, c := range test.cues {
					time.AfterFunc(ms(c.at), func() {
						s.mu.Lock()
						defer s.mu.Unlock()
						c.do(p, s)
					})
				}
				synctest.Wait()
				if _, err := p.settle(t.Context(), 5*time.Second); err != nil {
					t.Fatal(err)
				}
				got := time.Since(start)
				if got < ms(test.ready) || got < ms(test.from) || got > ms(test.to) {
					t.Errorf("quiet told after %v, want %v to %v; the page was ready after %v", got, ms(test.from), ms(test.to), ms(test.ready))
				}
				if s.asked > 40 {
					t.Errorf("asked the page %d times", s.asked)
				}
				time.Sleep(5 * time.Second) // let the timetable end within the bubble
			})
		})
	}
}

// A document that has been parsed for longestLoad is taken as it is, from wherever the
// page learns of it; one that a script has opened since it was loaded is not waited for.
func TestSettleAwaitsNoEndOfADocument(t *testing.T) {
	parse := func(_ *Page, s *stage) { s.parsing = true }
	both := func(list ...func(*Page, *stage)) func(*Page, *stage) {
		return func(p *Page, s *stage) {
			for _, do := range list {
				do(p, s)
			}
		}
	}
	committed := func(frame driver.FrameID) func(*Page, *stage) {
		return event(driver.Navigated{Page: "p", Frame: frame, Doc: "d"})
	}
	for name, c := range map[string]struct {
		begin func(*Page, *stage)
		want  time.Duration
	}{
		"found so":             {parse, longestLoad},
		"committed":            {both(committed("p"), parse), longestLoad},
		"of a frame":           {committed("f"), longestLoad},
		"a frame goes to":      {event(driver.NavigationRequested{Page: "p", Frame: "f", URL: "https://a.test/f"}), longestLoad},
		"requested by the act": {started("1", driver.RequestDocument, "https://a.test/f"), longestLoad},
		"opened by a script":   {both(committed("p"), event(driver.DOMContentLoaded{Page: "p", Frame: "p"}), parse), quietAfterEffect},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &stage{}
				p := newPage(bareSession(), "p")
				p.driver = s
				begun := time.Now()
				p.watch.acted(begun, false)
				c.begin(p, s)
				if _, err := p.settle(t.Context(), time.Minute); err != nil {
					t.Fatal(err)
				}
				if got := time.Since(begun); got < c.want || got > c.want+longestTurn {
					t.Errorf("quiet told after %v, want %v", got, c.want)
				}
			})
		})
	}
}

// What changes before the reply to the input is an effect of it, whether the page
// or evidence shows it.
func TestSettleCountsWhatCameWithTheInput(t *testing.T) {
	for name, change := range map[string]func(*Page, *stage){
		"a change of the DOM": mutate,
		"a value":             func(p *Page, _ *stage) { p.watch.concluded(true, false, 0) },
		"nothing":             func(*Page, *stage) {},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &stage{}
			p := newPage(bareSession(), "p")
			p.driver = s
			p.watch.sends(time.Now(), false)
			time.Sleep(ms(5))
			change(p, s)
			time.Sleep(ms(5))
			p.watch.answered(time.Now())
			want := quietAfterEffect
			if name == "nothing" {
				want = quietAfterNothing
			}
			if waited, err := p.settle(t.Context(), time.Second); err != nil || waited != want {
				t.Errorf("%s: settle = %v, %v, want %v", name, waited, err, want)
			}
		})
	}
}

// A page with scripts that shows nothing is waited for once: one that is so meant,
// a board of bare boxes, does not cost that wait at each action.
func TestSettleOnAPageThatStaysBlank(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{blank: true}
		p := newPage(bareSession(), "p")
		p.driver = s
		navigated := driver.Navigated{Page: "p", Frame: "p", Doc: "d2", URL: "https://a.test/next"}
		for i, step := range []struct {
			before func()
			want   time.Duration
		}{
			{func() {}, longestBlank},
			{func() {}, quietAfterNothing},
			{func() { p.watch.take(navigated); p.watch.take(driver.DOMContentLoaded{Page: "p", Frame: "p"}) }, longestBlank},
			{func() { s.blank = false }, quietAfterNothing},
			{func() { s.blank = true }, longestBlank}, // an application that draws itself anew
		} {
			p.watch.acted(time.Now(), false)
			step.before()
			waited, err := p.settle(t.Context(), 5*time.Second)
			if err != nil || waited < step.want || waited > step.want+longestTurn {
				t.Errorf("step %d: settle = %v, %v, want %v", i, waited, err, step.want)
			}
		}
	})
}

// An action whose effect came at once, and after which no script has anything to
// come back to, has had all its effect. What speaks against that costs the wait:
// a timer of 50 ms may go to the next page, which has the same button.
func TestSettleAfterACompleteAction(t *testing.T) {
	for name, test := range map[string]struct {
		timers driver.Timers
		then   func(*Page, *stage)
		typed  bool
		want   time.Duration

		counted bool // the driver counts changes
	}{
		"nothing put off":              {timers: driver.TimersNever},
		"nothing put off since":        {timers: driver.TimersBefore},
		"a timer":                      {timers: driver.TimersUnknown, want: ms(80)},
		"a later change":               {timers: driver.TimersNever, then: mutate, want: ms(100)},
		"an answer that is slow":       {timers: driver.TimersNever, then: func(_ *Page, s *stage) { s.lag = ms(20) }, want: ms(95)},
		"the same, changes counted":    {timers: driver.TimersNever, counted: true, then: func(_ *Page, s *stage) { s.lag = ms(20) }},
		"a later change, counted":      {timers: driver.TimersNever, counted: true, then: func(p *Page, s *stage) { mutate(p, s); s.changes++ }, want: ms(100)},
		"a transition":                 {timers: driver.TimersNever, then: func(_ *Page, s *stage) { s.transition = true }, want: ms(480)},
		"a busy mark":                  {timers: driver.TimersNever, then: func(_ *Page, s *stage) { s.busy = true }, want: ms(2480)},
		"typing":                       {timers: driver.TimersNever, typed: true, want: ms(380)},
		"a request":                    {timers: driver.TimersNever, then: started("1", driver.RequestFetch, "https://a.test/x"), want: ms(2000)},
		"a request, answered":          {timers: driver.TimersNever, then: func(p *Page, s *stage) { started("1", driver.RequestFetch, "https://a.test/x")(p, s); ended("1")(p, s) }, want: ms(100)},
		"a picture":                    {timers: driver.TimersNever, then: started("1", driver.RequestImage, "https://a.test/x"), want: ms(80)},
		"a stream of events":           {timers: driver.TimersNever, then: started("1", driver.RequestOther, "https://a.test/x"), want: ms(80)},
		"a beacon":                     {timers: driver.TimersNever, then: started("1", driver.RequestBeacon, "https://a.test/x")},
		"an address, changed":          {timers: driver.TimersNever, then: event(driver.Navigated{Page: "p", Frame: "p", SameDocument: true}), want: ms(80)},
		"a request from before it all": {timers: driver.TimersNever, want: ms(80)},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &stage{timers: test.timers}
			if test.counted {
				s.changes = 3
			}
			p := newPage(bareSession(), "p")
			p.driver = s
			if name == "a request from before it all" {
				started("0", driver.RequestFetch, "https://a.test/x")(p, s)
				time.Sleep(ms(1))
			}
			p.watch.sends(time.Now(), test.typed)
			mutate(p, s)
			time.Sleep(ms(5))
			p.watch.answered(time.Now())
			time.Sleep(ms(10))
			p.watch.concluded(true, true, s.changes)
			time.Sleep(ms(10))
			if test.then != nil {
				test.then(p, s)
			}
			if waited, err := p.settle(t.Context(), 5*time.Second); err != nil || waited != test.want {
				t.Errorf("%s: settle = %v, %v, want %v", name, waited, err, test.want)
			}
		})
	}
}

// A request that input makes is no habit, however often it comes: it is an
// effect, and its answer is waited for. One that comes by itself is one, and is
// no effect of the input that it falls together with.
func TestInputMakesNoHabit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPage(bareSession(), "p")
		p.driver = &stage{}
		saving := driver.RequestStarted{Page: "p", Frame: "p", Kind: driver.RequestFetch, Method: "POST", URL: "https://a.test/api"}
		for i := range 6 {
			recorder := p.watch.record()
			p.watch.sends(time.Now(), false)
			p.watch.answered(time.Now())
			start := time.Now()
			saving.ID = fmt.Sprint("save", i)
			time.AfterFunc(ms(5), func() { p.watch.take(saving) })
			time.AfterFunc(ms(305), func() { p.watch.take(driver.RequestEnded{Page: "p", ID: saving.ID}) })
			time.Sleep(ms(50))
			if events, _ := recorder.collected(); len(events) != 1 {
				t.Errorf("click %d: seen %v, want the request", i+1, events)
			}
			recorder.stop()
			if _, err := p.settle(t.Context(), 5*time.Second); err != nil || time.Since(start) < ms(305) {
				t.Errorf("click %d: quiet told after %v (%v), before the answer", i+1, time.Since(start), err)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		p := newPage(bareSession(), "p")
		p.driver = &stage{}
		recorder := p.watch.record()
		for i := range 50 {
			if i == 25 {
				recorder = p.watch.record()
				p.watch.sends(time.Now(), false)
				p.watch.answered(time.Now())
			}
			p.watch.take(driver.RequestStarted{Page: "p", Frame: "p", ID: fmt.Sprint(i), Kind: driver.RequestFetch, Method: "GET", URL: "https://a.test/poll"})
			p.watch.take(driver.RequestEnded{Page: "p", ID: fmt.Sprint(i)})
			time.Sleep(ms(200))
		}
		for _, e := range recorder.events {
			if _, ok := e.(driver.RequestStarted); ok {
				t.Error("a poll is taken for an effect of the click")
			}
		}
	})
}

// A page that has been left alone is quiet at once.
func TestSettleCostsNothingLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPage(bareSession(), "p")
		p.driver = &stage{}
		p.watch.acted(time.Now(), false)
		time.Sleep(time.Second)
		if waited, err := p.settle(t.Context(), time.Second); err != nil || waited != 0 {
			t.Errorf("settle = %v, %v, want no wait", waited, err)
		}
	})
}

func TestSettleEnds(t *testing.T) {
	endless := func(p *Page) {
		p.watch.take(driver.NavigationRequested{Page: "p", Frame: "p", URL: "https://a.test/never"})
	}
	t.Run("at its limit", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPage(bareSession(), "p")
			p.driver = &stage{}
			endless(p)
			if waited, err := p.settle(t.Context(), 700*time.Millisecond); err != nil || waited != 700*time.Millisecond {
				t.Errorf("settle = %v, %v, want 700ms, nil", waited, err)
			}
		})
	})
	t.Run("with its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPage(bareSession(), "p")
			p.driver = &stage{}
			endless(p)
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := p.settle(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("settle = %v, want deadline exceeded", err)
			}
		})
	})
	t.Run("when the page is gone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPage(bareSession(), "p")
			p.driver = &stage{}
			endless(p)
			time.AfterFunc(10*time.Millisecond, func() { p.watch.take(driver.PageCrashed{Page: "p"}) })
			if _, err := p.settle(t.Context(), time.Minute); !errors.Is(err, driver.ErrCrashed) {
				t.Errorf("settle = %v, want %v", err, driver.ErrCrashed)
			}
		})
	})
}

// What keeps a page from being quiet is named: in the log, where settling gives up,
// and in the error, where its context ends.
func TestSettleNamesWhatIsPending(t *testing.T) {
	for want, begin := range map[string]func(*Page, *stage){
		`frame f navigates to "about:srcdoc"`:                        event(driver.NavigationRequested{Page: "p", Frame: "f", URL: "about:srcdoc"}),
		`the page navigates to "https://a.test/next"`:                event(driver.NavigationRequested{Page: "p", Frame: "p", URL: "https://a.test/next"}),
		`frame f is parsed`:                                          event(driver.Navigated{Page: "p", Frame: "f", Doc: "d"}),
		`a dialog is open`:                                           event(driver.DialogOpened{Page: "p"}),
		`a request (document) of "https://a.test/slow" is under way`: started("1", driver.RequestDocument, "https://a.test/slow"),
		`it has scripts and shows nothing yet`:                       func(_ *Page, s *stage) { s.blank = true },
		`a transition is running; it shows a busy mark`:              func(_ *Page, s *stage) { s.transition, s.busy = true, true },
		`its content changes`:                                        mutate,
	} {
		synctest.Test(t, func(t *testing.T) {
			var log strings.Builder
			p := newPage(&Session{journal: journal{log: slog.New(slog.NewTextHandler(&log, nil))}}, "p")
			s := &stage{}
			p.driver = s
			begin(p, s)
			ctx, cancel := context.WithTimeout(t.Context(), ms(60))
			defer cancel()
			if _, err := p.settle(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
				t.Errorf("settle = %v, want what it waited for: %s", err, want)
			}
			if want == "its content changes" {
				return // that is over before the limit is
			}
			if _, err := p.settle(t.Context(), ms(60)); err != nil || !strings.Contains(strings.ReplaceAll(log.String(), `\"`, `"`), want) {
				t.Errorf("settle = %v; it logged %s, want %s", err, log.String(), want)
			}
		})
	}
}

// A titled page has an address, and answers nothing.
type titled struct{ driver.Page }

func (titled) Frames() []driver.Frame { return []driver.Frame{{ID: "p", URL: "https://a.test/"}} }

// A dialog that stands open, and is somebody else's to answer, ends a call with
// what it is, before anything is done; one that is answered in time holds it up only.
func TestCallsMeetADialog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPage(&Session{journal: journal{log: slog.New(slog.DiscardHandler), hooks: &Hooks{}}}, "p")
		p.driver = titled{}
		p.watch.take(driver.DialogOpened{Page: "p", Dialog: driver.Dialog{Kind: driver.Confirm, Message: "sure?"}})
		for range 2 {
			done := false
			c := &call{page: p, name: OperationObserve, limit: readingLimit, fill: func(*Entry) {}, work: func(context.Context, string) error { done = true; return nil }}
			if err := c.run(t.Context()); !errors.Is(err, driver.ErrDialog) || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), `confirm "sure?"`) || done {
				t.Errorf("a call behind a dialog = %v, and was done: %t", err, done)
			}
			if _, err := p.Snapshot(t.Context(), nil); !errors.Is(err, driver.ErrDialog) {
				t.Errorf("Snapshot behind a dialog = %v", err)
			}
			if r, err := p.Do(t.Context(), Action{Selector: "#b"}, nil); !errors.Is(err, driver.ErrDialog) || r == nil || r.Sent != SentNone || r.ID == "" {
				t.Errorf("Do behind a dialog = %+v, %v", r, err)
			}
		}
		p.watch.take(driver.DialogClosed{Page: "p"})
		p.watch.take(driver.DialogOpened{Page: "p"})
		time.AfterFunc(ms(100), func() { p.watch.take(driver.DialogClosed{Page: "p"}) })
		done := false
		c := &call{page: p, name: OperationObserve, limit: readingLimit, fill: func(*Entry) {}, work: func(context.Context, string) error { done = true; return nil }}
		if err := c.run(t.Context()); err != nil || !done {
			t.Errorf("a call behind a dialog that was answered = %v, and was done: %t", err, done)
		}
		for _, c := range []*call{{name: OperationObserve}, {name: OperationNavigate, leads: true}} {
			c.page, c.limit, c.fill = p, readingLimit, func(*Entry) {}
			c.work = func(ctx context.Context, _ string) error { // as a page that answers nothing
				p.watch.take(driver.DialogOpened{Page: "p", Dialog: driver.Dialog{Kind: driver.Confirm, Message: "leave?"}})
				<-ctx.Done()
				return ctx.Err()
			}
			begun := time.Now()
			if err := c.run(t.Context()); !errors.Is(err, driver.ErrDialog) || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), `confirm "leave?"`) || time.Since(begun) != p.session.settleTimeout() {
				t.Errorf("%s in whose midst a dialog opens = %v after %v", c.name, err, time.Since(begun))
			}
			p.watch.take(driver.DialogClosed{Page: "p"})
		}
	})
}
