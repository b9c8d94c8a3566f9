package openai

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// What servers of Chat Completions add to a message for what the model thought.
// OpenAI's own add nothing. The names are DeepSeek's, which many took over, that
// of vLLM and Ollama, and that of OpenRouter, whose value is a list.
const (
	thoughtText    = "reasoning_content"
	thoughtShort   = "reasoning"
	thoughtDetails = "reasoning_details"
)

// A thought is what an answer of Chat Completions says of it, in one piece or
// in many.
type thought struct {
	texts   map[string]string // by name
	details []json.RawMessage
}

// add takes in the members of a message that the SDK does not know, and returns
// the text that they bring.
func (t *thought) add(extra map[string]respjson.Field) string {
	shown := ""
	for _, name := range []string{thoughtText, thoughtShort} {
		var text string
		if json.Unmarshal([]byte(extra[name].Raw()), &text) != nil || text == "" {
			continue
		}
		if t.texts == nil {
			t.texts = map[string]string{}
		}
		t.texts[name] += text
		shown = text // the two say the same
	}
	var details []json.RawMessage
	if json.Unmarshal([]byte(extra[thoughtDetails].Raw()), &details) == nil {
		t.details = append(t.details, details...)
	}
	return shown
}

// into adds the thought to an answer.
func (t *thought) into(resp *llm.Response, provider string) error {
	members := map[string]any{}
	for name, text := range t.texts {
		members[name] = strings.ToValidUTF8(text, "�")
	}
	if len(t.details) > 0 {
		members[thoughtDetails] = t.details
	}
	if len(members) == 0 {
		return nil
	}
	opaque, err := json.Marshal(map[string]any{provider: members})
	if err != nil {
		return err
	}
	shown := t.texts[thoughtShort]
	if text := t.texts[thoughtText]; text != "" {
		shown = text
	}
	resp.Reasoning = append(resp.Reasoning, llm.Reasoning{Text: strings.ToValidUTF8(shown, "�"), Opaque: opaque})
	return nil
}

// members reads what into kept: members of a message, to be sent back. What is
// another provider's, or was kept by Responses, gives none.
func members(opaque []byte, provider string) map[string]any {
	var kept map[string]json.RawMessage
	var raw map[string]json.RawMessage
	if json.Unmarshal(opaque, &kept) != nil || json.Unmarshal(kept[provider], &raw) != nil {
		return nil
	}
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		out[name] = raw[name]
	}
	return out
}

// signature is the member by which Gemini, where it is asked in OpenAI's
// format, signs a call. It wants it back.
const signature = "extra_content"

// keepCall keeps what came with a call.
func keepCall(extra map[string]respjson.Field) []byte {
	raw := extra[signature].Raw()
	if raw == "" || raw == "null" {
		return nil
	}
	return []byte(`{"` + signature + `":` + raw + `}`)
}

// callMembers reads what keepCall kept.
func callMembers(opaque []byte) map[string]any {
	var kept map[string]json.RawMessage
	if json.Unmarshal(opaque, &kept) != nil || kept[signature] == nil {
		return nil // another provider's
	}
	return map[string]any{signature: kept[signature]}
}
