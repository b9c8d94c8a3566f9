// Package accessibility reads a captured page the way assistive technology
// does: it computes roles, names, descriptions and states by the W3C's rules,
// drops what a person can neither see nor use, and writes the rest as an
// outline that a language model can read and point into.
//
// The package is pure: no I/O, no clock, no globals that change. The same
// capture gives the same bytes.
//
// # From a page to an outline
//
// [Build] makes a [Snapshot] of a capture, and [Snapshot.Outline] writes it:
//
//	snap := accessibility.Build(capture, nil)
//	fmt.Println(snap.Outline())
//
//	[0-1] document: Checkout (scrollable 0%)
//	  [0-7] heading: Your address (level 1)
//	  [0-9] textbox: Name (required)
//	  [0-12] combobox: Country (options: Austria | Germany) value="Germany"
//	  [0-19] table: Orders
//	    [0-21] row: Number | Date | ↓
//	      [0-29] link: Open
//	  [0-33] button: Pay (disabled)
//
// A line is a node: its [Ref], its role, its name, and only what is true of it.
// [ParseOutline] describes the form in full and reads it back.
//
// # From an answer to an element
//
// A model answers with a ref. That is a look-up and no search: the node carries
// the driver's own reference.
//
//	node, ok := snap.Lookup("0-33")
//	page.Locate(ctx, node.Target, nil)
//
// [Snapshot.XPath] writes a path that outlives the document, and
// [SplitSelector] splits such a path, or any selector that a person wrote,
// into steps that a driver resolves one by one.
//
// # What is said and what is not
//
// Nothing that a person can see or use is lost, and nothing is shown that he
// cannot. Elements that react to a click count, role or not: "generic (clickable)".
// The rest is kept short:
//
//   - Wrappers without a meaning are dropped, also a list item around a single
//     thing, and a heading around a single link, which says "(heading 2)".
//   - Text that a name has said is not said again: that of a button, a label,
//     a legend, a caption.
//   - The text of a line is one node, however many elements it is made of.
//   - A table row is one line, its cells between bars.
//   - The options of a native select are on its line, the first of many.
//   - The content of frames and shadow roots stands where it is seen.
//
// # Room
//
// [Options].MaxTokens bounds the outline. First long texts are shortened; then
// lines are left out, repetition before structure and text before controls,
// and what is missing is counted where it is missing, with the ref to ask for. [Tokens] is the
// estimate that decides; it is kept exactly.
//
// # Time
//
// [Diff] tells what is different between two snapshots of a page.
//
// # Below
//
// [axtree.Compute] gives the whole accessibility tree with everything in it that
// Chrome has in its own, ignored objects included.
package accessibility
