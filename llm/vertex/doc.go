// Package vertex adapts the Gemini and Claude models that Google Cloud serves,
// reached by a service account.
//
//	model, err := vertex.New(vertex.Options{
//		Model: "gemini-2.5-flash", Project: "acme", Location: "europe-west4", Account: account,
//	})
//
// The account's key signs for tokens, which are kept for as long as they are
// valid. In a universe of Google Cloud other than googleapis.com there is no
// server for tokens, and what the key signs is the token. Nothing is read from
// files or the environment, beside proxies.
//
// A model whose name begins with claude is asked as package llm/anthropic does,
// any other as package llm/google does; see there for schemas, caches and what
// comes with tool calls.
package vertex
