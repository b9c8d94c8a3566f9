// Package openai adapts the models of OpenAI, and of every server that speaks
// the same protocol: Ollama, vLLM, llama.cpp, LM Studio and many hosts.
//
//	model, err := openai.New(openai.Options{Model: "gpt-5", APIKey: llm.NewSecret(key)})
//
//	local, err := openai.New(openai.Options{Model: "qwen3", BaseURL: "http://127.0.0.1:11434/v1"})
//
// It uses the vendor's own SDK, with the SDK's retries switched off:
// package llm/middleware repeats what may be repeated, for every vendor alike.
//
// # Two interfaces
//
// OpenAI itself is asked by the Responses interface, another server by Chat
// Completions; [Options].Format changes that.
//
// # Servers that know less
//
// A request with a schema is sent with that schema, narrowed to what strict
// structured outputs take, and the answer is restored to the original's
// shape. A server that refuses schemas is asked for a JSON object, and one that
// refuses that too gets the schema in words alone. What a
// server refused (also a temperature, or a name for the limit on tokens) is
// remembered for as long as the Model lives. The caller validates in any
// case; see [llm.Ask].
package openai
