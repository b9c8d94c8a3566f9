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
// for the origin that the page was of, and only then.
//
// # What is offered
//
// When a run begins, and when it comes to another origin, the model gets what is kept
// of that origin, the most useful first, within [Options].MaxTokens. It stands in a
// fence, as what pages say: a page may have had its part in it. By the tool rerun
// the model has such a program run again without writing it, with other values
// for its constants ([program.Constants]) where it needs them. Approvals, bounds
// and evidence hold for its steps as for those of any program.
//
// What a run has learned after it had read other sites is offered to runs alone that have read
// those sites, too: evil.test may have said what is kept of bank.test.
//
// # What is proved
//
// A program that worked once may have worked by chance. It is offered when it has done
// the same again: in a replay in a fresh session ([Options].Fresh), where nothing can be
// changed, or in a later run whose model wrote it again.
//
// # What is dropped
//
// A program that fails twice without having worked in between, and a note that
// was offered to two runs in a row which came to no success. At most forty entries
// of an origin are kept; what was useless for longest goes first.
//
// # What is never kept
//
// Values of variables: what the session hides is hidden in a note and in a program,
// where the variable's name stands in its place. Other things that a page says are not recognized as
// private: give each customer of yours a store of their own.
package knowledge
