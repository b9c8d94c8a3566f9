package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// What a handler puts off is in the evidence although the page showed something
// at once: no frame's time is waited for then, but the page's tasks are.
func TestEvidenceOfWhatWasPutOff(t *testing.T) {
	t.Parallel()
	effects := []struct {
		name, script string
		want         engine.Effect
	}{
		{"a change", "", engine.EffectPage},
		{"navigation", "location.href = '/next'", engine.EffectNavigation},
		{"form", "document.forms[0].submit()", engine.EffectNavigation},
		{"form by request", "document.forms[0].requestSubmit()", engine.EffectNavigation},
		{"route", "history.pushState(0, '', '/route')", engine.EffectNavigation},
		{"request", "fetch('/data')", engine.EffectRequest},
		{"page", "open('/next')", engine.EffectNewPage},
		{"dialog", "alert('said')", engine.EffectDialog},
		{"download", "const a = document.createElement('a'); a.download = 'x.txt'; a.href = URL.createObjectURL(new Blob(['x'])); a.click()", engine.EffectDownload},
		{"file", "const a = document.createElement('a'); a.download = 'x.txt'; a.href = '/data'; a.click()", engine.EffectDownload},
		{"attachment", "location.href = '/attachment'", engine.EffectDownload},
	}
	delays := []struct{ name, begin, end string }{
		{"at once", "", ""},
		{"a promise later", "Promise.resolve().then(() => {", "})"},
		{"a task later", "setTimeout(() => {", "})"},
		{"two tasks later", "setTimeout(() => setTimeout(() => {", "}))"},
	}
	var scripts strings.Builder
	for i, e := range effects {
		for j, d := range delays {
			fmt.Fprintf(&scripts, `<button id="b%d-%d">%s %s</button><script>document.getElementById('b%d-%d').onclick = () => { said.textContent += 'x'; %s %s %s }</script>`,
				i, j, e.name, d.name, i, j, d.begin, e.script, d.end)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/attachment" {
			w.Header().Set("content-disposition", "attachment; filename=y.txt")
		}
		w.Header().Set("content-type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><title>Late</title><p id="said"></p><form action="/next"><input name="q"></form>`+scripts.String())
	}))
	t.Cleanup(server.Close)
	session, err := engine.Open(t.Context(), chrome(t), &engine.Options{Downloads: &engine.Downloads{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	page := session.Page()
	for i, e := range effects {
		for j, d := range delays {
			if _, err := page.Navigate(t.Context(), server.URL, nil); err != nil {
				t.Fatal(err)
			}
			r, err := page.Do(t.Context(), engine.Action{Selector: fmt.Sprintf("#b%d-%d", i, j)}, nil)
			if err != nil {
				t.Errorf("%s %s: %v", e.name, d.name, err)
			} else if got := r.Evidence.Effect; got != e.want && !(e.want == engine.EffectDownload && e.name != "attachment" && got == engine.EffectPage) {
				// Of a file that a link downloads, Chrome's browser process tells when it
				// has the answer of its server, or the blob, and of nothing before.
				t.Errorf("%s %s: effect %s, want %s", e.name, d.name, r.Evidence.Effect, e.want)
			}
		}
	}
}

// Two pages have the same button, and the first goes to the second some time after
// the press. The next action must not press the first again, or else not before
// the usual wait is over, however the page put it off.
func TestBackToBackWhereThePagePutsOff(t *testing.T) {
	t.Parallel()
	ways := []string{
		"setTimeout(go, 50)", "setInterval(go, 50)", "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(go, 20)))",
		"Promise.resolve().then(() => setTimeout(go, 50))", "requestIdleCallback(() => setTimeout(go, 30))", "fetch('/slow').then(go)",
		"worker.onmessage = go; worker.postMessage(1)", "setTimeout(() => { said.textContent = 'later'; setTimeout(go, 50) })",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html")
		switch r.URL.Path {
		case "/one":
			i, _ := strconv.Atoi(r.FormValue("way"))
			fmt.Fprintf(w, `<!DOCTYPE html><title>One</title><button id="next">Next</button><p id="said"></p><script>
sessionStorage.presses = '';
const worker = %t && new Worker(URL.createObjectURL(new Blob(['onmessage = () => setTimeout(() => postMessage(1), 50)'])));
const go = () => { location = '/two' };
next.onclick = (e) => { sessionStorage.presses += ' ' + e.timeStamp; said.textContent += 'x'; %s }</script>`, strings.Contains(ways[i], "worker"), ways[i])
		case "/two":
			fmt.Fprint(w, `<!DOCTYPE html><title>Two</title><button id="next" onclick="sessionStorage.second = 'pressed'">Next</button>`)
		}
	}))
	t.Cleanup(server.Close)
	session, err := engine.Open(t.Context(), chrome(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	page := session.Page()
	for i, way := range ways {
		if _, err := page.Navigate(t.Context(), fmt.Sprint(server.URL, "/one?way=", i), nil); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := page.Do(t.Context(), engine.Action{Selector: "#next"}, nil); err != nil {
				t.Fatalf("%s: %v", way, err)
			}
		}
		raw, err := page.Driver().Evaluate(t.Context(), "sessionStorage.presses", nil)
		if err != nil {
			t.Fatal(err)
		}
		var at []float64
		for _, f := range strings.Fields(strings.Trim(string(raw), `"`)) {
			ms, _ := strconv.ParseFloat(f, 64)
			at = append(at, ms)
		}
		// A busy machine may run a timer late; the wait is what is promised.
		if len(at) == 0 || len(at) > 1 && at[1]-at[0] < 100 {
			t.Errorf("%s: the first page was pressed at %v ms", way, at)
		}
	}
}

// A pointer over a link is not waited for as a press of it is, and where the page goes
// elsewhere for it, the evidence says where it arrived.
func TestEvidenceOfHover(t *testing.T) {
	t.Parallel()
	ways := []struct {
		name, script string
		want         engine.Effect
	}{
		{"nothing", "", engine.EffectNone},
		{"a change", "said.textContent = 'over'", engine.EffectPage},
		{"at once", "location = '/next'", engine.EffectNavigation},
		{"a change first", "said.textContent = 'over'; location = '/next'", engine.EffectNavigation},
		{"a task later", "setTimeout(() => { location = '/next' })", engine.EffectNavigation},
		{"a click by script", "event.currentTarget.href = '/next'; event.currentTarget.click()", engine.EffectNavigation},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html")
		i, err := strconv.Atoi(r.FormValue("way"))
		if err != nil {
			fmt.Fprint(w, `<!DOCTYPE html><title>Next</title>`)
			return
		}
		// The pointer stays where it is, so that the next page has its link elsewhere.
		fmt.Fprintf(w, `<!DOCTYPE html><title>Hover</title><p id="said"></p><a id="over" href="/clicked" style="position:absolute;top:%dpx" onmouseover="%s">Over</a>`,
			100*(i+1), ways[i].script)
	}))
	t.Cleanup(server.Close)
	session, err := engine.Open(t.Context(), chrome(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	page := session.Page()
	for i, way := range ways {
		if _, err := page.Navigate(t.Context(), fmt.Sprint(server.URL, "/?way=", i), nil); err != nil {
			t.Fatal(err)
		}
		r, err := page.Do(t.Context(), engine.Action{Selector: "#over", Method: engine.Hover}, nil)
		if err != nil || r.Evidence.Effect != way.want {
			t.Errorf("%s: %+v, %v, want the effect %s", way.name, r, err, way.want)
			continue
		}
		if n := r.Evidence.Navigation; way.want == engine.EffectNavigation && (n.Pending || n.To != server.URL+"/next" || page.URL() != n.To) {
			t.Errorf("%s: navigation %+v, and the page is at %s", way.name, n, page.URL())
		}
	}
}

// Clicks back to back are as many as were asked for.
func TestBackToBackCounts(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><title>Count</title><button id="more" onclick="count.textContent = ++n">More</button><output id="count"></output><script>let n = 0</script>`)
	}))
	t.Cleanup(server.Close)
	session, err := engine.Open(t.Context(), chrome(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	page := session.Page()
	if _, err := page.Navigate(t.Context(), server.URL, nil); err != nil {
		t.Fatal(err)
	}
	const clicks = 25
	for range clicks {
		r, err := page.Do(t.Context(), engine.Action{Selector: "#more", Fingerprint: &engine.Fingerprint{Role: "button", Name: "More", Tag: "button"}}, nil)
		if err != nil || r.Evidence.Effect != engine.EffectPage || r.Evidence.Revision == nil || r.Evidence.Revision.Before == r.Evidence.Revision.After {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if raw, err := page.Driver().Evaluate(t.Context(), "count.textContent", nil); err != nil || string(raw) != fmt.Sprintf(`"%d"`, clicks) {
		t.Errorf("the page counts %s, %v, want %d", raw, err, clicks)
	}
}
