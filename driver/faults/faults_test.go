package faults_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/drivertest"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
)

var web = fake.Web{
	"https://a.test/":  `<a href=/b id=a>go</a><button id=b>x</button>`,
	"https://a.test/b": `<h1>there</h1>`,
}

func open(t *testing.T, d driver.Driver) (driver.Browser, driver.Page) {
	t.Helper()
	b, err := d.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	p := b.Pages()[0]
	if _, err := p.Navigate(t.Context(), "https://a.test/", nil); err != nil {
		t.Fatal(err)
	}
	return b, p
}

// locate looks for an element and says whether it can be pressed.
func locate(t *testing.T, p driver.Page, sel string) (*driver.Location, driver.NodeRef) {
	t.Helper()
	refs, err := p.Find(t.Context(), driver.NodeRef{}, driver.Selector{Text: sel})
	if err != nil || len(refs) != 1 {
		t.Fatalf("Find(%q) = %v, %v", sel, refs, err)
	}
	loc, err := p.Locate(t.Context(), refs[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	return loc, refs[0]
}

func press(ctx context.Context, p driver.Page, loc *driver.Location) error {
	return p.Input(ctx, driver.MouseMove{At: loc.At}, driver.MouseDown{At: loc.At}, driver.MouseUp{At: loc.At})
}

func TestAt(t *testing.T) {
	f := faults.At(2, "input", driver.ErrDetached)
	d := faults.Wrap(web, f)
	_, p := open(t, d)
	loc, _ := locate(t, p, "#b")
	for i, want := range []error{nil, driver.ErrDetached, nil} {
		if err := press(t.Context(), p, loc); !errors.Is(err, want) {
			t.Errorf("press %d: error %v, want %v", i+1, err, want)
		}
	}
	if f.Count() != 1 || d.Injected() != 1 || d.Calls("input") != 3 {
		t.Errorf("Count, Injected, Calls = %d, %d, %d, want 1, 1, 3", f.Count(), d.Injected(), d.Calls("input"))
	}
	if got := d.String(); got != "memory with faults (input 2: node is detached)" {
		t.Errorf("String() = %q", got)
	}
}

func TestLoseMakesTheCall(t *testing.T) {
	_, p := open(t, faults.Wrap(web, faults.Lose(1, "input", driver.ErrClosed)))
	loc, _ := locate(t, p, "#a")
	if err := press(t.Context(), p, loc); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("error %v, want ErrClosed", err)
	}
	if got := p.Frames()[0].URL; got != "https://a.test/b" {
		t.Errorf("the page shows %s: the press was not made", got)
	}
}

func TestDelayHeedsTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, p := open(t, faults.Wrap(web, faults.Delay(1, "capture", time.Minute)))
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.Capture(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("after %v: error %v, want the deadline's after 1s", time.Since(start), err)
		}
	})
}

func TestChanges(t *testing.T) {
	for _, f := range []*faults.Fault{faults.Obscure("#b"), faults.Rerender("#b"), faults.Remove("#b")} {
		t.Run(f.String(), func(t *testing.T) {
			_, p := open(t, faults.Wrap(web, f.On(2, "locate")))
			_, ref := locate(t, p, "#b")
			loc, err := p.Locate(t.Context(), ref, nil)
			if strings.Contains(f.String(), "obscure") {
				if err != nil || loc.Reached {
					t.Errorf("Locate = %+v, %v, want it covered", loc, err)
				}
			} else if !errors.Is(err, driver.ErrDetached) {
				t.Errorf("Locate: error %v, want ErrDetached", err)
			}
			refs, err := p.Find(t.Context(), driver.NodeRef{}, driver.Selector{Text: "#b"})
			if want := map[bool]int{true: 0, false: 1}[strings.Contains(f.String(), "remove")]; err != nil || len(refs) != want {
				t.Errorf("Find = %v, %v, want %d", refs, err, want)
			}
			if f.Count() != 1 {
				t.Errorf("Count() = %d, want 1", f.Count())
			}
		})
	}
}

func TestCrashAndDrop(t *testing.T) {
	for f, want := range map[*faults.Fault]error{faults.Crash(): driver.ErrCrashed, faults.Drop(): driver.ErrClosed} {
		b, p := open(t, faults.Wrap(web, f))
		var told []driver.Event
		b.Listen(func(e driver.Event) { told = append(told, e) })
		loc, _ := locate(t, p, "#b")
		for range 2 {
			if err := press(t.Context(), p, loc); !errors.Is(err, want) {
				t.Errorf("%v: error %v, want %v", f, err, want)
			}
		}
		if len(told) == 0 {
			t.Errorf("%v: no event told of it", f)
		}
	}
}

// A sweep fails every call once, surfaces each error, and ends.
func TestSweep(t *testing.T) {
	run := func(d driver.Driver) error {
		b, err := d.Open(t.Context(), &driver.BrowserOptions{})
		if err != nil {
			return err
		}
		defer b.Close()
		p := b.Pages()[0]
		if _, err := p.Navigate(t.Context(), "https://a.test/", nil); err != nil {
			return err
		}
		if _, err := p.Capture(t.Context()); err != nil {
			return err
		}
		_, err = p.Revision(t.Context())
		return err
	}
	n := 1
	for ; ; n++ {
		f := faults.At(n, "", driver.ErrStale)
		err := run(faults.Wrap(web, f))
		if f.Count() == 0 {
			if err != nil {
				t.Errorf("a run without a fault: %v", err)
			}
			break
		}
		if !errors.Is(err, driver.ErrStale) {
			t.Errorf("call %d: error %v, want the fault's", n, err)
		}
	}
	if n != 5 {
		t.Errorf("the sweep failed %d calls, want 4", n-1)
	}
}

// Without faults the wrapper changes nothing: cases of the suite that need no
// script pass as they do for what is wrapped.
func TestConformance(t *testing.T) {
	for _, c := range drivertest.Cases() {
		topic, what, _ := strings.Cut(c.Name, "/")
		if topic != "navigate" && topic != "close" && topic != "popups" && topic != "find" || what == "script" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			h := drivertest.Harness{Driver: func(site *drivertest.Site) driver.Driver {
				return faults.Wrap(fake.New(fake.Options{Handler: site.Handler}))
			}}
			if err := c.Check(t.Context(), h); err != nil {
				t.Error(err)
			}
		})
	}
}
