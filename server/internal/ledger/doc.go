// Package ledger keeps what the keys of a service have used of a day's tokens and
// dollars: over restarts, and counted together by all nodes of a fleet.
//
// Each process writes its own part of each key's use, once a second where it has
// changed, and hears of the others' parts as these write them. So a limit can be
// exceeded by what the others use within about a second, and by the requests to
// models that they have under way. The part of a process that ended, or was killed,
// counts until its day (UTC's) is over; at most its last second is missing.
// While the store cannot be reached, each process keeps counting from what it knows.
package ledger
