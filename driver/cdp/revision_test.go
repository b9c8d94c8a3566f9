package cdp

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func revision(t testing.TB, p *page) driver.Revision {
	t.Helper()
	r, err := p.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// drawn waits until the page has been drawn twice, so that all pending style
// and layout is done.
func drawn(t testing.TB, p *page) {
	t.Helper()
	inMain(t, p, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")
}

const revisionPage = `<!doctype html><title>rev</title><style>.hot {color: red}</style><body>
<p id=text>text</p><input id=field><input type=checkbox id=check><select id=select><option>a<option>b</select><details id=details><summary>s</summary>d</details>
<div id=scroller style="height:50px;overflow:auto"><div style="height:500px"></div></div>
<section id=late>late</section><div id=open></div><div id=closed></div><iframe id=frame srcdoc="<p id=in>in</p>"></iframe><div style="height:3000px"></div>
<script>
const openRoot = document.getElementById('open').attachShadow({mode:'open'});
openRoot.innerHTML = '<b>open</b><div id=s style="height:20px;overflow:auto"><div style="height:200px"></div></div>';
const closedRoot = document.getElementById('closed').attachShadow({mode:'closed'});
closedRoot.innerHTML = '<b>closed</b><div id=s style="height:20px;overflow:auto"><div style="height:200px"></div></div>';
</script>`

func TestRevision(t *testing.T) {
	p := open(t, revisionPage)
	drawn(t, p)
	c := capture(t, p)
	last := revision(t, p)
	if last != c.Revision {
		t.Errorf("right after a capture of revision %d it is %d", c.Revision, last)
	}
	seen := map[driver.Revision]bool{last: true}
	for _, change := range []string{
		"text.textContent = 'other'",
		"document.body.append(document.createElement('hr'))",
		"text.setAttribute('aria-label', 'x')",
		"text.className = 'hot'",
		"field.value = 'by script'",
		"check.checked = true",
		"select.selectedIndex = 1",
		"details.open = true",
		"field.focus()",
		"scroller.scrollTop = 40",
		"scrollTo(0, 100)",
		"document.styleSheets[0].insertRule('p {display: none}')",
		"history.pushState(null, '', '?pushed')",
		"openRoot.querySelector('b').textContent = 'changed'",
		"openRoot.querySelector('b').setAttribute('aria-label', 'x')",
		"openRoot.querySelector('#s').scrollTop = 30",
		"closedRoot.querySelector('b').textContent = 'changed'",
		"closedRoot.querySelector('b').setAttribute('aria-label', 'x')",
		"closedRoot.querySelector('#s').scrollTop = 30",
		"frame.contentDocument.getElementById('in').textContent = 'changed'",
		"frame.contentDocument.getElementById('in').setAttribute('aria-label', 'x')",
		"late.attachShadow({mode: 'closed'}).innerHTML = 'new tree'",
		"frame.remove()",
	} {
		inMain(t, p, "void ("+change+")")
		drawn(t, p)
		now := revision(t, p)
		if now == last {
			t.Errorf("not noticed: %s", change)
		}
		if seen[now] && now != last {
			t.Errorf("revision %d came back", now)
		}
		if again := revision(t, p); again != now {
			t.Errorf("after %s it went on from %d to %d", change, now, again)
		}
		if c := capture(t, p); c.Revision != now {
			t.Errorf("after %s the capture is of revision %d, want %d", change, c.Revision, now)
		}
		if again := revision(t, p); again != now {
			t.Errorf("the capture after %s changed the revision from %d to %d", change, now, again)
		}
		last, seen[now] = now, true
	}
}

func TestRevisionByPerson(t *testing.T) {
	p := open(t, revisionPage)
	field := ref(t, p, "field")
	if err := p.Focus(t.Context(), driver.Target{At: field}); err != nil {
		t.Fatal(err)
	}
	drawn(t, p)
	was := revision(t, p)
	sendInput(t, p, driver.InsertText{Text: "x"})
	if now := revision(t, p); now == was {
		t.Error("typing was not noticed")
	}
}

func TestRevisionOfAnotherProcess(t *testing.T) {
	pages := site{"/in": `<p id=in>in</p>`}
	at := pages.serve(t)
	pages["/"] = `<!doctype html><iframe src="` + elsewhere(at) + `/in"></iframe>`
	p := visit(t, at+"/")
	capture(t, p)
	was := revision(t, p)
	if again := revision(t, p); again != was {
		t.Errorf("without a change: %d, then %d", was, again)
	}
	frame := p.Frames()[1].ID
	if _, err := p.Evaluate(t.Context(), "document.getElementById('in').title = 'x'", &driver.EvaluateOptions{Frame: frame}); err != nil {
		t.Fatal(err)
	}
	if now := revision(t, p); now == was {
		t.Error("a change in the frame was not noticed")
	}
}

// What moves without any change of content changes nothing for good: the
// captures are equal and so is their revision.
func TestRevisionStillWhileNothingChanges(t *testing.T) {
	p := open(t, `<!doctype html><style>@keyframes m {to {left: 100px}} div {position: absolute; animation: m 1s infinite alternate}</style><div>moves</div><input autofocus>`)
	drawn(t, p) // the focus comes with the first drawing
	first := capture(t, p).Revision
	for range 5 {
		drawn(t, p)
		if now := capture(t, p).Revision; now != first {
			t.Fatalf("the capture of an animated page went from revision %d to %d", first, now)
		}
	}
}

func TestRevisionAfterNavigation(t *testing.T) {
	pages := site{"/a": "<title>a</title>", "/b": "<title>b</title>"}
	at := pages.serve(t)
	p := visit(t, at+"/a")
	was := capture(t, p).Revision
	goTo(t, p, at+"/b")
	if now := revision(t, p); now == was {
		t.Error("a navigation was not noticed")
	}
}
