// Package axtree computes the accessibility tree of a captured page: for every
// element, text and pseudo-element its role, name, description, value and
// states, and whether assistive technology is shown it.
//
//	tree := axtree.Compute(capture)
//	for i := range tree.Objects {
//		o := &tree.Objects[i]
//		if !o.Ignored {
//			fmt.Println(o.Role, o.Name)
//		}
//	}
//
// The rules are the W3C's (accname 1.2, HTML-AAM, core-AAM, SVG-AAM), and
// Chromium's where those leave room; the tests hold the result against Chrome's
// own tree. Package accessibility makes the outline of a page from it, which is
// what most programs want.
//
// # How it works
//
// [Compute] goes over the page in passes, each of which adds to what is known of
// every captured node (item.go): what it inherits (inherit.go), how text flows
// (flow.go), which labels and references relate elements (label.go, relations.go),
// the first guess at roles (role.go, nativerole.go), where aria-owns moves
// elements (arrangement.go), what is hidden (hidden.go) and what is in the tree at
// all (include.go), and the final roles. What is left then gets its names and values
// (name.go, value.go) and its states (states.go). A pass is a layer and
// asks the layers below it; forest.go lists them.
//
// The package is pure: no I/O, no clock, no globals that change.
package axtree
