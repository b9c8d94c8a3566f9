package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// splitWords splits at spaces outside double quotes; \" stands for a quote.
func splitWords(t *testing.T, line string) []string {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] != '"' {
			word, rest, _ := strings.Cut(line, " ")
			words, line = append(words, word), rest
			continue
		}
		d := json.NewDecoder(strings.NewReader(line))
		var word string
		if err := d.Decode(&word); err != nil {
			t.Fatalf("words %q: %v", line, err)
		}
		words, line = append(words, word), line[d.InputOffset():]
	}
	return words
}

// A chooser is a model that makes the choices of a step, one a request:
//
//	ROLE NAME METHOD [ARGUMENT...]   the first element of the role and name;
//	                                 ROLE:2 is the second
//	more ROLE NAME METHOD …          the same, and another action has to follow
//	none REASON                      no element
//	raw JSON                         the answer itself
//
// An argument "@ROLE NAME" is the ref of that element.
//
// It fails where a request says a word of the page outside of a fence.
type chooser struct {
	choices []string
	asked   []*llm.Request
}

func (*chooser) Name() string { return "test/chooser" }

func (c *chooser) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	c.asked = append(c.asked, req)
	if err := checkFenced(req); err != nil {
		return nil, &llm.Error{Provider: "test", Kind: llm.KindInvalid, Message: err.Error()}
	}
	if len(c.choices) == 0 {
		return nil, &llm.Error{Provider: "test", Kind: llm.KindUnavailable, Message: "no choice is left"}
	}
	choice := c.choices[0]
	c.choices = c.choices[1:]
	if raw, ok := strings.CutPrefix(choice, "raw "); ok {
		return &llm.Response{Text: raw, Stop: llm.StopEnd}, nil
	}
	words := splitWords(nil, choice)
	answer := map[string]any{"found": true, "ref": "", "method": "", "arguments": []string{}, "description": "", "reason": "", "more": false}
	if words[0] == "none" {
		answer["found"], answer["reason"] = false, words[1]
		return textResponse(answer)
	}
	if words[0] == "more" {
		answer["more"] = true
		words = words[1:]
	}
	ref, err := refOf(req, words[0], words[1])
	if err != nil {
		return nil, err
	}
	answer["ref"], answer["method"] = ref, words[2]
	args := words[3:]
	for i, arg := range args {
		if role, name, ok := strings.Cut(arg, " "); ok && role[0] == '@' {
			if ref, err = refOf(req, role[1:], name); err != nil {
				return nil, err
			}
			args[i] = string(ref)
		}
	}
	answer["arguments"] = append([]string{}, args...)
	return textResponse(answer)
}

// atoi reads a number, 0 where there is none.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func textResponse(v any) (*llm.Response, error) {
	text, err := json.Marshal(v)
	return &llm.Response{Text: string(text), Stop: llm.StopEnd}, err
}

// refOf reads the outline that the request shows, as a model would.
func refOf(req *llm.Request, role, name string) (accessibility.Ref, error) {
	for _, part := range req.Messages[0].Parts {
		page, ok := part.(llm.Page)
		if !ok || page.Kind != "outline" {
			continue
		}
		return refIn(page.Text, role, name)
	}
	return "", errors.New("the request shows no outline")
}

// refIn returns the ref of an element that an outline shows; see refOf.
func refIn(text, role, name string) (accessibility.Ref, error) {
	outline, err := accessibility.ParseOutline(text)
	if err != nil {
		return "", err
	}
	kind, place, _ := strings.Cut(role, ":")
	nth := max(1, atoi(place))
	for i := range outline.Items {
		if it := &outline.Items[i]; string(it.Role) == kind && it.Name == name {
			if nth--; nth == 0 {
				return it.Ref, nil
			}
		}
	}
	return "", fmt.Errorf("no %s %q in\n%s", role, name, text)
}
