package modelhttp

import (
	"encoding/json"

	"github.com/tidwall/gjson"
)

// keep writes what a provider wants back with the next request, as it is kept
// with a part of its answer. The provider's name tells it from what others
// keep there. Nothing is kept of nothing.
func keep(provider string, blocks []json.RawMessage) ([]byte, error) {
	if len(blocks) == 0 {
		return nil, nil
	}
	return json.Marshal(map[string][]json.RawMessage{provider: blocks})
}

// Kept reads what keep wrote. What another provider kept gives nothing.
func Kept(opaque []byte, provider string) []json.RawMessage {
	kept := OfProvider(opaque, provider)
	if !kept.IsArray() {
		return nil
	}
	var blocks []json.RawMessage
	for _, block := range kept.Array() {
		blocks = append(blocks, json.RawMessage(block.Raw))
	}
	return blocks
}

// OfProvider is the member of an opaque value that a provider's name stands
// for; none if another provider wrote it.
func OfProvider(opaque []byte, provider string) gjson.Result {
	if !gjson.ValidBytes(opaque) {
		return gjson.Result{}
	}
	return gjson.GetBytes(opaque, gjson.Escape(provider))
}
