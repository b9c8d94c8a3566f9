// Package guests gives each session of a service an address at which other
// clients of the DevTools protocol
// attach to the same pages:
//
//	visitors := guests.New(nil)
//	srv, err := server.New(browsers, &server.Options{Parts: server.Parts{Guests: visitors.Open}})
//	…
//	http.Handle("/devtools/", visitors)
//	http.Handle("/", srv)
//
// The address is all that a client needs, so it holds a secret, which ends with
// the session. What a client may do is decided by its browser: see
// [driver.Host].
package guests
