package drivertest

import (
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const uploadForm = `<form action=/sent method=post enctype=multipart/form-data><input id=f type=file name=f><input id=m type=file name=m multiple><button id=b>x</button></form><p id=log></p>`

var fileCases = rows(Case{Doc: "Actor.SetFiles", pages: pages{"/": uploadForm}},
	rule("files/set", "SetFiles gives a file input its files; State.Files are their names, and the page sees input and change.").
		doing(
			on("input", "#f", Action{Kind: AppendHTML, Target: "#log", Text: "input "}),
			on("change", "#f", Action{Kind: AppendHTML, Target: "#log", Text: "change "}),
		).
		opens(func(t *trial) {
			t.ok("SetFiles", t.page.SetFiles(t.ctx, driver.Target{At: t.find("#f")}, t.file("a.txt", "one")))
			t.equal("Files", t.state("#f").Files, []string{"a.txt"})
			t.equal("log", t.text("#log"), "input change ")
		}),
	rule("files/several", "An input of several files takes them in order; new files take the place of those before, and none clear it.").opens(func(t *trial) {
		ref := t.find("#m")
		t.ok("SetFiles", t.page.SetFiles(t.ctx, driver.Target{At: ref}, t.file("b.txt", "b"), t.file("a.txt", "a")))
		t.equal("Files", t.state("#m").Files, []string{"b.txt", "a.txt"})
		t.equal("Multiple", []bool{t.state("#m").Multiple, t.state("#f").Multiple}, []bool{true, false})
		t.ok("SetFiles", t.page.SetFiles(t.ctx, driver.Target{At: ref}, t.file("c.txt", "c")))
		t.equal("Files after another", t.state("#m").Files, []string{"c.txt"})
		t.ok("SetFiles of none", t.page.SetFiles(t.ctx, driver.Target{At: ref}))
		t.equal("Files after none", len(t.state("#m").Files), 0)
	}),
	rule("files/missing", "A missing file is an error that wraps fs.ErrNotExist, and nothing is set.").opens(func(t *trial) {
		ref := t.find("#m")
		t.ok("SetFiles", t.page.SetFiles(t.ctx, driver.Target{At: ref}, t.file("a.txt", "a")))
		err := t.page.SetFiles(t.ctx, driver.Target{At: ref}, t.file("b.txt", "b"), filepath.Join(t.tempDir(), "nosuch.txt"))
		t.failsAsOp("setfiles", err, fs.ErrNotExist)
		t.equal("Files", t.state("#m").Files, []string{"a.txt"})
	}),
	rule("files/sent", "The files are sent with the form, name and bytes.").
		with(pages{"/": uploadForm, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			t.ok("SetFiles", t.page.SetFiles(t.ctx, driver.Target{At: t.find("#f")}, t.file("a.txt", "line one\nline two\x00\xff")))
			t.ok("SetFiles", t.page.SetFiles(t.ctx, driver.Target{At: t.find("#m")}, t.file("b", "1"), t.file("c", "2")))
			t.send("#b")
			form := t.multipart(t.request("/sent"))
			if len(form.File["f"]) != 1 || len(form.File["m"]) != 2 {
				t.fatalf("the form has %d and %d files, want 1 and 2", len(form.File["f"]), len(form.File["m"]))
			}
			t.equal("name", form.File["f"][0].Filename, "a.txt")
			r, err := form.File["f"][0].Open()
			t.ok("the file", err)
			data, err := io.ReadAll(r)
			t.ok("the file", err)
			t.equal("bytes", string(data), "line one\nline two\x00\xff")
		}),
	rule("files/chooser", "A click on a file input shows no chooser: FileChooserOpened names the input and whether it takes several.").at("FileChooserOpened").opens(func(t *trial) {
		for id, several := range map[string]bool{"#f": false, "#m": true} {
			t.trigger(id)
			e := wait[driver.FileChooserOpened](t, nil)
			t.equal("Node", e.Node, t.find(id))
			t.equal("Multiple", e.Multiple, several)
			t.equal("Page", e.Page, t.page.ID())
			t.ok("SetFiles", t.page.SetFiles(t.ctx, driver.Target{At: e.Node}, t.file("a.txt", "a")))
			t.equal("Files", t.state(id).Files, []string{"a.txt"})
		}
	}),
	rule("files/label", "A click on a file input's label opens the same chooser.").at("FileChooserOpened").
		on(`<label id=l for=f>choose</label><input id=f type=file style="display: none">`).
		opens(func(t *trial) {
			t.trigger("#l")
			e := wait[driver.FileChooserOpened](t, nil)
			t.equal("Node", e.Node, t.find("#f"))
			t.ok("SetFiles of a hidden input", t.page.SetFiles(t.ctx, driver.Target{At: e.Node}, t.file("a.txt", "a")))
			t.equal("Files", t.state("#f").Files, []string{"a.txt"})
		}),
	rule("files/wrong", "SetFiles of what is no file input is an error.").
		on(`<input id=i><p id=p>x</p>`).
		opens(func(t *trial) {
			path := t.file("a.txt", "a")
			t.must(t.page.SetFiles(t.ctx, driver.Target{At: t.find("#i")}, path) != nil, "SetFiles of a text field gave no error")
			t.must(t.page.SetFiles(t.ctx, driver.Target{At: t.find("#p")}, path) != nil, "SetFiles of a paragraph gave no error")
		}),
)

var requestCases = rows(Case{Doc: "RequestStarted"},
	rule("requests/document", "A document's request is told by RequestStarted with its frame, kind, method and address, and by RequestEnded with the same ID.").
		on("<p>x").
		opens(func(t *trial) {
			s := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/") })
			t.must(s.ID != "", "ID is empty")
			id := s.ID
			s.ID = ""
			t.equal("RequestStarted", s, driver.RequestStarted{Page: t.page.ID(), Frame: t.main().ID, Kind: driver.RequestDocument, Method: "GET", URL: t.url("/")})
			e := wait(t, func(e driver.RequestEnded) bool { return e.ID == id })
			t.equal("Failed", e.Failed, false)
		}),
	rule("requests/status", "RequestEnded has the status of the answer: of each redirect, of a page that is an error, of a form's answer; 0 where none came.").at("RequestEnded").
		with(pages{"/": redirect("/two", http.StatusFound), "/two": status(http.StatusNotFound, `<form method=post action=/sent><button id=b>x</button></form>`), "/sent": status(http.StatusCreated, "<p>sent")}).
		opens(func(t *trial) {
			s := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/two") })
			wait(t, func(e driver.RequestEnded) bool { return e.ID == s.ID && len(endsOf(t, s.ID)) == 2 })
			var got []int
			for _, e := range endsOf(t, s.ID) {
				got = append(got, e.Status)
			}
			t.equal("statuses of the redirect and of the page", got, []int{http.StatusFound, http.StatusNotFound})
			t.send("#b")
			s = wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/sent") })
			e := wait(t, func(e driver.RequestEnded) bool { return e.ID == s.ID })
			t.equal("status of the form's answer", e.Status, http.StatusCreated)
		}),
	rule("requests/redirect", "A redirect ends a request and starts another of the same ID.").
		with(pages{"/": redirect("/two", http.StatusFound), "/two": "<p>two"}).
		opens(func(t *trial) {
			first := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/") })
			second := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/two") })
			t.equal("ID of the second", second.ID, first.ID)
			var order []string
			wait(t, func(e driver.RequestEnded) bool {
				return e.ID == first.ID && len(endsOf(t, first.ID)) == 2
			})
			for _, e := range t.events.since() {
				switch e := e.(type) {
				case driver.RequestStarted:
					if e.ID == first.ID {
						order = append(order, "start")
					}
				case driver.RequestEnded:
					if e.ID == first.ID {
						order = append(order, "end")
					}
				}
			}
			t.equal("order", order, []string{"start", "end", "start", "end"})
		}),
	rule("requests/frame", "The request of a frame's document is told with that frame.").
		with(pages{"/": "<iframe src=/in></iframe>", "/in": "<p>in"}).
		opens(func(t *trial) {
			s := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/in") })
			t.equal("Frame", s.Frame, t.frames(t.page)[1].ID)
			t.equal("Kind", s.Kind, driver.RequestDocument)
		}),
	rule("requests/failed", "RequestEnded tells a request without an answer by Failed.").at("RequestEnded").
		on(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }).
		checks(func(t *trial) {
			t.events.mark()
			_, err := t.page.Navigate(t.ctx, t.url("/"), nil)
			t.must(err != nil, "Navigate succeeded")
			started := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/") })
			ended := wait(t, func(e driver.RequestEnded) bool { return e.ID == started.ID }) // the page before may still have some
			t.equal("Failed", ended.Failed, true)
		}),
	rule("requests/post", "RequestStarted has the method of the request, its body and the body's type.").
		with(pages{"/": `<form method=post action=/sent><input name=who value="Ada &amp; Eve"><button id=b name=do value=send>x</button></form>`, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			t.send("#b")
			s := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/sent") })
			t.equal("Method", s.Method, "POST")
			t.equal("ContentType", s.ContentType, "application/x-www-form-urlencoded")
			t.equal("Body", s.Body, "who=Ada+%26+Eve&do=send")
		}),
	rule("requests/allow", "Allow is asked about the documents of the page and its frames before they are sent, with method, kind and frame.").at("RequestInfo").
		with(pages{"/": "<iframe src=/in></iframe>", "/in": "<p>in"}).
		under(func(t *trial, o *driver.BrowserOptions) {
			var mu sync.Mutex
			var asked []driver.RequestInfo
			o.Allow = func(r driver.RequestInfo) error {
				mu.Lock()
				defer mu.Unlock()
				if !strings.Contains(r.URL, "favicon") {
					asked = append(asked, r)
				}
				return nil
			}
			t.asked = func() []driver.RequestInfo {
				mu.Lock()
				defer mu.Unlock()
				return slices.Clone(asked)
			}
		}).
		opens(func(t *trial) {
			t.equal("what Allow was asked", t.asked(), []driver.RequestInfo{
				{URL: t.url("/"), Method: "GET", Kind: driver.RequestDocument, Frame: t.main().ID},
				{URL: t.url("/in"), Method: "GET", Kind: driver.RequestDocument, Frame: t.frames(t.page)[1].ID},
			})
		}),
)

func endsOf(t *trial, id string) []driver.RequestEnded {
	return slices.DeleteFunc(told[driver.RequestEnded](t), func(e driver.RequestEnded) bool { return e.ID != id })
}
