// Package trace shows what a run did: as one HTML file that holds everything,
// or in the format of another tool's viewer.
//
// A [Collector] stands between a session and its browser and model:
//
//	c := trace.New(cdp.Launch{}, nil)
//	session, err := engine.Open(ctx, c.Driver(), &engine.Options{Model: c.Model(model), Hooks: c.Hooks()})
//	…
//	a, err := agent.New(agent.Config{Hooks: c.AgentHooks()})
//	…
//	t, err := c.Trace()
//	err = t.WriteHTML(file, nil)
//
// There is no second record: what is collected is a recording of package
// driver/recording, with notes of what the engine and the agent did, and a trace
// is a reading of it. So [Read] makes one of a bundle, too, and of the HTML file,
// which holds its bundle.
//
// # What is in it
//
// Prompts and answers, outlines, pictures, addresses, what scripts wrote to the
// console: who may not see the pages may not see the trace. Not in it are keys,
// cookies, and the values of variables: their names stand for them, and pictures
// are painted over where a page shows one. What a page draws as a picture itself,
// as on a canvas, is not recognized.
//
// # What it costs
//
// A picture takes a capture and a screenshot, and a step has two of them or more. Without pictures
// ([Options].NoPictures) a run takes no longer than without a trace.
package trace
