package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/llm"
)

var (
	randomSeed = flag.Uint64("random.seed", 1, "seed of the random acts; 0 takes a new one")
	randomActs = flag.Int("random.acts", 0, "number of the random acts; 0 is the test's own")
)

func seed(t *testing.T) *rand.Rand {
	s := *randomSeed
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("-random.seed=%d", s)
	return rand.New(rand.NewPCG(s, 0))
}

func acts(own int) int {
	if *randomActs > 0 {
		return *randomActs
	}
	return own
}

const randomItems = 12

// A restless page changes at random while somebody works with it. What an item
// is, its text says and data-id; a node may come to show another item.
type restless struct {
	rand *rand.Rand
	page driver.Page // of package fake; nil while it rests

	mu     sync.Mutex
	busy   bool     // a change is being made: its own calls change nothing
	hits   []string // "data-id text" of what was clicked
	change []string // what was done to the page, for the failure's message
	target string
	chosen bool // by the model: look-alikes may come
}

func item(id int) string {
	return fmt.Sprintf(`<li><button data-id=%d>Item %d</button></li>`, id, id)
}

// stir changes the page, sometimes.
func (r *restless) stir() {
	r.mu.Lock()
	if r.busy || r.page == nil || r.rand.IntN(4) > 0 {
		r.mu.Unlock()
		return
	}
	r.busy = true
	how, which, other := r.rand.IntN(9), r.rand.IntN(randomItems), r.rand.IntN(randomItems)
	if r.rand.IntN(2) == 0 {
		fmt.Sscan(r.target, &which) // as often as not, what was meant
	}
	if how == 6 && !r.chosen {
		how = 0 // who chooses among equals cannot be right
	}
	r.mu.Unlock()
	what := ""
	err := fake.Change(context.Background(), r.page, func(d *fake.Document) { what = disturb(d, how, which, other) })
	r.mu.Lock()
	defer r.mu.Unlock()
	r.change = append(r.change, fmt.Sprint(what, " ", which, " ", other, " ", err))
	r.busy = false
}

// disturb makes one change.
func disturb(d *fake.Document, how, which, other int) string {
	find := func(id int) []*fake.Element { return d.FindAll(fmt.Sprintf("button[data-id='%d']", id)) }
	these, those := find(which), find(other)
	if len(these) == 0 || len(those) == 0 {
		return "nothing of"
	}
	a, b := these[0], those[0]
	switch how {
	case 0:
		a.Rerender()
		return "rendered anew"
	case 1:
		b.Parent().Behind("<li>" + a.Parent().HTML() + "</li>")
		a.Parent().Remove()
		return "made anew elsewhere"
	case 2: // the nodes stay, and show each other's items
		if which == other {
			return "nothing of"
		}
		a.SetAttr("data-id", fmt.Sprint(other))
		a.SetText(fmt.Sprintf("Item %d", other))
		b.SetAttr("data-id", fmt.Sprint(which))
		b.SetText(fmt.Sprintf("Item %d", which))
		return "changed places with"
	case 3:
		a.Parent().Remove()
		return "removed"
	case 4:
		a.Parent().Before(`<li>A line of text<br>and another</li>`)
		return "moved"
	case 5:
		d.Body().Append(`<div class=cover style="position:fixed;left:0;top:0;width:100%;height:100%;z-index:9">busy</div>`)
		return "covered"
	case 6:
		a.Parent().Behind(fmt.Sprintf(`<li><button data-id="like-%d">Item %d</button></li>`, which, which))
		return "joined by a look-alike"
	case 7:
		a.SetAttr("disabled", "")
		return "disabled"
	}
	for _, c := range d.FindAll(".cover") {
		c.Remove()
	}
	return "uncovered"
}

// reset shows all items in a new order, quietly.
func (r *restless) reset(t *testing.T, page driver.Page) {
	r.mu.Lock()
	r.page, r.hits, r.change, r.chosen = nil, nil, nil, false
	var list strings.Builder
	for _, id := range r.rand.Perm(randomItems) {
		list.WriteString(item(id))
	}
	r.mu.Unlock()
	err := fake.Change(t.Context(), page, func(d *fake.Document) { d.Body().SetHTML("<ul>" + list.String() + "</ul>") })
	if err != nil {
		t.Fatal(err)
	}
}

func (r *restless) hit(e *fake.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := e.Target.Closest("button")
	r.hits = append(r.hits, b.Attr("data-id")+" "+b.Text())
}

// Generate answers an act by the item that the instruction names. The page goes
// on changing while it thinks.
func (r *restless) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	name := "Item " + r.target
	answer := `{"found":false,"ref":"","method":"click","arguments":[],"description":"","reason":"it is not there","more":false}`
	_, several := refOf(req, "button:2", name)
	if ref, err := refOf(req, "button", name); err == nil && several != nil {
		answer = fmt.Sprintf(`{"found":true,"ref":%q,"method":"click","arguments":[],"description":"","reason":"","more":false}`, ref)
	}
	r.mu.Lock()
	r.chosen = true
	r.mu.Unlock()
	r.stir()
	r.stir()
	return &llm.Response{Text: answer}, nil
}

func (*restless) Name() string { return "random/test" }

// stirred is a driver whose page changes before calls to it, except before
// Input: what happens between the last look and the input is the browser's.
type stirred struct {
	driver.Driver
	r *restless
}

func (d stirred) Open(ctx context.Context, o *driver.BrowserOptions) (driver.Browser, error) {
	b, err := d.Driver.Open(ctx, o)
	return stirredBrowser{b, d.r}, err
}

type stirredBrowser struct {
	driver.Browser
	r *restless
}

func (b stirredBrowser) Pages() []driver.Page {
	pages := b.Browser.Pages()
	for i, p := range pages {
		pages[i] = stirredPage{p, b.r}
	}
	return pages
}

type stirredPage struct {
	driver.Page
	r *restless
}

func (p stirredPage) Capture(ctx context.Context) (*driver.Capture, error) {
	defer p.r.stir()
	return p.Page.Capture(ctx)
}

func (p stirredPage) Find(ctx context.Context, root driver.NodeRef, s driver.Selector) ([]driver.NodeRef, error) {
	defer p.r.stir()
	return p.Page.Find(ctx, root, s)
}

func (p stirredPage) State(ctx context.Context, n driver.NodeRef) (*driver.State, error) {
	defer p.r.stir()
	return p.Page.State(ctx, n)
}

func (p stirredPage) Locate(ctx context.Context, n driver.NodeRef, o *driver.LocateOptions) (*driver.Location, error) {
	p.r.stir()
	return p.Page.Locate(ctx, n, o)
}

func (p stirredPage) Activity(ctx context.Context) (*driver.Activity, error) {
	defer p.r.stir()
	return p.Page.Activity(ctx)
}

func (p stirredPage) Input(ctx context.Context, events ...driver.InputEvent) error {
	p.r.mu.Lock()
	p.r.busy = true // a click is one thing: nothing changes between press and release
	p.r.mu.Unlock()
	defer func() {
		p.r.mu.Lock()
		p.r.busy = false
		p.r.mu.Unlock()
	}()
	return p.Page.Input(ctx, events...)
}

// A thousand acts on a page that changes at random under them: never another
// element than the one that was meant, never one twice, and a success is told
// if and only if it was clicked.
func TestRandomActs(t *testing.T) {
	r := &restless{rand: seed(t)}
	synctest.Test(t, func(t *testing.T) {
		r.play(t, acts(map[bool]int{false: 200, true: 1000}[chrometest.All()]/chrometest.Thin(5)))
	})
}

func (r *restless) play(t *testing.T, n int) {
	web := fake.New(fake.Options{
		Web:     fake.Web{shopAddress: "<body>"},
		Scripts: map[string]func(*fake.Document){"*": func(d *fake.Document) { d.On("click", "button", r.hit) }},
	})
	page := openOn(t, stirred{web, r}, &engine.Options{Model: r, SettleTimeout: time.Millisecond})
	inner := page.Driver().(stirredPage).Page
	done := 0
	for i := range n {
		r.reset(t, inner)
		r.target = fmt.Sprint(r.rand.IntN(randomItems))
		opts := &engine.ActOptions{Timeout: 5 * time.Second}
		var result *engine.ActResult
		var err error
		if i%2 == 0 {
			r.wake(inner)
			result, err = page.Act(t.Context(), "click Item "+r.target, opts)
		} else {
			action := storedAction(t, page, "Item "+r.target)
			r.wake(inner)
			result, err = page.Do(t.Context(), action, opts)
		}
		r.mu.Lock()
		r.page = nil
		hits, want := r.hits, r.target+" Item "+r.target
		switch {
		case len(hits) > 1, len(hits) == 1 && hits[0] != want && hits[0] != "like-"+want:
			t.Errorf("act %d: wanted %s, clicked %q after\n\t%s", i, want, hits, strings.Join(r.change, "\n\t"))
		case len(hits) == 1 && hits[0] != want && !r.lost():
			t.Errorf("act %d: clicked a look-alike of %s after\n\t%s", i, want, strings.Join(r.change, "\n\t"))
		case result == nil || result.Success != (len(hits) == 1) || result.Success != (err == nil):
			t.Errorf("act %d: success %+v, error %v, clicked %q after\n\t%s", i, result, err, hits, strings.Join(r.change, "\n\t"))
		}
		if len(hits) == 1 {
			done++
		}
		r.mu.Unlock()
		if t.Failed() {
			break
		}
	}
	t.Logf("%d of %d acts were done, the others refused", done, n)
	if !t.Failed() && done < n/4 {
		t.Errorf("no more than %d of %d acts were done", done, n)
	}
}

func (r *restless) wake(p driver.Page) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.page = p
}

// lost reports that what was meant was taken away, so that a look-alike is all
// there is. The caller holds mu.
func (r *restless) lost() bool {
	for _, c := range r.change {
		if strings.HasPrefix(c, "removed "+r.target+" ") {
			return true
		}
	}
	return false
}

// storedAction is what an earlier observation has kept.
func storedAction(t *testing.T, page *engine.Page, name string) engine.Action {
	t.Helper()
	seen, err := page.Observe(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range seen.Actions {
		if a.Fingerprint != nil && a.Fingerprint.Name == name {
			return a
		}
	}
	t.Fatal(errors.New("Observe does not show " + name))
	return engine.Action{}
}
