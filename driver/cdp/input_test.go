package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func sendInput(t testing.TB, p *page, events ...driver.InputEvent) {
	t.Helper()
	if err := p.Input(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
}

// main evaluates an expression in the page's own world.
func inMain(t testing.TB, p *page, expression string) string {
	t.Helper()
	raw, err := p.Evaluate(t.Context(), expression, &driver.EvaluateOptions{World: driver.Main})
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

func clickAt(at driver.Point) []driver.InputEvent {
	return []driver.InputEvent{driver.MouseMove{At: at}, driver.MouseDown{At: at}, driver.MouseUp{At: at}}
}

// eventLog is a script that writes down the events of the page, trusted ones.
const eventLog = `<script>
const log = [];
for (const type of ['mousedown','mouseup','click','dblclick','contextmenu','wheel','keydown','keypress','keyup','beforeinput','input','touchstart','touchend'])
  addEventListener(type, (e) => {
    if (!e.isTrusted) return;
    let s = type;
    if (e.key) s += ':' + e.key + '/' + e.code + '/' + e.keyCode;
    if (type === 'click' || type === 'mousedown') s += ':' + e.button + '/' + e.detail + (e.shiftKey ? 'S' : '') + (e.ctrlKey ? 'C' : '');
    if (type === 'wheel') s += ':' + e.deltaX + '/' + e.deltaY;
    log.push(s);
  }, true);
const told = () => log.splice(0).join(' ');
</script>`

func TestInputMouse(t *testing.T) {
	p := open(t, `<!doctype html><body style="margin:0;height:100vh">`+eventLog)
	at := driver.Point{X: 50, Y: 60}
	for _, c := range []struct {
		events []driver.InputEvent
		want   string
	}{
		{clickAt(at), "mousedown:0/1 mouseup click:0/1"},
		{[]driver.InputEvent{driver.MouseMove{At: at}, driver.MouseDown{At: at}, driver.MouseUp{At: at}, driver.MouseDown{At: at, Clicks: 2}, driver.MouseUp{At: at, Clicks: 2}},
			"mousedown:0/1 mouseup click:0/1 mousedown:0/2 mouseup click:0/2 dblclick"},
		{[]driver.InputEvent{driver.MouseDown{At: at, Button: driver.Right}, driver.MouseUp{At: at, Button: driver.Right}}, "mousedown:2/1 contextmenu mouseup"},
		{[]driver.InputEvent{driver.MouseDown{At: at, Modifiers: driver.Shift}, driver.MouseUp{At: at, Modifiers: driver.Shift}}, "mousedown:0/1S mouseup click:0/1S"},
		{[]driver.InputEvent{driver.Wheel{At: at, DeltaX: 3, DeltaY: 40}}, "wheel:3/40"},
		{[]driver.InputEvent{driver.KeyDown{Key: "Control"}, driver.MouseDown{At: at}, driver.MouseUp{At: at}, driver.KeyUp{Key: "Control"}},
			"keydown:Control/ControlLeft/17 mousedown:0/1C mouseup click:0/1C keyup:Control/ControlLeft/17"},
	} {
		sendInput(t, p, c.events...)
		// The page hears of the wheel from the compositor, a little later.
		inMain(t, p, "new Promise((done) => { const look = () => log.length ? done() : requestAnimationFrame(look); look(); })")
		if got := inMain(t, p, "told()"); got != c.want {
			t.Errorf("Input(%v):\n got %s\nwant %s", c.events, got, c.want)
		}
	}
}

func TestInputTap(t *testing.T) {
	p := open(t, `<!doctype html><body style="margin:0;height:100vh">`+eventLog)
	sendInput(t, p, driver.Tap{At: driver.Point{X: 50, Y: 60}})
	if got := inMain(t, p, "told()"); !strings.HasPrefix(got, "touchstart touchend") || !strings.HasSuffix(got, "click:0/1") {
		t.Errorf("a tap gave %q", got)
	}
}

func TestInputKeys(t *testing.T) {
	p := open(t, `<!doctype html><form onsubmit="document.title='sent';return false"><input id=i autofocus></form>`+eventLog)
	if err := p.Focus(t.Context(), driver.Target{At: ref(t, p, "i")}); err != nil {
		t.Fatal(err)
	}
	inMain(t, p, "told()")
	press := func(keys ...string) {
		t.Helper()
		for _, k := range keys {
			sendInput(t, p, driver.KeyDown{Key: k}, driver.KeyUp{Key: k})
		}
	}
	value := func() string { return inMain(t, p, "document.getElementById('i').value") }
	press("1", "2", ".", "5", " ", "a", "B", "é", "漢")
	if got := value(); got != "12.5 aBé漢" {
		t.Errorf("value = %q", got)
	}
	inMain(t, p, "told()")
	press(".")
	if got, want := inMain(t, p, "told()"), "keydown:./Period/190 keypress:./Period/46 beforeinput input keyup:./Period/190"; got != want {
		t.Errorf("a period: %s, want %s", got, want)
	}
	press("Backspace", "ArrowLeft", "Delete")
	if got := value(); got != "12.5 aBé" {
		t.Errorf("value = %q", got)
	}
	sendInput(t, p, driver.KeyDown{Key: "a", Modifiers: driver.Control}, driver.KeyUp{Key: "a", Modifiers: driver.Control}, driver.InsertText{Text: "new"})
	if got := value(); got != "new" {
		t.Errorf("after Control+A: %q", got)
	}
	sendInput(t, p, driver.KeyDown{Key: "Shift"}, driver.KeyDown{Key: "a"}, driver.KeyUp{Key: "a"}, driver.KeyDown{Key: "1"}, driver.KeyUp{Key: "1"}, driver.KeyUp{Key: "Shift"})
	press("a")
	if got := value(); got != "newA!a" {
		t.Errorf("with Shift held: %q", got)
	}
	sendInput(t, p, driver.KeyDown{Key: "ArrowLeft", Modifiers: driver.Shift}, driver.KeyUp{Key: "ArrowLeft"}, driver.KeyDown{Key: "Delete"}, driver.KeyUp{Key: "Delete"})
	if got := value(); got != "newA!" {
		t.Errorf("after Shift+ArrowLeft, Delete: %q", got)
	}
	press("Enter")
	if got := inMain(t, p, "document.title"); got != "sent" {
		t.Errorf("Enter did not submit: title %q", got)
	}
}

func TestKeyOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		shift bool
		want  key
	}{
		{"a", false, key{"a", "KeyA", 65, "a", 0}},
		{"a", true, key{"A", "KeyA", 65, "A", 0}},
		{"A", false, key{"A", "KeyA", 65, "A", 0}},
		{"5", true, key{"%", "Digit5", 53, "%", 0}},
		{"%", false, key{"%", "Digit5", 53, "%", 0}},
		{".", false, key{".", "Period", 190, ".", 0}},
		{"Space", false, key{" ", "Space", 32, " ", 0}},
		{"Enter", false, key{"Enter", "Enter", 13, "\r", 0}},
		{"Esc", false, key{"Escape", "Escape", 27, "", 0}},
		{"é", false, key{"é", "", 0, "é", 0}},
		{"AudioVolumeUp", false, key{"AudioVolumeUp", "", 0, "", 0}},
		{"Shift", true, key{"Shift", "ShiftLeft", 16, "", 1}},
	} {
		if got := keyOf(c.name, c.shift); got != c.want {
			t.Errorf("keyOf(%q, %v) = %+v, want %+v", c.name, c.shift, got, c.want)
		}
	}
}

// A dialog withholds the reply to the event that opens it.
func TestInputOpensDialog(t *testing.T) {
	p := open(t, `<!doctype html><body style="margin:0"><button id=b style="width:100px;height:50px" onclick="alert('click')">b</button>
<button id=d style="width:100px;height:50px" onmousedown="confirm('down')">d</button>`)
	answer := make(chan struct{})
	said := make(chan string, 4)
	p.OnDialog(func(d driver.Dialog) driver.DialogAnswer {
		said <- d.Message
		<-answer
		return driver.DialogAnswer{Accept: true}
	})
	for _, c := range []struct{ id, want string }{{"b", "click"}, {"d", "down"}} {
		l := locateNode(t, p, ref(t, p, c.id), true)
		sendInput(t, p, clickAt(l.At)...)
		if got := <-said; got != c.want {
			t.Errorf("dialog %q, want %q", got, c.want)
		}
		if err := p.Input(t.Context(), driver.MouseMove{At: l.At}); !errors.Is(err, driver.ErrDialog) {
			t.Errorf("input while the dialog is open: %v, want ErrDialog", err)
		}
		answer <- struct{}{}
		if got := inMain(t, p, "1"); got != "1" {
			t.Errorf("after the dialog: %s", got)
		}
	}
}

func TestInputInFrames(t *testing.T) {
	pages := site{"/in": `<!doctype html><body style="margin:0"><div style="height:700px"></div><button id=in style="width:80px;height:30px" onclick="this.textContent='clicked'">go</button><input id=text>`}
	at := pages.serve(t)
	for name, src := range map[string]string{"same process": "/in", "another process": elsewhere(at) + "/in"} {
		pages["/"] = `<!doctype html><div style="height:1500px"></div><iframe id=f src="` + src + `" style="border:3px solid"></iframe>`
		p := visit(t, at+"/")
		button := ref(t, p, "in")
		l := locateNode(t, p, button, true)
		if !l.Reached {
			t.Errorf("%s: %+v", name, l)
		}
		sendInput(t, p, clickAt(l.At)...)
		text, err := p.Evaluate(t.Context(), "e => e.textContent", &driver.EvaluateOptions{Node: button})
		if err != nil || string(text) != `"clicked"` {
			t.Errorf("%s: %s, %v", name, text, err)
		}
		// A point in the frame's own coordinates is as good.
		if err := p.Focus(t.Context(), driver.Target{At: ref(t, p, "text")}); err != nil {
			t.Fatal(err)
		}
		sendInput(t, p, driver.InsertText{Text: "typed"}, driver.KeyDown{Key: "!"}, driver.KeyUp{Key: "!"})
		if s, err := p.State(t.Context(), ref(t, p, "text")); err != nil || s.Value != "typed!" || !s.Focused {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestInputPointInFrame(t *testing.T) {
	p := open(t, `<!doctype html><body style="margin:0"><iframe style="position:absolute;left:100px;top:200px" srcdoc="<body style='margin:0'><button style='width:50px;height:20px' onclick='this.id=1'>b</button>"></iframe>`)
	frame := p.Frames()[1]
	sendInput(t, p, clickAt(driver.Point{Frame: frame.ID, X: 10, Y: 10})...)
	if got, err := p.Evaluate(t.Context(), "document.querySelector('button').id", &driver.EvaluateOptions{Frame: frame.ID}); err != nil || string(got) != `"1"` {
		t.Errorf("id = %s, %v", got, err)
	}
}

func TestInputDrag(t *testing.T) {
	p := open(t, `<!doctype html><body style="margin:0">
<div id=source draggable=true style="position:absolute;left:0;top:0;width:100px;height:100px">drag me</div>
<div id=drop style="position:absolute;left:300px;top:300px;width:100px;height:100px">here</div>
<div id=knob style="position:absolute;left:0;top:500px;width:40px;height:40px;background:blue"></div>
<script>
let ended = 0;
source.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'payload');
source.ondragend = () => ended++;
drop.ondragover = (e) => e.preventDefault();
drop.ondrop = (e) => { e.preventDefault(); drop.textContent = e.dataTransfer.getData('text/plain'); };
knob.onpointerdown = (e) => { knob.setPointerCapture(e.pointerId); knob.onpointermove = (e) => { knob.style.left = e.clientX - 20 + 'px'; }; };
knob.onpointerup = () => { knob.onpointermove = null; };
</script>`)
	sendInput(t, p, driver.Drag{From: driver.Point{X: 50, Y: 50}, To: driver.Point{X: 350, Y: 350}})
	if got := inMain(t, p, "drop.textContent"); got != "payload" {
		t.Errorf("dropped %q", got)
	}
	if got := inMain(t, p, "ended"); got != "1" {
		t.Errorf("%s dragend events, want 1", got)
	}
	sendInput(t, p, driver.Drag{From: driver.Point{X: 20, Y: 520}, To: driver.Point{X: 320, Y: 520}})
	if got := inMain(t, p, "knob.style.left"); got != "300px" {
		t.Errorf("the knob is at %s, want 300px", got)
	}
	if got := inMain(t, p, "String(knob.onpointermove)"); got != "null" {
		t.Error("the pointer was not released")
	}
}

// TestInputDragTakesFrames: a page sees a drag as it sees a person's, with time to
// draw on the way. Of lists that can be sorted some begin a task after the drag
// has, and some look where the pointer is in each frame.
func TestInputDragTakesFrames(t *testing.T) {
	const boxes = `<!doctype html><body style="margin:0">
<div id=source %s style="position:absolute;left:0;top:0;width:100px;height:100px">drag me</div>
<div id=target style="position:absolute;left:300px;top:300px;width:100px;height:100px">here</div>`
	for name, page := range map[string]string{
		"a drag and drop of the page's own, begun a task later": strings.Replace(boxes, "%s", "draggable=true", 1) + `<script>
			let begun = false;
			source.ondragstart = () => setTimeout(() => { begun = true; });
			target.ondragover = (e) => { if (begun) { e.preventDefault(); target.append(source); } };
		</script>`,
		"a drag and drop of the page's own, looked at in frames": strings.Replace(boxes, "%s", "draggable=true", 1) + `<script>
			let over = null;
			source.ondragstart = () => {};
			document.ondragover = (e) => { e.preventDefault(); requestAnimationFrame(() => { over = document.elementFromPoint(e.clientX, e.clientY); }); };
			document.ondrop = () => { if (over === target) target.append(source); };
		</script>`,
		"by the pointer, drawn and measured before its end": strings.Replace(boxes, "%s", "", 1) + `<script>
			let active = false, over = null;
			source.onpointerdown = () => requestAnimationFrame(() => { active = true; });
			document.onpointermove = (e) => { if (active) requestAnimationFrame(() => setTimeout(() => { over = document.elementFromPoint(e.clientX, e.clientY); })); };
			document.onpointerup = () => { if (over === target) target.append(source); };
		</script>`,
	} {
		p := open(t, page)
		sendInput(t, p, driver.Drag{From: driver.Point{X: 50, Y: 50}, To: driver.Point{X: 350, Y: 350}})
		if got := inMain(t, p, "source.parentNode.id"); got != "target" {
			t.Errorf("%s: it is not where it was dropped", name)
		}
	}
}

// TestInputDragOpensDialog: a page with a dialog open draws nothing, and a drag does not
// wait for that.
func TestInputDragOpensDialog(t *testing.T) {
	for name, page := range map[string]string{
		"at a move":           `<script>addEventListener('mousemove', (e) => { if (e.clientX === 350) alert('x'); })</script>`,
		"in a frame":          `<script>addEventListener('mousemove', (e) => { if (e.clientX === 350) requestAnimationFrame(() => alert('x')); })</script>`,
		"over the drop place": `<div draggable=true style="width:100px;height:100px">x</div><script>addEventListener('dragover', () => alert('x'))</script>`,
	} {
		p := open(t, `<!doctype html><body style="margin:0;height:100vh">`+page)
		answer := make(chan struct{})
		p.OnDialog(func(driver.Dialog) driver.DialogAnswer {
			<-answer
			return driver.DialogAnswer{Accept: true}
		})
		err := p.Input(t.Context(), driver.Drag{From: driver.Point{X: 50, Y: 50}, To: driver.Point{X: 350, Y: 350}})
		if !errors.Is(err, driver.ErrDialog) {
			t.Errorf("%s: Input = %v, want %v", name, err, driver.ErrDialog)
		}
		close(answer)
	}
}

// A drag whose context ends on the way lets go of the button: the next input
// would else go on with it.
func TestInputDragGivenUp(t *testing.T) {
	for _, c := range []struct{ what, page, end string }{
		{"by the pointer", "<div style='width:100px;height:100px;background:red'></div>", "mouseup 0"},
		{"of the page's own", "<div draggable=true style='width:100px;height:100px;background:red'></div>", "dragend 0"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		base := handle(t, map[string]http.HandlerFunc{
			"/": html("<body style='margin:0'>" + c.page + `<script>
				const log = [];
				const note = (e) => log.push(e.type + ' ' + e.buttons);
				for (const kind of ['mousedown', 'mouseup', 'dragstart', 'dragend', 'drop']) addEventListener(kind, note);
				addEventListener('mousemove', (e) => e.clientX === 60 && note(e));
				addEventListener('mousedown', () => { // which waits for its answer
					const pressed = new XMLHttpRequest();
					pressed.open('GET', '/pressed', false);
					pressed.send();
				});
			</script>`),
			"/pressed": func(http.ResponseWriter, *http.Request) { cancel() },
		})
		p := testPage(t)
		goTo(t, p, base)
		err := p.Input(ctx, driver.Drag{From: driver.Point{X: 50, Y: 50}, To: driver.Point{X: 350, Y: 350}})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("a drag %s: Input = %v, want %v", c.what, err, context.Canceled)
		}
		got := ""
		for range 50 { // the page's own drag takes a moment to end
			sendInput(t, p, driver.MouseMove{At: driver.Point{X: 60, Y: 60}})
			if got = inMain(t, p, "log.join(', ')"); strings.HasSuffix(got, "mousemove 0") {
				break
			}
		}
		if !strings.Contains(got, c.end) || !strings.HasSuffix(got, "mousemove 0") || strings.Contains(got, "drop") || strings.Contains(got, "mousemove 1") {
			t.Errorf("a drag %s: the page felt %s, want %s, and the next move without a button", c.what, got, c.end)
		}
	}
}

// TestInputHoldsButtons: a movement tells the page which buttons are held.
func TestInputHoldsButtons(t *testing.T) {
	p := open(t, "<body style='margin: 0; height: 100px'><script>let seen = ''; onmousemove = (e) => { seen += e.buttons + ' ' }</script>")
	at, there := driver.Point{X: 10, Y: 10}, driver.Point{X: 50, Y: 50}
	sendInput(t, p, driver.MouseMove{At: there}, driver.MouseDown{At: at, Button: driver.Left, Clicks: 1}, driver.MouseMove{At: there},
		driver.MouseDown{At: there, Button: driver.Middle, Clicks: 1}, driver.MouseMove{At: at},
		driver.MouseUp{At: at, Button: driver.Middle, Clicks: 1}, driver.MouseUp{At: at, Button: driver.Left, Clicks: 1}, driver.MouseMove{At: there})
	if got := evaluate(t, p, "seen"); got != "0 1 5 0 " {
		t.Errorf("buttons held = %q, want %q", got, "0 1 5 0 ")
	}
}

func TestKeysFollowThePress(t *testing.T) {
	const field = `<!doctype html><body style="margin: 0"><input id=i style="position: absolute; left: 0; top: 0; width: 100px; height: 30px">`
	pages := site{"/in": field}
	at := pages.serve(t)
	pages["/"] = `<!doctype html><style>iframe { position: absolute; left: 0; width: 200px; height: 100px; border: 0 }</style>` +
		`<iframe style="top: 0" src=/in></iframe><iframe style="top: 120px" src="` + elsewhere(at) + `/in"></iframe>`
	p := visit(t, at+"/")
	frames := p.Frames()[1:]
	for round := range 20 {
		for i, f := range frames {
			point := driver.Point{Frame: f.ID, X: 20, Y: 15}
			if round%2 == 0 {
				sendInput(t, p, clickAt(point)...)
			} else {
				sendInput(t, p, driver.Tap{At: point})
			}
			sendInput(t, p, driver.KeyDown{Key: "a"}, driver.KeyUp{Key: "a"})
			got, err := p.Evaluate(t.Context(), "(() => { const was = i.value; i.value = ''; return was })()", &driver.EvaluateOptions{Frame: f.ID, World: driver.Main})
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != `"a"` {
				t.Errorf("round %d, frame %d holds %s, want \"a\"", round, i, got)
				for _, f := range p.Frames() {
					got, err := p.Evaluate(t.Context(), "document.hasFocus() + ' ' + document.activeElement.tagName", &driver.EvaluateOptions{Frame: f.ID, World: driver.Main})
					t.Logf("focus of %s: %s, %v", f.URL, got, err)
				}
			}
		}
	}

	// A tap that the page prevents moves no focus.
	if _, err := p.Evaluate(t.Context(), "addEventListener('touchstart', (e) => e.preventDefault(), { passive: false })", &driver.EvaluateOptions{Frame: frames[1].ID, World: driver.Main}); err != nil {
		t.Fatal(err)
	}
	sendInput(t, p, clickAt(driver.Point{Frame: frames[0].ID, X: 20, Y: 15})...)
	sendInput(t, p, driver.Tap{At: driver.Point{Frame: frames[1].ID, X: 20, Y: 15}})
	sendInput(t, p, driver.KeyDown{Key: "b"}, driver.KeyUp{Key: "b"})
	if got, err := p.Evaluate(t.Context(), "i.value", &driver.EvaluateOptions{Frame: frames[0].ID, World: driver.Main}); err != nil || string(got) != `"b"` {
		t.Errorf("behind a tap without effect the field before it holds %s, %v, want \"b\"", got, err)
	}
}

// A key goes where the focus is even if the frame that was pressed before it is gone,
// whether Chrome has told us so or not.
func TestKeysAfterAFrameThatWent(t *testing.T) {
	for name, leave := range map[string]func(*page, *session){
		"detached": func(p *page, s *session) { evaluate(t, p, "f.remove()") },
		"crashed":  func(p *page, s *session) { s.Post(untyped("Page.crash").With(nil)) },
		"not told yet": func(p *page, s *session) {
			ended := &session{chrome: s.chrome, kind: s.kind, parent: s.parent, page: p, browser: s.browser}
			ended.Session = s.chrome.conn.Open("that Chrome does not know", ended)
			p.browser.locked(func() { p.extra = append(p.extra, ended) })
			p.held.pressed.Store(ended)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inner := site{"/": "<body style='margin: 0'><button style='width: 100px; height: 50px'>Press</button>"}.serve(t)
			base := site{"/": "<body style='margin: 0'><input id=i><br><iframe id=f style='border: 0' src='" + elsewhere(inner) + "/'></iframe>"}.serve(t)
			p := visit(t, base)
			f, err := p.frame(p.Frames()[1].ID)
			if err != nil || f.session == p.session {
				t.Fatalf("the frame = %+v, %v, want one in a process of its own", f, err)
			}
			sendInput(t, p, clickAt(driver.Point{Frame: f.ID, X: 20, Y: 15})...)
			evaluate(t, p, "i.focus()")
			leave(p, f.session)
			sendInput(t, p, driver.KeyDown{Key: "a"}, driver.KeyUp{Key: "a"})
			if got := evaluate(t, p, "i.value"); got != "a" {
				t.Errorf("the field holds %q, want a", got)
			}
		})
	}
}
