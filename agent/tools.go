package agent

import (
	"slices"
	"sync"
)

// Tools returns the agent's own tools, of all modes, in their order, which does
// not change: a provider's prompt cache serves the list. A program may leave
// some out by [Config].Exclude.
func Tools() []Tool { return slices.Clone(builtIn()) }

var builtIn = sync.OnceValue(buildTools)

func buildTools() []Tool {
	all := slices.Concat(
		elementTools(), pointTools(), []Tool{built("fillForm", acts, "Fills several fields that are there now.", fillForm)},
		travelTools(), readingTools(), []Tool{built("wait", waits, "Waits until something is so.", waitFor)},
		personTools(), pageToolTools(), []Tool{built(toolDone, talks, "Ends the task.", done)},
	)
	for i := range all {
		all[i].asks = all[i].Name == "act" || all[i].Name == "extract"
	}
	return all
}
