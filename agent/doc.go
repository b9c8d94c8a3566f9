// Package agent does whole tasks: it looks at a page, asks a model what to do,
// does it, and looks again, until the task is done, cannot be done, or a bound
// is reached.
//
//	a, err := agent.New(agent.Config{Model: model})
//	…
//	result, err := a.Execute(ctx, session.Page(), agent.Task{Instruction: "order two teapots"})
//	fmt.Println(result.Success, result.Message)
//
// [Agent.Run] is the same step by step: an iterator that the caller may leave.
//
// # What is true
//
// The model ends a run by the tool done, with a claim and a list of criteria,
// each with the evidence that it rests on: a step, a value, a request, words on
// the page. What a rule can check is checked. [Result].Completed is what the
// model claims, [Result].Success what was verified: every criterion confirmed,
// and one at least by something that the run did. A claim that does not hold is
// questioned once.
//
// # What the model sees
//
// The page as an outline, once; afterwards what has changed, while that is
// shorter. Whatever a page, a tool or a server wrote stands in a fence. The
// values of variables are never in it.
//
// # Bounds
//
// A [Task] bounds steps, time, tokens, money and failures in a row. A run that
// goes in circles or stands still hears of it, and is then ended. Each has an error
// of its own; the [Result] that comes with it says what was done by then.
//
// # People
//
// [Config].NeedApproval names the classes of actions that [Config].Approve is
// asked about: to pay, to send, to delete. Nobody there means no. Approvals and
// answers to questions may come hours later, in another process: the run ends
// with [Result].Pending, and continues by [Agent.Resume]. Such a run asks, too, before a
// value that it read at one site goes to another: see [Config].Flows.
package agent
