// Package runs does tasks of agents, and replays scripts, for clients that do not
// wait: they are kept in a queue, done one after the other in sessions of their own,
// and their results and events are there for a while. On a store that survives a
// restart, so do they. Package service opens the store and the runs.
//
// When a run's process ends, another process continues the run, or the same one after
// a restart, by [agent.Agent.Recover] and [script.Recover]. Each effect is written to the
// run's log before it happens, and the store refuses lines of a process that was declared
// dead. So nothing is done twice.
//
// Values of variables, and a proxy's password, are written to the store as a
// [Options].Keys have encrypted them, and erased once the run is over; without one such runs
// are refused. Clients' keys for models are not taken. A run's log has the cookies and
// the storage of its browser: without Keys, keep the store as a secret.
//
// [agent.Agent.Recover]: https://pkg.go.dev/github.com/wayfinder-engine/wayfinder/agent#Agent.Recover
// [script.Recover]: https://pkg.go.dev/github.com/wayfinder-engine/wayfinder/agent/script#Recover
package runs
