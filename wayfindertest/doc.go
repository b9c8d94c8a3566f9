// Package wayfindertest tests programs that are built on package engine.
//
// The browser in memory (package driver/fake) and a scripted model (package
// llm/llmtest) run the whole engine within go test, in microseconds. What such
// a run shows is long: an outline, a list of actions with their evidence. This
// package keeps it in files, and a test says in a line that it is still so:
//
//	func TestOrder(t *testing.T) {
//		model := llmtest.NewScript(t, …)
//		session, err := engine.Open(t.Context(), web, &engine.Options{Model: model})
//		…
//		wayfindertest.Outline(t, session.Page(), "testdata/order.outline")
//		wayfindertest.Trajectory(t, session, "testdata/order.trajectory", model.Requests()...)
//	}
//
// # To write the files
//
// With WAYFINDER_UPDATE=1 in the environment the files are written instead of
// compared. For a flag as well, a package of tests asks for it:
//
//	var _ = wayfindertest.UpdateFlag()
//
// and is then run with go test -update. The flag is never defined unasked: a
// program's tests may have one of that name, which is heeded then.
//
// # What is left out
//
// What differs from run to run is not in a file: refs, identifiers of pages,
// ports of servers on this machine, folders of downloads, durations. So a file
// written with the browser in memory often does for Chrome too.
//
// Everything works within [testing/synctest].
package wayfindertest
