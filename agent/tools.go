package agent

import (
	"slices"
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

// ownTools are those that need no integration, without the excluded ones. Beside
// a vendor's tool there are those of ours that it names.
func (a *Agent) ownTools(task *Task, vendor *vendorTool) []Tool {
	own := Tools()
	if vendor != nil {
		own = slices.DeleteFunc(own, func(t Tool) bool { return !slices.Contains(vendor.dialect.Own, t.Name) })
	}
	var out []Tool
	for _, t := range append(own, a.cfg.Tools...) {
		if !t.in(a.cfg.Mode) || slices.Contains(a.cfg.Exclude, t.Name) || slices.Contains(task.Exclude, t.Name) {
			continue
		}
		if t.Name == toolAsk && a.cfg.Ask == nil || t.Name == toolUpload && len(task.Files) == 0 {
			continue
		}
		if (t.Name == toolPageTool || t.Name == toolPageTools) && len(a.cfg.PageTools) == 0 {
			continue
		}
		out = append(out, t)
	}
	return out
}
