// Package traces records sessions that ask for it, and keeps a trace of each as
// one HTML file: its steps, pictures, prompts and answers. Package trace says what
// is in it. It can be read while the session is open and after its end, until it is
// too old or there are too many.
//
// No trace has the values of variables, or what a person does in a session that was
// taken over; each has what its pages show. Files are their owner's alone, and encrypted where
// [Options].Keys are given. Several processes may share the directory.
package traces
