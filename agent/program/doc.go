// Package program carries out programs of a model: many steps on a page, as one
// call of a tool.
//
//	a, err := agent.New(agent.Config{Model: model, Tools: []agent.Tool{program.Tool(program.Limits{})}})
//
// An agent that has the tool run may write
//
//	while True:
//	    old = [row for row in find("row") if row["Date"] < "2026-03-01"]
//	    if not old:
//	        break
//	    click("button: Delete", within=old[0])
//	log("no draft is older")
//
// instead of asking the model after each deletion. It is off unless it is among
// the agent's tools: what it is good for is work that repeats, and its description
// is sent with every question.
//
// # What a program can do
//
// The language is Starlark: a small Python, deterministic, without clock, files,
// network, modules and exceptions. Its functions on the page are the agent's own
// tools: each that does something is a step of the run, with the approvals, bounds,
// evidence and history that it has when the model calls it by itself. [Tool] lists
// them. An element is named by what find returned, by a ref, or as the outline
// has it, "button: Delete" with within=; where not exactly one fits, nothing is
// done. What pages say is data: a text of a page that says %password% is never
// taken for the variable, whose value comes by var("password") alone, into
// fill alone.
//
// # Where it stops
//
// A program stops at the first step that was not done, at one of which that is not
// known, and at the first surprise: a dialog that dialog() did not announce, a new
// tab, another site, an answer of 400 or more, a click without any effect. The
// model gets the line, the variables and the log, with the page as it is, and goes
// on from there. Nothing is tried again.
//
// # Bounds
//
// [Limits] hold for every program. The interpreter counts steps; memory it does
// not bound, and one step may double a text, compare lists that hold each other a
// billion times, or go through a range of 10**18. So a program is rewritten before
// it runs: operators, attributes, keys and slices become calls that charge the most
// that the operation can make, and the functions of the language are wrapped in
// the same way. The sum of the charges never exceeds Limits.Memory; one operation
// makes at most 8 MiB, a text has at most 256 KiB, a number 2,048 bits, and what is
// printed, compared, sorted or hashed at most 100,000 parts, 64 deep. What is not
// charged, as the list that a comprehension builds, takes at most about 100 bytes
// a step. What an operation reads, moves, compares or hashes counts as steps before
// it is done: 256 bytes of a text, or 64 elements of a list, are one. There is no
// recursion, and no call takes longer than the steps that are left but
// those of the page: a program ends soon after its context does.
package program
