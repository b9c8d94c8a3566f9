// Package schema says what shape a value must have: it makes JSON Schemas from
// Go types, reads them from JSON, checks documents against them, and brings
// them into the form that a language model's provider takes.
//
// # From a type to a value
//
// [For] gives the schema of a Go type, [Parse] reads one that somebody wrote,
// in draft 2020-12 or draft-07:
//
//	s, err := schema.For[Product]()
//	s, err := schema.Parse([]byte(`{"type": "object", "properties": {…}}`))
//
// [Schema.Validate] checks a document and reports everything that is wrong
// with it, each [Issue] with its path. Formats are asserted. [Decode] checks
// and then reads the document into a Go value.
//
//	var invalid *schema.ValidationError
//	if errors.As(s.Validate(doc), &invalid) {
//		for _, issue := range invalid.Issues {
//			fmt.Println(issue) // items[0].price: is a string, must be a number
//		}
//	}
//
// # Links
//
// A model that is asked for an address makes one up. [Schema.WithLinks] gives
// the schema in which every member of format uri is the reference of a link
// on the page instead, as "0-123"; [Links.Resolve] puts the addresses in
// their place, and refuses a reference that is none.
//
// # Strict
//
// Providers take less than the standard offers. [Schema.Strict] narrows a
// schema to one provider's part of it, and [Strict.Restore] brings an answer
// back to the original's shape.
//
// Nothing here reads a file or the network: a schema that refers to another
// document is refused, unless [Parser].Load gives that document.
package schema
