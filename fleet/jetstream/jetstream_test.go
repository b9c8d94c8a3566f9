package jetstream_test

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/fleettest"
)

func TestJetStream(t *testing.T) {
	fleettest.Run(t, func(t *testing.T) fleet.Store {
		s, err := jetstream.Open(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	})
}

// TestTaken: two processes, or two stores of one, on a directory are noticed.
func TestTaken(t *testing.T) {
	dir := t.TempDir()
	open := func() (*jetstream.Store, error) { return jetstream.Open(t.Context(), &jetstream.Options{Dir: dir}) }
	first, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if !first.Alone() {
		t.Error("a store of a locked directory is not alone")
	}
	if second, err := open(); err == nil || !strings.Contains(err.Error(), "another process uses the directory") {
		t.Errorf("Open of a directory in use = %v, %v", second, err)
	}
	first.Close()
	again, err := open()
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
