// Package anthropic adapts the Claude models of Anthropic.
//
//	model, err := anthropic.New(anthropic.Options{Model: "claude-sonnet-4-5", APIKey: llm.NewSecret(key)})
//
// It uses the vendor's own SDK, with the SDK's retries and its look at the
// environment switched off.
//
// A request with a schema is held to it by the vendor's structured outputs. A
// model or a schema for which there are none gets the schema in words. The
// system prompt, with the tools before it, is marked for the prompt cache, and
// so is what of a conversation is stable; see [llm.Request].
package anthropic
