package cdp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/waysout"
)

// TestWaysOut: of every way out of a page, none passes a sealed browser unseen; and
// each but the quiet ones leads out where nothing decides.
func TestWaysOut(t *testing.T) {
	chrometest.Long(t)
	for _, held := range []bool{false, true} {
		t.Run(map[bool]string{false: "free", true: "held"}[held], func(t *testing.T) {
			// That a way exists is shown by one browser. On a busy machine Chrome now and
			// then loses a frame's socket, so what was not seen is tried in another one.
			unseen := waysout.Ways()
			for range 3 {
				if unseen = tryWays(t, unseen, held); len(unseen) == 0 {
					return
				}
			}
			for _, w := range unseen {
				t.Errorf("nothing was seen of %s", w.Name)
			}
		})
	}
}

// tryWays tries ways in a browser of their own, and returns those of which a handler or
// the site should have seen something and did not. What arrives while requests are held
// is an error of t.
func tryWays(t *testing.T, ways []waysout.Way, held bool) (unseen []waysout.Way) {
	site := &waysout.Site{Page: "<p>x"}
	server := httptest.NewServer(site)
	defer server.Close()
	b, err := Launch{}.Open(t.Context(), &driver.BrowserOptions{})
	chrometest.Need(t, err)
	defer b.Close()
	var mu sync.Mutex // protects seen
	seen := map[string]bool{}
	if held {
		stop, err := b.(driver.Interceptor).Intercept(t.Context(), &driver.Handler{Seal: true, Handle: func(_ context.Context, r *driver.Request) (*driver.Reply, error) {
			if _, way, out := strings.Cut(r.URL, "/out/"); out {
				mu.Lock()
				defer mu.Unlock()
				seen[way] = true
				return nil, errors.New("not out")
			}
			return nil, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
	}
	p := b.Pages()[0].(*page)
	goTo(t, p, server.URL+"/")
	if got := b.(driver.Interceptor).Covers(p.ID()); got != held {
		t.Errorf("Covers(a new document) = %v, want %v", got, held)
	}
	for i, w := range ways {
		script := "(async()=>{" + strings.ReplaceAll(w.Script, "OUT", fmt.Sprintf("/out/%d", i)) + "})().catch(()=>0),1"
		if _, err := p.Evaluate(t.Context(), script, &driver.EvaluateOptions{World: driver.Main}); err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
	}
	missing := func() (out []waysout.Way) {
		arrived := site.Arrived()
		mu.Lock()
		defer mu.Unlock()
		for i, w := range ways {
			came := seen[fmt.Sprint(i)]
			if !held {
				came = slices.ContainsFunc(arrived, func(a string) bool { return strings.HasSuffix(a, fmt.Sprintf(" /out/%d", i)) })
			}
			if !w.Quiet && (w.Seen || !held) && !came {
				out = append(out, w)
			}
		}
		return out
	}
	for limit := time.Now().Add(20 * time.Second); len(missing()) > 0 && time.Now().Before(limit); {
		time.Sleep(50 * time.Millisecond)
	}
	if held {
		for _, a := range site.Arrived() {
			t.Errorf("%s arrived: %s", ways[number(a)].Name, a)
		}
	}
	return missing()
}

func number(arrived string) (i int) {
	fmt.Sscanf(arrived[strings.Index(arrived, "/out/"):], "/out/%d", &i)
	return i
}

// TestSealRefuses: documents that begin in a sealed browser, and their frames and
// workers, have nothing that connects past interception.
func TestSealRefuses(t *testing.T) {
	chrometest.Long(t)
	b, err := Launch{}.Open(t.Context(), &driver.BrowserOptions{})
	chrometest.Need(t, err)
	defer b.Close()
	p := b.Pages()[0].(*page)
	base := site{"/": "x"}.serve(t)
	goTo(t, p, base)
	has := func() string {
		return evaluate(t, p, `(async names => {
			const f = document.body.appendChild(document.createElement("iframe"))
			const w = new Worker(URL.createObjectURL(new Blob(["postMessage(" + JSON.stringify(names) + ".filter(n => self[n]).join())"])))
			return [names.filter(n => self[n]).join(), names.filter(n => f.contentWindow[n]).join(), await new Promise(r => w.onmessage = e => r(e.data))].join(";")
		})(["WebSocket", "WebSocketStream", "WebTransport", "RTCPeerConnection", "SharedWorker"])`)
	}
	const all = "WebSocket,WebSocketStream,WebTransport,RTCPeerConnection,SharedWorker"
	if got, want := has(), all+";"+all+";WebSocket,WebSocketStream,WebTransport"; got != want {
		t.Fatalf("a page, its frame and its worker have %s, want %s", got, want)
	}
	if _, err := b.(driver.Interceptor).Intercept(t.Context(), &driver.Handler{Seal: true, Handle: func(context.Context, *driver.Request) (*driver.Reply, error) { return nil, nil }}); err != nil {
		t.Fatal(err)
	}
	if b.(driver.Interceptor).Covers(p.ID()) {
		t.Error("a document that began before is covered")
	}
	goTo(t, p, base)
	if got := has(); got != ";;" || !b.(driver.Interceptor).Covers(p.ID()) {
		t.Errorf("a page, its frame and its worker have %s, want none", got)
	}
	if _, err := p.Back(t.Context(), nil); err != nil && !errors.As(err, new(net.Error)) {
		t.Fatal(err)
	}
	if b.(driver.Interceptor).Covers(p.ID()) && has() != ";;" {
		t.Error("a document that came back out of the history is covered")
	}
}
