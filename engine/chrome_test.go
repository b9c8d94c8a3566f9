package engine_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
)

// shared is the one Chrome of this package's tests. Each test opens isolated
// browsers in it.
var shared struct {
	once   sync.Once
	chrome *cdp.Chrome
	err    error
}

func chrome(t testing.TB) *cdp.Chrome {
	t.Helper()
	shared.once.Do(func() {
		shared.chrome, shared.err = cdp.Start(context.Background(), cdp.Launch{Args: []string{"--disable-features=SpareRendererForSitePerProcess"}})
	})
	var missing *cdp.NotFoundError
	switch {
	case errors.As(shared.err, &missing) && os.Getenv("WAYFINDER_REQUIRE_CHROME") != "1":
		t.Skip(shared.err)
	case shared.err != nil:
		t.Fatal(shared.err)
	}
	return shared.chrome
}

func TestMain(m *testing.M) {
	// The tests wait for pages, and seldom for a processor.
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		if err := parallel.Value.Set("8"); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if shared.chrome != nil {
		shared.chrome.Close()
	}
	os.Exit(code)
}
