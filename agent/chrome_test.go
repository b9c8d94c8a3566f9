package agent_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// shared is the one Chrome of this package's tests. Each run has a browser of its own
// in it.
var shared struct {
	once   sync.Once
	chrome *cdp.Chrome
	err    error
}

// chromeStage shows sites in the Chrome that tests share.
func chromeStage(t *testing.T) stage {
	chrometest.Long(t)
	shared.once.Do(func() {
		shared.chrome, shared.err = cdp.Start(context.Background(), cdp.Launch{Args: []string{"--disable-features=SpareRendererForSitePerProcess"}})
	})
	chrometest.Need(t, shared.err)
	return func(t testing.TB, site http.Handler) (driver.Driver, string) {
		server := httptest.NewServer(site)
		t.Cleanup(server.Close)
		return shared.chrome, server.URL
	}
}

func TestMain(m *testing.M) {
	// Runs wait for their pages, and seldom for a processor.
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		if err := parallel.Value.Set("4"); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if c := shared.chrome; c != nil {
		if err := c.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "closing Chrome:", err)
			code = 1
		}
	}
	os.Exit(code)
}
