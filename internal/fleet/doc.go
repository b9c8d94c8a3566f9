// Package fleet is what several nodes need to serve sessions and runs together:
// a [Placer], which says which node owns a session, and a [Queue] of jobs, which
// says who does one. Both stand on a [Store], which is memory in one process
// ([Memory]) and NATS JetStream on many machines (package jetstream). One process
// is a fleet of one node; no configuration is needed for it.
//
// # Sessions
//
// A node joins, and keeps its lease by renewing it:
//
//	placer, err := fleet.NewPlacer(ctx, store, nil)
//	member, err := placer.Join(ctx, fleet.Node{Name: "a", Address: "10.0.0.1:8080", Capacity: 100})
//	go fleet.Maintain(ctx, member, func() fleet.Report { return fleet.Report{Sessions: open()} })
//
// Any node places a session, and any node finds its owner:
//
//	owner, err := placer.Place(ctx, fleet.Placement{Session: id})
//	owner, err = placer.Find(ctx, id) // ErrGone once its node is dead
//
// The lease is the node's, not the session's: a million sessions cost no more to
// keep than none.
//
// # Jobs
//
//	job, _, err := queue.Enqueue(ctx, fleet.Request{Owner: key, Payload: task})
//	claim, err := queue.Claim(ctx, "a")
//	go claim.Maintain(ctx)
//	… // below claim.Context()
//	err = claim.Finish(ctx, result)
//
// A job whose claimer has fallen silent is claimed again, so it may be begun
// twice. What must happen once is written to the job's log before it
// happens, by [Claim.Append]; the next claimer reads that log first, by
// [Claim.Log], and from then on only it can write to it.
//
// # Leases
//
// A holder counts its lease from the moment at which it sent the renewal, and
// an observer from the moment at which it saw it, which is later, and half a
// term longer. So a holder that is cut off has stopped before anybody else
// begins, whatever the clocks show: only differences of one clock count, and an
// observer whose clock jumps, or that is stopped, counts one beat of a lease at
// most for each time that it looks. A holder whose process was stopped finds out
// by [Member.Held] or [Claim.Held]; and where even that comes too late, the store
// refuses what it writes ([Placer.Save], [Claim.Append], [Claim.Finish]).
package fleet
