// Package dashboard is a page to look at a service with: its sessions, live, with
// what they do and did, its runs, and for operators its nodes.
//
//	srv, err := server.New(d, &server.Options{Parts: server.Parts{Dashboard: dashboard.New()}, …})
//
// A person can take a session over with mouse and keyboard and give it back, and
// try what the service can do. The page is plain HTML, a style sheet and modules
// of JavaScript, as they are in this directory. It holds nothing secret and is
// served without a key: where the service wants one, the page asks for it, keeps
// it until the tab is closed, and sends it in a header, as every client does. What
// it shows of pages it shows as text; its Content-Security-Policy lets no other
// script run, and lets no other site show it within itself.
package dashboard
