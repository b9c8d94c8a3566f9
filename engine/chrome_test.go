package engine_test

import (
	"context"
	"flag"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// alone gives each test a Chrome of its own: one session in a focused window is how
// most programs use the engine, and neighbors change what a page's timers do.
var alone = flag.Bool("alone", false, "give each test on Chrome a Chrome of its own")

// shared is the one Chrome of this package's tests. Each test opens isolated
// browsers in it.
var shared struct {
	once   sync.Once
	chrome *cdp.Chrome
	err    error
}

var launch = cdp.Launch{Args: []string{"--disable-features=SpareRendererForSitePerProcess"}}

// usual are the tests on Chrome that are always run: a mistake of the whole breaks them.
var usual = map[string]bool{"TestTraps": true, "TestBlockedPageHoldsUpNoOther": true, "TestBackToBackCounts": true}

// chrome returns the Chrome that tests share, or with -alone one of the test's own.
func chrome(t testing.TB) *cdp.Chrome {
	t.Helper()
	if name, _, _ := strings.Cut(t.Name(), "/"); !usual[name] {
		chrometest.Long(t)
	}
	if *alone {
		return ownChrome(t)
	}
	shared.once.Do(func() { shared.chrome, shared.err = cdp.Start(context.Background(), launch) })
	chrometest.Need(t, shared.err)
	return shared.chrome
}

// owned are the Chromes of tests that have one to themselves.
var owned sync.Map // of testing.TB, *cdp.Chrome

// ownChrome returns a Chrome that only this test uses.
func ownChrome(t testing.TB) *cdp.Chrome {
	t.Helper()
	if c, ok := owned.Load(t); ok {
		return c.(*cdp.Chrome)
	}
	if !*alone {
		chrometest.Long(t)
	}
	c, err := cdp.Start(context.Background(), launch)
	chrometest.Need(t, err)
	owned.Store(t, c)
	t.Cleanup(func() {
		owned.Delete(t)
		c.Close()
	})
	return c
}

func TestMain(m *testing.M) {
	// The tests wait for pages, and seldom for a processor.
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		tests := "8"
		if *alone {
			tests = "2" // a Chrome each
		}
		if err := parallel.Value.Set(tests); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if shared.chrome != nil {
		shared.chrome.Close()
	}
	os.Exit(code)
}
