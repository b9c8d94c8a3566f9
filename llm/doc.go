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
// is what a web page says: an adapter fences it (see [Fence]) and tells the
// model that it is data, so that a page cannot give orders.
//
// # Around a model
//
// [WithRetry] repeats what may succeed later, within the caller's deadline. A
// [Breaker] keeps requests from an endpoint that is down, and a [Limit] bounds
// what goes out with one key. [WithGuards] puts the three in their order.
// [Fallback] asks the next model where one can't answer, and [Metered] holds a
// model to the [Budget] of each call's context. All of them give a model again,
// so that they nest:
//
//	large = llm.WithGuards(large, llm.Guards{Breaker: breaker, Limit: limit})
//	model := llm.Metered(llm.Fallback(large, llm.WithGuards(small, llm.Guards{})))
//	ctx = llm.WithBudget(ctx, &llm.Budget{MaxTokens: 200_000})
//
// [Ask] holds an answer against a validator, and lets the model repair it
// once.
//
// # Configuration
//
// A [Config] says which model is meant and how to reach it; [ParseConfig]
// reads it strictly. Keys are a [Secret], which shows as *** however it is
// printed.
package llm
