package cdp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestSetValue(t *testing.T) {
	p := open(t, `<!doctype html>
<input type=date id=date><input type=time id=time><input type=month id=month><input type=week id=week><input type=datetime-local id=local>
<input type=color id=color><input type=range id=range min=0 max=10>
<select id=one><option value=a>A<option value=b>B<optgroup disabled><option value=c>C</optgroup></select>
<select id=many multiple><option value=a selected>A<option value=b>B<option value=c>C</select>
<input id=text><div id=div></div>
<script>
const log = [];
for (const type of ['input', 'change']) document.addEventListener(type, (e) => log.push(type + ':' + e.target.id));
// A framework that keeps track of what it assigned itself, as some do.
const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
let tracked = '';
Object.defineProperty(date, 'value', { get() { return own.get.call(this); }, set(v) { tracked = v; own.set.call(this, v); } });
</script>`)
	c := capture(t, p)
	ref := func(id string) driver.NodeRef { return c.Documents[0].Ref(byID(t, &c.Documents[0], id)) }
	for _, c := range []struct {
		id     string
		values []string
		want   []string
		events string
	}{
		{"date", []string{"2026-11-20"}, []string{"2026-11-20"}, "input:date change:date"},
		{"date", []string{"2026-11-20"}, []string{"2026-11-20"}, ""},
		{"date", []string{"20.11.2026"}, []string{""}, "input:date change:date"},
		{"time", []string{"12:34"}, []string{"12:34"}, "input:time change:time"},
		{"month", []string{"2026-11"}, []string{"2026-11"}, "input:month change:month"},
		{"week", []string{"2026-W47"}, []string{"2026-W47"}, "input:week change:week"},
		{"local", []string{"2026-11-20T12:34"}, []string{"2026-11-20T12:34"}, "input:local change:local"},
		{"color", []string{"#ff0000"}, []string{"#ff0000"}, "input:color change:color"},
		{"range", []string{"70"}, []string{"10"}, "input:range change:range"},
		{"one", []string{"b"}, []string{"b"}, "input:one change:one"},
		{"one", []string{"c"}, []string{"b"}, ""},
		{"one", []string{"nothing"}, []string{"b"}, ""},
		{"many", []string{"b", "c"}, []string{"b", "c"}, "input:many change:many"},
		{"many", nil, nil, "input:many change:many"},
	} {
		got, err := p.SetValue(t.Context(), driver.Target{At: ref(c.id)}, c.values...)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("SetValue(%s, %q) = %q, %v, want %q", c.id, c.values, got, err, c.want)
		}
		if events := inMain(t, p, "log.splice(0).join(' ')"); events != c.events {
			t.Errorf("SetValue(%s, %q): events %q, want %q", c.id, c.values, events, c.events)
		}
	}
	if got := inMain(t, p, "tracked"); got != "" {
		t.Errorf("the page's own setter was called with %q", got)
	}
	for _, id := range []string{"text", "div"} {
		if _, err := p.SetValue(t.Context(), driver.Target{At: ref(id)}, "x"); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("SetValue(%s): %v, want ErrUnsupported", id, err)
		}
	}
}

func TestSetFiles(t *testing.T) {
	p := open(t, `<!doctype html><input type=file id=one><input type=file multiple id=many style="display:none"><input id=text>`)
	c := capture(t, p)
	ref := func(id string) driver.NodeRef { return c.Documents[0].Ref(byID(t, &c.Documents[0], id)) }
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	for _, name := range []string{a, b} {
		if err := os.WriteFile(name, []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := func(id string) []string {
		t.Helper()
		s, err := p.State(t.Context(), ref(id))
		if err != nil {
			t.Fatal(err)
		}
		return s.Files
	}
	if err := p.SetFiles(t.Context(), driver.Target{At: ref("one")}, a); err != nil || !slices.Equal(files("one"), []string{"a.txt"}) {
		t.Errorf("one: %v, %v", files("one"), err)
	}
	if err := p.SetFiles(t.Context(), driver.Target{At: ref("many")}, a, b); err != nil || !slices.Equal(files("many"), []string{"a.txt", "b.txt"}) {
		t.Errorf("many: %v, %v", files("many"), err)
	}
	if err := p.SetFiles(t.Context(), driver.Target{At: ref("many")}, a, filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) || len(files("many")) != 2 {
		t.Errorf("a missing file: %v, files %v", err, files("many"))
	}
	if err := p.SetFiles(t.Context(), driver.Target{At: ref("one")}, a, b); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("two files for one: %v", err)
	}
	if err := p.SetFiles(t.Context(), driver.Target{At: ref("text")}, a); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a text input: %v", err)
	}
	if err := p.SetFiles(t.Context(), driver.Target{At: ref("many")}); err != nil || len(files("many")) != 0 {
		t.Errorf("none: %v, %v", files("many"), err)
	}
}

func TestFocusAndSelectText(t *testing.T) {
	p := open(t, `<!doctype html><input id=text value="old text"><input type=number id=number value=12><textarea id=area>old
text</textarea><div contenteditable id=rich><b>old</b> text</div><div id=plain>plain</div><button id=button>b</button><input id=off disabled>
<div id=host tabindex=0></div><script>host.attachShadow({mode:'closed', delegatesFocus: true}).innerHTML = '<input id=inner value=old>'</script>`)
	c := capture(t, p)
	d := &c.Documents[0]
	ref := func(id string) driver.NodeRef { return d.Ref(byID(t, d, id)) }
	for _, id := range []string{"text", "number", "area", "rich", "inner"} {
		if err := p.SelectText(t.Context(), driver.Target{At: ref(id)}); err != nil {
			t.Errorf("SelectText(%s): %v", id, err)
			continue
		}
		sendInput(t, p, driver.InsertText{Text: "42"})
		if s, err := p.State(t.Context(), ref(id)); err != nil || strings.TrimSpace(s.Value) != "42" || !s.Focused || !s.Editable {
			t.Errorf("%s: %+v, %v", id, s, err)
		}
	}
	if err := p.Focus(t.Context(), driver.Target{At: ref("button")}); err != nil {
		t.Error(err)
	}
	if err := p.Focus(t.Context(), driver.Target{At: ref("host")}); err != nil {
		t.Errorf("a host that hands the focus on: %v", err)
	}
	for _, id := range []string{"plain", "off"} {
		if err := p.Focus(t.Context(), driver.Target{At: ref(id)}); !errors.Is(err, driver.ErrNotFocusable) {
			t.Errorf("Focus(%s): %v, want ErrNotFocusable", id, err)
		}
	}
	if err := p.SelectText(t.Context(), driver.Target{At: ref("plain")}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("SelectText(plain): %v", err)
	}
	if err := p.Focus(t.Context(), driver.Target{At: d.Root()}); err != nil {
		t.Fatal(err)
	}
	if got := capture(t, p).Documents[0].Active; got != -1 {
		t.Errorf("after taking the focus away, node %d has it", got)
	}
}

func TestScrollTo(t *testing.T) {
	p := open(t, `<!doctype html><style>html {scroll-behavior: smooth}</style><body style="margin:0"><div id=box style="width:100px;height:100px;overflow:auto"><div style="width:300px;height:1100px"></div></div><div style="height:4000px"></div>`)
	c := capture(t, p)
	d := &c.Documents[0]
	box, half, end := d.Ref(byID(t, d, "box")), 50.0, 100.0
	page := driver.NodeRef{Frame: box.Frame, Doc: box.Doc}
	for _, c := range []struct {
		name string
		node driver.NodeRef
		to   driver.ScrollTarget
		x, y float64 // -1: as far as it goes
	}{
		{"offset", box, driver.ScrollTarget{X: 20, Y: 300}, 20, 300},
		{"by", box, driver.ScrollTarget{Y: 50, By: true}, 20, 350},
		{"half", box, driver.ScrollTarget{Percent: &half}, 20, -0.5},
		{"too far", box, driver.ScrollTarget{Y: 1e6}, 0, -1},
		{"page", d.Root(), driver.ScrollTarget{Y: 1000}, 0, 1000},
		{"page by", page, driver.ScrollTarget{Y: -400, By: true}, 0, 600},
		{"page's end", page, driver.ScrollTarget{Percent: &end}, 0, -1},
	} {
		s, err := p.ScrollTo(t.Context(), c.node, c.to)
		if err != nil {
			t.Fatal(err)
		}
		want := c.y
		if c.y < 0 {
			want = -c.y * s.MaxY
		}
		if s.X != c.x || s.Y < want-1 || s.Y > want+1 || s.MaxY <= 0 {
			t.Errorf("%s: %+v, want %v, %v", c.name, s, c.x, want)
		}
	}
	if d := &capture(t, p).Documents[0]; d.ScrollY < 3000 {
		t.Errorf("captured scroll position %v", d.ScrollY)
	}
}

func TestState(t *testing.T) {
	p := open(t, `<!doctype html><input type=checkbox id=check><input id=required required value=""><input type=password id=secret value=abc>
<select id=select><optgroup label=G><option value=1>One<option value=2 selected>Two</optgroup><option disabled>Three</select>
<details open id=details><summary id=summary>s</summary></details><button id=toggle aria-pressed=true aria-expanded=false>t</button><div id=aria role=checkbox aria-checked=mixed></div>
<fieldset disabled><input id=off></fieldset><textarea id=ro readonly>text</textarea><div id=hidden hidden>h</div><script>check.checked = true; check.indeterminate = true</script>`)
	c := capture(t, p)
	state := func(id string) *driver.State {
		t.Helper()
		s, err := p.State(t.Context(), c.Documents[0].Ref(byID(t, &c.Documents[0], id)))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := state("check"); s.Tag != "input" || s.Type != "checkbox" || !s.Checked || !s.Mixed || !s.Visible || !s.Connected {
		t.Errorf("check: %+v", s)
	}
	if s := state("required"); s.Validity == "" || !s.Editable {
		t.Errorf("required: %+v", s)
	}
	if s := state("secret"); s.Value != "abc" {
		t.Errorf("secret: %q", s.Value)
	}
	if s := state("select"); s.Value != "2" || !slices.Equal(s.Values, []string{"2"}) || len(s.Options) != 3 ||
		s.Options[1] != (driver.OptionState{Value: "2", Label: "Two", Group: "G", Selected: true}) || !s.Options[2].Disabled {
		t.Errorf("select: %+v", s)
	}
	for _, id := range []string{"details", "summary"} {
		if s := state(id); s.Expanded == nil || !*s.Expanded {
			t.Errorf("%s: %+v", id, s)
		}
	}
	if s := state("toggle"); s.Pressed == nil || !*s.Pressed || s.Expanded == nil || *s.Expanded {
		t.Errorf("toggle: %+v", s)
	}
	if s := state("aria"); s.AriaChecked != nil {
		t.Errorf("aria: %+v", s)
	}
	if s := state("off"); !s.Disabled {
		t.Errorf("off: %+v", s)
	}
	if s := state("ro"); !s.ReadOnly || s.Value != "text" {
		t.Errorf("ro: %+v", s)
	}
	if s := state("hidden"); s.Visible {
		t.Errorf("hidden: %+v", s)
	}
	inMain(t, p, "check.remove()")
	if s := state("check"); s.Connected || s.Visible {
		t.Errorf("removed: %+v", s)
	}
}

// TestStateOfPlaceholder: what an editor shows in the place of a text that is not there
// is not its text, and what a person has put into it is, though nobody can write in it.
func TestStateOfPlaceholder(t *testing.T) {
	p := open(t, `<div id=empty contenteditable><span>&#xfeff;<span contenteditable=false style="user-select: none; position: absolute">Write</span></span></div>
<div id=begun contenteditable><p>Milk</p></div>
<div id=mention contenteditable><span contenteditable=false>@ann</span></div>
<div id=both contenteditable>to <span contenteditable=false style="user-select: none">@ann</span></div>`)
	for id, want := range map[string]string{"empty": "", "begun": "Milk", "mention": "@ann", "both": "to @ann"} {
		s, err := p.State(t.Context(), ref(t, p, id))
		if err != nil || strings.TrimSpace(s.Value) != want {
			t.Errorf("State(%s) = %+v, %v, want the text %q", id, s, err, want)
		}
	}
}

// Files that Chrome sets after their input got another's name are taken back before the
// page knows of them.
func TestFilesAreTakenBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "paper.txt")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := open(t, `<!doctype html><input type=file id=f aria-label=Passport><script>const seen = []; for (const kind of ['input', 'change']) f.addEventListener(kind, () => seen.push(kind))</script>`)
	label := "Passport"
	for _, name := range []string{"Photo", "Passport"} {
		target := driver.Target{At: query(t, p, driver.NodeRef{}, driver.CSS, "#f")[0], Label: &label}
		h, err := p.handleOf(t.Context(), target.At)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.callOn(t.Context(), target, call{name: "fileInput", args: []any{1}}, nil); err != nil {
			t.Fatal(err)
		}
		inMain(t, p, "f.ariaLabel = '"+name+"'")
		err = p.giveFiles(t.Context(), h, []string{path})
		h.release()
		felt := inMain(t, p, "seen.join() + ' ' + f.files.length")
		if missed, ok := errors.AsType[*driver.MissedError](err); name == "Photo" && (!ok || missed.Taken || !errors.Is(err, driver.ErrChanged) || felt != " 0") {
			t.Errorf("%s: giveFiles = %v, and the page felt %s", name, err, felt)
		} else if name == "Passport" && (err != nil || felt != "input,change 1") {
			t.Errorf("%s: giveFiles = %v, and the page felt %s", name, err, felt)
		}
		inMain(t, p, "f.ariaLabel = 'Passport'")
	}
}
