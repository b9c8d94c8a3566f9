package cdp

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Workers and worklets of every kind run, in every frame, and where requests are
// decided about, so are theirs, each once.
func TestWorkersRun(t *testing.T) {
	fetches := `const results = await Promise.all(['/forbidden/fetch', '/fine'].map(u => fetch(u).then(() => 'ok', () => 'refused')));`
	scripts := map[string]string{
		"/worker.js":  `onmessage = async e => {` + fetches + `(e.source ?? self).postMessage(results.join()) }`,
		"/outer.js":   `const w = new Worker('/worker.js'); w.onmessage = e => postMessage(e.data); onmessage = e => w.postMessage(e.data)`,
		"/shared.js":  `onconnect = async e => {` + fetches + `e.ports[0].postMessage(results.join()) }`,
		"/audio.js":   `registerProcessor('p', class extends AudioWorkletProcessor { constructor() { super(); this.port.postMessage('ran') } process() { return false } })`,
		"/worklet.js": `1`,
	}
	kinds := []struct{ name, script, plain, held string }{
		{"dedicated", `const w = new Worker('/worker.js'); w.onmessage = e => done(e.data); w.postMessage(1)`, "ok,ok", "refused,ok"},
		{"module", `const w = new Worker('/worker.js', {type: 'module'}); w.onmessage = e => done(e.data); w.postMessage(1)`, "ok,ok", "refused,ok"},
		{"blob", `const w = new Worker(URL.createObjectURL(new Blob(["postMessage('ran')"]))); w.onmessage = e => done(e.data)`, "ran", "ran"},
		{"nested", `const w = new Worker('/outer.js'); w.onmessage = e => done(e.data); w.postMessage(1)`, "ok,ok", "refused,ok"},
		{"shared", `const w = new SharedWorker('/shared.js'); w.port.onmessage = e => done(e.data)`, "ok,ok", "refused,ok"},
		{"service", `navigator.serviceWorker.onmessage = e => done(e.data);
			navigator.serviceWorker.register('/worker.js').then(r => (r.installing ?? r.waiting ?? r.active).postMessage(1))`, "ok,ok", "refused,ok"},
		{"audio", `const c = new OfflineAudioContext(1, 128, 44100);
			c.audioWorklet.addModule('/audio.js').then(() => { new AudioWorkletNode(c, 'p').port.onmessage = e => done(e.data); c.startRendering() })`, "ran", "ran"},
		{"paint", `CSS.paintWorklet.addModule('/worklet.js').then(() => done('ran'))`, "ran", "ran"},
	}
	run := func(w http.ResponseWriter, r *http.Request) {
		for _, k := range kinds {
			if k.name == r.URL.RawQuery {
				html("<script>new Promise(done => {"+k.script+"}).then(text => top.postMessage(text, '*'), e => top.postMessage(String(e), '*'))</script>")(w, r)
			}
		}
	}
	routes := map[string]http.HandlerFunc{"/run": run, "/fine": html("fine"), "/forbidden/fetch": html("fine"), "/": func(w http.ResponseWriter, r *http.Request) {
		host := "http://" + r.Host
		if kind, other := strings.CutPrefix(r.URL.RawQuery, "other-"); other {
			host = elsewhere(host)
			r.URL.RawQuery = kind
		}
		html("<script>said = new Promise(done => { onmessage = e => done(e.data) })</script><iframe src='"+host+"/run?"+r.URL.RawQuery+"'></iframe>")(w, r)
	}}
	for path, script := range scripts {
		routes[path] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, script)
		}
	}
	base := handle(t, routes)
	for _, held := range []bool{false, true} {
		name, opts, decides := "free", &driver.BrowserOptions{}, &policy{}
		if held {
			name, opts.Allow = "held", decides.allow
		}
		t.Run(name, func(t *testing.T) {
			b, err := testChrome(t).Open(t.Context(), opts)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			p := b.Pages()[0].(*page)
			for _, k := range kinds {
				for _, where := range []string{"", "other-"} {
					want := k.plain
					if held {
						want = k.held
					}
					// On a busy machine Chrome loses the start of about one worker in a hundred,
					// also where nothing is attached: such a page is loaded again.
					got := ""
					for range 3 {
						decides.forget()
						goTo(t, p, base+"/?"+where+k.name)
						if got = evaluate(t, p, "Promise.race([said, new Promise(done => setTimeout(done, 10_000, ''))])"); got != "" {
							break
						}
					}
					if got != want {
						t.Errorf("%s%s said %q, want %q", where, k.name, got, want)
					}
					if asked := len(decides.asked("/fine")); held && asked != strings.Count(want, "ok") {
						t.Errorf("%s%s: %d decisions about one request", where, k.name, asked)
					}
				}
			}
		})
	}
}
