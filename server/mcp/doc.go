// Package mcp offers the engine to other agents: as tools of a server of the
// Model Context Protocol, over standard input and output or over HTTP.
//
//	s, err := mcp.New(mcp.Options{Open: open})
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//	return s.Serve(ctx, os.Stdin, os.Stdout)
//
// # Sessions
//
// The protocol's newest revision has no sessions, so a browser is named by a
// handle among a tool's arguments, which the tool start gives. A client that
// has begun one session alone may leave it out, and one that has none gets one.
// Clients are told apart by their stream, by their session of the protocol or,
// where a revision has none, by their key; over HTTP without both, each call after
// the first says the handle. A session belongs to the caller that began it, as
// [Options].Owner tells callers apart; no other reaches it, or learns that there
// is one. A client that says good-bye ends the sessions that it began; those of one
// that left without a word make room for others. A browser is opened when
// it is first needed, and closed when its session ends or was not used for
// [Options].Idle.
//
// # What a tool answers
//
// A short text, and the same with more in it as structured content: what was
// done, and the evidence of it. No outline of a page comes unless it was asked
// for by the tool snapshot, which bounds it in tokens and can tell what has
// changed since an earlier one. Pictures, and data that would be long, are
// resources that can be read by their addresses.
//
// An error after which it is not known whether the page took the input says so,
// and structured content has "sent".
//
// A call ends where its client cancels it or breaks the connection, and what an
// agent does for it, too. Tasks that outlive their call are begun in the background.
//
// # People
//
// Questions of the tool agent, and approvals of what [agent.Config].NeedApproval
// names, are put to the client's user by elicitation: in further rounds of the
// same call where the client speaks the newest revision, by requests to the
// client where it speaks an earlier one. Where no user can be asked, the answer
// is no.
package mcp
