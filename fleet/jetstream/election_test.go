package jetstream

import (
	"testing"
	"time"
)

// imported is what the server's variables are once this package is imported.
var imported [3]time.Duration

func init() { imported = [3]time.Duration{heartbeatInterval, shortestElection, longestElection} }

// TestImport: an import leaves the NATS servers of a program as they are.
func TestImport(t *testing.T) {
	if imported != [3]time.Duration{usualHeartbeat, usualShortest, usualLongest} {
		t.Errorf("after the import alone heartbeat and elections of every server in the process are %v", imported)
	}
}

// TestElection: the server's variables are those that this package was written for. Where a
// new version has other ones, elections take as long as it says, and ROUGH_EDGES has to.
func TestElection(t *testing.T) {
	if !hasten() || shortestElection != ourShortest || longestElection != ourLongest || heartbeatInterval != ourHeartbeat {
		t.Errorf("the server's elections take %v to %v, with a heartbeat each %v", shortestElection, longestElection, heartbeatInterval)
	}
}
