package driver

// A Hider is a [Browser] that keeps what passes through it, as a recorder does.
// Package engine tells it the value of every variable before it uses the value,
// so that what is kept holds the name instead. A driver that wraps another
// passes the call on.
//
// Hide may be called from several goroutines at once, and more than once with
// the same name.
type Hider interface {
	Hide(name, value string)
}
