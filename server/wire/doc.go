// Package wire has the bodies of the HTTP service: what a client sends and what
// the server answers, as Go types. Server and client share them, and a test
// holds each against its schema in the OpenAPI document.
//
// Optional members are pointers, or have a zero value that means "not given".
// Times are in milliseconds.
package wire
