// Package jetstream keeps a fleet's records in NATS JetStream. [Open] starts a
// server within the process: alone it opens no port and needs no configuration,
// and with peers it forms a cluster with them, which keeps working as long as
// more than half of its nodes do. Package service opens it.
//
// A store on disk loses nothing when its process is killed. When the machine
// loses its power, what was written in the last [Options.Sync] can be lost; in a
// cluster only if that happens to most nodes at once.
//
// Programs that do not import this package do not link NATS.
package jetstream
