package jetstream_test

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/fleet/fleettest"
	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
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
