package drivertest

import (
	"net/http"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var frameCases = append(frameKindCases(), rows(Case{Doc: "Frame.Ordinal"},
	rule("frames/order", "Frames returns the frames in document order, main frame first, a child after its parent.").at("Page.Frames").
		with(pages{
			"/":  `<iframe name=a src=/a></iframe><iframe name=b src="{{other}}/b"></iframe><iframe name=c src=/c></iframe>`,
			"/a": `<iframe name=a1 src=/a1></iframe><iframe name=a2 src="{{other}}/a2"></iframe>`,
			"/b": "<p>b", "/c": "<p>c", "/a1": "<p>a1", "/a2": "<p>a2",
		}).
		opens(func(t *trial) {
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
		}),
	rule("frames/ordinal", "Ordinals are 0 for the main frame and count up from there; they stay while the frame is attached, over navigations.").alone().
		with(pages{"/": `<a id=l target=a href=/two>go</a><iframe name=a src=/in></iframe><iframe name=b src=/in></iframe>`, "/in": "<p>in", "/two": "<p>two"}).
		opens(func(t *trial) {
			before := ordinals(t)
			t.equal("ordinal of the main frame", before[""], 0)
			t.equal("the others, sorted", sorted(before["a"], before["b"]), []int{1, 2})
			t.trigger("#l")
			wait(t, func(e driver.Loaded) bool { return e.Frame == t.frames(t.page)[1].ID })
			t.equal("ordinals after a navigation of a frame", ordinals(t), before)
		}),
	rule("frames/ordinal-once", "An ordinal is not given again after its frame is gone.").
		with(pages{"/": `<button id=b>swap</button><div id=d><iframe id=f name=a src=/in></iframe></div>`, "/in": "<p>in"}).
		doing(on("click", "#b", Action{Kind: Remove, Target: "#f"},
			Action{Kind: AppendHTML, Target: "#d", Text: "<iframe id=g name=b src=/in></iframe>"})).
		opens(func(t *trial) {
			before := ordinals(t)["a"]
			t.trigger("#b")
			added := wait[driver.FrameAttached](t, nil)
			wait(t, func(e driver.Loaded) bool { return e.Frame == added.Frame })
			after := ordinals(t)
			t.equal("frames", len(after), 2)
			t.must(after["b"] > before, "the new frame has the ordinal %d, want more than %d", after["b"], before)
		}),
	rule("frames/ordinal-page", "The main frame keeps the ordinal 0 and its FrameID over navigations, also to another site.").at("FrameID").
		on("<p>one").
		opens(func(t *trial) {
			before := t.main()
			t.visit(t.elsewhere("/"))
			t.equal("Frame.ID", t.main().ID, before.ID)
			t.equal("Ordinal", t.main().Ordinal, 0)
			t.equal("Page.ID", driver.FrameID(t.page.ID()), before.ID)
			t.must(t.main().Doc != before.Doc, "Doc is %q as before", before.Doc)
		}),
	rule("frames/same-id", "A frame keeps its FrameID when it goes to another site, into another process.").at("FrameID").
		with(pages{"/": `<a id=l target=n href="{{other}}/in">go</a><iframe id=f name=n src=/in></iframe>`, "/in": "<p id=p>in"}).
		opens(func(t *trial) {
			before := t.frames(t.page)[1]
			t.trigger("#l")
			wait(t, func(e driver.Loaded) bool { return e.Frame == before.ID })
			after := t.frames(t.page)[1]
			t.equal("Frame.ID", after.ID, before.ID)
			t.equal("Ordinal", after.Ordinal, before.Ordinal)
			t.equal("URL", after.URL, t.elsewhere("/in"))
			t.must(after.Doc != before.Doc, "Doc is %q as before", before.Doc)
			t.equal("text", t.text("#f", "#p"), "in")
		}),
	rule("frames/own-process", "OwnProcess is true for a frame of another site and false for one of the page's own.").at("Frame.OwnProcess").
		with(pages{"/": `<iframe src=/in></iframe><iframe src="{{other}}/in"></iframe>`, "/in": "<p>in"}).
		opens(func(t *trial) {
			f := t.frames(t.page)
			t.equal("OwnProcess", []bool{f[0].OwnProcess, f[1].OwnProcess, f[2].OwnProcess}, []bool{false, false, true})
		}),
	rule("frames/capture", "A capture holds every frame's document, those of other processes included, with the document and element that own it.").at("Document.Owner").
		with(pages{"/": `<iframe id=f src=/in></iframe><div><iframe id=g src="{{other}}/in2"></iframe></div>`, "/in": "<p id=p>same", "/in2": "<p id=p>cross"}).
		opens(func(t *trial) {
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
		}),
	rule("frames/nested", "Frames within frames are captured, across sites and back, a document after its parent.").at("Capture.Documents").
		with(pages{
			"/":  `<iframe id=f src="{{other}}/a"></iframe>`,
			"/a": `<iframe id=f src="{{origin}}/b"></iframe>`,
			"/b": `<p id=p>deep</p>`,
		}).
		opens(func(t *trial) {
			v := t.capture()
			t.equal("documents", len(v.Documents), 3)
			for i := range v.Documents {
				t.must(v.Documents[i].OwnerDocument < int32(i), "document %d comes before its parent %d", i, v.Documents[i].OwnerDocument)
			}
			t.equal("text", t.text("#f", "#f", "#p"), "deep")
		}),
	rule("frames/srcdoc", "A srcdoc frame has the address about:srcdoc and its parent's base address.").at("Document.BaseURL").
		on(`<iframe id=f srcdoc="<p id=p>inline</p>"></iframe>`).
		opens(func(t *trial) {
			d := t.capture().document("#f")
			t.equal("URL", d.URL, "about:srcdoc")
			t.equal("BaseURL", d.BaseURL, t.url("/"))
			t.equal("text", t.text("#f", "#p"), "inline")
		}),
	rule("frames/empty", "A frame without an address shows about:blank and is captured.").at("Reader.Capture").
		on(`<iframe id=f name=n></iframe>`).
		opens(func(t *trial) {
			f := t.frames(t.page)
			if len(f) != 2 {
				t.fatalf("Frames() = %+v, want two", f)
			}
			t.equal("URL", f[1].URL, "about:blank")
			t.equal("Name", f[1].Name, "n")
			t.equal("Frame of the document", t.capture().document("#f").Frame, f[1].ID)
		}),
	rule("frames/hidden", "The document of a frame that is not displayed is captured; nothing in it is rendered.").at("Node.Rendered").
		with(pages{"/": `<iframe id=f src=/in style="display:none"></iframe>`, "/in": "<p id=p>in"}).
		opens(func(t *trial) {
			d := t.capture().document("#f")
			i := byID(d, "p")
			if i < 0 {
				t.fatalf("the frame's paragraph is not captured")
			}
			t.equal("Rendered", d.Nodes[i].Rendered, false)
			t.equal("text", text(d, i), "in")
		}),
	rule("frames/attached", "FrameAttached tells a child frame that is added, with its parent, before anything else of that frame.").at("FrameAttached").
		with(pages{"/": `<button id=b>add</button><div id=d></div>`, "/in": "<p id=p>in"}).
		doing(on("click", "#b", Action{Kind: AppendHTML, Target: "#d", Text: "<iframe id=f src=/in></iframe>"})).
		opens(func(t *trial) {
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
		}),
	rule("frames/detached", "FrameDetached tells a frame that is removed; it is then in neither Frames nor a capture, and its nodes give ErrDetached.").at("ErrDetached").
		with(pages{"/": `<button id=b>cut</button><iframe id=f src=/in></iframe>`, "/in": "<p id=p>in"}).
		doing(on("click", "#b", Action{Kind: Remove, Target: "#f"})).
		opens(detaches),
	rule("frames/detached-cross", "The same holds for a frame of another process.").at("ErrDetached").
		with(pages{"/": `<button id=b>cut</button><iframe id=f src="{{other}}/in"></iframe>`, "/in": "<p id=p>in"}).
		doing(on("click", "#b", Action{Kind: Remove, Target: "#f"})).
		opens(detaches),
	rule("frames/collide", "A reference names a node of one frame: the like node of another frame is another.").at("NodeRef").
		with(pages{"/": `<iframe id=f src=/in></iframe><iframe id=g src="{{other}}/in"></iframe>`, "/in": "<input id=i>"}).
		opens(func(t *trial) {
			a, b := t.find("#f", "#i"), t.find("#g", "#i")
			t.must(a != b, "two nodes have the same reference %+v", a)
			t.ok("Focus", t.page.Focus(t.ctx, driver.Target{At: b}))
			t.input(driver.InsertText{Text: "x"})
			t.equal("value in the frame that was meant", t.value("#g", "#i"), "x")
			t.equal("value in the other", t.value("#f", "#i"), "")
		}),
)...)

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
		cases = append(cases, rule("frames/quiet-"+kind.name,
			"A NavigationRequested of a frame of any kind is followed by Navigated, NavigationEnded or FrameDetached, and what was navigated is loaded.").at("NavigationRequested").
			with(pages{"/": kind.html, "/in": "<p>in", "/204": headersOnly(http.StatusNoContent)}).
			opens(func(t *trial) {
				for _, f := range t.page.Frames() {
					_, ok := t.events.wait(t.ctx, func(driver.Event) bool { return t.events.atRest(f.ID) })
					t.must(ok, "frame %s at %s is never at rest; events:%s", f.ID, f.URL, t.events.list())
				}
			}))
	}
	return cases
}

// detaches clicks what removes the only frame and looks at what follows.
func detaches(t *trial) {
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
