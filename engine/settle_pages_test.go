package engine_test

import (
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A settlePage is a page of one of the kinds that the rule for quiet was made
// for. It calls done when it shows all that it is going to show.
type settlePage struct {
	name string
	html string
	act  engine.Action // none: the page is loaded
}

var click = engine.Action{Selector: "#go"}

var settlePages = []settlePage{
	{"static", `<script>done()</script>`, engine.Action{}},
	{"200 images", strings.Repeat(`<img src="/image?ms=100">`, 200) + `<script>done()</script>`, engine.Action{}},
	{"fetch at load, then render", `<script>fetch('/slow?ms=400').then(() => done())</script>`, engine.Action{}},
	{"click without effect", `<script>done()</script>`, click},
	{"fetch of 800 ms, then render", `<script>go.onclick = () => fetch('/slow?ms=800').then(() => setTimeout(done, 20))</script>`, click},
	{"two fetches 80 ms apart", `<script>go.onclick = async () => { await fetch('/slow?ms=150'); await later(80); await fetch('/slow?ms=100'); done() }</script>`, click},
	{"polls for ever", `<script>setInterval(() => fetch('/slow?ms=5&n=' + Math.random()), 200); go.onclick = () => done()</script>`, click},
	{"polls, and a click that fetches", `<script>setInterval(() => fetch('/slow?ms=5&n=' + Date.now()), 200); go.onclick = () => fetch('/save?ms=300').then(() => done())</script>`, click},
	{"endless CSS animation", `<style>@keyframes k { to { transform: rotate(360deg) } } #spin { animation: k 1s linear infinite; width: 50px }</style><div id="spin">x</div><script>go.onclick = () => done()</script>`, click},
	{"endless animation frames", `<p id="clock"></p><script>const turn = () => { clock.textContent = performance.now(); requestAnimationFrame(turn) }; turn(); go.onclick = () => done()</script>`, click},
	{"websocket chatter", `<p id="said"></p><script>new WebSocket('ws://' + location.host + '/chatter').onmessage = (e) => { said.textContent = e.data }; go.onclick = () => done()</script>`, click},
	{"skeleton replaced by a timer", `<script>go.onclick = () => { out.innerHTML = '<div class="skeleton">...</div>'; later(1200).then(() => done()) }</script>`, click},
	{"route change, then fetch", `<script>go.onclick = () => { history.pushState({}, '', '/route'); fetch('/slow?ms=300').then(() => done()) }</script>`, click},
	{"navigates 150 ms after the click", `<script>go.onclick = () => later(150).then(() => { location = '/arrived?late=' + late })</script>`, click},
	{"slow navigation", `<script>go.onclick = () => { location = '/arrived?ms=700' }</script>`, click},
	{"transition of 0.3 s", `<style>#out { transition: margin 0.3s; margin-left: 0 }</style><script>go.onclick = () => { out.style.marginLeft = '100px' }; out.ontransitionend = () => done()</script>`, click},
	{"debounced suggestions", `<input type="search" id="q" aria-label="Search"><script>let t; q.oninput = () => { clearTimeout(t); t = setTimeout(() => fetch('/slow?ms=180').then(() => done()), 300) }</script>`,
		engine.Action{Selector: "#q", Method: engine.Fill, Arguments: []string{"tea"}}},
}

// settleHead gives a page what it tells by: done, and later, which notes by how
// much the machine was late with a timer.
const settleHead = `<!DOCTYPE html><title>Settle</title><button id="go">Go</button><div id="out">waiting</div>
<script>
var readyAt = 0, late = 0;
const done = () => { out.textContent = 'ready'; readyAt = Date.now() };
const later = (ms) => new Promise((then) => { const at = performance.now() + ms; setTimeout(() => { late += performance.now() - at; then() }, ms) });
</script>`

// serveSettle serves the pages of the kinds, by number, and what they ask for.
func serveSettle(tb testing.TB) *httptest.Server {
	wait := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			ms, _ := strconv.Atoi(r.FormValue("ms"))
			select {
			case <-time.After(time.Duration(ms) * time.Millisecond):
				next(w, r)
			case <-r.Context().Done():
			}
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/page/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		fmt.Fprint(w, settleHead+settlePages[n].html)
	})
	mux.HandleFunc("/arrived", wait(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s<script>late = %q * 1; done()</script>", settleHead, r.FormValue("late"))
	}))
	mux.HandleFunc("/image", wait(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>`)
	}))
	mux.HandleFunc("/chatter", chatter)
	mux.HandleFunc("/", wait(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "x") }))
	server := httptest.NewServer(mux)
	tb.Cleanup(server.Close)
	return server
}

// chatter is a WebSocket that says something every 20 ms.
func chatter(w http.ResponseWriter, r *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	sum := sha1.Sum([]byte(r.Header.Get("sec-websocket-key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(sum[:]))
	for now := range time.Tick(20 * time.Millisecond) {
		text := strconv.Itoa(now.Nanosecond())
		if _, err := conn.Write(append([]byte{0x81, byte(len(text))}, text...)); err != nil {
			return
		}
	}
}

// openSettle opens a session on the page of a kind. looks gets each look.
func openSettle(tb testing.TB, server *httptest.Server, n int, looks *[]engine.Look) *engine.Page {
	tb.Helper()
	session, err := engine.Open(tb.Context(), chrome(tb), &engine.Options{
		SettleTimeout: time.Minute, // a page that is never quiet would be seen
		Hooks:         &engine.Hooks{Looked: func(_ context.Context, l engine.Look) { *looks = append(*looks, l) }},
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { session.Close() })
	page := session.Page()
	if settlePages[n].act.Selector != "" {
		startSettle(tb, server, page, n)
		if _, err := page.Snapshot(tb.Context(), nil); err != nil {
			tb.Fatal(err)
		}
		*looks = nil
	}
	return page
}

func startSettle(tb testing.TB, server *httptest.Server, page *engine.Page, n int) {
	tb.Helper()
	if _, err := page.Navigate(tb.Context(), fmt.Sprintf("%s/page/%d", server.URL, n), &engine.NavigateOptions{WaitUntil: driver.WaitCommit}); err != nil {
		tb.Fatal(err)
	}
}

// actSettle does what makes the page busy, or loads it, and returns the first
// look after it, with how long after the beginning quiet was told.
func actSettle(tb testing.TB, server *httptest.Server, page *engine.Page, n int, looks *[]engine.Look) (*engine.Snapshot, time.Time, time.Duration) {
	tb.Helper()
	begun := time.Now()
	if action := settlePages[n].act; action.Selector == "" {
		startSettle(tb, server, page, n)
	} else if _, err := page.Do(tb.Context(), action, nil); err != nil {
		tb.Fatal(err)
	}
	before := time.Since(begun)
	snap, err := page.Snapshot(tb.Context(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return snap, begun, before + (*looks)[len(*looks)-1].Settle
}

// pageNumber reads a number of the page's own.
func pageNumber(tb testing.TB, page *engine.Page, name string) float64 {
	tb.Helper()
	raw, err := page.Driver().Evaluate(tb.Context(), name, &driver.EvaluateOptions{World: driver.Main})
	if err != nil {
		tb.Fatal(err)
	}
	var v float64
	if err := json.Unmarshal(raw, &v); err != nil {
		tb.Fatalf("%s = %s: %v", name, raw, err)
	}
	return v
}

// slack is by how many milliseconds a machine may be late with a page's timer
// before it says nothing about the rule that quiet was told too early.
const slack = 20

// TestSettleOnChrome holds the rule against real pages of each kind: what is
// read when quiet was told is what the page was going to show.
func TestSettleOnChrome(t *testing.T) {
	server := serveSettle(t)
	for n, kind := range settlePages {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			var looks []engine.Look
			page := openSettle(t, server, n, &looks)
			snap, _, _ := actSettle(t, server, page, n, &looks)
			if strings.Contains(snap.Outline(), "ready") {
				return
			}
			for !strings.Contains(snap.Outline(), "ready") {
				var err error
				if snap, err = page.Snapshot(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
			}
			if late := pageNumber(t, page, "late"); late > slack {
				t.Skipf("the page's timers were %.0f ms late: nothing is shown by that quiet was told before", late)
			}
			t.Error("quiet was told before the page was ready")
		})
	}
}

// TestSixClicks clicks what posts the same each time. Every click has its
// effect, and what is read after it is what the server answered to it.
func TestSixClicks(t *testing.T) {
	t.Parallel()
	var held atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", write(`<title>Cart</title><button onclick="fetch('/api', {method: 'POST'}).then(r => r.text()).then(n => out.textContent = n)">Add</button><p id="out">Cart holds 0</p>`).ServeHTTP)
	mux.HandleFunc("POST /api", func(w http.ResponseWriter, r *http.Request) {
		n := held.Add(1)
		select {
		case <-time.After(400 * time.Millisecond): // longer than a page without an effect is watched
		case <-r.Context().Done():
		}
		fmt.Fprintf(w, "Cart holds %d", n)
	})
	page, address := openOnChrome(t, mux, nil)
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 6; i++ {
		r, err := page.Do(t.Context(), engine.Action{Selector: "button"}, nil)
		if err != nil || r.Evidence.Effect == engine.EffectNone {
			t.Errorf("click %d: %+v, %v, want its request as its effect", i, r, err)
		}
		snap, err := page.Snapshot(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("Cart holds %d", i); !strings.Contains(snap.Outline(), want) {
			t.Errorf("after click %d the page says\n%s", i, snap.Outline())
		}
	}
}

// BenchmarkSettle prints for each kind of page when it was ready and when quiet
// was told, both from the beginning of the action.
func BenchmarkSettle(b *testing.B) {
	server := serveSettle(b)
	for n, kind := range settlePages {
		b.Run(strings.ReplaceAll(kind.name, " ", "-"), func(b *testing.B) {
			var ready, told float64
			runs, early := 0, 0
			for b.Loop() {
				b.StopTimer()
				var looks []engine.Look
				page := openSettle(b, server, n, &looks)
				b.StartTimer()
				_, begun, quiet := actSettle(b, server, page, n, &looks)
				b.StopTimer()
				for pageNumber(b, page, "readyAt") == 0 {
					time.Sleep(10 * time.Millisecond)
				}
				at := max(0, pageNumber(b, page, "readyAt")-float64(begun.UnixMilli()))
				page.Session().Close()
				ready, told = ready+at, told+quiet.Seconds()*1000
				if quiet.Seconds()*1000 < at {
					early++
				}
				runs++
				b.StartTimer()
			}
			b.ReportMetric(ready/float64(runs), "ready-ms")
			b.ReportMetric(told/float64(runs), "told-ms")
			b.ReportMetric(float64(early), "early")
		})
	}
}
