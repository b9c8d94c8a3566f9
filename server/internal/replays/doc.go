// Package replays keeps what was done in sessions, so that it can be read when a
// session has ended, its process was started again, or its node is gone. It is
// written besides the sessions' work, within about a second, and removed when it is
// old or too much.
//
// What is kept is what GET /v1/sessions/{id}/replay answers: without values of
// variables, and as it is otherwise, with the texts that were extracted.
package replays
