// Package intest tests a page by a run of an agent. Browser and model are in memory, so
// the test needs no network and takes milliseconds.
package intest
