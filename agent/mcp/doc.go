// Package mcp connects agents to servers of the Model Context Protocol: their
// tools join the agent's own.
//
//	files, err := mcp.New(mcp.Command{Path: "files-server", Args: []string{"--read-only"}}, &mcp.Options{Name: "files"})
//	…
//	defer files.Close()
//	a, err := agent.New(agent.Config{Model: model, Integrations: []agent.Integration{files}})
//
// A server is a program that speaks on its standard input and output
// ([Command]), or one at an address ([HTTP], and [SSE] for older ones). [Parse]
// reads any of them from a string, and [Connected] takes a session of the Go SDK
// that a program made itself. A [Server] connects when a run first asks it for
// tools, stays connected for the runs that follow, and is to be closed.
//
// # Names
//
// The tool read of the server files is files_read to the model. What providers
// do not allow in a name becomes _, and a name that is too long is cut and gets a
// few letters that tell it apart. The list is sorted, and is read when a run
// begins; a server that changes its tools meanwhile changes the next run's.
//
// # Trust
//
// What a tool answers is untrusted, and the model reads it within a fence. Its
// name, its description and its schema are not answers: every provider shows
// them to the model as what the program itself says. A server that you do not
// trust with that should not be connected. They are bounded and cleaned: a
// description is one line of at most 1,000 bytes without invisible characters,
// and a tool whose schema is none, is huge, or holds whole sentences as names is
// left out, with a line in the log. [Options].Only admits tools by name.
//
// A server's annotations are hints of the server about itself: one that says
// that a tool destroys something puts it in [agent.ClassDelete], and none ever
// takes a tool out of a class. [Options].Class and Classes decide for
// themselves.
//
// A [Command] gets few of our environment's variables (PATH, HOME and the like),
// because keys are among the others. [HTTP] sends its headers to the server's
// own origin alone.
//
// # What goes wrong
//
// Connecting, listing and calling are bounded in time, a message in size and
// depth, and what a server sends unasked in number; one that exceeds a bound is
// disconnected. A server that ends in the middle of a call, or does not answer in
// time, may have done what it was asked to: the error then wraps
// [engine.ErrMayHaveHappened], and the call is not repeated. The next call starts
// or connects it anew. A server's progress and log messages are dropped, and it
// gets neither a model, nor files, nor a person to ask.
package mcp
