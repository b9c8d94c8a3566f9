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
// # Conversations with tools
//
// A request may offer tools. The calls of an answer are answered all together,
// by the IDs that they came with, and the conversation continues:
//
//	resp, err := model.Generate(ctx, req)
//	results := llm.Message{Role: llm.User}
//	for _, call := range resp.ToolCalls {
//		results.Parts = append(results.Parts, run(call)) // an llm.ToolResult
//	}
//	req.Messages = append(req.Messages, resp.Message(), results)
//
// [Response.Message] carries what a provider wants to have back beside the
// words: a [Reasoning] that is signed or encrypted, the signature of a call. To
// another provider that is nothing, so that a conversation may continue there.
//
// Prompt caches serve what is the same from the beginning on: the system
// prompt and the tools should not change from request to request, and
// [Request].Stable says how many of the messages won't.
//
// # Vendors' own tools
//
// [Request].Computer asks for the tool for browsers that a vendor defines
// itself. Its calls have a Toolset; what they mean is the vendor's. A call with
// Checks is done after a person has confirmed them, and its result then says so
// in Acknowledged.
//
// # JSON
//
// Messages, requests and responses are kept and sent as JSON by encoding/json.
// The form stays as it is. A part is an object whose member "type" says what
// it is, and the other members are its own:
//
//	{"type": "instruction", "text": …}
//	{"type": "text", "text": …}
//	{"type": "page", "kind": …, "text": …}
//	{"type": "image", "mediaType": …, "data": base64}
//	{"type": "reasoning", "text": …, "opaque": base64}
//	{"type": "call", "id": …, "name": …, "arguments": {…}, "opaque": base64}
//	{"type": "result", "id": …, "name": …, "parts": […], "failed": true}
//
// Those of a vendor's own tool have further members: "toolset" and "checks", and
// "toolset", "acknowledged" and "browser".
//
// Members that are not known are left out, and a part of an unknown type is an
// error.
//
// # Answers that must pass a check
//
// [Ask] holds an answer against a validator, and lets the model repair it
// once.
//
// # Around a model
//
// Package llm/middleware has what stands between a model and its callers:
// repeated requests, limits, a second model, a budget. Package llm/config reads
// which model is meant and how to reach it. Keys are a [Secret], which shows as
// *** however it is printed.
package llm
