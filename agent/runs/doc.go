// Package runs stores the logs of an agent's runs, so that another process can go
// on with a run whose own has died.
//
//	store, err := runs.NewDir("runs")
//	…
//	a, err := agent.New(agent.Config{Store: store})
//
// A log is a list of records that only grows: what is about to be done stands in
// it before the input is sent, and what came of it afterwards. [agent.Load] reads
// a log, and [agent.Agent.Recover] continues it.
//
// # Owners
//
// Each record has a revision, counted from 1, and [Store.Append] names the one that
// it follows. Of two processes that both continue a run one is refused
// ([ErrConflict]) before it has sent anything.
//
// # What is in a log
//
// The task, what the model read and answered, what was done, and the cookies and
// the local storage of the browser: anybody who has the log can do in the browser what
// its owner could. Keep it as a secret. The values of variables are not in it, and
// the process that continues supplies them again.
//
// # Stores
//
// [Memory] is for tests, [Dir] for one machine; package agent/runs/sqlite has one
// file for all runs.
//
// [agent.Load]: https://pkg.go.dev/github.com/wayfinder-engine/wayfinder/agent#Load
// [agent.Agent.Recover]: https://pkg.go.dev/github.com/wayfinder-engine/wayfinder/agent#Agent.Recover
package runs
