// Package accessibility reads a captured page the way assistive technology
// does: it computes roles, names, descriptions and states by the W3C's rules,
// drops what a person can neither see nor use, and writes the rest as an
// outline, which a language model can read and refer to.
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
// A model answers with a ref. Finding its element is a map look-up, not a search:
// the node carries the driver's own reference.
//
//	node, ok := snap.Lookup("0-33")
//	page.Locate(ctx, node.Target, nil)
//
// [Snapshot.XPath] writes a path that outlives the document, and
// [SplitSelector] splits such a path, or any selector that a person wrote,
// into steps that a driver resolves one by one.
//
// # What an outline shows
//
// An outline shows what a person can see or use, and nothing else. Elements that
// react to a click are part of it, whatever their role: "generic (clickable)". To
// keep it short:
//
//   - Wrappers without a meaning are dropped, as are a list item around a single
//     element, and a heading around a single link, which gets "(heading 2)".
//   - Text that is part of a name is not repeated: that of a button, a label, a
//     legend, a caption.
//   - The text of a line is one node, however many elements it is made of.
//   - A table row is one line, its cells between bars.
//   - The options of a native select are on its line, if there are many the first.
//   - The content of frames and shadow roots stands where the page shows it.
//
// # Room
//
// [Options].MaxTokens bounds the outline. First long texts are shortened; then
// lines are left out, repetition before structure and text before controls. A
// line stands for what is missing, with the count and the ref to ask for. The
// limit holds exactly for the estimate of [Tokens].
//
// # Changes
//
// [Diff] compares two snapshots of a page.
//
// # The tree below
//
// Package axtree computes the complete accessibility tree, with every object that
// Chrome's own has, ignored ones included.
package accessibility
