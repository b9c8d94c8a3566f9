package runs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// TestLongTask: a task that is taken is done, however long; one that is too long, or says
// nothing, is refused when it is asked for.
func TestLongTask(t *testing.T) {
	s := serve(t, new(fleet.Memory), &agent{}, &runs.Options{Workers: 1})
	ask := func(want int, task string) wire.Run {
		return s.call(want, "a", "POST", "/v1/runs", fmt.Sprintf(`{"task":%q,"url":"https://shop.test/"}`, task))
	}
	const longest = 100_000
	for _, n := range []int{20_001, longest} {
		run := ask(201, "order "+strings.Repeat("x", n-6))
		all := s.events("a", run.ID)
		if last := all[len(all)-1].Run; last.Status != wire.RunSucceeded {
			t.Errorf("the run with a task of %d letters is %s: %+v", n, last.Status, last.Error)
		}
	}
	ask(400, strings.Repeat("x", longest+1))
	ask(400, " \n ")
}
