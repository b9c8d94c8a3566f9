package axtree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
)

// one computes the object of the element with id "t" in a page.
func one(t *testing.T, source string) *Object {
	t.Helper()
	tree := Compute(htmlcapture.Of(t, source))
	for i := range tree.Objects {
		o := &tree.Objects[i]
		if id, _ := tree.Capture.Documents[o.Doc].Nodes[o.Node].Attr("id"); id == "t" {
			return o
		}
	}
	t.Fatalf("no element with id t in %s", source)
	return nil
}

// A rule is one step of the specifications, with a page that shows it.
type rule struct {
	name   string
	source string
	want   string
}

func check(t *testing.T, rules []rule, what func(o *Object) string) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			if got := what(one(t, r.source)); got != r.want {
				t.Errorf("Compute(%s) gives %q, want %q", r.source, got, r.want)
			}
		})
	}
}

func TestName(t *testing.T) {
	check(t, []rule{
		{"2A hidden content", `<button id=t>a<span hidden>b</span>c</button>`, "ac"},
		{"2A aria-hidden content", `<button id=t>a <b aria-hidden=true>b</b> c</button>`, "a c"},
		{"2A hidden target of aria-labelledby", `<button id=t aria-labelledby=x>b</button><p id=x hidden>a <b>c</b></p>`, "a c"},
		{"2A hidden part of a visible target", `<button id=t aria-labelledby=x>b</button><p id=x>a <b hidden>c</b></p>`, "a"},
		{"2B aria-labelledby", `<button id=t aria-labelledby="y x" aria-label=l>b</button><p id=x>one</p><p id=y>two</p>`, "two one"},
		{"2B itself", `<button id=t aria-labelledby="t x" aria-label=Delete>b</button><p id=x>file</p>`, "Delete file"},
		{"2B is not followed twice", `<button id=t aria-labelledby=x>b</button><p id=x aria-labelledby=y>one</p><p id=y>two</p>`, "one"},
		{"2B in a circle", `<button id=t aria-labelledby=x>b</button><button id=x aria-labelledby=t>one</button>`, "one"},
		{"2B missing target", `<button id=t aria-labelledby=missing aria-label=l>b</button>`, "l"},
		{"2B the other spelling", `<button id=t aria-labeledby=x>b</button><p id=x>one</p>`, "one"},
		{"2C value of a text field", `<div id=t role=heading>at <input value=ten aria-label=l> past</div>`, "at ten past"},
		{"2C chosen option", `<div id=t role=heading>at <select><option>one<option selected>two</select></div>`, "at two"},
		{"2C range", `<div id=t role=heading>at <span role=slider aria-valuenow=5 aria-label=l></span></div>`, "at 5"},
		{"2C range in words", `<div id=t role=heading>at <span role=slider aria-valuenow=5 aria-valuetext=five></span></div>`, "at five"},
		{"2D aria-label", `<button id=t aria-label=l>b</button>`, "l"},
		{"2D blank aria-label", `<button id=t aria-label=" ">b</button>`, "b"},
		{"2E label", `<label for=t>one</label><label for=t>two</label><input id=t>`, "one two"},
		{"2E label around", `<label>one <input id=t> two</label>`, "one two"},
		{"2E alt", `<img id=t alt=a title=b>`, "a"},
		{"2E empty alt", `<img id=t alt="" title=b>`, ""},
		{"2E submit", `<input id=t type=submit>`, "Submit"},
		{"2E value of a button", `<input id=t type=button value=Go>`, "Go"},
		{"2E file", `<input id=t type=file>`, "Choose File"},
		{"2E image input", `<input id=t type=image>`, "Submit"},
		{"2E placeholder", `<input id=t placeholder=p>`, "p"},
		{"2E title before placeholder", `<input id=t placeholder=p title=q>`, "q"},
		{"2E legend", `<fieldset id=t><legend>l</legend></fieldset>`, "l"},
		{"2E caption", `<table id=t><caption>c</caption><tr><td>x</table>`, "c"},
		{"2E summary attribute", `<table id=t summary=s><tr><td>x</table>`, "s"},
		{"2E svg title", `<svg id=t><title>s</title><rect/></svg>`, "s"},
		{"2E optgroup", `<select><optgroup id=t label=g><option>o</select>`, "g"},
		{"2E option label", `<select><option id=t label=g>o</select>`, "g"},
		{"2F content", `<a id=t href=x>one <b>two</b></a>`, "one two"},
		{"2F not from content", `<article id=t>one</article>`, ""},
		{"2F inline runs together", `<button id=t><b>a</b><i>b</i></button>`, "ab"},
		{"2F blocks stand apart", `<button id=t><div>a</div><div>b</div></button>`, "a b"},
		{"2F inline-block stands apart", `<button id=t>a<span style="display:inline-block">b</span></button>`, "a b"},
		{"2F a label stands apart", `<button id=t>a<span aria-label=b></span>c</button>`, "a b c"},
		{"2F through presentational", `<button id=t><span role=none>a</span></button>`, "a"},
		{"2F line break", "<button id=t>a<br>b</button>", "a b"},
		{"2F not from a closed details", `<div id=t role=button><details><summary>a</summary>b</details></div>`, "a"},
		{"2F the summary that browsers supply", `<div id=t role=button><details open>b</details></div>`, "Details b"},
		{"2F owned content", `<button id=t aria-owns=x>a </button><b id=x>b</b>`, "a b"},
		{"2F row outside of a grid", `<div role=table><div role=row id=t><span role=cell>a</span></div></div>`, ""},
		{"2F row in a grid", `<div role=grid><div role=row id=t><span role=gridcell>a</span></div></div>`, "a"},
		{"2I title", `<button id=t title=x></button>`, "x"},
		{"2I title withheld from paragraphs", `<p id=t title=x>a</p>`, ""},
		{"space is collapsed", "<button id=t>  a\n\n b  </button>", "a b"},
		{"at most a hundred", `<button id=t>` + strings.Repeat("<i>x</i>", 300) + `</button>`, strings.Repeat("x", 100)},
		{"slotted", `<x-b id=t role=button><template shadowrootmode=open><b>a </b><slot></slot></template>c</x-b>`, "a c"},
		{"ids end at the shadow root", `<x-b><template shadowrootmode=open><button id=t aria-labelledby=x>b</button></template></x-b><p id=x>no</p>`, "b"},
	}, func(o *Object) string { return o.Name })
}

func TestDescription(t *testing.T) {
	check(t, []rule{
		{"aria-describedby", `<button id=t aria-describedby="x y">b</button><p id=x>one</p><p id=y hidden>two</p>`, "one two"},
		{"aria-description", `<button id=t aria-description=d title=x>b</button>`, "d"},
		{"title that is not the name", `<button id=t title=x>b</button>`, "x"},
		{"title that is the name", `<button id=t title=x></button>`, ""},
		{"title that is the text", `<button id=t title=b>b</button>`, ""},
		{"caption that is not the name", `<table id=t aria-label=l><caption>c</caption><tr><td>x</table>`, "c"},
		{"svg desc", `<svg id=t><desc>d</desc><rect/></svg>`, "d"},
		{"value of a labelled button", `<input id=t type=button value=v aria-label=l>`, "v"},
	}, func(o *Object) string { return o.Description })
}

func TestRole(t *testing.T) {
	check(t, []rule{
		{"link", `<a id=t href=x>a</a>`, "link"},
		{"no link", `<a id=t>a</a>`, "generic"},
		{"link by a listener", `<a id=t data-clickable>a</a>`, "link"},
		{"select", `<select id=t><option>a</select>`, "combobox"},
		{"select of several", `<select id=t multiple><option>a</select>`, "listbox"},
		{"unnamed section", `<section id=t>a</section>`, "generic"},
		{"named section", `<section id=t aria-label=l>a</section>`, "region"},
		{"unnamed region", `<div id=t role=region>a</div>`, "generic"},
		{"unnamed region with a second word", `<div id=t role="region button">a</div>`, "button"},
		{"header", `<header id=t>a</header>`, "banner"},
		{"header in an article", `<article><header id=t>a</header></article>`, "sectionheader"},
		{"aside in a section", `<section><aside id=t>a</aside></section>`, "generic"},
		{"list item", `<ul><li id=t>a</ul>`, "listitem"},
		{"list item of another list", `<ul role=menu><li id=t>a</ul>`, "none"},
		{"list item without a list", `<div id=t role=listitem>a</div>`, "generic"},
		{"list item through a wrapper", `<div role=list><div><div id=t role=listitem>a</div></div></div>`, "listitem"},
		{"list item by aria-owns", `<div role=list aria-owns=t></div><div id=t role=listitem>a</div>`, "listitem"},
		{"none", `<h1 id=t role=none>a</h1>`, "none"},
		{"none undone by focus", `<button id=t role=none>a</button>`, "button"},
		{"none undone by a global attribute", `<h1 id=t role=none aria-label=l>a</h1>`, "heading"},
		{"unknown word", `<h1 id=t role=bogus>a</h1>`, "heading"},
		{"cell in a grid", `<table role=grid><tr><td id=t>a</table>`, "gridcell"},
		{"row header", `<table><tr><th id=t>a</th><td>b</td></tr></table>`, "rowheader"},
		{"column header", `<table><tr><th id=t>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>`, "columnheader"},
		{"layout table", `<table id=t><tr><td>a</td><td>b</td></tr></table>`, "layouttable"},
		{"drawing without parts", `<svg id=t><rect/></svg>`, "image"},
		{"endnote", `<div role=doc-endnotes><ol><li id=t>a</ol></div>`, "doc-endnote"},
		{"combobox of a list", `<input id=t list=l><datalist id=l></datalist>`, "combobox"},
		{"popover", `<div id=t popover style="display:block">a</div>`, "group"},
	}, func(o *Object) string { return string(o.Role) })
}

func TestIgnored(t *testing.T) {
	check(t, []rule{
		{"paragraph", `<p id=t>a</p>`, "shown"},
		{"hidden attribute", `<p id=t hidden>a</p>`, "ignored hidden"},
		{"aria-hidden", `<p id=t aria-hidden=true>a</p>`, "ignored hidden"},
		{"below aria-hidden", `<div aria-hidden=true><p id=t>a</p></div>`, "ignored hidden"},
		{"aria-hidden on body", `<body aria-hidden=true><p id=t>a</p>`, "shown"},
		{"inert", `<div inert><button id=t>a</button></div>`, "ignored hidden"},
		{"invisible", `<p id=t style="visibility:hidden">a</p>`, "ignored hidden"},
		{"visible in invisible", `<div style="visibility:hidden"><p id=t style="visibility:visible">a</p></div>`, "shown"},
		{"empty alt", `<img id=t alt="">`, "ignored"},
		{"label that an id makes a target", `<input type=checkbox id=c><label id=t for=c>a</label>`, "ignored"},
		{"presentational", `<div id=t role=none>a</div>`, "ignored"},
		{"owned", `<div role=list aria-owns=t></div><p id=t>a</p>`, "shown"},
		{"option of a hidden drop-down", `<select hidden><option id=t>a</select>`, "ignored hidden"},
		{"content of a closed details", `<details><summary>s</summary><p id=t>a</p></details>`, "ignored hidden"},
		{"option of a closed drop-down", `<select><option id=t>a</select>`, "shown"},
	}, func(o *Object) string {
		switch {
		case o.Ignored && o.Hidden:
			return "ignored hidden"
		case o.Ignored:
			return "ignored"
		case o.Hidden:
			return "hidden"
		}
		return "shown"
	})
}

func TestStates(t *testing.T) {
	check(t, []rule{
		{"checked", `<input id=t type=checkbox checked>`, "checked=2 focusable"},
		{"aria-checked does not change a native box", `<input id=t type=checkbox aria-checked=true>`, "checked=1 focusable"},
		{"mixed", `<div id=t role=checkbox aria-checked=mixed>a</div>`, "checked=3"},
		{"radio is never mixed", `<div id=t role=radio aria-checked=mixed>a</div>`, "checked=1"},
		{"pressed", `<button id=t aria-pressed=true>a</button>`, "pressed=2 focusable"},
		{"disabled", `<button id=t disabled>a</button>`, "disabled"},
		{"disabled by a fieldset", `<fieldset disabled><button id=t>a</button></fieldset>`, "disabled"},
		{"not in its legend", `<fieldset disabled><legend><button id=t>a</button></legend></fieldset>`, "focusable"},
		{"disabled by a container", `<div aria-disabled=true><a id=t href=x>a</a></div>`, "disabled focusable"},
		{"expanded", `<button id=t aria-expanded=true>a</button>`, "expanded=2 focusable"},
		{"not expandable", `<p id=t aria-expanded=true>a</p>`, ""},
		{"summary", `<details open><summary id=t>a</summary></details>`, "expanded=2 focusable"},
		{"required", `<input id=t required>`, "required focusable editable"},
		{"read-only", `<input id=t readonly>`, "readonly focusable editable"},
		{"level", `<h3 id=t>a</h3>`, "level=3"},
		{"level by attribute", `<h3 id=t aria-level=5>a</h3>`, "level=5"},
		{"level without", `<div id=t role=heading>a</div>`, "level=2"},
		{"tree level", `<div role=tree><div role=treeitem>a<div role=group><div id=t role=treeitem>b</div></div></div></div>`, "level=2 selected=1"},
		{"option", `<select><option id=t selected>a</select>`, "focusable selected=2"},
		{"selected by attribute", `<div role=listbox><div id=t role=option aria-selected=true>a</div></div>`, "selected=2"},
		{"popup", `<button id=t aria-haspopup=true>a</button>`, "focusable popup=menu"},
		{"drop-down", `<select id=t><option>a</select>`, "expanded=1 focusable popup=menu"},
		{"invalid", `<input id=t aria-invalid=true>`, "focusable editable invalid=true"},
		{"misspelt text is no invalid object", `<p id=t aria-invalid=spelling>a</p>`, ""},
		{"current", `<a id=t href=x aria-current=page>a</a>`, "focusable current=page"},
		{"modal", `<div id=t role=dialog aria-modal=true>a</div>`, "modal"},
		{"busy", `<div id=t role=log aria-busy=true>a</div>`, "busy"},
		{"several lines", `<textarea id=t></textarea>`, "focusable editable multiline"},
		{"several chosen", `<select id=t multiple></select>`, "focusable multiselectable"},
		{"sort", `<table><tr><th id=t aria-sort=ascending>a</th></tr><tr><td>b</table>`, "sort=ascending"},
		{"keys", `<button id=t aria-keyshortcuts="Control+Enter Meta+S /">a</button>`, "focusable keys=Control+Enter Meta+S /"},
		{"keys that are none", `<button id=t aria-keyshortcuts="hunter2 Enter+A Shift+ Ignore+a 1 2 3 4">a</button>`, "focusable keys=1 2 3"},
		{"focusable", `<div id=t tabindex=-1>a</div>`, "focusable"},
		{"editable", `<div id=t contenteditable>a</div>`, "focusable editable multiline"},
	}, func(o *Object) string { return stateWords(o.States) })
}

// stateWords writes the states that are set.
func stateWords(s *States) string {
	var out []string
	flag := func(name string, v bool) {
		if v {
			out = append(out, name)
		}
	}
	word := func(name string, v any) {
		if w := fmt.Sprint(v); w != "" && w != "0" {
			out = append(out, name+"="+w)
		}
	}
	word("checked", s.Checked)
	word("pressed", s.Pressed)
	word("expanded", s.Expanded)
	flag("disabled", s.Disabled)
	flag("required", s.Required)
	flag("readonly", s.ReadOnly)
	flag("focusable", s.Focusable)
	flag("modal", s.Modal)
	flag("busy", s.Busy)
	flag("editable", s.Editable)
	flag("multiline", s.Multiline)
	flag("multiselectable", s.Multiselectable)
	word("level", s.Level)
	word("selected", s.Selected)
	word("popup", s.HasPopup)
	word("invalid", s.Invalid)
	word("current", s.Current)
	word("sort", s.Sort)
	word("keys", s.Keys)
	return strings.Join(out, " ")
}

func TestValue(t *testing.T) {
	check(t, []rule{
		{"text", `<input id=t value=x>`, "x"},
		{"drop-down", `<select id=t><option value=1>one<option value=2 selected>two</select>`, "two"},
		{"range by attributes", `<div id=t role=slider aria-valuenow=7 aria-valuemax=5></div>`, "5"},
		{"range without a value", `<div id=t role=slider aria-valuemin=2 aria-valuemax=4></div>`, "3"},
		{"meter", `<meter id=t value=0.25></meter>`, "0.25"},
		{"progress", `<progress id=t value=3 max=10></progress>`, "3"},
		{"progress without a value", `<progress id=t></progress>`, ""},
		{"editable", `<div id=t contenteditable>one <b>two</b></div>`, "one two"},
		{"a button has none", `<input id=t type=submit value=x>`, ""},
	}, func(o *Object) string { return o.Value })
}
