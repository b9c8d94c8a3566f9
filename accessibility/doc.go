// Package accessibility reads a captured page the way assistive technology
// does: it computes roles, names, descriptions and states by the W3C's rules,
// drops what a person can neither see nor use, and writes the rest as an
// outline that a language model can read and point into.
//
// The package is pure: no I/O, no clock, no globals that change. The same
// capture gives the same bytes.
//
//	tree := accessibility.Compute(capture)            // every object, ignored ones included
//	snap := accessibility.Build(capture, nil)         // what is worth saying
//	fmt.Println(snap.Outline())
//	node, ok := snap.Lookup("0-18372")                // from the model's answer
//	page.Locate(ctx, node.Source, nil)                // no selector, no second query
package accessibility
