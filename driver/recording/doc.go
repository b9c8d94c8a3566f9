// Package recording writes down what a browser was asked and answered, and
// plays it again without the browser.
//
// A [Recorder] stands between the engine and any driver. It keeps every look,
// every event and every answer, and writes them to one file, a bundle:
//
//	recorder := recording.New(cdp.Launch{}, nil)
//	session, err := engine.Open(ctx, recorder, &engine.Options{
//		Model: llmtest.Record(model, recorder.Exchanges(), key),
//	})
//	…
//	if failed {
//		err = recorder.WriteFile("failed.wayfinder")
//	}
//
// [Read] opens a bundle, and its [Recording.Driver] is a driver again: it shows the pages
// that were recorded, as they were, and continues when the same actions are done.
// Neither browser nor network nor script is needed; outlines, evidence and
// messages are the same as they were.
//
// # What it answers
//
// A recording is divided by the actions: navigation, input, values, scrolling.
// What is read between two of them is answered in the order in which it was
// read there, and more of the same with the last answer. Another action than
// the one that comes next, and a question that nobody asked at that point, are
// errors that wrap [ErrNotRecorded] and say what the recording has instead.
// Nothing is made up.
//
// # What is in a bundle
//
// Lines of JSON in the order in which things happened, a line for each node of
// a page; what a page has kept since it was last read is one line. Read it, and
// compare two of them, by any tool.
//
// A bundle shows the pages as the browser saw them: who may not see those may
// not see it. Not in it are cookies, local storage, downloaded files, pictures
// unless [Options].Trace asks for them, and the values of variables. The engine tells a recorder those (see
// [driver.Hider]), and their names stand for them, also where a page spells
// one otherwise: in addresses, in HTML, in JSON, in hexadecimal and in Base64. A replay puts the values back
// that its own session uses under these names, so that a test needs no secret.
// Values of less than four characters are hidden where they stand alone.
//
// # Limits
//
// A recorder keeps at most [Options].MaxBytes; where that ends the bundle says so, and
// so does a replay that comes there. One recorder serves one browser.
package recording
