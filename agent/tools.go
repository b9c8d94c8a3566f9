package agent

import "sync"

// The names of the tools that other files speak of.
const (
	toolAsk     = "ask"
	toolDone    = "done"
	toolFind    = "find"
	toolOutline = "outline"
	toolUpload  = "upload"
)

// Tools returns the agent's own tools, of all modes, in their order, which does
// not change: a provider's prompt cache serves the list. A program may leave
// some out by [Config].Exclude.
func Tools() []Tool { return append([]Tool(nil), builtIn()...) }

var builtIn = sync.OnceValue(func() []Tool {
	var all []Tool
	for _, room := range [][]Tool{elementTools(), pointTools(), formTools(), travelTools(), readingTools(), waitTools(), personTools(), {doneTool()}} {
		all = append(all, room...)
	}
	return all
})
