package offline

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// concluding are words that ask for more than reading. To pass over them would
// give a text that is not what was asked for.
var concluding = regexp.MustCompile(`(?i)\b(?:cheapest|cheaper|dearest|most expensive|less than|more than|greater than|fewer than|larger than|smaller than|at least|at most|average|except|only those|sort(?:ed)?|order(?:ed)? by|newest|oldest|highest|lowest|biggest|smallest|best|worst|summari[sz]e|translate|compare)\b`)

var getting = regexp.MustCompile(`(?i)^(?:extract|get|read|find|give me|tell me|show me|return|list|what (?:is|are|does)|how (?:much|many)(?: is| are)?|which|collect)\b *(?:me |all |every |each )*(?:of )?(?:the )?`)

// ofPage is what a question about the page itself ends with.
var ofPage = regexp.MustCompile(`(?i) (?:of|on) (?:the |this )?(?:page|document|site)$`)

// extract quotes the one text of the page that an instruction names. Data in the
// form of a schema is never asked of a matcher: the engine reads what the page's
// markup structures, and leaves the rest open.
func (q *question) extract(form []byte) (any, error) {
	var asked struct {
		Properties map[string]struct{ Type string }
	}
	if err := json.Unmarshal(form, &asked); err != nil {
		return nil, failed(llm.KindInvalid, "the schema is no JSON object: %v", err)
	}
	if len(asked.Properties) != 1 || asked.Properties["extraction"].Type != "string" {
		return nil, failed(llm.KindUnsupported, "%s and does not fill schemas: Extract with a schema reads what the page's own markup structures without a model; for the rest use a real model", honest)
	}
	in := parseInstruction(q.instruction)
	if m := concluding.FindString(in.say(in.text)); m != "" {
		return nil, failed(llm.KindUnsupported, "%s and cannot do what %q asks for; ask for the data as it stands, and conclude yourself, or use a real model", honest, m)
	}
	wanted := in.say(getting.ReplaceAllString(in.text, ""))
	at, said, ok := q.page.quote(wanted)
	if !ok {
		return nil, failed(llm.KindRefusal, "%s, and found no one text on the page under the words %q", honest, wanted)
	}
	if why := q.page.cutOff(at, said); why != "" {
		return nil, failed(llm.KindRefusal, "%s, and %s; look at a part of the page, or raise the limit", honest, why)
	}
	return map[string]any{"extraction": said}, nil
}

// quote finds the one text that is called as wanted: the definition of a term, the
// value of a control, the heading, the title, what a part of the page says; or
// else the one text that holds all words. at is the item around it.
func (p *page) quote(wanted string) (at int, said string, ok bool) {
	found := 0
	take := func(i int, text string) {
		if text = strings.TrimSpace(text); text != "" && (found == 0 || text != said) {
			at, said = i, text
			found++
		}
	}
	for i := range p.items {
		it := &p.items[i]
		switch {
		case it.Omitted != nil || p.nameFit(wanted, text(it)) < nearly:
		case it.Role == "term" && i+1 < len(p.items) && p.items[i+1].Role == "definition":
			take(i+1, p.allText(i+1))
		case it.Value != "" && field(it):
			take(i, it.Value)
		}
	}
	if found > 0 {
		return at, said, found == 1
	}
	switch strings.Join(distinctive(words(ofPage.ReplaceAllString(wanted, ""))), " ") {
	case "heading", "headline", "main heading", "page heading":
		for i := range p.items {
			if it := &p.items[i]; headings[it.Role] && it.Name != "" {
				return i, it.Name, true
			}
		}
	case "title", "page title":
		if len(p.items) > 0 && p.items[0].Name != "" {
			return 0, p.items[0].Name, true
		}
	}
	named := p.named(wanted, 0, len(p.items), usableText)
	if i := p.part(named); i >= 0 && named.fit >= nearly && len(named.items) == 1 {
		return i, p.allText(i), true
	}
	if named.fit >= allWords && named.one() {
		i := named.items[0]
		return i, text(&p.items[i]), true
	}
	return 0, "", false
}

// cutOff says that the outline shows less than the page at an item, where it does.
func (p *page) cutOff(at int, said string) string {
	for j := at; j < p.end[at]; j++ {
		it := &p.items[j]
		if o := it.Omitted; o != nil {
			return "the outline leaves out " + strconv.Itoa(o.Count) + " more " + o.Noun
		}
		cut := it.Cut.Name > 0 && strings.Contains(said, it.Name) || it.Cut.Value > 0 && strings.Contains(said, it.Value)
		for _, c := range it.Cells {
			cut = cut || c.Cut > 0 && strings.Contains(said, c.Text)
		}
		if cut {
			return "a text on the page says more than the outline shows"
		}
	}
	return ""
}
