package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	cdptarget "github.com/mafredri/cdp/protocol/target"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A visitor is a client of the protocol that was let into a browser.
type visitor struct {
	driver.Guest
	t     testing.TB
	last  int64
	heard chan reply
	queue []reply // events that nobody has looked at
}

type reply struct {
	ID        int64
	Method    string
	SessionID string
	Params    json.RawMessage
	Result    json.RawMessage
	Error     *struct {
		Code    int
		Message string
	}
}

func admit(t testing.TB, b driver.Browser) *visitor {
	t.Helper()
	v := &visitor{t: t, heard: make(chan reply, 10_000)}
	g, err := b.(driver.Host).Admit(t.Context(), &driver.GuestOptions{Send: func(message []byte) {
		var r reply
		if err := json.Unmarshal(message, &r); err != nil {
			t.Error(err)
		}
		v.heard <- r
	}})
	if err != nil {
		t.Fatal(err)
	}
	v.Guest = g
	t.Cleanup(g.Close)
	return v
}

// ask sends a command and returns its answer.
func (v *visitor) ask(session, method, params string) reply {
	v.t.Helper()
	v.last++
	if err := v.Command(fmt.Appendf(nil, `{"id":%d,"method":%q,"params":%s,"sessionId":%q}`, v.last, method, params, session)); err != nil {
		v.t.Fatal(err)
	}
	for {
		select {
		case r := <-v.heard:
			if r.ID == v.last {
				return r
			}
			v.queue = append(v.queue, r)
		case <-time.After(30 * time.Second):
			v.t.Fatalf("%s was not answered", method)
		}
	}
}

// must is ask for a command that has to be done.
func (v *visitor) must(session, method, params string) json.RawMessage {
	v.t.Helper()
	r := v.ask(session, method, params)
	if r.Error != nil {
		v.t.Fatalf("%s: %s", method, r.Error.Message)
	}
	return r.Result
}

// attached waits for the next target that the visitor is attached to.
func (v *visitor) attached() (session, target string) {
	v.t.Helper()
	for {
		for i, r := range v.queue {
			if r.Method == "Target.attachedToTarget" {
				v.queue = append(v.queue[:i:i], v.queue[i+1:]...)
				var e cdptarget.AttachedToTargetReply
				if err := json.Unmarshal(r.Params, &e); err != nil {
					v.t.Fatal(err)
				}
				return string(e.SessionID), string(e.TargetInfo.TargetID)
			}
		}
		select {
		case r := <-v.heard:
			v.queue = append(v.queue, r)
		case <-time.After(30 * time.Second):
			v.t.Fatal("no target was attached")
		}
	}
}

const everything = `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`

// TestGuestStaysInItsContext: a client sees and reaches one browser of several,
// and holds up no other.
func TestGuestStaysInItsContext(t *testing.T) {
	own, other := testBrowser(t), testBrowser(t)
	page, stranger := string(own.Pages()[0].ID()), string(other.Pages()[0].ID())
	v := admit(t, own)

	v.must("", "Target.setDiscoverTargets", `{"discover":true}`)
	v.must("", "Target.setAutoAttach", everything)
	session, target := v.attached()
	if target != page {
		t.Errorf("attached to %s, not to its page", target)
	}
	first := session
	v.must(first, "Target.setDiscoverTargets", `{"discover":true}`) // which tells a page of all there are
	if got := string(v.must("", "Target.getTargets", `{}`)); !strings.Contains(got, page) || strings.Contains(got, stranger) {
		t.Errorf("targets: %s", got)
	}
	if got := string(v.must("", "Target.getBrowserContexts", `{}`)); got != `{"browserContextIds":[]}` {
		t.Errorf("contexts: %s", got)
	}
	// A new page of the other is not held.
	late, err := other.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := late.Evaluate(t.Context(), "1", nil); err != nil {
		t.Error(err)
	}
	foreign := other.(*browser).context
	for _, c := range []struct{ session, method, params string }{
		{"", "Target.attachToTarget", `{"targetId":"` + stranger + `","flatten":true}`},
		{"", "Target.getTargetInfo", `{"targetId":"` + stranger + `"}`},
		{"", "Target.closeTarget", `{"targetId":"` + stranger + `"}`},
		{"", "Target.activateTarget", `{"targetId":"` + stranger + `"}`},
		{"", "Target.createTarget", `{"url":"about:blank","browserContextId":"` + foreign + `"}`},
		{"", "Storage.getCookies", `{"browserContextId":"` + foreign + `"}`},
		{session, "Storage.getCookies", `{"browserContextId":"` + foreign + `"}`},
		{session, "Target.getTargetInfo", `{"targetId":"` + stranger + `"}`},
		{"", "Target.detachFromTarget", `{"sessionId":"` + other.(*browser).pages[0].session.ID() + `"}`},
		{own.(*browser).pages[0].session.ID(), "Runtime.evaluate", `{"expression":"1"}`}, // ours, which is not its own
	} {
		if r := v.ask(c.session, c.method, c.params); r.Error == nil {
			t.Errorf("%s %s was done: %s", c.method, c.params, r.Result)
		}
	}
	// What names no context means its own.
	if err := other.SetCookies(t.Context(), driver.Cookie{Name: "theirs", Value: "1", Domain: "a.test", Path: "/"}); err != nil {
		t.Fatal(err)
	}
	v.must("", "Storage.setCookies", `{"cookies":[{"name":"mine","value":"1","domain":"a.test","path":"/"}]}`)
	if got := string(v.must("", "Storage.getCookies", `{}`)); !strings.Contains(got, "mine") || strings.Contains(got, "theirs") {
		t.Errorf("cookies: %s", got)
	}
	if kept, err := own.Cookies(t.Context()); err != nil || len(kept) != 1 || kept[0].Name != "mine" {
		t.Errorf("cookies of the browser: %v, %v", kept, err)
	}
	// So it does at a page's session, where Chrome would mean its own.
	v.must(first, "Storage.setCookies", `{"cookies":[{"name":"more","value":"1","domain":"a.test","path":"/"}]}`)
	if got := string(v.must(first, "Storage.getCookies", `{}`)); !strings.Contains(got, "mine") || !strings.Contains(got, "more") || strings.Contains(got, "theirs") {
		t.Errorf("cookies by a page's session: %s", got)
	}
	v.must(first, "Storage.clearCookies", `{}`)
	if kept, err := own.Cookies(t.Context()); err != nil || len(kept) != 0 {
		t.Errorf("cookies that a page's session has cleared: %v, %v", kept, err)
	}
	if kept, err := other.Cookies(t.Context()); err != nil || len(kept) != 1 {
		t.Errorf("cookies of the other browser: %v, %v", kept, err)
	}
	v.must("", "Target.createTarget", `{"url":"about:blank","enableBeginFrameControl":false,"hidden":false}`)
	session, _ = v.attached()
	v.must(session, "Runtime.runIfWaitingForDebugger", `{}`)
	if n := len(own.Pages()); n != 2 {
		t.Errorf("the browser has %d pages", n)
	}
	if !slices.ContainsFunc(v.queue, func(r reply) bool { return r.SessionID == first && r.Method == "Target.targetCreated" }) {
		t.Error("the page's session did not hear of the new target")
	}
	for _, r := range v.queue {
		if strings.Contains(string(r.Params), stranger) || strings.Contains(string(r.Params), string(late.ID())) || strings.Contains(string(r.Params), foreign) {
			t.Errorf("it heard of another browser: %s %s", r.Method, r.Params)
		}
	}
}

// TestGuestOpensAnotherSession: a second session with the browser, from which
// Playwright's newCDPSession attaches to a page, reaches what the first one does.
func TestGuestOpensAnotherSession(t *testing.T) {
	own, other := testBrowser(t), testBrowser(t)
	page, stranger := string(own.Pages()[0].ID()), string(other.Pages()[0].ID())
	v := admit(t, own)
	var opened struct{ SessionID string }
	open := func(session, method, params string) string {
		t.Helper()
		if err := json.Unmarshal(v.must(session, method, params), &opened); err != nil || opened.SessionID == "" {
			t.Fatalf("%s gave %+v, %v", method, opened, err)
		}
		return opened.SessionID
	}
	root := open("", "Target.attachToBrowserTarget", `{}`)
	inner := open(root, "Target.attachToBrowserTarget", `{}`)
	for _, session := range []string{root, inner} {
		tab := open(session, "Target.attachToTarget", `{"targetId":"`+page+`","flatten":true}`)
		if got := string(v.must(tab, "Runtime.evaluate", `{"expression":"6*7"}`)); !strings.Contains(got, "42") {
			t.Errorf("evaluate: %s", got)
		}
		v.must(tab, "Emulation.setCPUThrottlingRate", `{"rate":1}`)
		v.must(session, "Target.setDiscoverTargets", `{"discover":true}`)
		v.must(session, "Target.setAutoAttach", everything)
		if got := string(v.must(session, "Target.getTargets", `{}`)); strings.Contains(got, stranger) {
			t.Errorf("targets: %s", got)
		}
		for _, c := range []struct{ method, params string }{
			{"Target.attachToTarget", `{"targetId":"` + stranger + `","flatten":true}`},
			{"Target.closeTarget", `{"targetId":"` + stranger + `"}`},
			{"Browser.close", `{}`},
			{"Target.createBrowserContext", `{}`},
			{"Storage.getCookies", `{"browserContextId":"` + other.(*browser).context + `"}`},
			{"Runtime.evaluate", `{"expression":"1"}`},
		} {
			if r := v.ask(session, c.method, c.params); r.Error == nil {
				t.Errorf("%s %s was done: %s", c.method, c.params, r.Result)
			}
		}
		v.must(session, "Storage.setCookies", `{"cookies":[{"name":"mine","value":"1","domain":"a.test","path":"/"}]}`)
	}
	if kept, err := other.Cookies(t.Context()); err != nil || len(kept) != 0 {
		t.Errorf("cookies of the other browser: %v, %v", kept, err)
	}
	late, err := other.NewPage(t.Context()) // neither held nor shown
	if err != nil {
		t.Fatal(err)
	}
	v.must(root, "Browser.getVersion", `{}`)
	for _, r := range v.queue {
		if strings.Contains(string(r.Params), stranger) || strings.Contains(string(r.Params), string(late.ID())) {
			t.Errorf("it heard of another browser: %s %s", r.Method, r.Params)
		}
	}
	v.must("", "Target.detachFromTarget", `{"sessionId":"`+root+`"}`)
	for _, session := range []string{root, inner} {
		if r := v.ask(session, "Browser.getVersion", `{}`); r.Error == nil {
			t.Error("a session that was closed answers")
		}
	}
}

// TestGuestReadsItsOwnStreams: a handle is good for the page that gave it, and for
// no other session's.
func TestGuestReadsItsOwnStreams(t *testing.T) {
	own, other := admit(t, testBrowser(t)), admit(t, testBrowser(t))
	own.must("", "Target.setAutoAttach", everything)
	other.must("", "Target.setAutoAttach", everything)
	page, _ := own.attached()
	stranger, _ := other.attached()
	var printed struct{ Stream string }
	if err := json.Unmarshal(own.must(page, "Page.printToPDF", `{"transferMode":"ReturnAsStream"}`), &printed); err != nil || printed.Stream == "" {
		t.Fatalf("printToPDF gave %+v, %v", printed, err)
	}
	for _, session := range []string{"", stranger} {
		for _, method := range []string{"IO.read", "IO.close"} {
			if r := other.ask(session, method, `{"handle":"`+printed.Stream+`"}`); r.Error == nil {
				t.Errorf("another session's %s was done: %.60s", method, r.Result)
			}
		}
	}
	own.must(page, "IO.read", `{"handle":"`+printed.Stream+`","size":16}`)
}

// TestGuestIsRefused: what reaches beyond the session's pages.
func TestGuestIsRefused(t *testing.T) {
	v := admit(t, testBrowser(t))
	v.must("", "Target.setAutoAttach", everything)
	page, _ := v.attached()
	for _, session := range []string{"", page} {
		for _, method := range []string{
			"Browser.close", "Browser.crash", "Browser.getBrowserCommandLine", "Browser.grantPermissions", "Browser.setWindowBounds", "Debugger.enable",
			"DOM.setFileInputFiles", "DOM.getFileInfo", "Emulation.setVirtualTimePolicy", "Extensions.loadUnpacked", "Fetch.unheardOf", "IO.resolveBlob",
			"Input.setIgnoreInputEvents", "Memory.prepareForLeakDetection", "Network.loadNetworkResource", "Page.crash", "Page.setDownloadBehavior",
			"Security.setIgnoreCertificateErrors", "SystemInfo.getInfo", "SystemInfo.getProcessInfo",
			"Target.createBrowserContext", "Target.disposeBrowserContext", "Target.exposeDevToolsProtocol", "Target.sendMessageToTarget",
			"Target.setRemoteLocations", "Tethering.bind", "Tracing.start", "WebMCP.enable", "", "Page.navigate ",
		} {
			if method != "" && v.ask(session, method, `{}`).Error == nil {
				t.Errorf("%s was done", method)
			}
		}
	}
	for _, c := range []struct{ session, method, params string }{
		{page, "Page.navigate", `{"url":"file:///etc/passwd"}`},
		{page, "Page.navigate", `{"url":" file:///etc/passwd"}`},
		{page, "Page.navigate", `{"url":"fi\nle:///etc/passwd"}`},
		{page, "Page.navigate", `{"url":"chrome://version"}`},
		{page, "Page.navigate", `{"url":"view-source:file:///etc/passwd"}`},
		{page, "Page.navigate", `{"url":"about:blank","url":"file:///etc/passwd"}`},
		{page, "Target.attachToBrowserTarget", `{}`},
		{"", "Target.attachToBrowserTarget", `{"flatten":false}`},
		{"", "Target.createTarget", `{"url":"chrome://gpu"}`},
		{"", "Target.createTarget", `{"url":"about:blank","exposeAll":true}`},
		{"", "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":false}`},
		{page, "Input.dispatchDragEvent", `{"type":"drop","x":1,"y":1,"data":{"items":[],"dragOperationsMask":1,"fil\u0065s":["/etc/passwd"]}}`},
		{page, "IO.read", `{"handle":"blob:a"}`},
		{page, "Page.reload", `[]`},
	} {
		if r := v.ask(c.session, c.method, c.params); r.Error == nil {
			t.Errorf("%s %s was done: %s", c.method, c.params, r.Result)
		}
	}
	if err := v.Command([]byte(`{"method":"Page.enable"}`)); err == nil {
		t.Error("a message without an id was taken")
	}
}

// TestGuestCannotLiftThePolicy: interception is ours, whatever the client does
// with its own.
func TestGuestCannotLiftThePolicy(t *testing.T) {
	var secret atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "secret") {
			secret.Add(1)
		}
	}))
	defer site.Close()
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{Allow: func(r driver.RequestInfo) error {
		if strings.Contains(r.URL, "secret") {
			return driver.ErrBlocked
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	v := admit(t, b)
	v.must("", "Target.setAutoAttach", everything)
	page, _ := v.attached()
	v.must(page, "Fetch.enable", `{}`)
	v.must(page, "Fetch.disable", `{}`)
	v.must(page, "Network.enable", `{}`)
	v.must(page, "Network.disable", `{}`)
	v.must(page, "Network.setBypassServiceWorker", `{"bypass":true}`)
	v.must(page, "Page.navigate", `{"url":"`+site.URL+`/a"}`)
	v.must(page, "Page.setBypassCSP", `{"enabled":true}`)
	if r := v.ask(page, "Page.navigate", `{"url":"`+site.URL+`/secret"}`); r.Error == nil {
		t.Error("it navigated")
	}
	evaluate := func(script string) string {
		return string(v.must(page, "Runtime.evaluate", `{"awaitPromise":true,"expression":"`+script+`"}`))
	}
	if got := evaluate("fetch('/secret').then(() => 'came', () => 'refused')"); !strings.Contains(got, "refused") {
		t.Errorf("fetch: %s", got)
	}
	if got := evaluate("fetch('/a').then(() => 'came', () => 'refused')"); !strings.Contains(got, "came") {
		t.Errorf("fetch of what is allowed: %s", got)
	}
	// A request that the client holds does not become another.
	v.must(page, "Fetch.enable", `{}`)
	v.must(page, "Runtime.evaluate", `{"expression":"window.done = fetch('/b').then(() => 'came', () => 'refused'); 1"}`)
	id := ""
	for id == "" {
		for _, r := range v.queue {
			if r.Method == "Fetch.requestPaused" {
				var e struct{ RequestID string }
				if err := json.Unmarshal(r.Params, &e); err != nil {
					t.Fatal(err)
				}
				id = e.RequestID
			}
		}
		v.must(page, "Runtime.evaluate", `{"expression":"1"}`)
	}
	if r := v.ask(page, "Fetch.continueRequest", `{"requestId":"`+id+`","url":"`+site.URL+`/secret"}`); r.Error == nil {
		t.Error("a request became another that is refused")
	}
	v.must(page, "Fetch.continueRequest", `{"requestId":"`+id+`"}`)
	if got := evaluate("window.done"); !strings.Contains(got, "came") {
		t.Errorf("the request that was held: %s", got)
	}
	if n := secret.Load(); n != 0 {
		t.Errorf("%d requests reached what is refused", n)
	}
}

// TestGuestLeaves: what it has set up goes with it, and so does the guest with
// the browser.
func TestGuestLeaves(t *testing.T) {
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{Emulation: driver.Emulation{Viewport: driver.Size{Width: 700, Height: 500}}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	v := admit(t, b)
	v.must("", "Target.setAutoAttach", everything)
	page, _ := v.attached()
	v.must(page, "Emulation.setDeviceMetricsOverride", `{"width":321,"height":321,"deviceScaleFactor":1,"mobile":false}`)
	width := func() string {
		got, err := b.Pages()[0].Evaluate(t.Context(), "innerWidth", nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	if got := width(); got != "321" {
		t.Errorf("width with the guest: %s", got)
	}
	v.Close()
	v.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for width() != "700" { // no event says when Chrome has taken it back
		if ctx.Err() != nil {
			t.Fatalf("width without the guest: %s", width())
		}
		time.Sleep(time.Millisecond)
	}
	if h := testChrome(t).conn.Handler(page); h != nil {
		t.Errorf("its session is still known: %v", h)
	}
	if _, err := b.NewPage(t.Context()); err != nil {
		t.Error(err)
	}
	last := admit(t, b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-last.Done():
	case <-time.After(30 * time.Second):
		t.Error("the guest outlived its browser")
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{ctx, t.Context()} {
		if _, err := b.(driver.Host).Admit(ctx, &driver.GuestOptions{}); !errors.Is(err, driver.ErrClosed) {
			t.Errorf("a guest of a browser that is closed: %v", err)
		}
	}
}
