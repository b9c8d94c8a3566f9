package drivertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Limits of one case. They are no measurements: they turn a hang into a
// failure. A call that does not heed its context is found by the second.
const (
	caseLimit  = 60 * time.Second
	caseMargin = 20 * time.Second
)

// A trial is one run of a case: its site, a browser of its own, that browser's
// first page, and every event since it was opened.
type trial struct {
	ctx     context.Context
	c       *Case
	h       *Harness
	site    *Site
	web     *web
	driver  driver.Driver
	browser driver.Browser
	page    driver.Page
	first   driver.PageID // of the page that the browser was opened with
	events  *recorder
	asked   func() []driver.RequestInfo // what Allow was asked, where the case keeps it

	downloads string // the directory of the case's downloads, where it looks into it

	cleanups []func() // run by the check's goroutine alone

	mu    sync.Mutex // protects what follows
	found []error
	lacks lack // of the browser; what was found by then counts more
}

// start opens the browser that the check works with.
func (t *trial) start() {
	var stop func()
	t.site, t.web, stop = newSite(t.c, t.h)
	t.cleanup(stop)
	t.driver = t.h.Driver(t.site)
	t.browser = t.pooled()
	pages := t.browser.Pages()
	if len(pages) == 0 {
		t.fatalf("Open gave a browser without a page")
	}
	t.page, t.first = pages[0], pages[0].ID()
	t.events = listen(t.browser)
	t.cleanup(t.events.stop)
}

// openBrowser opens a browser that is closed when the case ends.
func (t *trial) openBrowser(opts *driver.BrowserOptions) driver.Browser {
	b, err := t.driver.Open(t.ctx, opts)
	if err != nil {
		t.fatalf("Open: %v", err)
	}
	t.cleanup(func() {
		if err := b.Close(); err != nil {
			t.errorf("Browser.Close: %v", err)
		}
	})
	return b
}

// cleanup has fn called when the check is over, last first.
func (t *trial) cleanup(fn func()) { t.cleanups = append(t.cleanups, fn) }

func (t *trial) cleanUp() {
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.cleanups[i]()
	}
}

// errorf records what went wrong; the check continues. It may be called from
// several goroutines.
func (t *trial) errorf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.found = append(t.found, fmt.Errorf("%s"+format, append([]any{caller()}, args...)...))
}

// fatalf records what went wrong and ends the check. Only the check's own
// goroutine may call it.
func (t *trial) fatalf(format string, args ...any) {
	t.errorf(format, args...)
	runtime.Goexit()
}

func (t *trial) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.found) == 0 && t.lacks != "" {
		return t.lacks
	}
	return errors.Join(t.found...)
}

// caller names the line of the check: the outermost function of the suite, below
// which its helpers are.
func caller() string {
	line := ""
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		own := strings.Contains(f.Function, "(*trial)") || strings.Contains(f.Function, "(*Case)")
		if !own && strings.Contains(f.Function, "drivertest.") {
			line = fmt.Sprintf("%s:%d: ", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		}
		if !more {
			return line
		}
	}
}

// A lack is what the browser at hand has not got: see [Harness].Lacks.
type lack string

func (l lack) Error() string { return "the browser lacks this: " + string(l) }

// ok ends the check if err is not nil.
func (t *trial) ok(what string, err error) {
	if errors.Is(err, errors.ErrUnsupported) && t.h.Lacks != nil {
		if reason := t.h.Lacks(t.browser, err); reason != "" {
			t.mu.Lock()
			t.lacks = lack(reason)
			t.mu.Unlock()
			runtime.Goexit()
		}
	}
	if err != nil {
		t.fatalf("%s: %v", what, err)
	}
}

// equal records a difference.
func (t *trial) equal(what string, got, want any) {
	if !reflect.DeepEqual(got, want) {
		t.errorf("%s = %s, want %s", what, show(got), show(want))
	}
}

// errOf is the error of a call whose value does not matter.
func errOf[T any](_ T, err error) error { return err }

func show(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%+v", v)
}

// must records cond being false.
func (t *trial) must(cond bool, format string, args ...any) {
	if !cond {
		t.errorf(format, args...)
	}
}

// fails records that err does not wrap target.
func (t *trial) fails(what string, err, target error) {
	if !errors.Is(err, target) {
		t.errorf("%s: error %v, want one that wraps %q", what, err, target)
	}
}

// failsAsOp records that err does not wrap target within an OpError of op.
func (t *trial) failsAsOp(op string, err, target error) {
	t.fails(op, err, target)
	var oe *driver.OpError
	if !errors.As(err, &oe) {
		t.errorf("%s: error %v is no *OpError", op, err)
		return
	}
	t.equal(op+": OpError.Op", oe.Op, op)
}

// url returns the address of a path on the first site.
func (t *trial) url(path string) string { return t.site.Origin + path }

// elsewhere returns the address of a path on the other site.
func (t *trial) elsewhere(path string) string { return t.site.Other + path }

// open navigates to a path and waits for load.
func (t *trial) open(path string) *driver.Response {
	return t.openIn(t.page, path)
}

// openIn is open in another page.
func (t *trial) openIn(p driver.Page, path string) *driver.Response {
	resp, err := p.Navigate(t.ctx, t.url(path), nil)
	t.ok("Navigate "+path, err)
	return resp
}

// response is that of a document that is opened, which ends the check if it has none.
func (t *trial) response(path string) *driver.Response {
	r := t.open(path)
	if r == nil {
		t.fatalf("Navigate gave no response")
	}
	return r
}

// visit navigates to an address and waits for load.
func (t *trial) visit(address string) {
	t.ok("Navigate "+address, errOf(t.page.Navigate(t.ctx, address, nil)))
}

// navigating has a page navigate to a path meanwhile.
func (t *trial) navigating(ctx context.Context, p driver.Page, path string) <-chan error {
	failed := make(chan error, 1)
	go func() { failed <- errOf(p.Navigate(ctx, t.url(path), nil)) }()
	return failed
}

// newPage opens a further page.
func (t *trial) newPage() driver.Page {
	p, err := t.browser.NewPage(t.ctx)
	t.ok("NewPage", err)
	return p
}

// main returns the main frame.
func (t *trial) main() driver.Frame { return t.frames(t.page)[0] }

// doc returns the identity of the document shown.
func (t *trial) doc() driver.DocID { return t.main().Doc }

func (t *trial) frames(p driver.Page) []driver.Frame {
	frames := p.Frames()
	if len(frames) == 0 {
		t.fatalf("Frames() is empty")
	}
	return frames
}

// tempDir makes a directory that goes away with the case.
func (t *trial) tempDir() string {
	dir, err := os.MkdirTemp("", "drivertest")
	t.ok("MkdirTemp", err)
	t.cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// request waits until the site has seen a request for path, and returns the
// latest.
func (t *trial) request(path string) request { return t.requests(path, 1)[0] }

// requests waits until the site has seen n requests for path; the latest is
// the first.
func (t *trial) requests(path string, n int) []request {
	for {
		seen, more := t.web.requests(path)
		if len(seen) >= n {
			slices.Reverse(seen)
			return seen
		}
		select {
		case <-more:
		case <-t.ctx.Done():
			t.fatalf("the site saw %d requests for %s, want %d", len(seen), path, n)
		}
	}
}

// unasked records that the site saw a request for path.
func (t *trial) unasked(path string) {
	seen, _ := t.web.requests(path)
	t.must(len(seen) == 0, "the site saw %d requests for %s, want none", len(seen), path)
}

// A held answer is one that the site does not give before it is released.
type held struct {
	arrived <-chan struct{} // closed at the first request
	release func()          // may be called again
}

// hold has requests for path wait. before, if not empty, is sent at once.
func (t *trial) hold(path, before, html string) *held {
	arrived, free := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(arrived) })
	h := &held{arrived, sync.OnceFunc(func() { close(free) })}
	t.web.serve(path, func(w http.ResponseWriter, r *http.Request) {
		if before != "" {
			t.web.write(w, path, before)
			if f, ok := w.(http.Flusher); ok {
				f.Flush()
			}
		}
		begin()
		select {
		case <-free:
		case <-r.Context().Done():
			return
		}
		if before == "" {
			t.web.write(w, path, html)
			return
		}
		io.WriteString(w, html) // a reader that is gone is no matter of ours
	})
	t.cleanup(h.release)
	return h
}

// await waits for a channel to be closed.
func (t *trial) await(what string, c <-chan struct{}) {
	select {
	case <-c:
	case <-t.ctx.Done():
		t.fatalf("%s did not happen", what)
	}
}

// A pool keeps browsers for the next case, of one driver. Opening a browser is
// by far the most expensive thing that most cases do.
type pool struct {
	mu   sync.Mutex // protects idle
	idle []driver.Browser
}

func (p *pool) take() driver.Browser {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	b := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return b
}

func (p *pool) give(b driver.Browser) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, b)
}

// close closes what is idle and returns the first error.
func (p *pool) close() error {
	for {
		b := p.take()
		if b == nil {
			return nil
		}
		if err := b.Close(); err != nil {
			return err
		}
	}
}

// pooled opens the browser of a case, or takes one that an earlier case has
// left as it found it.
func (t *trial) pooled() driver.Browser {
	if t.c.options != nil || t.c.fresh || t.h.pool == nil {
		opts := &driver.BrowserOptions{}
		if t.c.options != nil {
			t.c.options(t, opts)
		}
		return t.openBrowser(opts)
	}
	b := t.h.pool.take()
	if b == nil {
		var err error
		b, err = t.driver.Open(t.ctx, &driver.BrowserOptions{})
		t.ok("Open", err)
	}
	t.cleanup(func() {
		if t.err() == nil && t.restore(b) {
			t.h.pool.give(b)
			return
		}
		if err := b.Close(); err != nil {
			t.errorf("Browser.Close: %v", err)
		}
	})
	return b
}

// restore makes a browser as good as new for the cases that do not ask for
// more, and reports false if that cannot be done. The page stays where it is:
// to leave the site and come back costs two processes.
func (t *trial) restore(b driver.Browser) bool {
	pages := b.Pages()
	if len(pages) == 0 || pages[0].ID() != t.first || !t.events.atRest(driver.FrameID(t.first)) {
		return false
	}
	for _, p := range pages[1:] {
		if p.Close(t.ctx) != nil {
			return false
		}
	}
	pages[0].OnDialog(nil)
	return (len(pages) == 1 || pages[0].Activate(t.ctx) == nil) && b.ClearCookies(t.ctx) == nil
}

// settled waits until the main frame has loaded the document at a path.
func (t *trial) settled(path string) { t.settledIn(t.page.ID(), path) }

// settledIn waits for Navigated to a path and then Loaded of a page's main frame.
func (t *trial) settledIn(page driver.PageID, path string) {
	there := false
	_, ok := t.events.wait(t.ctx, func(e driver.Event) bool {
		switch e := e.(type) {
		case driver.Navigated:
			if e.Frame == driver.FrameID(page) && !e.SameDocument {
				there = e.URL == t.url(path) || e.URL == t.elsewhere(path) ||
					strings.HasPrefix(e.URL, t.url(path)+"?") || strings.HasPrefix(e.URL, t.url(path)+"#")
			}
		case driver.Loaded:
			return there && e.Frame == driver.FrameID(page)
		}
		return false
	})
	if !ok {
		t.fatalf("%s was not loaded; events:%s", path, t.events.list())
	}
}

// failsBy navigates and records that it did not fail by a reason.
func (t *trial) failsBy(address string, want driver.Reason) {
	_, err := t.page.Navigate(t.ctx, address, nil)
	var ne *driver.NavigationError
	if !errors.As(err, &ne) {
		t.errorf("Navigate(%s): error %v, want a *NavigationError", address, err)
		return
	}
	t.equal("Reason of "+address, ne.Reason, want)
	t.equal("URL of the error", ne.URL, address)
}

// file writes a file and returns its path.
func (t *trial) file(name, content string) string {
	path := filepath.Join(t.tempDir(), name)
	t.ok("WriteFile", os.WriteFile(path, []byte(content), 0o600))
	return path
}

// matches searches the main document and compares ids.
func (t *trial) matches(selector, want string) {
	t.equal(selector, t.ids(t.findAll(driver.NodeRef{}, selector)), want)
}

// send clicks a submit button and waits for the page that its form asks for.
func (t *trial) send(selector string) {
	t.trigger(selector)
	t.settled("/sent")
}

// multipart reads a request's body.
func (t *trial) multipart(r request) *multipart.Form {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	t.ok("the request's Content-Type", err)
	t.equal("Content-Type", kind, "multipart/form-data")
	form, err := multipart.NewReader(strings.NewReader(r.Body), params["boundary"]).ReadForm(1 << 20)
	t.ok("the request's body", err)
	return form
}

// held is the next request that a handler has.
func (t *trial) held(held <-chan *driver.Request) *driver.Request {
	select {
	case r := <-held:
		return r
	case <-t.ctx.Done():
		t.fatalf("no request came to the handler: %v", context.Cause(t.ctx))
		return nil
	}
}

func (t *trial) back() { t.ok("Back", errOf(t.page.Back(t.ctx, nil))) }

func (t *trial) forward() { t.ok("Forward", errOf(t.page.Forward(t.ctx, nil))) }

// focused returns the id of the focused element of the main document, empty
// if there is none.
func (t *trial) focused() string {
	d := &t.capture().Documents[0]
	if d.Active < 0 {
		return ""
	}
	id, _ := d.Nodes[d.Active].Attr("id")
	return id
}

// input sends events.
func (t *trial) input(events ...driver.InputEvent) {
	t.ok("Input", t.page.Input(t.ctx, events...))
}

// clickAt clicks a point.
func (t *trial) clickAt(at driver.Point) { t.input(clickOn(at)...) }

// click clicks the element at the end of a walk, which must be within reach.
func (t *trial) click(selectors ...string) { clickNode(t, t.find(selectors...)) }

// trigger clicks what has the events come that are looked at.
func (t *trial) trigger(selectors ...string) {
	t.events.mark()
	t.click(selectors...)
}

// focus focuses the element at the end of a walk.
func (t *trial) focus(selectors ...string) {
	t.ok("Focus "+strings.Join(selectors, " "), t.page.Focus(t.ctx, driver.Target{At: t.find(selectors...)}))
}

// press presses keys one after another: "Enter", "a", "Shift+Tab".
func (t *trial) press(keys ...string) {
	for _, k := range keys {
		t.input(chord(k)...)
	}
}

// write types each character of s as a key.
func (t *trial) write(s string) {
	for _, r := range s {
		t.press(string(r))
	}
}

// setValue sets a control's value and returns what the driver says it is then.
func (t *trial) setValue(selector string, values ...string) []string {
	got, err := t.page.SetValue(t.ctx, driver.Target{At: t.find(selector)}, values...)
	t.ok("SetValue "+selector, err)
	return got
}

// scrollTo scrolls the element at a selector, or the page where it is empty.
func (t *trial) scrollTo(selector string, to driver.ScrollTarget) driver.ScrollState {
	ref := t.capture().Documents[0].Root()
	if selector != "" {
		ref = t.find(selector)
	}
	s, err := t.page.ScrollTo(t.ctx, ref, to)
	t.ok("ScrollTo "+selector, err)
	return s
}

// findAll returns what a CSS selector matches within root.
func (t *trial) findAll(root driver.NodeRef, selector string) []driver.NodeRef {
	return t.findBy(root, css(selector))
}

// findBy is findAll with a selector of any kind.
func (t *trial) findBy(root driver.NodeRef, selector driver.Selector) []driver.NodeRef {
	refs, err := t.page.Find(t.ctx, root, selector)
	t.ok("Find "+selector.Text, err)
	return refs
}

// in returns the one element that a CSS selector matches within root.
func (t *trial) in(root driver.NodeRef, selector string) driver.NodeRef {
	refs := t.findAll(root, selector)
	if len(refs) != 1 {
		t.fatalf("Find(%s) gave %d elements, want 1", selector, len(refs))
	}
	return refs[0]
}

// find walks from the main document: each selector finds one element, within
// whose frame or shadow root the next is searched.
func (t *trial) find(selectors ...string) driver.NodeRef {
	var ref driver.NodeRef
	for _, s := range selectors {
		ref = t.in(ref, s)
	}
	return ref
}

// ids returns the id attributes of elements, in one string.
func (t *trial) ids(refs []driver.NodeRef) string {
	v := t.capture()
	var ids []string
	for _, ref := range refs {
		id, ok := v.node(ref).Attr("id")
		if !ok {
			id = v.node(ref).Name
		}
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

// state reads the state of the element at the end of a walk.
func (t *trial) state(selectors ...string) *driver.State {
	s, err := t.page.State(t.ctx, t.find(selectors...))
	t.ok("State "+strings.Join(selectors, " "), err)
	return s
}

// value reads a control's live value.
func (t *trial) value(selectors ...string) string { return t.state(selectors...).Value }

// location locates the element at the end of a walk without scrolling.
func (t *trial) location(selectors ...string) *driver.Location {
	return t.locate(t.find(selectors...), nil)
}

func (t *trial) locate(ref driver.NodeRef, opts *driver.LocateOptions) *driver.Location {
	l, err := t.page.Locate(t.ctx, ref, opts)
	t.ok("Locate", err)
	return l
}

// hit returns the id of the element at a point of the main frame; empty if
// there is none.
func (t *trial) hit(x, y float64) string {
	ref := t.hitTest(driver.Point{X: x, Y: y})
	if ref.IsZero() {
		return ""
	}
	return t.ids([]driver.NodeRef{ref})
}

func (t *trial) hitTest(at driver.Point) driver.NodeRef {
	ref, err := t.page.HitTest(t.ctx, at)
	t.ok("HitTest", err)
	return ref
}

// revision reads the revision.
func (t *trial) revision() driver.Revision {
	r, err := t.page.Revision(t.ctx)
	t.ok("Revision", err)
	return r
}

func (t *trial) capture() view {
	c, err := t.page.Capture(t.ctx)
	t.ok("Capture", err)
	if len(c.Documents) == 0 || len(c.Documents[0].Nodes) == 0 {
		t.fatalf("Capture holds no document")
	}
	return view{c, t}
}

// text returns the text of the element at the end of a walk.
func (t *trial) text(selectors ...string) string {
	ref := t.find(selectors...)
	return text(t.capture().look(ref))
}

// hasLoaded tells whether Loaded of the main frame has been told since the mark.
func (t *trial) hasLoaded() bool {
	return slices.ContainsFunc(told[driver.Loaded](t), func(e driver.Loaded) bool {
		return e.Frame == driver.FrameID(t.page.ID())
	})
}

// calls returns the methods of the page, on a node where they take one.
func (t *trial) calls(ref driver.NodeRef) []pageCall {
	p := t.page
	return []pageCall{
		{"navigate", func(ctx context.Context) error { _, err := p.Navigate(ctx, t.url("/"), nil); return err }},
		{"reload", func(ctx context.Context) error { _, err := p.Reload(ctx, nil); return err }},
		{"back", func(ctx context.Context) error { _, err := p.Back(ctx, nil); return err }},
		{"forward", func(ctx context.Context) error { _, err := p.Forward(ctx, nil); return err }},
		{"capture", func(ctx context.Context) error { _, err := p.Capture(ctx); return err }},
		{"revision", func(ctx context.Context) error { _, err := p.Revision(ctx); return err }},
		{"activity", func(ctx context.Context) error { _, err := p.Activity(ctx); return err }},
		{"find", func(ctx context.Context) error { _, err := p.Find(ctx, driver.NodeRef{}, css("p")); return err }},
		{"locate", func(ctx context.Context) error { _, err := p.Locate(ctx, ref, nil); return err }},
		{"hittest", func(ctx context.Context) error { _, err := p.HitTest(ctx, driver.Point{X: 1, Y: 1}); return err }},
		{"input", func(ctx context.Context) error { return p.Input(ctx, driver.MouseMove{At: driver.Point{X: 1, Y: 1}}) }},
		{"focus", func(ctx context.Context) error { return p.Focus(ctx, driver.Target{At: ref}) }},
		{"selecttext", func(ctx context.Context) error { return p.SelectText(ctx, driver.Target{At: ref}) }},
		{"setvalue", func(ctx context.Context) error { _, err := p.SetValue(ctx, driver.Target{At: ref}, "1"); return err }},
		{"setfiles", func(ctx context.Context) error { return p.SetFiles(ctx, driver.Target{At: ref}) }},
		{"scrollto", func(ctx context.Context) error { _, err := p.ScrollTo(ctx, ref, driver.ScrollTarget{}); return err }},
		{"state", func(ctx context.Context) error { _, err := p.State(ctx, ref); return err }},
	}
}

// changes waits until the revision is another than before.
func (t *trial) changes(before driver.Revision) {
	t.later("a new revision", func() bool { return t.revision() != before })
}

// later asks the driver until it gives the answer that is to come, or the
// case's time is over. Each question is a round trip, so this is no busy loop.
func (t *trial) later(what string, come func() bool) {
	for !come() {
		if t.ctx.Err() != nil {
			t.fatalf("%s did not come", what)
		}
	}
}

func (t *trial) activity() *driver.Activity {
	a, err := t.page.Activity(t.ctx)
	t.ok("Activity", err)
	return a
}

// aimed sends events that are meant for an element and returns what was missed.
func (t *trial) aimed(ref driver.NodeRef, events ...driver.InputEvent) *driver.MissedError {
	return sent(t, driver.Target{At: ref}, events...)
}

// taken records that input was withheld.
func (t *trial) taken(what string, missed *driver.MissedError) {
	if missed != nil {
		t.errorf("%s = %v, want nil", what, missed)
	}
}
