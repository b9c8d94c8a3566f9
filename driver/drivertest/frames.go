package drivertest

import (
	"net/http"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var frameCases = append(frameKindCases(), rows(Case{Doc: "Frame.Ordinal"}, []Case{{
	Name: "frames/order",
	Rule: "Frames returns the frames in document order, main frame first, a child after its parent.",
	Doc:  "Page.Frames",
	pages: pages{
		"/":  `<iframe name=a src=/a></iframe><iframe name=b src="{{other}}/b"></iframe><iframe name=c src=/c></iframe>`,
		"/a": `<iframe name=a1 src=/a1></iframe><iframe name=a2 src="{{other}}/a2"></iframe>`,
		"/b": "<p>b", "/c": "<p>c", "/a1": "<p>a1", "/a2": "<p>a2",
	},
	opened: func(t *trial) {
		frames := t.page.Frames()
		var names []string
		for _, f := range frames {
			names = append(names, f.Name)
		}
		t.equal("names", names, []string{"", "a", "a1", "a2", "b", "c"})
		if len(frames) == 6 {
			t.equal("parent of a", frames[1].Parent, frames[0].ID)
			t.equal("parent of a2", frames[3].Parent, frames[1].ID)
			t.equal("parent of b", frames[4].Parent, frames[0].ID)
			t.equal("URL of a2", frames[3].URL, t.elsewhere("/a2"))
		}
	},
}, {
	Name:  "frames/ordinal",
	fresh: true,
	Rule:  "Ordinals are 0 for the main frame and count up from there; they stay while the frame is attached, over navigations.",
	pages: pages{"/": `<a id=l target=a href=/two>go</a><iframe name=a src=/in></iframe><iframe name=b src=/in></iframe>`, "/in": "<p>in", "/two": "<p>two"},
	opened: func(t *trial) {
		before := ordinals(t)
		t.equal("ordinal of the main frame", before[""], 0)
		t.equal("the others, sorted", sorted(before["a"], before["b"]), []int{1, 2})
		t.trigger("#l")
		wait(t, func(e driver.Loaded) bool { return e.Frame == t.frames(t.page)[1].ID })
		t.equal("ordinals after a navigation of a frame", ordinals(t), before)
	},
}, {
	Name:  "frames/ordinal-once",
	Rule:  "An ordinal is not given again after its frame is gone.",
	pages: pages{"/": `<button id=b>swap</button><div id=d><iframe id=f name=a src=/in></iframe></div>`, "/in": "<p>in"},
	does: []Behavior{on("click", "#b", Action{Kind: Remove, Target: "#f"},
		Action{Kind: AppendHTML, Target: "#d", Text: "<iframe id=g name=b src=/in></iframe>"})},
	opened: func(t *trial) {
		before := ordinals(t)["a"]
		t.trigger("#b")
		added := wait[driver.FrameAttached](t, nil)
		wait(t, func(e driver.Loaded) bool { return e.Frame == added.Frame })
		after := ordinals(t)
		t.equal("frames", len(after), 2)
		t.must(after["b"] > before, "the new frame has the ordinal %d, want more than %d", after["b"], before)
	},
}, {
	Name:  "frames/ordinal-page",
	Rule:  "The main frame keeps the ordinal 0 and its FrameID over navigations, also to another site.",
	Doc:   "FrameID",
	pages: pages{"/": "<p>one"},
	opened: func(t *trial) {
		before := t.main()
		t.visit(t.elsewhere("/"))
		t.equal("Frame.ID", t.main().ID, before.ID)
		t.equal("Ordinal", t.main().Ordinal, 0)
		t.equal("Page.ID", driver.FrameID(t.page.ID()), before.ID)
		t.must(t.main().Doc != before.Doc, "Doc is %q as before", before.Doc)
	},
}, {
	Name:  "frames/same-id",
	Rule:  "A frame keeps its FrameID when it goes to another site, into another process.",
	Doc:   "FrameID",
	pages: pages{"/": `<a id=l target=n href="{{other}}/in">go</a><iframe id=f name=n src=/in></iframe>`, "/in": "<p id=p>in"},
	opened: func(t *trial) {
		before := t.frames(t.page)[1]
		t.trigger("#l")
		wait(t, func(e driver.Loaded) bool { return e.Frame == before.ID })
		after := t.frames(t.page)[1]
		t.equal("Frame.ID", after.ID, before.ID)
		t.equal("Ordinal", after.Ordinal, before.Ordinal)
		t.equal("URL", after.URL, t.elsewhere("/in"))
		t.must(after.Doc != before.Doc, "Doc is %q as before", before.Doc)
		t.equal("text", t.text("#f", "#p"), "in")
	},
}, {
	Name:  "frames/own-process",
	Rule:  "OwnProcess is true for a frame of another site and false for one of the page's own.",
	Doc:   "Frame.OwnProcess",
	pages: pages{"/": `<iframe src=/in></iframe><iframe src="{{other}}/in"></iframe>`, "/in": "<p>in"},
	opened: func(t *trial) {
		f := t.frames(t.page)
		t.equal("OwnProcess", []bool{f[0].OwnProcess, f[1].OwnProcess, f[2].OwnProcess}, []bool{false, false, true})
	},
}, {
	Name:  "frames/capture",
	Rule:  "A capture holds every frame's document, those of other processes included, with the document and element that own it.",
	Doc:   "Document.Owner",
	pages: pages{"/": `<iframe id=f src=/in></iframe><div><iframe id=g src="{{other}}/in2"></iframe></div>`, "/in": "<p id=p>same", "/in2": "<p id=p>cross"},
	opened: func(t *trial) {
		v := t.capture()
		t.equal("documents", len(v.Documents), 3)
		t.equal("OwnerDocument of the main document", v.Documents[0].OwnerDocument, int32(-1))
		t.equal("Owner of the main document", v.Documents[0].Owner, int32(-1))
		for i, selector := range []string{"#f", "#g"} {
			d, f := v.document(selector), t.frames(t.page)[i+1]
			t.equal("Frame", d.Frame, f.ID)
			t.equal("Doc", d.Doc, f.Doc)
			t.equal("Ordinal", d.Ordinal, f.Ordinal)
			t.equal("URL", d.URL, f.URL)
		}
		d := v.document("#g")
		t.equal("text", text(d, byID(d, "p")), "cross")
	},
}, {
	Name: "frames/nested",
	Rule: "Frames within frames are captured, across sites and back, a document after its parent.",
	Doc:  "Capture.Documents",
	pages: pages{
		"/":  `<iframe id=f src="{{other}}/a"></iframe>`,
		"/a": `<iframe id=f src="{{origin}}/b"></iframe>`,
		"/b": `<p id=p>deep</p>`,
	},
	opened: func(t *trial) {
		v := t.capture()
		t.equal("documents", len(v.Documents), 3)
		for i := range v.Documents {
			t.must(v.Documents[i].OwnerDocument < int32(i), "document %d comes before its parent %d", i, v.Documents[i].OwnerDocument)
		}
		t.equal("text", t.text("#f", "#f", "#p"), "deep")
	},
}, {
	Name:  "frames/srcdoc",
	Rule:  "A srcdoc frame has the address about:srcdoc and its parent's base address.",
	Doc:   "Document.BaseURL",
	pages: pages{"/": `<iframe id=f srcdoc="<p id=p>inline</p>"></iframe>`},
	opened: func(t *trial) {
		d := t.capture().document("#f")
		t.equal("URL", d.URL, "about:srcdoc")
		t.equal("BaseURL", d.BaseURL, t.url("/"))
		t.equal("text", t.text("#f", "#p"), "inline")
	},
}, {
	Name:  "frames/empty",
	Rule:  "A frame without an address shows about:blank and is captured.",
	Doc:   "Reader.Capture",
	pages: pages{"/": `<iframe id=f name=n></iframe>`},
	opened: func(t *trial) {
		f := t.frames(t.page)
		if len(f) != 2 {
			t.fatalf("Frames() = %+v, want two", f)
		}
		t.equal("URL", f[1].URL, "about:blank")
		t.equal("Name", f[1].Name, "n")
		t.equal("Frame of the document", t.capture().document("#f").Frame, f[1].ID)
	},
}, {
	Name:  "frames/hidden",
	Rule:  "The document of a frame that is not displayed is captured; nothing in it is rendered.",
	Doc:   "Node.Rendered",
	pages: pages{"/": `<iframe id=f src=/in style="display:none"></iframe>`, "/in": "<p id=p>in"},
	opened: func(t *trial) {
		d := t.capture().document("#f")
		i := byID(d, "p")
		if i < 0 {
			t.fatalf("the frame's paragraph is not captured")
		}
		t.equal("Rendered", d.Nodes[i].Rendered, false)
		t.equal("text", text(d, i), "in")
	},
}, {
	Name:  "frames/attached",
	Rule:  "FrameAttached tells a child frame that is added, with its parent, before anything else of that frame.",
	Doc:   "FrameAttached",
	pages: pages{"/": `<button id=b>add</button><div id=d></div>`, "/in": "<p id=p>in"},
	does:  []Behavior{on("click", "#b", Action{Kind: AppendHTML, Target: "#d", Text: "<iframe id=f src=/in></iframe>"})},
	opened: func(t *trial) {
		t.trigger("#b")
		added := wait[driver.FrameAttached](t, nil)
		t.equal("Parent", added.Parent, t.main().ID)
		t.equal("Page", added.Page, t.page.ID())
		wait(t, func(e driver.Loaded) bool { return e.Frame == added.Frame })
		for _, e := range t.events.since() {
			if frameOf(e) == added.Frame {
				_, first := e.(driver.FrameAttached)
				t.must(first, "the first event of the frame is %T%+v, want FrameAttached", e, e)
				break
			}
		}
		t.equal("text", t.text("#f", "#p"), "in")
	},
}, {
	Name:  "frames/detached",
	Rule:  "FrameDetached tells a frame that is removed; it is then in neither Frames nor a capture, and its nodes give ErrDetached.",
	Doc:   "ErrDetached",
	pages: pages{"/": `<button id=b>cut</button><iframe id=f src=/in></iframe>`, "/in": "<p id=p>in"},
	does:  []Behavior{on("click", "#b", Action{Kind: Remove, Target: "#f"})},
	check: func(t *trial) { detaches(t) },
}, {
	Name:  "frames/detached-cross",
	Rule:  "The same holds for a frame of another process.",
	Doc:   "ErrDetached",
	pages: pages{"/": `<button id=b>cut</button><iframe id=f src="{{other}}/in"></iframe>`, "/in": "<p id=p>in"},
	does:  []Behavior{on("click", "#b", Action{Kind: Remove, Target: "#f"})},
	check: func(t *trial) { detaches(t) },
}, {
	Name:  "frames/collide",
	Rule:  "A reference names a node of one frame: the like node of another frame is another.",
	Doc:   "NodeRef",
	pages: pages{"/": `<iframe id=f src=/in></iframe><iframe id=g src="{{other}}/in"></iframe>`, "/in": "<input id=i>"},
	opened: func(t *trial) {
		a, b := t.find("#f", "#i"), t.find("#g", "#i")
		t.must(a != b, "two nodes have the same reference %+v", a)
		t.ok("Focus", t.page.Focus(t.ctx, driver.Target{At: b}))
		t.input(driver.InsertText{Text: "x"})
		t.equal("value in the frame that was meant", t.value("#g", "#i"), "x")
		t.equal("value in the other", t.value("#f", "#i"), "")
	},
}})...)

// frameKinds are the ways in which a page can have a frame, by the name of their
// case. A driver may show some of them without a frame, but what it reports as
// begun has to end.
var frameKinds = []struct{ name, html string }{
	{"srcdoc", `<iframe srcdoc="<p>x"></iframe>`},
	{"sandboxed-srcdoc", `<iframe sandbox srcdoc="<p>x"></iframe>`},
	{"sandboxed-srcdoc-scripts", `<iframe sandbox="allow-scripts" srcdoc="<p>x"></iframe>`},
	{"sandboxed-srcdoc-nested", `<iframe srcdoc="<iframe sandbox srcdoc=x></iframe>"></iframe>`},
	{"sandboxed", `<iframe sandbox src=/in></iframe>`},
	{"sandboxed-other", `<iframe sandbox src="{{other}}/in"></iframe>`},
	{"sandboxed-blank", `<iframe sandbox></iframe>`},
	{"blank", `<iframe src="about:blank"></iframe>`},
	{"data", `<iframe src="data:text/html,<p>x"></iframe>`},
	{"sandboxed-data", `<iframe sandbox src="data:text/html,<p>x"></iframe>`},
	{"blob", `<iframe src="blob:null/0"></iframe>`},
	{"script", `<iframe src="javascript:'x'"></iframe>`},
	{"lazy", `<iframe loading=lazy sandbox srcdoc="<p>x"></iframe>`},
	{"fenced", `<fencedframe></fencedframe>`},
	{"object", `<object data=/in></object>`},
	{"object-data", `<object data="data:text/html,<p>x"></object>`},
	{"embed", `<embed src=/in>`},
	{"frameset", `<frameset><frame src=/in></frameset>`},
	{"refused", `<iframe src=/204></iframe>`},
}

// frameKindCases asks of each kind of frame that all it began comes to an end.
func frameKindCases() []Case {
	var cases []Case
	for _, kind := range frameKinds {
		cases = append(cases, Case{
			Name:  "frames/quiet-" + kind.name,
			Rule:  "A NavigationRequested of a frame of any kind is followed by Navigated, NavigationEnded or FrameDetached, and what was navigated is loaded.",
			Doc:   "NavigationRequested",
			pages: pages{"/": kind.html, "/in": "<p>in", "/204": headersOnly(http.StatusNoContent)},
			check: func(t *trial) {
				t.open("/")
				for _, f := range t.page.Frames() {
					_, ok := t.events.wait(t.ctx, func(driver.Event) bool { return t.events.atRest(f.ID) })
					t.must(ok, "frame %s at %s is never at rest; events:%s", f.ID, f.URL, t.events.list())
				}
			},
		})
	}
	return cases
}

// detaches clicks what removes the only frame and looks at what follows.
func detaches(t *trial) {
	t.open("/")
	ref, frame := t.find("#f", "#p"), t.frames(t.page)[1].ID
	t.trigger("#b")
	t.equal("Frame of the event", wait[driver.FrameDetached](t, nil).Frame, frame)
	t.equal("frames", len(t.page.Frames()), 1)
	t.equal("documents", len(t.capture().Documents), 1)
	t.failsAsOp("state", errOf(t.page.State(t.ctx, ref)), driver.ErrDetached)
	t.failsAsOp("locate", errOf(t.page.Locate(t.ctx, ref, nil)), driver.ErrDetached)
}

// ordinals returns the frames' ordinals by name.
func ordinals(t *trial) map[string]int {
	m := map[string]int{}
	for _, f := range t.page.Frames() {
		m[f.Name] = f.Ordinal
	}
	return m
}

func sorted(n ...int) []int {
	slices.Sort(n)
	return n
}
