// Package fleettest is the conformance suite of package fleet's stores: a store
// that passes keeps what [fleet.Placer] and [fleet.Queue] promise, under lost
// answers, partitions, pauses and clocks that jump. It also has what the suite is
// made of, a virtual time and a network with faults, for tests of programs that
// use a fleet.
//
// The test of a store is one line:
//
//	func TestStore(t *testing.T) {
//		fleettest.Run(t, func(t *testing.T) fleet.Store { return openEmpty(t) })
//	}
package fleettest
