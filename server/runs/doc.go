// Package runs does tasks of agents for clients that do not wait: they are kept
// in a queue, done one after the other in sessions of their own, and their
// results and events are there for a while. On a store that survives, as that of
// fleet/jetstream, so do they.
//
//	r, err := runs.New(ctx, store, nil)
//	srv, err := server.New(d, &server.Options{Runs: r, …})
//	go r.Work(ctx, srv)
//
// A run is begun at most once. One whose process ends in the middle fails with
// [wire.RunInterrupted] when another finds it, or the same after a restart: what
// it had done cannot be undone, and is not done twice.
//
// Clients' keys for models, and values of variables, are not taken, as they would
// be written to the store.
package runs
