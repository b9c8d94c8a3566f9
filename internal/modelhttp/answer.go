package modelhttp

import (
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// An Answer is what a model thought, said and called, in the order in which it came: in
// one piece or bit by bit.
type Answer struct {
	llm.Response
	Provider string // for which thoughts are kept

	thoughts []json.RawMessage // that lead to a call which is still to come
}

// Think adds a thought with the block that the provider wants back; nil is none. One
// that comes after words or calls is kept with the call that follows, so that it can
// go back in its place.
func (a *Answer) Think(text string, block json.RawMessage) error {
	thought := llm.Reasoning{Text: text}
	switch {
	case block == nil:
	case a.Text != "" || len(a.ToolCalls) > 0:
		a.thoughts = append(a.thoughts, block)
	default:
		var err error
		if thought.Opaque, err = keep(a.Provider, []json.RawMessage{block}); err != nil {
			return err
		}
	}
	if thought.Text != "" || thought.Opaque != nil {
		a.Reasoning = append(a.Reasoning, thought)
	}
	return nil
}

// Call adds a call, with the thoughts that led to it and, where the provider wants the
// call itself back as it came, with its block.
func (a *Answer) Call(call llm.ToolCall, block ...json.RawMessage) (err error) {
	if call.Opaque, err = keep(a.Provider, append(a.thoughts, block...)); err != nil {
		return err
	}
	a.thoughts = nil
	a.ToolCalls = append(a.ToolCalls, call)
	return nil
}

// CheckArguments refuses a call whose arguments are no JSON object.
func CheckArguments(call llm.ToolCall) error {
	if isObject(call.Arguments) {
		return nil
	}
	return Malformed("the arguments for " + call.Name + " are no JSON object: " + Excerpt(call.Arguments, "text"))
}

// Address reads the address of a server that a provider's models are asked at.
func Address(provider, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s: %q is no address of a server", provider, text)
	}
	return u, nil
}

// Scrub takes the values of headers and other secrets out of a text.
func Scrub(text string, headers map[string]string, secrets ...llm.Secret) string {
	for _, secret := range secrets {
		text = secret.Scrub(text)
	}
	for _, value := range headers {
		text = llm.NewSecret(value).Scrub(text)
	}
	return text
}
