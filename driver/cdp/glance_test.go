package cdp

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const prepared = `<!doctype html><body style="margin:0"><script>var log = [];</script>
<button id=a style="position:absolute;left:0;top:0;width:50px;height:50px" onclick="log.push('a'); this.setAttribute('aria-pressed', true)">Anna</button>
<button id=b style="position:absolute;left:100px;top:0;width:50px;height:50px" onclick="log.push('b')">Bob</button>
<input id=t style="position:absolute;left:0;top:100px" aria-label=Text>
<select id=s style="position:absolute;left:0;top:200px" aria-label=List><option>one<option>two</select>
<button id=far style="position:absolute;left:0;top:5000px">far</button>`

// An element that is pressed costs three round trips: a look that makes ready, the
// input, and what came of it.
func TestGlancePrepares(t *testing.T) {
	p := open(t, prepared)
	glance := func(id string) (*driver.Glance, driver.Target) {
		t.Helper()
		by := driver.Selection{Selector: driver.Selector{Text: "#" + id}}
		g, err := p.Glance(t.Context(), driver.GlanceOptions{Selector: by.Selector, For: &driver.Target{Selected: &by}})
		if err != nil {
			t.Fatal(err)
		}
		return g, driver.Target{At: g.Node, Label: &g.Location.Label, Selected: &by}
	}
	press := func(aim driver.Target, at driver.Point) error {
		return p.Input(t.Context(), append([]driver.InputEvent{aim}, clickAt(at)...)...)
	}
	felt := func() string { return inMain(t, p, "log.splice(0).join()") }
	glance("a") // gives the page our library
	p.Disarm()

	commands, writes := p.session.Sent()
	g, aim := glance("a")
	if err := press(aim, g.Location.At); err != nil {
		t.Fatal(err)
	}
	after, err := p.GlanceAfter(t.Context(), g.Node)
	if err != nil || after.State.Pressed == nil {
		t.Errorf("GlanceAfter = %+v, %v", after, err)
	}
	// A look with the counts, three events of input with an object that is let go, the end
	// of the gate with what came of it.
	now, nowWrites := p.session.Sent()
	if now -= commands; now != 8 {
		t.Errorf("a click took %d commands, want 8", now)
	}
	if nowWrites -= writes; nowWrites != 3 {
		t.Errorf("a click took %d writes, want 3", nowWrites)
	}
	if got := felt(); got != "a" {
		t.Errorf("the page felt %q", got)
	}

	// What changes between the look and the input is noticed as ever.
	g, aim = glance("a")
	inMain(t, p, "a.textContent = 'Other', ''")
	if err := press(aim, g.Location.At); !errors.Is(err, driver.ErrChanged) || felt() != "" {
		t.Errorf("an element that says something else was pressed: %v", err)
	}
	g, aim = glance("a")
	inMain(t, p, "a.style.left = '300px', ''")
	if err := press(aim, g.Location.At); !errors.Is(err, driver.ErrObscured) || felt() != "" {
		t.Errorf("an element that moved away was pressed: %v", err)
	}
	g, aim = glance("a")
	inMain(t, p, "a.id = 'c', ''")
	if err := press(aim, g.Location.At); !errors.Is(err, driver.ErrChanged) || felt() != "" {
		t.Errorf("an element that is selected no longer was pressed: %v", err)
	}
	inMain(t, p, "c.id = 'a', ''")

	// What was made ready for one element does not keep input from another.
	glance("a")
	nodes := query(t, p, driver.NodeRef{}, driver.CSS, "#b")
	if err := press(driver.Target{At: nodes[0]}, driver.Point{X: 120, Y: 20}); err != nil || felt() != "b" {
		t.Errorf("the press on another element: %v", err)
	}
	glance("a")
	p.Disarm()
	if err := p.Input(t.Context(), clickAt(driver.Point{X: 120, Y: 20})...); err != nil || felt() != "b" {
		t.Errorf("a press after Disarm: %v", err)
	}

	// Nothing is made ready for what cannot be pressed where it is.
	if g, _ := glance("far"); g.Location.InView || p.prepared.gate.Load() != nil {
		t.Errorf("made ready for an element out of view: %+v", g.Location)
	}

	// Giving the focus holds an element to its selector; what it makes of that is its own.
	inMain(t, p, "t.onfocus = () => { t.id = 'focused' }, ''")
	g, aim = glance("t")
	if err := p.SelectText(t.Context(), aim); err != nil {
		t.Fatal(err)
	}
	_, before := p.session.Sent()
	aim.Continued = true
	if err := p.Input(t.Context(), aim, driver.InsertText{Text: "x"}); err != nil || inMain(t, p, "focused.value") != "x" {
		t.Errorf("Input after SelectText: %v", err)
	}
	if _, writes := p.session.Sent(); writes-before > 3 { // the text, what came of it, and inMain's
		t.Errorf("the text took %d writes, want 2", writes-before)
	}
	_ = g
}

// A page with frames, of its process and another, costs no more trips: each frame is made
// ready by the look, and asked together with the main document.
func TestGlancePreparesInFrames(t *testing.T) {
	other := strings.Replace(site{"/": `<!doctype html><p>elsewhere</p>`}.serve(t), "127.0.0.1", "localhost", 1)
	p := testBrowser(t).Pages()[0].(*page)
	goTo(t, p, site{"/": prepared + `<iframe id=in style="position:absolute;left:0;top:300px;width:200px;height:60px" srcdoc="<body style='margin:0'><button style='width:50px;height:50px' onclick='parent.log.push(1)'>in</button>"></iframe>
<iframe src="` + other + `"></iframe>`}.serve(t))
	glance := func() (*driver.Glance, driver.Target) {
		t.Helper()
		g, err := p.Glance(t.Context(), driver.GlanceOptions{Selector: driver.Selector{Text: "#a"}, For: &driver.Target{}})
		if err != nil {
			t.Fatal(err)
		}
		return g, driver.Target{At: g.Node, Label: &g.Location.Label}
	}
	press := func(aim driver.Target, at driver.Point) error {
		return p.Input(t.Context(), append([]driver.InputEvent{aim}, clickAt(at)...)...)
	}
	felt := func() string { return inMain(t, p, "log.splice(0).join()") }
	sent := func() (commands, writes int) {
		sessions := map[*session]bool{}
		frames, err := p.frameStates()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frames {
			if !sessions[f.session] {
				sessions[f.session] = true
				c, w := f.session.Sent()
				commands, writes = commands+c, writes+w
			}
		}
		return commands, writes
	}
	glance() // gives the frames our library
	p.Disarm()

	for range 3 { // of which the second and third look behind an effect at once
		commands, writes := sent()
		g, aim := glance()
		if err := press(aim, g.Location.At); err != nil {
			t.Fatal(err)
		}
		if after, err := p.GlanceAfter(t.Context(), g.Node); err != nil || after.State.Pressed == nil {
			t.Errorf("GlanceAfter = %+v, %v", after, err)
		}
		nowCommands, nowWrites := sent()
		// A look at three frames with the counts of two processes; three events of input, with
		// an object that is let go; the end of three gates, and three questions what came of it.
		if nowCommands -= commands; nowCommands != 15 {
			t.Errorf("a click took %d commands, want 15", nowCommands)
		}
		// Two for each process, the input, and the end of the gates of two frames.
		if nowWrites -= writes; nowWrites != 7 {
			t.Errorf("a click took %d writes, want 7", nowWrites)
		}
		if got := felt(); got != "a" {
			t.Errorf("the page felt %q", got)
		}
		inMain(t, p, "a.removeAttribute('aria-pressed'), ''")
		activity(t, p)
	}

	// A frame that has come to lie there gets nothing of it.
	g, aim := glance()
	inMain(t, p, "document.getElementById('in').style.top = 0, ''")
	if err := press(aim, g.Location.At); !errors.Is(err, driver.ErrObscured) || felt() != "" {
		t.Errorf("a press on another frame: %v", err)
	}
	inMain(t, p, "document.getElementById('in').style.top = '300px', ''")

	// What is made ready keeps nothing from a frame once it is not to be used.
	glance()
	p.Disarm()
	inFrame := driver.Point{X: 20, Y: 320}
	if err := p.Input(t.Context(), clickAt(inFrame)...); err != nil || felt() != "1" {
		t.Errorf("a press in a frame after Disarm: %v", err)
	}

	// Nor does a look that could not make the main document ready, or one at other frames.
	if g, err := p.Glance(t.Context(), driver.GlanceOptions{Selector: driver.Selector{Text: "#far"}, For: &driver.Target{}}); err != nil || g.Location.InView || p.prepared.gate.Load() != nil {
		t.Errorf("made ready for an element out of view: %+v, %v", g, err)
	}
	if err := p.Input(t.Context(), clickAt(inFrame)...); err != nil || felt() != "1" {
		t.Errorf("a press in a frame after a look at another element: %v", err)
	}
	g, aim = glance()
	inMain(t, p, "document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: 'new', style: 'position:absolute;left:0;top:0'})), ''")
	if err := press(aim, g.Location.At); !errors.Is(err, driver.ErrObscured) || felt() != "" {
		t.Errorf("a press on a frame that was not there: %v", err)
	}
}

// What our script looks for among all elements it has found before, as long as nothing
// was added, removed or given another attribute.
func TestListsAreKept(t *testing.T) {
	p := open(t, prepared)
	evaluate := func(script string) string {
		t.Helper()
		raw, err := p.Evaluate(t.Context(), script, nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	searches := func() string {
		t.Helper()
		if _, err := p.Glance(t.Context(), driver.GlanceOptions{Selector: driver.Selector{Text: "#b"}, Styles: true}); err != nil {
			t.Fatal(err)
		}
		return evaluate("(wayfinder.asked ?? []).splice(0).filter((s) => s === '*' || s.includes('svg *') || s.startsWith('input, select')).length")
	}
	searches()
	evaluate("{ const all = wayfinder.all; wayfinder.asked = []; wayfinder.all = (s) => { wayfinder.asked.push(s); return all(s) } } 0")
	if got := searches(); got != "0" {
		t.Errorf("an unchanged page was searched %s times", got)
	}
	inMain(t, p, "void a.setAttribute('role', 'link')")
	if got := searches(); got == "0" {
		t.Error("another attribute was not looked at")
	}
	inMain(t, p, "void document.body.append(document.createElement('input'))")
	if got := searches(); got != "3" {
		t.Errorf("with another element, %s of 3 searches were made", got)
	}
}

// What GlanceAfter tells is from behind the last that was done.
func TestGlanceAfterIsNotOld(t *testing.T) {
	p := open(t, prepared)
	node := query(t, p, driver.NodeRef{}, driver.CSS, "#s")[0]
	for i, value := range []string{"two", "one", "two"} {
		if _, err := p.SetValue(t.Context(), driver.Target{At: node}, value); err != nil {
			t.Fatal(err)
		}
		if i == 1 { // nobody asked
			continue
		}
		if g, err := p.GlanceAfter(t.Context(), node); err != nil || g.State.Value != value {
			t.Errorf("after %q: %+v, %v", value, g, err)
		}
	}
	if _, err := p.SetValue(t.Context(), driver.Target{At: node}, "one"); err != nil {
		t.Fatal(err)
	}
	if err := p.Focus(t.Context(), driver.Target{At: query(t, p, driver.NodeRef{}, driver.CSS, "#t")[0]}); err != nil {
		t.Fatal(err)
	}
	inMain(t, p, "s.value = 'two', ''")
	if g, err := p.GlanceAfter(t.Context(), node); err != nil || g.State.Value != "two" {
		t.Errorf("after a script: %+v, %v", g, err)
	}
}

// An effect that shows at once is told at once, and what the page put off is waited for
// where nothing was seen, or a count says that something comes; else by the next look.
func TestGlanceAfterAtOnce(t *testing.T) {
	p := testBrowser(t).Pages()[0].(*page)
	const message = "const c = new MessageChannel(); c.port1.onmessage = () => { p.textContent = 'later' }; c.port2.postMessage(0); "
	for _, frame := range []string{"", "<iframe id=f srcdoc=in></iframe>"} { // which takes other ways
		for _, test := range []struct {
			handler string
			rested  bool
		}{
			{"p.textContent = 'now'", false},
			{"b.ariaPressed = 'true'", false},
			{"", true},
			{"b.blur()", true},
			{"p.textContent = 'now'; setTimeout(() => { p.textContent = 'later' })", true},
			{"p.textContent = 'now'; requestAnimationFrame(() => {})", true},
			{"p.textContent = 'now'; new FormData(g)", true}, // as a form does that is sent
			{"p.textContent = 'now'; " + message, false},
		} {
			goTo(t, p, site{"/": `<!doctype html><button id=b>B</button><p id=p></p><form id=g></form>` + frame + `<script>b.onclick = () => { ` + test.handler + ` }</script>`}.serve(t))
			g, err := p.Glance(t.Context(), driver.GlanceOptions{Selector: driver.Selector{Text: "#b"}, For: &driver.Target{}})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Input(t.Context(), append([]driver.InputEvent{driver.Target{At: g.Node, Label: &g.Location.Label}}, clickAt(g.Location.At)...)...); err != nil {
				t.Fatal(err)
			}
			after, err := p.GlanceAfter(t.Context(), g.Node)
			if err != nil || after.Rested != test.rested {
				t.Errorf("%s%s: GlanceAfter = %+v, %v, want Rested %t", frame, test.handler, after, err, test.rested)
			}
			activity(t, p)
			if got := inMain(t, p, "p.textContent"); strings.Contains(test.handler, "later") && got != "later" {
				t.Errorf("%s%s: after Activity the page says %q", frame, test.handler, got)
			}
		}
	}
}

// A key moves the caret, of which Chrome tells with its next frame. That alone has no key
// wait for the one before, unlike what a handler puts off.
func TestGlanceAfterAKey(t *testing.T) {
	p := open(t, `<!doctype html><input id=a size=1><input id=b><script>a.onkeydown = () => { if (a.dataset.sets) queueMicrotask(() => requestAnimationFrame(() => { b.value += 1 })) }</script>`)
	field := query(t, p, driver.NodeRef{}, driver.CSS, "#a")[0]
	if err := p.Focus(t.Context(), driver.Target{At: field}); err != nil {
		t.Fatal(err)
	}
	atOnce := 0
	for i := range 10 {
		if i == 8 {
			inMain(t, p, "a.dataset.sets = 1, ''")
		}
		g, err := p.Glance(t.Context(), driver.GlanceOptions{Node: field, For: &driver.Target{}})
		if err != nil {
			t.Fatal(err)
		}
		sendInput(t, p, driver.Target{At: g.Node, Label: &g.Location.Label}, driver.KeyDown{Key: "x"}, driver.KeyUp{Key: "x"})
		after, err := p.GlanceAfter(t.Context(), g.Node)
		if err != nil || !after.Rested && i >= 8 {
			t.Fatalf("key %d: GlanceAfter = %+v, %v", i, after, err)
		}
		status := activity(t, p)
		if after.Rested { // as where Chrome answered the key before the field held it
			t.Logf("key %d was waited for: %+v, then %+v", i, after, status)
			continue
		}
		atOnce++
		var calm bool
		if err := p.callWith(t.Context(), field, call{name: "calm"}, &calm); err != nil || !calm {
			t.Errorf("the key behind key %d waits for it: %v, %v", i, calm, err)
		}
	}
	if atOnce == 0 {
		t.Error("each key was waited for")
	}
}

// Described is what the browser itself says of an element, and Twins counts those that
// could be taken for it.
func TestDescribed(t *testing.T) {
	p := open(t, `<!doctype html><button id=one>Remove</button><p id=text>words</p><button><img src=x alt=Remove></button><a id=link href=/>Go</a><a href=/>Go on</a>
<div id=hidden hidden><button>Remove</button></div>`)
	for _, c := range []struct{ selector, role, name string }{{"#one", "button", "Remove"}, {"#link", "link", "Go"}, {"#text", "paragraph", ""}} {
		role, name, err := p.Described(t.Context(), query(t, p, driver.NodeRef{}, driver.CSS, c.selector)[0])
		if err != nil || role != c.role || name != c.name {
			t.Errorf("Described(%s) = %q, %q, %v, want %q, %q", c.selector, role, name, err, c.role, c.name)
		}
	}
	if _, _, err := p.Described(t.Context(), query(t, p, driver.NodeRef{}, driver.CSS, "#hidden")[0]); err == nil {
		t.Error("an element that nobody sees is described")
	}
	twins := func(selector, tag, name string) int {
		g, err := p.Glance(t.Context(), driver.GlanceOptions{Selector: driver.Selector{Text: selector}, Twins: &driver.Description{Tag: tag, Name: name}})
		if err != nil {
			t.Fatal(err)
		}
		return g.Twins
	}
	if got := twins("#one", "button", "Remove"); got != 3 { // the picture's name is not looked at, nor what is hidden
		t.Errorf("%d buttons could be Remove, want 3", got)
	}
	if got := twins("#link", "a", "Go"); got != 1 {
		t.Errorf("%d links could be Go, want 1", got)
	}
	inMain(t, p, "text.attachShadow({mode: 'open'}).innerHTML = '<a href=/>Go</a>', ''")
	if got := twins("#link", "a", "Go"); got != 0 {
		t.Errorf("a tree that is not known: %d, want 0", got)
	}
}

// The first look at a page sees none of the changes before it. A page that asks for frames
// or timers may be moving the element; one that asks for none is not.
func TestFirstGlanceAtWhatMoves(t *testing.T) {
	for script, moves := range map[string]bool{
		`let n = 0; const move = () => { a.style.left = 37 * ++n % 500 + 'px'; requestAnimationFrame(move) }; move()`: true,
		`let n = 0; setInterval(() => { a.style.left = 37 * ++n % 500 + 'px' }, 16)`:                                  true,
		`a.style.left = '37px'`: false,
	} {
		p := open(t, `<!doctype html><button id=a style="position:absolute">Anna</button><script>`+script+`</script>`)
		g, err := p.Glance(t.Context(), driver.GlanceOptions{Selector: driver.Selector{Text: "#a"}})
		if err != nil {
			t.Fatal(err)
		}
		if g.Location.Moving != moves {
			t.Errorf("%s: moving = %t at the first look", script, g.Location.Moving)
		}
	}
}
