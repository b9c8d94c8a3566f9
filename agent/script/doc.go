// Package script turns a run into a program that needs no model.
//
// A [Script] is what a finished run did, as JSON that people review: steps with
// targets by role, name and row, variables by name, the address that each step
// begins at, and what each step has to have changed. Package trace compiles it:
//
//	t, err := trace.Read(bundle)
//	…
//	s, err := t.Compile(nil)
//	fmt.Println(s) // the JSON
//
// [Replay] does the steps again and proves each: the effect, the address, the
// requests that were sent, the value, the words that appeared.
//
//	result, err := script.Replay(ctx, session.Page(), s, &script.Options{Variables: vars})
//	var refused *script.RefusedError
//	if errors.As(err, &refused) {
//		fmt.Println(refused.Step, refused.Expected, refused.Found) // nothing after it was done
//	}
//
// # Where a page has changed
//
// A step that no longer fits is healed by Options.Model, if one is given: the
// model names the element that is meant, and the step has to prove itself all
// the same. Result.Script is the script as it is then, and [Diff] shows what is
// different. Nothing is healed in silence, and nothing without a model.
//
// # What is refused
//
// A step is refused rather than guessed, also with a model, where several
// elements fit, where the element stood in another row, where a button that
// pays, deletes or sends has other words, and where the choice contradicts what
// is known of the element: the name of its field, where it leads, what it would
// send. A person may allow such a choice by Options.Allow.
//
// # Where its process dies
//
// With Options.Store a log says what is about to be done, and what came of it, and
// another process continues:
//
//	saved, err := script.Load(ctx, store, "order")
//	…
//	err = saved.Prepare(&opts, vars) // cookies and local storage
//	…
//	result, err := script.Recover(ctx, session.Page(), s, &script.Options{Variables: vars}, saved)
//
// The tabs are loaded again at their addresses, and what was done there since, and
// sent nothing, is done again: fields are filled, menus opened. A step that may have
// changed something beyond the page is never done again. Where its outcome is not in
// the log, the page is asked for the words that the step has to bring, and where these
// are not there [ErrUnknown] says so.
package script
