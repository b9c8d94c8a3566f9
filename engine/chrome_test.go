package engine_test

import (
	"context"
	"errors"
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
	shared.once.Do(func() { shared.chrome, shared.err = cdp.Start(context.Background(), cdp.Launch{}) })
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
	code := m.Run()
	if shared.chrome != nil {
		shared.chrome.Close()
	}
	os.Exit(code)
}
