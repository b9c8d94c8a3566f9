package openai

import (
	"encoding/json"
	"strings"

	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/tidwall/gjson"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
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
		text := gjson.Parse(extra[name].Raw()).Str
		if text == "" {
			continue
		}
		if t.texts == nil {
			t.texts = map[string]string{}
		}
		t.texts[name] += text
		shown = text // the two say the same
	}
	if details := gjson.Parse(extra[thoughtDetails].Raw()); details.IsArray() {
		for _, detail := range details.Array() {
			t.details = append(t.details, json.RawMessage(detail.Raw))
		}
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
	kept := modelhttp.OfProvider(opaque, provider)
	if !kept.IsObject() {
		return nil
	}
	out := map[string]any{}
	for name, member := range kept.Map() {
		out[name] = json.RawMessage(member.Raw)
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
	kept := modelhttp.OfProvider(opaque, signature)
	if !kept.Exists() {
		return nil // another provider's
	}
	return map[string]any{signature: json.RawMessage(kept.Raw)}
}
