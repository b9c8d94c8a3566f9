package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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
			} else if got := r.Evidence.Effect; got != e.want && !(e.name == "file" && got == engine.EffectPage) {
				// Of a file that a link downloads, Chrome tells when its server has
				// answered, and of nothing before.
				t.Errorf("%s %s: effect %s, want %s", e.name, d.name, r.Evidence.Effect, e.want)
			}
		}
	}
}
