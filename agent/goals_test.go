package agent_test

import (
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
)

// TestGoalsCanBeDone: the ways of the goals lead where they say.
func TestGoalsCanBeDone(t *testing.T) {
	for i, task := range slices.Concat(sites.Goals(), sites.BlindGoals(), sites.Unseen(), sites.Later()) {
		if i%chrometest.Thin(6) != 0 {
			continue
		}
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			performTask(t, inMemory, agent.DOM, task)
		})
	}
}
