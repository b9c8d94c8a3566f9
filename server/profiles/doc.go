// Package profiles keeps what browsers remember (cookies, local storage and
// IndexedDB) by names, so that a login is done once. Profiles are sealed by keys of
// the operator's, and one at a time holds each.
//
//	keys, err := profiles.ParseKeys(strings.NewReader(os.Getenv("WAYFINDER_PROFILE_KEY")))
//	store, err := profiles.OpenDir("/var/lib/shop/profiles")
//	kept := profiles.New(store, keys, nil)
//
//	hold, err := kept.Hold(ctx, "", "ann", "the nightly order")
//	session, err := engine.Open(ctx, cdp.Launch{}, &engine.Options{
//		Browser: engine.BrowserOptions{StorageState: hold.State()},
//	})
//	… // hold.Read after a step keeps the storage of pages that are left
//	err = hold.Read(ctx, session.Browser())
//	err = hold.Close(ctx)
//
// A [Store] keeps them: a directory ([Dir]), or the records of several nodes
// ([Shared]). The HTTP service does the above for sessions that name a profile.
//
// # Holds
//
// Who holds a profile has written so into its record, under the record's revision;
// everybody else is refused with an [*InUseError]. A hold ends with Close, or with
// the life of its process, which the store knows: by a lock of the operating system
// in a directory, by the node's lease in a fleet. Who takes the profile then
// writes its record anew, so that nothing which the one before writes late is
// taken: [ErrLost].
//
// # What is not kept
//
// Session storage, caches, permissions and passkeys are not what a driver calls its
// storage state. Storage is read of origins that a page shows: see [Hold.Read]. Of
// IndexedDB, databases are left out that are too large, and records that have no form
// ([driver.Record]), as those with a key that no script may read: [Info] says how many.
package profiles
