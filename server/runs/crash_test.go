package runs_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/internal/errand"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A patient is a model that answers no question about a browser that has ended
// before its session is over.
type patient struct {
	errand.Model
	driver *faults.Driver
	struck int // faults that were known at the question before
	opened int // browsers, then
}

func (m *patient) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	struck, opened := m.driver.Injected(), m.driver.Calls("open")
	ended := struck > m.struck && opened == max(m.opened, 1)
	m.struck, m.opened = struck, opened
	if ended {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return m.Model.Generate(ctx, req)
}

// TestBrowserCrash: a run whose browser ends goes on in another, as it does when its
// process ends: each effect once.
func TestBrowserCrash(t *testing.T) {
	for _, f := range []*faults.Fault{
		faults.Drop().On(1, "input"), faults.Drop().On(3, "input"), faults.Crash().On(2, "input"), faults.Crash().On(4, "capture"),
		faults.Drop().On(3, "capture"), faults.Drop().On(1, "navigate"),
	} {
		t.Run(f.String(), func(t *testing.T) {
			shop := &errand.Shop{}
			site := httptest.NewServer(http.Handler(shop))
			defer site.Close()
			d := faults.Wrap(fake.Network(), f)
			s := serveWith(t, new(fleet.Memory), &runs.Options{Workers: 1}, d, &server.Options{Models: server.Models{Default: &patient{driver: d}}})
			run := s.call(201, "a", "POST", "/v1/runs", `{"task":"put all items into the cart","url":"`+site.URL+`/?cart=a"}`)
			all := s.events("a", run.ID)
			if last := all[len(all)-1].Run; last.Status != wire.RunSucceeded {
				t.Errorf("the run ended as %s, %+v %s", last.Status, last.Error, last.Result)
			}
			if f.Count() == 0 {
				t.Error("nothing has crashed")
			}
			if !slices.ContainsFunc(all, func(e event) bool { return e.Type == "resumed" }) {
				t.Errorf("no event says that the run went on: %+v", all)
			}
			if cart := shop.Carts()["a"]; cart != [errand.Items]int{1, 1, 1} {
				t.Errorf("the cart has %v, want each item once", cart)
			}
		})
	}
}

// TestBrowserCrashesAlways: a page that ends every browser has its run end, too.
func TestBrowserCrashesAlways(t *testing.T) {
	shop := &errand.Shop{}
	site := httptest.NewServer(http.Handler(shop))
	defer site.Close()
	var all []*faults.Fault
	for n := range 20 {
		all = append(all, faults.Drop().On(n+1, "input"))
	}
	d := faults.Wrap(fake.Network(), all...)
	s := serveWith(t, new(fleet.Memory), &runs.Options{Workers: 1}, d, &server.Options{Models: server.Models{Default: &patient{driver: d}}})
	run := s.call(201, "a", "POST", "/v1/runs", `{"task":"put all items into the cart","url":"`+site.URL+`/?cart=a"}`)
	events := s.events("a", run.ID)
	last := events[len(events)-1].Run
	if last.Status != wire.RunFailed || last.Error == nil || last.Error.Code != wire.BrowserUnavailable {
		t.Errorf("the run ended as %s, %+v %s", last.Status, last.Error, last.Result)
	}
	if n := d.Injected(); n != 3 {
		t.Errorf("%d browsers have ended, want 3", n)
	}
}

// TestBrowserCrashUnderScript: a script goes on in another browser, too; a step of
// which nobody can tell whether it was done is not done again.
func TestBrowserCrashUnderScript(t *testing.T) {
	for f, unknown := range map[*faults.Fault]bool{
		faults.Drop().On(1, "input"): true, faults.Crash().On(2, "input"): true, faults.Crash().On(2, "capture"): false,
		faults.Drop().On(3, "capture"): false, faults.Drop().On(1, "navigate"): false,
	} {
		t.Run(f.String(), func(t *testing.T) {
			shop := &errand.Shop{}
			site := httptest.NewServer(http.Handler(shop))
			defer site.Close()
			s := serveWith(t, new(fleet.Memory), &runs.Options{Workers: 1}, faults.Wrap(fake.Network(), f), new(server.Options))
			run := s.call(201, "a", "POST", "/v1/runs", `{"script":`+errandScript+`,"url":"`+site.URL+`/?cart=a"}`)
			all := s.events("a", run.ID)
			last := all[len(all)-1].Run
			if f.Count() == 0 || !slices.ContainsFunc(all, func(e event) bool { return e.Type == "resumed" }) {
				t.Errorf("%d crashes; no event says that the run went on: %+v", f.Count(), all)
			}
			cart := shop.Carts()["a"]
			switch {
			case last.Status == wire.RunSucceeded && cart == [errand.Items]int{1, 1, 1}:
			case unknown && last.Status == wire.RunFailed && strings.Contains(last.Error.Message, "it is not known whether it was done") && max(cart[0], cart[1], cart[2]) <= 1:
			default:
				t.Errorf("the run ended as %s, %+v %s; the cart has %v", last.Status, last.Error, last.Result, cart)
			}
		})
	}
}
