// Package nodes joins services to a fleet: each one takes any request, and passes
// on what belongs to a session of another. Package service joins them.
//
// A session is placed by how far the nodes are used and by their labels, and stays
// where it is. When its node is gone, every other one answers so.
//
// Requests go from node to node over HTTP, each with a code under a secret that
// all nodes share: the node at which a request comes in checks the key and counts
// it (from a part of the key's minute, which it has taken from the records of all),
// and the session's node takes its word. What the client cancels is cancelled
// there. The codes do not encrypt: keep the network between the nodes private.
package nodes
