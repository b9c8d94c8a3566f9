package cdp

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func activity(t testing.TB, p *page) *driver.Activity {
	t.Helper()
	a, err := p.Activity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestActivity(t *testing.T) {
	p := open(t, `<!doctype html><style>#t {width: 10px; transition: width 30s}</style><body><div id=t></div><p id=p>p</p><iframe id=f srcdoc="<p id=in>in</p>"></iframe>`)
	if a := activity(t, p); a.Mutated >= 0 || a.Transition || a.Busy || a.Parsing {
		t.Errorf("a page at rest: %+v", a)
	}
	inMain(t, p, "p.textContent = 'x'")
	a := activity(t, p)
	if a.Mutated < 0 {
		t.Errorf("after a change: %+v", a)
	}
	at := mutatedAt(t, p, "")
	drawn(t, p)
	if b := activity(t, p); b.Mutated <= a.Mutated || mutatedAt(t, p, "") != at {
		t.Errorf("a change %v ago is %v ago a frame later", a.Mutated, b.Mutated)
	}
	frame := p.Frames()[1].ID
	inMain(t, p, "void f.contentDocument.body.append(f.contentDocument.createElement('hr'))")
	if mutatedAt(t, p, frame) < 0 {
		t.Error("a change in the frame was not noticed")
	}
	inMain(t, p, "t.style.width = '500px'")
	drawn(t, p)
	if a := activity(t, p); !a.Transition {
		t.Errorf("while a transition runs: %+v", a)
	}
	for _, mark := range []string{
		`<div aria-busy=true>loading</div>`, `<div role=progressbar>50%</div>`, `<progress></progress>`,
		`<div class="card Skeleton-line" style="height:10px"></div>`, `<i class=spinner>o</i>`,
	} {
		inMain(t, p, "void (p.innerHTML = `"+mark+"`)")
		if a := activity(t, p); !a.Busy {
			t.Errorf("%s is not busy", mark)
		}
		inMain(t, p, "void (p.style.display = 'none')")
		if a := activity(t, p); a.Busy {
			t.Errorf("%s is busy without being seen", mark)
		}
		inMain(t, p, "void (p.style.display = '')")
	}
}

func TestYield(t *testing.T) {
	p := open(t, `<!doctype html><p id=p></p><iframe id=f srcdoc="<p>in</p>"></iframe>`)
	for i, frame := range []driver.FrameID{p.Frames()[0].ID, p.Frames()[1].ID} {
		word := strconv.Itoa(i)
		inMain(t, p, "void setTimeout(() => setTimeout(() => { p.textContent = '"+word+"'; history.pushState(0, '', '#"+word+"') }))")
		if err := p.Yield(t.Context(), frame); err != nil {
			t.Fatal(err)
		}
		if got := inMain(t, p, "p.textContent"); got != word {
			t.Errorf("frame %d: the page shows %q after its turn, want %q", i, got, word)
		}
	}
}

// A node that changes again and again stops to count, unless elements come.
func TestActivityHabit(t *testing.T) {
	p := open(t, `<!doctype html><p id=clock>0</p><ul id=list></ul>`)
	activity(t, p)
	// Each change is a batch of its own, all at once as clocks go.
	tick := func(statement string) {
		t.Helper()
		inMain(t, p, "(async () => { for (let i = 0; i < 12; i++) { "+statement+"; await new Promise((done) => setTimeout(done)); } })()")
	}
	tick("clock.textContent = i")
	first := mutatedAt(t, p, "")
	inMain(t, p, "clock.textContent = 'again'")
	if now := mutatedAt(t, p, ""); now != first || first < 0 {
		t.Errorf("the clock counts as novel: at %v, then at %v", first, now)
	}
	tick("list.append(document.createElement('li'))")
	before := mutatedAt(t, p, "")
	inMain(t, p, "list.append(document.createElement('li'))")
	if now := mutatedAt(t, p, ""); now <= before || before <= first {
		t.Errorf("elements that come do not count: at %v, %v, %v", first, before, now)
	}
}

// What a listener of our input changes counts, also where the page changes it all the time.
func TestActivityOfListener(t *testing.T) {
	p := open(t, `<!doctype html><button id=clock onclick="this.dataset.n = 'pressed'">0</button>`)
	activity(t, p)
	node := query(t, p, driver.NodeRef{}, driver.CSS, "#clock")[0]
	at, err := p.Locate(t.Context(), node, nil)
	if err != nil {
		t.Fatal(err)
	}
	inMain(t, p, "(async () => { for (let i = 0; i < 12; i++) { clock.dataset.n = i; await new Promise((done) => setTimeout(done)); } })()")
	before := mutatedAt(t, p, "")
	sendInput(t, p, append([]driver.InputEvent{driver.Target{At: node}}, clickAt(at.At)...)...)
	if now := mutatedAt(t, p, ""); now <= before {
		t.Errorf("what the click has changed does not count: at %v, then at %v", before, now)
	}
}

// mutatedAt is the page's own time of the last novel change, -1 if there was none.
func mutatedAt(t testing.TB, p *page, frame driver.FrameID) float64 {
	t.Helper()
	raw, err := p.Evaluate(t.Context(), "Math.max(-1, wayfinder.mutated)", &driver.EvaluateOptions{Frame: frame})
	if err != nil {
		t.Fatal(err)
	}
	at, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// From one input to the next, Activity says whether a script of the page has put
// anything off, and touches nothing of the page for that.
func TestTimers(t *testing.T) {
	p := testBrowser(t).Pages()[0].(*page)
	for _, test := range []struct {
		before, handler string
		want            driver.Timers
	}{
		{"", "", driver.TimersNever},
		{"", "p.textContent += 'x'", driver.TimersNever},
		{"", "Promise.resolve().then(() => { p.textContent += 'x' })", driver.TimersNever},
		{"setInterval(() => {}, 50)", "p.textContent += 'x'", driver.TimersBefore},
		{"", "setTimeout(() => {}, 1e6)", driver.TimersUnknown},
		{"", "clearTimeout(setTimeout(() => {}))", driver.TimersUnknown},
		{"", "setInterval(() => {}, 1e6)", driver.TimersUnknown},
		{"", "Promise.resolve().then(() => setTimeout(() => {}, 1e6))", driver.TimersUnknown},
		{"", "requestAnimationFrame(() => {})", driver.TimersUnknown},
		{"const loop = () => requestAnimationFrame(loop); loop()", "", driver.TimersUnknown},
		{"", "requestIdleCallback(() => {})", driver.TimersUnknown},
		{"", "p.animate({ opacity: [0, 1] }, 1e6)", driver.TimersUnknown},
		{"", "p.animate({ opacity: [0, 1] }, { duration: 1e3, iterations: Infinity })", driver.TimersNever},
		{"", "f.contentWindow.setTimeout(() => {}, 1e6)", driver.TimersUnknown},
		{"new Worker(URL.createObjectURL(new Blob(['1'])))", "", driver.TimersUnknown},
		{"new WebSocket(location.href.replace('http', 'ws'))", "", driver.TimersUnknown},
	} {
		goTo(t, p, site{"/": `<!doctype html><button id=b>B</button><p id=p></p><iframe id=f srcdoc="<p>in</p>"></iframe><script>b.onclick = () => { ` + test.handler + ` }; ` + test.before + `</script>`}.serve(t))
		activity(t, p)
		node := query(t, p, driver.NodeRef{}, driver.CSS, "#b")[0]
		for i := range 2 {
			l, err := p.Locate(t.Context(), node, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Input(t.Context(), append([]driver.InputEvent{driver.Target{At: node}}, clickAt(l.At)...)...); err != nil {
				t.Fatal(err)
			}
			if err := p.Yield(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			if test.before == "const loop = () => requestAnimationFrame(loop); loop()" {
				drawn(t, p)
			}
			for range 2 { // the second look counts the first
				got := activity(t, p)
				if got.Timers != test.want {
					t.Errorf("%s; click %d: %s: Timers = %d, want %d", test.before, i+1, test.handler, got.Timers, test.want)
				}
				if channels := strings.HasPrefix(test.before, "new "); got.Channels != channels {
					t.Errorf("%s: Channels = %t, want %t", test.before, got.Channels, channels)
				}
			}
		}
	}
}

// What the page put off stays so while the next input is only prepared, and while more
// of the same action follows.
func TestTimersCountFromTheLastAction(t *testing.T) {
	const page = `<!doctype html><input id=t onfocus="setTimeout(() => {}, 1e6)"><button id=b onclick="setTimeout(() => {}, 1e6)">B</button><button id=c>C</button>`
	for _, frame := range []string{"", `<iframe srcdoc=in></iframe>`} { // which takes other ways
		p := open(t, page+frame)
		press := func(node driver.NodeRef) {
			t.Helper()
			l, err := p.Locate(t.Context(), node, nil)
			if err == nil {
				err = p.Input(t.Context(), append([]driver.InputEvent{driver.Target{At: node, Label: &l.Label}}, clickAt(l.At)...)...)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		button, field, other := query(t, p, driver.NodeRef{}, driver.CSS, "#b")[0], query(t, p, driver.NodeRef{}, driver.CSS, "#t")[0], query(t, p, driver.NodeRef{}, driver.CSS, "#c")[0]
		glance := func() {
			t.Helper()
			if _, err := p.Glance(t.Context(), driver.GlanceOptions{Node: button, For: &driver.Target{}}); err != nil {
				t.Fatal(err)
			}
		}
		press(button)
		glance()
		p.Disarm()
		if got := activity(t, p).Timers; got != driver.TimersUnknown {
			t.Errorf("%s: after a glance Timers = %d, want %d", frame, got, driver.TimersUnknown)
		}
		press(other)
		if got := activity(t, p).Timers; got != driver.TimersBefore {
			t.Errorf("%s: after the next press Timers = %d, want %d", frame, got, driver.TimersBefore)
		}
		glance()
		press(button)
		if got := activity(t, p).Timers; got != driver.TimersUnknown {
			t.Errorf("%s: after a press with the gate set ahead Timers = %d, want %d", frame, got, driver.TimersUnknown)
		}
		glance()
		press(other)
		if err := p.SelectText(t.Context(), driver.Target{At: field}); err != nil {
			t.Fatal(err)
		}
		if err := p.Input(t.Context(), driver.Target{At: field, Continued: true}, driver.InsertText{Text: "x"}); err != nil {
			t.Fatal(err)
		}
		if got := activity(t, p).Timers; got != driver.TimersUnknown {
			t.Errorf("%s: after text behind the focus Timers = %d, want %d", frame, got, driver.TimersUnknown)
		}
	}
}

// A glance tells what the single calls tell, and nothing where they have more to say.
func TestGlance(t *testing.T) {
	p := open(t, `<!doctype html><button id=b onclick="this.setAttribute('aria-pressed', true)">B</button><p>1</p><p>2</p><x-y id=x>custom</x-y>
<iframe id=f srcdoc="<button>in</button>"></iframe><div style="height:4000px"></div><button id=far>far</button>`)
	glance := func(selector string) *driver.Glance {
		t.Helper()
		g, err := p.Glance(t.Context(), driver.GlanceOptions{Selector: driver.Selector{Text: selector}})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for _, none := range []string{"p", "#nothing"} {
		if g := glance(none); !g.Node.IsZero() || g.State != nil || g.Location != nil || g.Activity == nil || g.Revision == 0 {
			t.Errorf("%s: %+v", none, g)
		}
	}
	if _, err := p.Glance(t.Context(), driver.GlanceOptions{Selector: driver.Selector{Text: "["}}); !errors.Is(err, driver.ErrSelector) {
		t.Errorf("a selector that is none: %v", err)
	}
	for _, selector := range []string{"#b", "#far", "#x", "#f"} {
		g := glance(selector)
		node := query(t, p, driver.NodeRef{}, driver.CSS, selector)[0]
		state, err := p.State(t.Context(), node)
		if err != nil {
			t.Fatal(err)
		}
		at, err := p.Locate(t.Context(), node, nil)
		if err != nil {
			t.Fatal(err)
		}
		if g.Node != node || !reflect.DeepEqual(g.Location, at) || g.State == nil != (selector == "#x") || g.State != nil && !reflect.DeepEqual(g.State, state) {
			t.Errorf("%s: %+v\n%+v, want\n%+v, %+v", selector, g, g.State, at, state)
		}
	}
	before := glance("#b")
	if again := glance("#b"); again.Revision != before.Revision {
		t.Errorf("nothing changed, and the revision is %d after %d", again.Revision, before.Revision)
	}
	if g, err := p.GlanceAfter(t.Context(), before.Node); err != nil || g.Revision != 0 || g.State.Pressed != nil {
		t.Errorf("after nothing: %+v, %v", g, err)
	}
	inMain(t, p, "b.click()")
	g, err := p.GlanceAfter(t.Context(), before.Node)
	if err != nil || g.Revision == 0 || g.Revision == before.Revision || g.State.Pressed == nil || g.Activity.Mutated < 0 {
		t.Fatalf("after a click: %+v, %v", g, err)
	}
	if now, err := p.Revision(t.Context()); err != nil || now < g.Revision {
		t.Errorf("revision %d after %d, %v", now, g.Revision, err)
	}
	inMain(t, p, "b.remove()")
	if g, err := p.GlanceAfter(t.Context(), before.Node); err == nil && g.State.Connected {
		t.Errorf("of an element that is gone: %+v", g.State)
	}
	goTo(t, p, "about:blank")
	if g, err := p.GlanceAfter(t.Context(), before.Node); !errors.Is(err, driver.ErrStale) {
		t.Errorf("of another document: %+v, %v", g, err)
	}
}

// A mark that a script puts on an element, or takes away, is noticed in a page that
// was looked at before, however it does so.
func TestActivityMarks(t *testing.T) {
	p := open(t, `<!doctype html><body><div id=d>x</div><progress id=p value=1></progress><div id=host></div>`)
	for _, c := range [][2]string{
		{`d.className = 'skeleton'`, `d.className = ''`},
		{`d.classList.add('big-Spinner')`, `d.classList.remove('big-Spinner')`},
		{`d.ariaBusy = 'true'`, `d.ariaBusy = null`},
		{`d.role = 'progressbar'`, `d.setAttribute('role', 'note')`},
		{`p.removeAttribute('value')`, `p.value = 2`},
		{`d.innerHTML = '<i class=shimmer>y</i>'`, `d.replaceChildren('x')`},
	} {
		for i, script := range c {
			inMain(t, p, script+", ''")
			if a := activity(t, p); a.Busy != (i == 0) {
				t.Errorf("after %s the page is busy: %v", script, a.Busy)
			}
		}
	}
}
