package agent

import (
	"sync"
)

// Tools returns the agent's own tools, of all modes, in their order, which does
// not change: a provider's prompt cache serves the list. A program may leave
// some out by [Config].Exclude.
func Tools() []Tool { return append([]Tool(nil), builtIn()...) }

var builtIn = sync.OnceValue(func() []Tool {
	var all []Tool
	for _, room := range [][]Tool{elementTools(), pointTools(), formTools(), travelTools(), readingTools(), waitTools(), personTools(), pageToolTools(), {doneTool()}} {
		all = append(all, room...)
	}
	for i := range all {
		all[i].asks = all[i].Name == "act" || all[i].Name == "extract"
	}
	return all
})
