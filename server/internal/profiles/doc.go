// Package profiles keeps what browsers remember (cookies, local storage and
// IndexedDB) by names, so that a login is done once. Profiles are sealed by keys of
// the operator's, and one at a time holds each.
//
// A [Store] keeps them: a directory ([Dir]), or the records of several nodes
// ([Shared]). The HTTP service does the above for sessions that name a profile.
//
// # Holds
//
// A holder has written its hold into the profile's record, under the record's
// revision; others are refused with an [*InUseError]. A hold ends with Close, or with
// the life of its process, which the store knows: by a lock of the operating system
// in a directory, by the node's lease in a fleet. The next holder writes the
// record anew, so that a late write of the one before is refused: [ErrLost].
//
// # What is not kept
//
// Session storage, caches, permissions and passkeys are not what a driver calls its
// storage state. Storage is read of origins that a page shows: see [Hold.Read]. Of
// IndexedDB, databases are left out that are too large, and records that have no form
// ([driver.Record]), as those with a key that no script may read: [Info] says how many.
package profiles
