package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// The kinds of page text in a conversation.
const (
	kindOutline = "outline" // the page as it is
	kindChanges = "changes" // what is different since the last look
	kindKnown   = "known"   // what earlier runs learned of the site
	kindHistory = "history" // what was done, in the words of pages
	kindError   = "error"   // what failed
	kindTools   = "tools"   // what the page offers to agents
)

// A view is what the model knows of the page.
type view struct {
	snapshot *engine.Snapshot // the last look's; nil before the first
	page     *engine.Page
	tokens   int // sent since the last whole outline, that included
	state    state
	stale    bool // the next look has to be whole
}

// show brings what the model knows up to a new reading. It sends changes as
// long as these, with the ones before, are shorter than the outline itself.
func (v *view) show(page *engine.Page, snap *engine.Snapshot, head string) llm.Part {
	outline := snap.Outline()
	whole := head + outline
	before := v.snapshot
	same := before != nil && v.page == page && !v.stale
	v.snapshot, v.page, v.stale = snap, page, false
	v.state = stateOf(page.URL(), outline)
	full := accessibility.Tokens(whole)
	if same {
		changes := accessibility.Diff(before, snap)
		if changes.Empty() {
			return llm.Text{Text: "The page is as it was."}
		}
		if !changes.NewDocument {
			text := head + changes.Outline(0)
			if cost := accessibility.Tokens(text); v.tokens+cost <= 2*full && cost < full {
				v.tokens += cost
				return llm.Page{Kind: kindChanges, Text: text}
			}
		}
	}
	v.tokens = full
	return llm.Page{Kind: kindOutline, Text: whole}
}

// head is what stands above an outline.
func head(page *engine.Page, addresses *addresses) string {
	text := "address: " + oneLine(addresses.shorten(page.URL())) + "\n"
	pages := page.Session().Pages()
	if len(pages) > 1 {
		for i, p := range pages {
			if p == page {
				text += fmt.Sprintf("tab: %d of %d\n", i+1, len(pages))
			}
		}
	}
	return text
}

// mostAnswer bounds a tool's answer, in tokens: one answer must not fill the
// model's window.
const mostAnswer = 20_000

// cutText shortens a text to about so many tokens, and says so.
func cutText(text string, tokens int) string {
	most := max(tokens, 100) * 4
	if len(text) <= most {
		return text
	}
	head := strings.ToValidUTF8(text[:most], "")
	return fmt.Sprintf("%s\n… %d more bytes were left out", head, len(text)-len(head))
}

// longestAddress is what a model is shown of an address, in bytes.
const longestAddress = 160

// addresses shortens long addresses, and knows them again.
type addresses struct {
	long  map[string]string   // by the short address
	fresh map[string]string   // of long, that no log has yet
	hide  func(string) string // takes values of variables out, before anything is cut
}

// shorten returns what stands for an address.
func (a *addresses) shorten(address string) string {
	shown := a.hide(address)
	if len(shown) <= longestAddress {
		return shown
	}
	for short, long := range a.long {
		if long == address {
			return short
		}
	}
	short := fmt.Sprintf("%s…%d", strings.ToValidUTF8(shown[:longestAddress-20], ""), len(a.long)+1)
	a.keep(short, address)
	return short
}

// keep has something short stand for an address.
func (a *addresses) keep(short, address string) {
	if a.long == nil {
		a.long = map[string]string{}
	}
	if a.fresh == nil {
		a.fresh = map[string]string{}
	}
	a.long[short], a.fresh[short] = address, address
}

// restore puts addresses in the place of what stands for them in a text.
func (a *addresses) restore(text string) string {
	for _, short := range a.shorts() {
		text = strings.ReplaceAll(text, short, a.long[short])
	}
	return text
}

// restoreJSON does so in the strings of a JSON text, with placeholders for
// values of variables: it is for tools of others, and for results.
func (a *addresses) restoreJSON(raw json.RawMessage) json.RawMessage {
	if len(a.long) == 0 {
		return raw
	}
	return jsonString.ReplaceAllFunc(raw, func(quoted []byte) []byte {
		var text string
		if json.Unmarshal(quoted, &text) != nil {
			return quoted
		}
		whole := a.restore(text)
		if whole == text {
			return quoted
		}
		out, err := json.Marshal(a.hide(whole))
		if err != nil {
			return quoted
		}
		return out
	})
}

var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// shorts are what stands for addresses, those first that others begin.
func (a *addresses) shorts() []string {
	return slices.SortedFunc(maps.Keys(a.long), func(x, y string) int { return cmp.Or(len(y)-len(x), strings.Compare(x, y)) })
}

// oneLine makes text of one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	const most = 300
	if len(first) > most {
		first = strings.ToValidUTF8(first[:most], "") + " …"
	}
	return first
}
