package engine

import (
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A deltaHider passes the pieces of an answer on without values, also those
// that come in several pieces: as much text as a value may take is held back.
type deltaHider struct {
	secrets *secrets
	tell    func(llm.Delta)

	held string
	last llm.Delta // says which text the held one is of
}

// add takes a piece in. Text, thoughts and each call's arguments are texts of
// their own: another one ends what was held.
func (h *deltaHider) add(d llm.Delta) {
	if h.secrets.matcher.Load() == nil {
		h.flush()
		h.tell(d)
		return
	}
	if !ofOneText(d, h.last) {
		h.flush()
	}
	text := textOf(d)
	if d.Call != nil && (d.Call.Name != "" || d.Call.ID != "") { // the head of a call goes out at once
		head := *d.Call
		head.Arguments = ""
		h.tell(llm.Delta{Call: &head})
	}
	h.last = d
	h.pass(h.take(text))
}

// flush passes on what is left.
func (h *deltaHider) flush() {
	text := h.held
	h.held = ""
	h.pass(h.secrets.hide(text))
}

func (h *deltaHider) pass(text string) {
	switch {
	case text == "":
	case h.last.Call != nil:
		h.tell(llm.Delta{Call: &llm.CallDelta{Index: h.last.Call.Index, Arguments: text}})
	case h.last.Reasoning != "":
		h.tell(llm.Delta{Reasoning: text})
	default:
		h.tell(llm.Delta{Text: text})
	}
}

func textOf(d llm.Delta) string {
	switch {
	case d.Call != nil:
		return d.Call.Arguments
	case d.Reasoning != "":
		return d.Reasoning
	}
	return d.Text
}

func ofOneText(a, b llm.Delta) bool {
	if a.Call != nil && b.Call != nil {
		return a.Call.Index == b.Call.Index
	}
	return a.Call == nil && b.Call == nil && (a.Reasoning != "") == (b.Reasoning != "")
}

// take adds text, and returns as much of the whole as may be passed on, without
// values.
func (h *deltaHider) take(text string) string {
	h.held += text
	values := h.secrets.matcher.Load()
	cut := len(h.held) - values.Reach()
	if cut <= 0 {
		return ""
	}
	for _, f := range values.Find(h.held, false) {
		if f.Start < cut && cut < f.End {
			cut = f.Start
		}
	}
	for cut > 0 && !utf8.RuneStart(h.held[cut]) {
		cut--
	}
	out := h.secrets.hide(h.held[:cut])
	h.held = h.held[cut:]
	return out
}
