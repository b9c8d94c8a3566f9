// Package outgoing has what leaves a page: what a form would send
// ([FromForm]), what a request really sends ([FromWire]), how the two differ
// ([Differences]), and a gate that lets an approved request out once and asks
// about any other ([Gate], [Hold]).
//
// Package engine makes holds of it, by Proposal.Hold, and package agent asks for
// approval with it.
package outgoing
