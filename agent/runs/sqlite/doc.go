// Package sqlite keeps the logs of an agent's runs in one file, a database of
// SQLite that any tool for those can open.
//
//	store, err := sqlite.Open(ctx, "runs.db")
//	…
//	defer store.Close()
//	a, err := agent.New(agent.Config{Store: store})
//
// Processes of one machine may share the file: a record is written in a
// transaction that compares the revision of the log's last one. Beside the file
// SQLite keeps two others, its log of writes (-wal) and an index of that (-shm);
// they belong to it. A file system of a network is no place for them.
//
// As [runs.Dir] the file holds what pages said and the cookies of browsers, and
// only its owner can read it. What [Store.Remove] removes is overwritten.
//
// SQLite is linked in as Go, without cgo: some 9 MB of a program, which is why
// this is a package of its own.
package sqlite
