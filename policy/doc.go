// Package policy defines which addresses a browser may request, and enforces it.
//
// A [Policy] is what an operator writes: hosts that are allowed, hosts that are
// not, addresses of the own network that may be reached all the same. Compile
// makes [Rules] of it, which answer two questions at two places:
//
//   - [Rules.CheckURL] is asked before a request leaves the browser, about
//     every navigation, redirect, popup, frame and subresource. It looks at the
//     address as a browser reads it and at nothing else.
//   - A [Gate] is asked when a connection is made. It is a SOCKS proxy on the
//     loopback interface that the browser is given, and it looks at the network
//     address that a host's name stands for at that moment, so that a name
//     which is public for one look-up and private for the next one gains
//     nothing. What interception does not see (WebSockets, preconnects, what
//     the browser sends by itself) goes through it as well.
//     A browser within this process connects with a [Dialer] instead, which
//     decides the same and needs no listener.
//
// What is refused gives a [*RefusedError], which names the rule and says what
// to set. It wraps driver.ErrBlocked.
package policy
