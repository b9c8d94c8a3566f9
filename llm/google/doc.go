// Package google adapts the Gemini models of Google, reached with a key of the
// Gemini API. For those of Google Cloud see package llm/vertex.
//
//	model, err := google.New(google.Options{Model: "gemini-2.5-flash", APIKey: llm.NewSecret(key)})
//
// It uses the vendor's own SDK, which gets to see neither the key nor what
// the environment says of keys and addresses, and which repeats nothing:
// package llm/middleware repeats what may be repeated, for every vendor alike.
//
// A request with a schema is held to it by the vendor's response schema. A
// model that has none, or none beside tools, gets the schema in words; that
// is remembered for as long as the Model lives. The signatures of thoughts that
// come with tool calls go back with them.
package google
