package jetstream

import "testing"

// TestElection: the server's variables are those that this package was written for. Where a
// new version has other ones, elections take as long as it says, and ROUGH_EDGES has to.
func TestElection(t *testing.T) {
	if !hastened || shortestElection != ourShortest || longestElection != ourLongest || heartbeatInterval != ourHeartbeat {
		t.Errorf("the server's elections take %v to %v, with a heartbeat each %v", shortestElection, longestElection, heartbeatInterval)
	}
}
