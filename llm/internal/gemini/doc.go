// Package gemini speaks with Google's Gemini models, by the vendor's own SDK.
// Package llm/google reaches them with a key, package llm/vertex by a service
// account; what differs between the two is in [Options].
package gemini
