// Package faults makes any driver fail on purpose.
//
// A [Driver] wraps another and counts the calls that pass through it. At the
// calls that a [Fault] names, something goes wrong: the call gives an error, its
// answer is lost, it takes its time, or the page changes under it.
//
//	d := faults.Wrap(web,
//		faults.At(3, "input", driver.ErrDetached),       // the third Input fails
//		faults.Obscure("#buy").On(1, "input"),           // something covers the button
//		faults.Lose(1, "navigate", driver.ErrClosed),    // done, and nobody is told
//	)
//
// Operations have the names that [driver.OpError].Op has: the method in lower
// case. The empty operation is every call.
//
// A sweep fails each call in turn. It ends when a run gets by without:
//
//	for n := 1; ; n++ {
//		f := faults.At(n, "", driver.ErrStale)
//		run(faults.Wrap(web, f)) // must report the error, and do nothing twice
//		if f.Count() == 0 {
//			break
//		}
//	}
//
// A Fault says what it does (String) and how often it did (Count), so that a
// test proves that what it passed was not a quiet day.
package faults
