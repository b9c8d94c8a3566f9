package server

import (
	"maps"
	"slices"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// stepOn is a step, as a recorded session notes it, on a page and with variables. It
// is taken before the step, which may bring another page to the front.
func (s *session) stepOn(page *engine.Page, step wayfindertest.Step, vars map[string]wire.Variable) wayfindertest.Step {
	if page != s.engine.Page() {
		step.Tab = slices.Index(s.engine.Pages(), page) + 1
	}
	step.Variables = slices.Sorted(maps.Keys(vars))
	for name, v := range vars {
		if v.Description == "" {
			continue
		}
		if step.Described == nil {
			step.Described = map[string]string{}
		}
		step.Described[name] = v.Description
	}
	return step
}
