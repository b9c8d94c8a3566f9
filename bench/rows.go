package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/grounding"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// A row is measured for so long, and at least so many times.
const (
	rowTime  = 2 * time.Second
	rowTimes = 6
)

// A bencher measures rows with one Chrome and one bare client beside it.
type bencher struct {
	ctx    context.Context
	wanted func(name string) bool
	chrome *cdp.Chrome
	server *httptest.Server
	rows   []*row

	page *engine.Page // what is measured is done here
	bare *bare        // and here, on a page of its own
	look engine.Look  // the last
}

// measure measures the rows that are wanted. With an error, it returns those
// that were measured before.
func measure(ctx context.Context, wanted func(name string) bool) ([]*row, error) {
	chrome, err := cdp.Start(ctx, cdp.Launch{Port: -1})
	if err != nil {
		return nil, err
	}
	defer chrome.Close()
	b := &bencher{ctx: ctx, wanted: wanted, chrome: chrome, server: serve()}
	defer b.server.Close()
	for _, p := range []struct {
		size, address string
		parts         []func(size string) error
	}{
		{"1,000", "/1000", []func(string) error{b.clicks, b.acts, b.backToBack, b.reading, b.tracing, b.ownChange, b.words}},
		{"1,000 with timers, sheets, frames", "/1000?live", []func(string) error{b.clicks, b.hover, b.backToBack, b.ownChange}},
		{"10,000", "/10000", []func(string) error{b.clicks, b.clicksBackToBack, b.reading, b.tracing, b.ownChange, b.secondLook, b.observe, b.words, b.overWebSocket}},
		{"50,000", "/50000", []func(string) error{b.reading, b.observe}},
	} {
		if err := b.onPage(b.server.URL+p.address, p.size, p.parts); err != nil {
			return b.rows, fmt.Errorf("a page of %s elements: %w", p.size, err)
		}
	}
	for _, part := range []func() error{b.crowd, b.sessions, b.peak, b.memory, b.service} {
		if err := part(); err != nil {
			return b.rows, err
		}
	}
	return b.rows, nil
}

// add adds a row if it is wanted; nil if not.
func (b *bencher) add(r *row) *row {
	if !b.wanted(r.name) {
		return nil
	}
	fmt.Fprintln(os.Stderr, r.name)
	b.rows = append(b.rows, r)
	return r
}

// timed measures a function, in milliseconds.
func timed(f func() error) (float64, error) {
	start := time.Now()
	err := f()
	return float64(time.Since(start).Nanoseconds()) / 1e6, err
}

// A duel is measured by turns.
type duel struct {
	before func() error // each time, not measured; may be nil
	ours   func() error
	took   func() float64 // what ours took, in milliseconds, if not all of it
	bare   func() error   // may be nil
	apart  func() float64 // what bare took, if not all of it
}

func (b *bencher) duel(r *row, d duel) error {
	if r = b.add(r); r == nil {
		return nil
	}
	r.unit = "ms"
	begin := time.Now()
	for i := 0; i <= rowTimes || time.Since(begin) < rowTime; i++ {
		if d.before != nil {
			if err := d.before(); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
		ours, err := timed(d.ours)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		if d.took != nil {
			ours = d.took()
		}
		if i > 0 { // the first warms up
			r.ours = append(r.ours, ours)
		}
		if d.bare == nil {
			continue
		}
		bare, err := timed(d.bare)
		if err != nil {
			return fmt.Errorf("%s, bare: %w", r.name, err)
		}
		if d.apart != nil {
			bare = d.apart()
		}
		if i > 0 {
			r.bare = append(r.bare, bare)
		}
	}
	return nil
}

// onPage measures what is done on one page.
func (b *bencher) onPage(address, size string, parts []func(size string) error) error {
	session, err := b.open(b.chrome, address)
	if err != nil {
		return err
	}
	defer session.Close()
	b.page = session.Page()
	if b.bare, err = dial(b.ctx, b.chrome.Endpoint()); err != nil {
		return err
	}
	defer b.bare.close()
	if err := b.bare.open(address); err != nil {
		return err
	}
	defer b.bare.call("Page.close", nil, nil) // the browser ends soon, too
	for _, part := range parts {
		if err := part(size); err != nil {
			return err
		}
	}
	return nil
}

// open opens a session on a page.
func (b *bencher) open(d engine.Driver, address string) (*engine.Session, error) {
	session, err := engine.Open(b.ctx, d, &engine.Options{
		Model: goModel{},
		Hooks: &engine.Hooks{Looked: func(_ context.Context, l engine.Look) { b.look = l }},
	})
	if err != nil {
		return nil, err
	}
	if _, err := session.Page().Navigate(b.ctx, address, nil); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return session, nil
}

// overWebSocket reads the page by the channel and in the form that the bare client has.
func (b *bencher) overWebSocket(size string) error {
	piped := b.page
	defer func() { b.page = piped }()
	session, err := b.open(cdp.Attach{URL: b.chrome.Endpoint(), Isolated: true}, piped.URL())
	if err != nil {
		return err
	}
	defer session.Close()
	b.page = session.Page()
	return b.readAfter(&row{name: "changed page, whole reading, over a WebSocket as bare, " + size}, changeAll)
}

// quiet leaves the page alone until it has settled and was read.
func (b *bencher) quiet() error {
	_, err := b.page.Snapshot(b.ctx, nil)
	return err
}

func (b *bencher) do(a engine.Action) func() error {
	return func() error {
		_, err := b.page.Do(b.ctx, a, nil)
		return err
	}
}

func (b *bencher) clicks(size string) error {
	most := map[string]float64{"10,000": 6}[size] + map[bool]float64{true: 4}[size != "10,000"]
	press := func() error { return b.bare.click(button) }
	plain := engine.Action{Selector: "xpath=" + button}
	err := b.duel(&row{name: "click by stored action, " + size, goal: goal{ratio: 2, more: fmt.Sprintf("about %g ms", most)}},
		duel{before: b.quiet, ours: b.do(plain), bare: press})
	if err != nil {
		return err
	}
	plain.Fingerprint = &engine.Fingerprint{Role: "button", Name: "Go", Tag: "button"}
	return b.duel(&row{name: "click by stored action with a fingerprint, " + size, goal: goal{ratio: 2.2}},
		duel{before: b.quiet, ours: b.do(plain), bare: press})
}

// acts are those with a method of their own.
func (b *bencher) acts(size string) error {
	at := 0
	next := func() string { at++; return strconv.Itoa(at) }
	for _, act := range []struct {
		name string
		ours func() engine.Action
		bare func() error
	}{
		{"fill", func() engine.Action {
			return engine.Action{Selector: "xpath=" + field, Method: engine.Fill, Arguments: []string{next()}}
		}, func() error { return b.bare.fill(field, next()) }},
		{"select", func() engine.Action {
			return engine.Action{Selector: "xpath=" + list, Method: engine.SelectOption, Arguments: []string{[]string{"one", "two", "three"}[at%3]}}
		}, func() error { at++; return b.bare.choose(list, at%3) }},
		{"check", func() engine.Action {
			at++
			return engine.Action{Selector: "xpath=" + box, Method: []engine.Method{engine.Check, engine.Uncheck}[at%2]}
		}, func() error { return b.bare.click(box) }},
		{"press", func() engine.Action {
			return engine.Action{Selector: "xpath=" + field, Method: engine.Press, Arguments: []string{"a"}}
		}, func() error { return b.bare.press(field) }},
	} {
		r := &row{name: act.name + ", " + size, goal: goal{ratio: 2.5}}
		ours := func() error { return b.do(act.ours())() }
		if err := b.duel(r, duel{before: b.quiet, ours: ours, bare: act.bare}); err != nil {
			return err
		}
	}
	return b.hover(size)
}

// hovers goes from one element to another and back.
func (b *bencher) hovers() (ours, bare func() error) {
	at := 0
	next := func() string { at++; return []string{button, list}[at%2] }
	ours = func() error { return b.do(engine.Action{Selector: "xpath=" + next(), Method: engine.Hover})() }
	return ours, func() error { return b.bare.hover(next()) }
}

// hover lets two frames pass before each: Chrome moves the pointer once a frame, and who
// comes right behind the last frame of its page waits for that.
func (b *bencher) hover(size string) error {
	ours, bare := b.hovers()
	still := func() error {
		err := b.quiet()
		time.Sleep(35 * time.Millisecond)
		return err
	}
	return b.duel(&row{name: "hover, " + size, goal: goal{ratio: 3}}, duel{before: still, ours: ours, bare: bare})
}

// backToBack acts without a pause.
func (b *bencher) backToBack(size string) error {
	if err := b.clicksBackToBack(size); err != nil {
		return err
	}
	ours, bare := b.hovers()
	if err := b.inARow(&row{name: "hovers back to back, " + size, goal: goal{rate: 40}}, ours, bare); err != nil {
		return err
	}
	return b.inARow(&row{name: "presses back to back, " + size, goal: goal{rate: 120}},
		b.do(engine.Action{Selector: "xpath=" + field, Method: engine.Press, Arguments: []string{"a"}}), func() error { return b.bare.press(field) })
}

func (b *bencher) clicksBackToBack(size string) error {
	least := map[string]float64{"10,000": 100}[size] + map[bool]float64{true: 120}[size != "10,000"]
	return b.inARow(&row{name: "clicks back to back, " + size, goal: goal{rate: least}},
		b.do(engine.Action{Selector: "xpath=" + button}), func() error { return b.bare.click(button) })
}

// inARow measures how often a second two things can be done, by turns.
func (b *bencher) inARow(r *row, ours, bare func() error) error {
	if r = b.add(r); r == nil {
		return nil
	}
	r.unit = "/s"
	often := func(do func() error) func() (float64, error) {
		return func() (float64, error) { return rate(rowTime/rowTimes, do) }
	}
	return r.byTurns(rowTimes, often(ours), often(bare))
}

// byTurns adds rates of what ours and bare do, by turns.
func (r *row) byTurns(times int, ours, bare func() (float64, error)) error {
	for range times {
		for _, of := range []struct {
			rate  func() (float64, error)
			rates *[]float64
		}{{ours, &r.ours}, {bare, &r.bare}} {
			v, err := of.rate()
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			*of.rates = append(*of.rates, v)
		}
	}
	return nil
}

// rate returns how often a second f can be done.
func rate(limit time.Duration, f func() error) (float64, error) {
	start := time.Now()
	for n := 1; ; n++ {
		if err := f(); err != nil {
			return 0, err
		}
		if took := time.Since(start); took >= limit {
			return float64(n) / took.Seconds(), nil
		}
	}
}

// changeAll changes a style sheet, so that all of the page has to be read.
const changeAll = `document.getElementById('sheet').textContent += ' nav a{padding:' + (performance.now() % 9 | 0) + 'px}'`

// change has a script change both pages.
func (b *bencher) change(script string) func() error {
	return func() error {
		if _, err := b.page.Driver().Evaluate(b.ctx, "void ("+script+")", nil); err != nil {
			return err
		}
		// Ours pays for styles and layout while it waits.
		return b.bare.evaluate("void ("+script+"); document.body.getBoundingClientRect().x", nil)
	}
}

// ownChange is the whole call after a change that the page made by itself: it waits
// until the page is quiet, which bare does not.
func (b *bencher) ownChange(size string) error {
	// Not the element that a click changes: that counted as the page's own work in the rows that follow.
	return b.duel(&row{name: "the whole call after the page's own change, " + size},
		duel{before: b.change("document.body.dataset.own = performance.now()"), ours: b.quiet, bare: b.bare.capture})
}

// readAfter reads the page after a script has changed it. What is measured is
// the look without the wait for quiescence.
func (b *bencher) readAfter(r *row, script string) error {
	var whole time.Duration
	return b.duel(r, duel{
		before: b.change(script),
		ours: func() error {
			start := time.Now()
			_, err := b.page.Snapshot(b.ctx, nil)
			whole = time.Since(start)
			return err
		},
		took: func() float64 { return float64((whole - b.look.Settle).Nanoseconds()) / 1e6 },
		bare: b.bare.capture,
	})
}

// reading reads the page after a change and without one.
func (b *bencher) reading(size string) error {
	if err := b.readAfter(&row{name: "changed page, whole reading, " + size, goal: goal{ratio: 1.25}}, changeAll); err != nil {
		return err
	}
	if err := b.quiet(); err != nil {
		return err
	}
	return b.duel(&row{name: "unchanged page, " + size, goal: goal{ms: map[string]float64{"50,000": 2}[size] + map[bool]float64{true: 1}[size != "50,000"]}},
		duel{ours: b.quiet, bare: func() error { return b.bare.evaluate("1", nil) }})
}

// tracing finds the sources of 20 records that a model would return. Beside it stands the
// reading of the page, in place of the bare protocol.
func (b *bencher) tracing(size string) error {
	type record struct {
		Title        string
		Price, Stock float64
	}
	var answer struct{ Items []record }
	for i := range 20 {
		answer.Items = append(answer.Items, record{fmt.Sprint("Item ", i), float64(i) + 0.5, float64(i % 7)})
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	var snapshot *engine.Snapshot
	var reading time.Duration
	change := b.change(changeAll)
	return b.duel(&row{name: "sources of 20 records, beside a whole reading, " + size, goal: goal{ratio: 0.2}}, duel{
		before: func() error {
			err := change()
			if err == nil {
				start := time.Now()
				snapshot, err = b.page.Snapshot(b.ctx, nil)
				reading = time.Since(start) - b.look.Settle
			}
			return err
		},
		ours: func() error {
			report, err := grounding.Check(snapshot, nil, data, nil)
			if err == nil && (len(report.Sources) != report.Leaves || len(report.Ungrounded) > 0) {
				err = fmt.Errorf("%d of %d values have a source, %d are contradicted or unproven", len(report.Sources), report.Leaves, len(report.Ungrounded))
			}
			return err
		},
		bare:  func() error { return nil },
		apart: func() float64 { return float64(reading.Nanoseconds()) / 1e6 },
	})
}

func (b *bencher) secondLook(size string) error {
	return b.readAfter(&row{name: "changed page, second look after one action, " + size, goal: goal{ratio: 0.25}},
		"document.getElementById('go').dataset.n = performance.now()")
}

func (b *bencher) observe(size string) error {
	if err := b.quiet(); err != nil {
		return err
	}
	return b.duel(&row{name: "observe without a model, unchanged, " + size, goal: goal{ms: map[string]float64{"10,000": 20, "50,000": 100}[size]}},
		duel{ours: func() error { _, err := b.page.Observe(b.ctx, "", nil); return err }})
}

// words acts by words on a page that changed. What is measured is the act
// without the reading, whose wait for quiescence is not the act's.
func (b *bencher) words(size string) error {
	var whole time.Duration
	return b.duel(&row{name: "act by words over the reading, model at 0 ms, " + size, goal: goal{ms: 8}}, duel{
		before: b.quiet,
		ours: func() error {
			start := time.Now()
			_, err := b.page.Act(b.ctx, "go", nil)
			whole = time.Since(start)
			return err
		},
		took: func() float64 {
			return float64((whole - b.look.Settle - b.look.Capture - b.look.Build).Nanoseconds()) / 1e6
		},
	})
}

// crowd acts in many sessions of one Chrome at once, and so do as many bare clients,
// each in a context of its own that has the focus.
func (b *bencher) crowd() error {
	const sessions = 16
	r := b.add(&row{name: "acts of 16 sessions in one Chrome", unit: "/s", goal: goal{least: 0.75}})
	if r == nil {
		return nil
	}
	var ours, bare []func() error
	address := b.server.URL + "/1000"
	for range sessions {
		session, err := b.open(b.chrome, address)
		if err != nil {
			return err
		}
		defer session.Close()
		page := session.Page()
		ours = append(ours, func() error {
			_, err := page.Do(b.ctx, engine.Action{Selector: "xpath=" + button}, nil)
			return err
		})
		client, err := dial(b.ctx, b.chrome.Endpoint())
		if err != nil {
			return err
		}
		defer client.close()
		if err := client.apart(address); err != nil {
			return err
		}
		bare = append(bare, func() error { return client.click(button) })
	}
	return r.byTurns(3, func() (float64, error) { return together(ours) }, func() (float64, error) { return together(bare) })
}

// together returns how often a second all can be done that are done at once.
func together(all []func() error) (sum float64, err error) {
	var done sync.WaitGroup
	rates, errs := make([]float64, len(all)), make([]error, len(all))
	for i, do := range all {
		done.Go(func() { rates[i], errs[i] = rate(rowTime, do) })
	}
	done.Wait()
	for _, v := range rates {
		sum += v
	}
	return sum, errors.Join(errs...)
}

// sessions opens sessions in a running Chrome.
func (b *bencher) sessions() error {
	client, err := dial(b.ctx, b.chrome.Endpoint())
	if err != nil {
		return err
	}
	defer client.close()
	address := b.server.URL + "/100"
	var took, created, bare float64
	return b.duel(&row{name: "isolated session, open to first page, over createTarget", goal: goal{ms: 60}}, duel{
		before: func() (err error) {
			created, bare, err = client.isolated(address)
			return err
		},
		ours: func() error {
			var session *engine.Session
			took, err = timed(func() (err error) {
				if session, err = engine.Open(b.ctx, b.chrome, nil); err == nil {
					_, err = session.Page().Navigate(b.ctx, address, nil)
				}
				return err
			})
			if err != nil {
				return err
			}
			return session.Close()
		},
		took:  func() float64 { return took - created },
		bare:  func() error { return nil },
		apart: func() float64 { return bare - created },
	})
}

// memory acts on a page of 1,000 elements in memory, which is read anew.
func (b *bencher) memory() error {
	const address = "https://bench.test/"
	session, err := engine.Open(b.ctx, fake.New(fake.Options{
		Web: fake.Web{address: source(1000)},
		Scripts: map[string]func(*fake.Document){address: func(d *fake.Document) {
			n := 0
			d.On("click", "#go", func(e *fake.Event) { n++; e.Current.SetAttr("data-n", strconv.Itoa(n)) })
		}},
	}), &engine.Options{Model: goModel{}})
	if err != nil {
		return err
	}
	defer session.Close()
	if _, err := session.Page().Navigate(b.ctx, address, nil); err != nil {
		return err
	}
	return b.duel(&row{name: "in memory, a step of 1,000 elements", goal: goal{ms: 2.5}},
		duel{ours: func() error { _, err := session.Page().Act(b.ctx, "go", nil); return err }})
}

var (
	actsPerSecond = regexp.MustCompile(`([\d.]+) acts/s`)
	slowest       = regexp.MustCompile(`([\d.]+) p99-ms`)
)

// service runs the service's own benchmark, which has its clients.
func (b *bencher) service() error {
	r := b.add(&row{name: "service, in memory, acts by action, 100 sessions", unit: "/s", goal: goal{rate: 10_000}})
	late := b.add(&row{name: "service, the same, 99 of 100 acts", unit: "ms", goal: goal{ms: 30}})
	if r == nil && late == nil {
		return nil
	}
	out, err := exec.CommandContext(b.ctx, "go", "test", "./server", "-run", "^$", "-bench", "^BenchmarkAct$", "-benchtime", "2s", "-count", "3").CombinedOutput()
	for _, part := range []struct {
		row     *row
		pattern *regexp.Regexp
	}{{r, actsPerSecond}, {late, slowest}} {
		if part.row == nil {
			continue
		}
		for _, found := range part.pattern.FindAllStringSubmatch(string(out), -1) {
			v, _ := strconv.ParseFloat(found[1], 64) // digits, by the pattern
			part.row.ours = append(part.row.ours, v)
		}
		if err != nil || len(part.row.ours) == 0 {
			part.row.note = "not measured: go test ./server fails"
		}
	}
	return nil
}

// goModel answers at once with the button.
type goModel struct{}

func (goModel) Name() string { return "bench/go" }

func (goModel) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	return &llm.Response{Text: fmt.Sprintf(
		`{"found":true,"ref":%q,"method":"click","arguments":[],"description":"go","reason":"","more":false}`, llmtest.Ref(req, "button: Go"))}, nil
}

// peak measures the memory of a process that has no more to do than to look at a page
// of 50,000 elements, three times after a change. Chrome's is its own.
func (b *bencher) peak() error {
	r := b.add(&row{name: "memory of three looks at a changed page, 50,000", unit: "MB", goal: goal{mb: 100}})
	if r == nil {
		return nil
	}
	own, err := os.Executable()
	if err != nil {
		return err
	}
	for range 3 {
		out, err := exec.CommandContext(b.ctx, own, "-memory", b.server.URL+"/50000").Output()
		if err != nil {
			r.note = "not measured: " + err.Error()
			return nil
		}
		mb, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			return err
		}
		r.ours = append(r.ours, mb)
	}
	return nil
}
