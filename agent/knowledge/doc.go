// Package knowledge keeps what agents learn of sites: notes, and programs that did
// what they were for.
//
//	store, err := knowledge.Dir("/var/lib/agent/sites")
//	…
//	a, err := agent.New(knowledge.Use(agent.Config{
//		Model: model,
//		Tools: []agent.Tool{program.Tool(program.Limits{})},
//	}, store, nil))
//
// # What is learned
//
// The model writes a note by the tool remember: where something is, what a site
// wants. A program that ran to its end by the tool run is kept with the task that
// it was written for. Both are kept when the run ends with success ([agent.Result]),
// for the host that the page was of, and only then.
//
// # What is offered
//
// When a run begins, and when it comes to another host, the model gets what is kept
// of that host, the most useful first, within [Options].MaxTokens. It stands in a
// fence, as what pages say: a page may have had its part in it. By the tool rerun
// the model has a kept program run again without writing it, with other values
// for its constants ([program.Constants]) where it needs them. Approvals, bounds
// and evidence hold for its steps as for those of any program.
//
// # What is dropped
//
// A program that fails twice without having worked in between, and a note that
// was offered to two runs in a row which came to no success. Of a host at most
// [MostEntries] are kept; what was useless for longest goes first.
//
// # What is never kept
//
// Values of variables: what the session hides is hidden in a note, and a program
// that holds one is not kept. Other things that a page says are not recognized as
// private: give each customer of yours a store of their own.
package knowledge
