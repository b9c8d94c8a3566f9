// Package engine drives pages for people and programs: it acts on instructions
// in words, finds what can be done, and reads typed data.
//
// # Ten lines
//
//	session, err := engine.Open(ctx, cdp.Launch{}, &engine.Options{Model: model})
//	if err != nil {
//		return err
//	}
//	defer session.Close()
//	page := session.Page()
//	if _, err := page.Navigate(ctx, "https://shop.example/", nil); err != nil {
//		return err
//	}
//	if _, err := page.Act(ctx, "add the first product to the cart", nil); err != nil {
//		return err
//	}
//	total, err := engine.Extract[struct{ Total float64 }](ctx, page, "the cart's total", nil)
//
// # What it promises
//
// An action is reported as done only if it was done: an [ActResult] carries the
// [Evidence], and a fill whose value did not stick is an error. Nothing is done
// twice: once input may have been sent, there is no second try. Input goes to
// the element that was meant, or to none: an element that is covered, disabled,
// moving or gone is an error that says so.
//
// # How it waits
//
// There are no fixed pauses. Before each look at a page the engine waits until
// it is quiet, counted from the last action, so that the wait overlaps with
// whatever the caller or a model did meanwhile.
//
// # Parts
//
// A [Driver] opens browsers (driver/cdp: Chrome; driver/fake: in memory) and an
// [LLM] answers questions (llm/openai, llm/offline and others). Both are small
// interfaces that can be replaced. The engine itself starts no process and
// opens no connection.
package engine
