package jetstream

import (
	"sync"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/nats-io/nats-server/v2/server"
)

// The server has no options for how soon a leader that is gone is noticed: 4 to 9 s,
// during which nothing can be written. Its own tests set these variables, as is
// done here; they decide how soon there is a leader, and never whether there are
// two, which Raft's terms and votes exclude. TestElection notices if a new version
// has other ones, and then it goes as before.
//
//go:linkname heartbeatInterval github.com/nats-io/nats-server/v2/server.hbInterval
var heartbeatInterval time.Duration

//go:linkname shortestElection github.com/nats-io/nats-server/v2/server.minElectionTimeout
var shortestElection time.Duration

//go:linkname longestElection github.com/nats-io/nats-server/v2/server.maxElectionTimeout
var longestElection time.Duration

// What they are in the version that this was written for, and what they are here.
// A node of a busy machine has six heartbeats at least to hear one, as before four.
const (
	usualHeartbeat, ourHeartbeat = time.Second, 250 * time.Millisecond
	usualShortest, ourShortest   = 4 * time.Second, 1500 * time.Millisecond
	usualLongest, ourLongest     = 9 * time.Second, 2500 * time.Millisecond
)

// hasten sets them, if they are what they ought to be, before the first server of a
// [Cluster] runs. Nothing else in this package changes them: they belong to all NATS
// servers of the process.
var hasten = sync.OnceValue(func() bool {
	if heartbeatInterval != usualHeartbeat || shortestElection != usualShortest || longestElection != usualLongest {
		return false
	}
	heartbeatInterval, shortestElection, longestElection = ourHeartbeat, ourShortest, ourLongest
	return true
})

var _ = server.VERSION // the package that has them is linked
