package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// Every call on a page ends within its limit, whatever the browser does, and so
// does the wait for a turn. The clock is the bubble's.
func TestEveryCallHasALimit(t *testing.T) {
	calls := map[string]struct {
		do    func(context.Context, *engine.Page) error
		usual time.Duration
	}{
		"act": {func(ctx context.Context, p *engine.Page) error {
			_, err := p.Act(ctx, "click Go", nil)
			return err
		}, 30 * time.Second},
		"do": {func(ctx context.Context, p *engine.Page) error {
			_, err := p.Do(ctx, engine.Action{Selector: "button"}, nil)
			return err
		}, 30 * time.Second},
		"observe": {func(ctx context.Context, p *engine.Page) error { _, err := p.Observe(ctx, "", nil); return err }, 2 * time.Minute},
		"extract": {func(ctx context.Context, p *engine.Page) error { _, err := p.Extract(ctx, "", nil); return err }, 2 * time.Minute},
		"navigate": {func(ctx context.Context, p *engine.Page) error {
			_, err := p.Navigate(ctx, shopAddress, nil)
			return err
		}, 30 * time.Second},
		"reload":   {func(ctx context.Context, p *engine.Page) error { _, err := p.Reload(ctx, nil); return err }, 30 * time.Second},
		"back":     {func(ctx context.Context, p *engine.Page) error { _, err := p.Back(ctx, nil); return err }, 30 * time.Second},
		"forward":  {func(ctx context.Context, p *engine.Page) error { _, err := p.Forward(ctx, nil); return err }, 30 * time.Second},
		"snapshot": {func(ctx context.Context, p *engine.Page) error { _, err := p.Snapshot(ctx, nil); return err }, 30 * time.Second},
		"title":    {func(ctx context.Context, p *engine.Page) error { _, err := p.Title(ctx); return err }, 30 * time.Second},
		"screenshot": {func(ctx context.Context, p *engine.Page) error {
			_, err := p.Screenshot(ctx, nil)
			return err
		}, 30 * time.Second},
		"wait": {func(ctx context.Context, p *engine.Page) error { return p.WaitFor(ctx, engine.TextShown("never")) }, 30 * time.Second},
	}
	for name, c := range calls {
		for _, set := range []time.Duration{0, 7 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				d := faults.Wrap(fake.Web{shopAddress: "<!DOCTYPE html><button>Go</button>"}, faults.Delay(0, "", time.Hour))
				session, err := engine.Open(t.Context(), d, &engine.Options{Timeout: set})
				if err != nil {
					t.Fatal(err)
				}
				defer session.Close()
				want := c.usual
				if set > 0 {
					want = set
				}
				check := func(what string, begin time.Time, err error) {
					if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took != want {
						t.Errorf("%s, %s, Timeout %v: %v after %v, want %v after %v", name, what, set, err, took, context.DeadlineExceeded, want)
					}
				}
				begin := time.Now()
				check("browser hangs", begin, c.do(t.Context(), session.Page()))
				if name == "screenshot" {
					return // takes no turn
				}
				release := holdTurn(t, session.Page())
				begin = time.Now()
				check("another has the turn", begin, c.do(t.Context(), session.Page()))
				release()
			})
		}
	}
}

// Chrome answers nothing about a page that is on its way to another document. An error
// names the server that lets it wait.
func TestNoAnswerFromTheNextPage(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			<-release
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>Form</title><form method=post action=/saved><button>Save</button></form>")
	}))
	defer server.Close()
	defer close(release)
	session, err := engine.Open(t.Context(), chrome(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(t.Context(), server.URL+"/", nil); err != nil {
		t.Fatal(err)
	}
	if r, err := page.DoTo(t.Context(), engine.Target{Selector: "button"}, engine.Command{}, nil); err != nil || r.Evidence.Effect != engine.EffectNavigation {
		t.Errorf("DoTo = %+v, %v; want a navigation under way", r, err)
	}
	_, err = page.Snapshot(t.Context(), &engine.SnapshotOptions{Timeout: time.Second})
	_, err2 := page.DoTo(t.Context(), engine.Target{Selector: "button"}, engine.Command{}, &engine.ActOptions{Timeout: time.Second})
	for _, err := range []error{err, err2} {
		if want := fmt.Sprintf("on its way to %q", server.URL+"/saved"); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want one that says %s", err, want)
		}
	}
}

// holdTurn has another call take the page's turn, and keep it until release.
func holdTurn(t *testing.T, p *engine.Page) (release func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = p.Snapshot(ctx, &engine.SnapshotOptions{Timeout: time.Hour}) // canceled
	}()
	synctest.Wait()
	return func() {
		cancel()
		<-ended
	}
}

// No error repeats a selector or an address at length.
func TestErrorsRepeatLittle(t *testing.T) {
	page := openOn(t, fake.Web{shopAddress: "<!DOCTYPE html><button>Go</button><button>Go</button>"}, nil)
	long := strings.Repeat("x", 50_000)
	_, missing := page.Do(t.Context(), engine.Action{Selector: "#" + long}, &engine.ActOptions{Timeout: 5 * time.Second})
	_, scope := page.Snapshot(t.Context(), &engine.SnapshotOptions{Selector: "#" + long})
	_, twice := page.Do(t.Context(), engine.Action{Selector: "button, #" + long}, nil)
	_, unknown := page.Do(t.Context(), engine.Action{Selector: "css=[" + long}, nil)
	_, noScheme := page.Navigate(t.Context(), long, nil)
	_, noURL := page.Navigate(t.Context(), "http://["+long, nil)
	_, nowhere := page.Navigate(t.Context(), "https://nowhere.test/"+long, nil)
	for what, err := range map[string]error{"missing": missing, "scope": scope, "twice": twice, "unknown": unknown, "no scheme": noScheme, "no URL": noURL, "nowhere": nowhere} {
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: an error of %d bytes: %.120v", what, len(fmt.Sprint(err)), err)
		}
	}
}
