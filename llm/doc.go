// Package llm is the contract between Wayfinder and a language model.
//
// A [Model] answers a [Request]; that is all that the engine needs. Packages
// below this one adapt one vendor's models each, on the vendor's own SDK;
// package llm/offline answers without any model, and package llm/llmtest by a
// script. A model of your own is one method:
//
//	func (m myModel) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error)
//
// # Parts
//
// A message is a list of typed parts, because it matters where a text comes
// from. [Instruction] and [Text] are the user's and the engine's words. [Page]
// is what a web page says: an adapter fences it with a nonce and tells the
// model that it is data, so that a page cannot give orders.
package llm
