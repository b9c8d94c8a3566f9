// Package sites are small web sites with a state of their own, and tasks on
// them, for tests of everything that works on pages: the agent, the drivers,
// models that need no network.
//
// A [Site] is an http.Handler that keeps, beside its state, a journal of what
// was changed in it: one line for each thing that a visitor brought about. A
// [Task] says in plain words what to do, by which tool calls a model that knows
// the site does it, and which lines the journal has afterwards, no more and no
// fewer: what was done twice, or to another thing, shows.
//
// The pages work without script, unless a task says that it is about script.
package sites
