package fleet_test

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/fleettest"
)

func TestMemory(t *testing.T) {
	fleettest.Run(t, func(*testing.T) fleet.Store { return new(fleet.Memory) })
}
