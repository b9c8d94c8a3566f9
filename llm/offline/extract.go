package offline

import (
	"regexp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// concluding are words that ask for more than reading. To pass over them would
// give data that is not what was asked for.
var concluding = regexp.MustCompile(`(?i)\b(?:cheapest|cheaper|dearest|most expensive|less than|more than|greater than|fewer than|larger than|smaller than|at least|at most|average|except|only those|sort(?:ed)?|order(?:ed)? by|newest|oldest|highest|lowest|biggest|smallest|best|worst|summari[sz]e|translate|compare)\b`)

// extract fills the schema from the page, or refuses: what it gives is whole.
func (q *question) extract(raw []byte) (any, error) {
	out, err := q.read(raw)
	switch {
	case err != nil && q.page.why != "":
		return nil, failed(llm.KindRefusal, "%s: %s", honest, q.page.why)
	case err != nil:
		return nil, err
	case q.page.why != "":
		return nil, failed(llm.KindRefusal, "%s, and what it found is not the whole: %s", honest, q.page.why)
	case shortened(out, q.page.cutTexts()):
		return nil, failed(llm.KindRefusal, "%s, and a text on the page says more than the outline shows; look at a part of the page, or raise the limit", honest)
	}
	return out, nil
}

// read fills the schema with what the page says.
func (q *question) read(raw []byte) (any, error) {
	in := parseInstruction(q.instruction)
	whole := in.say(in.text)
	if m := concluding.FindString(whole); m != "" {
		return nil, failed(llm.KindUnsupported, "%s and cannot do what %q asks for; ask for the data as it stands, and conclude yourself, or use a real model", honest, m)
	}
	f, err := parseForm(raw)
	if err != nil {
		return nil, err
	}
	if f.kind != "object" {
		return nil, failed(llm.KindInvalid, "the schema's root is no object")
	}
	wanted := in.say(getting.ReplaceAllString(in.text, ""))
	s := q.page.scope(0, len(q.page.items), wanted)
	if text, ok := f.members["extraction"]; ok && len(f.members) == 1 && text.kind == "string" {
		answer, ok := s.answer(wanted)
		if !ok {
			return nil, failed(llm.KindRefusal, "%s, and found nothing on the page under the words %q", honest, wanted)
		}
		return map[string]any{"extraction": answer}, nil
	}
	if value, ok := f.members["value"]; ok && len(f.members) == 1 { // a root that was wrapped
		v, ok := s.wrapped(wanted, value)
		if !ok {
			return nil, failed(llm.KindRefusal, "%s, and found nothing on the page that fits the schema", honest)
		}
		return map[string]any{"value": v}, nil
	}
	out, found := s.members(f)
	for _, name := range f.names() {
		if f.members[name].kind == "array" && out[name] == nil && s.shows(name) {
			return nil, failed(llm.KindRefusal, "%s: a list for %s is on the page, and could not be read in the form of the schema", honest, name)
		}
	}
	if found == 0 && len(f.members) > 0 {
		return nil, failed(llm.KindRefusal, "%s, and found none of %s on the page", honest, strings.Join(f.names(), ", "))
	}
	return out, nil
}

var getting = regexp.MustCompile(`(?i)^(?:extract|get|read|find|give me|tell me|show me|return|list|what (?:is|are|does)|how (?:much|many)(?: is| are)?|which|collect)\b *(?:me |all |every |each )*(?:of )?(?:the )?`)

// wrapped fills a value that the instruction alone names.
func (s *scope) wrapped(wanted string, f *form) (any, bool) {
	if v, ok := s.fill(wanted, f); ok {
		return v, true
	}
	if f.kind == "array" || f.kind == "object" || f.link {
		return nil, false
	}
	text, ok := s.answer(wanted)
	if !ok {
		return nil, false
	}
	return s.page.value(f, fact{value: text})
}

var of = regexp.MustCompile(`(?i) (?:of|for|in|on|from) (?:the )?`)

// answer is the text that an instruction asks for.
func (s *scope) answer(wanted string) (string, bool) {
	f := &form{kind: "string"}
	if is := s.best(wanted, f); is != nil && is.value != "" {
		return is.value, true
	}
	// "price of Ridge backpack": the first half within what the second names.
	phrase := wanted
	for _, m := range of.FindAllStringIndex(phrase, mostContainers) {
		inner, outer := phrase[:m[0]], phrase[m[1]:]
		for _, a := range s.page.anchors(outer).items {
			for i := a; i >= 0 && s.page.items[i].Depth > 0; i = s.page.items[i].Parent {
				within := s.page.scope(i, s.page.end[i], inner)
				within.record = i != a
				if v, ok := within.scalar(lastWord(inner), f); ok && v != "" {
					return v.(string), true
				}
			}
		}
		if onlyOf(distinctive(words(outer)), everything) || set("page", "document", "site")[lastWord(outer)] {
			wanted = inner
		}
	}
	switch strings.Join(distinctive(words(wanted)), " ") {
	case "heading", "headline", "main heading", "page heading":
		for i := s.from; i < s.to; i++ {
			if it := &s.page.items[i]; headings[it.Role] && it.Name != "" {
				return it.Name, true
			}
		}
	case "title", "page title":
		if s.from < s.to && s.page.items[s.from].Name != "" {
			return s.page.items[s.from].Name, true
		}
	}
	if i := s.section(wanted); i >= 0 {
		if t := strings.TrimSpace(s.page.allText(i)); t != "" {
			return t, true
		}
	}
	return s.holding(wanted)
}

// holding is the text that holds all words that were asked for, if it is the only one.
func (s *scope) holding(wanted string) (string, bool) {
	found := s.page.named(wanted, s.from, s.to, usableText)
	if found.fit >= allWords && found.one() {
		return text(&s.page.items[found.items[0]]), true
	}
	return "", false
}
