package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A question is what the engine wants to know from a model.
type question struct {
	purpose llm.Purpose
	model   LLM // nil: the session's
	prompt  string
	parts   []llm.Part
	schema  *answerSchema

	// check validates an answer that satisfies the schema. The model sees its
	// error's text once, to repair the answer.
	check func(answer []byte) error
}

// An answerSchema is what a model's answer has to satisfy. It is parsed once, on first
// use.
type answerSchema struct {
	llm.ResponseSchema
	parse func() (*Schema, error)
}

func newAnswerSchema(name string, text json.RawMessage) *answerSchema {
	return &answerSchema{
		ResponseSchema: llm.ResponseSchema{Name: name, Schema: text},
		parse:          sync.OnceValues(func() (*Schema, error) { return schema.Parse(text) }),
	}
}

// outlinePart is a snapshot as a model gets it. The look has masked its
// outline.
func (s *Session) outlinePart(snap *Snapshot) llm.Page {
	return llm.Page{Kind: "outline", Text: snap.Outline()}
}

func checkInstruction(instruction string) error {
	if strings.TrimSpace(instruction) == "" {
		return fmt.Errorf("%w: the instruction is empty; say what to do, as \"click Sign in\"", ErrInvalid)
	}
	if len(instruction) > maxInstructionLetters {
		return fmt.Errorf("%w: the instruction has %d bytes, at most %d are taken", ErrInvalid, len(instruction), maxInstructionLetters)
	}
	return nil
}

// An Excerpt selects the part of a [Snapshot] to write for a model, and how
// much of it. The zero value selects all.
type Excerpt struct {
	Ref       accessibility.Ref // this node and its descendants; empty is the whole snapshot
	MaxTokens int               // 0 is no limit
	URLs      bool              // show where links go; outlines only

	// From is the first line of a text to write, counted from 0, to continue
	// reading.
	From int
}

// fitLines returns as many lines as fit.
func fitLines(lines []string, e Excerpt) string {
	from := min(max(e.From, 0), len(lines))
	lines = lines[from:]
	if e.MaxTokens <= 0 {
		return strings.Join(lines, "")
	}
	const rest = 16 // for the note about omitted lines
	var b strings.Builder
	used := 0
	for i, line := range lines {
		size := accessibility.Tokens(line)
		room := e.MaxTokens - used
		if i < len(lines)-1 {
			room -= rest
		}
		if size <= room {
			b.WriteString(line)
			used += size
			continue
		}
		if i == 0 { // a single line may exceed the budget
			b.WriteString(clip(line, room-rest) + " …\n")
			i++
		}
		if left := len(lines) - i; left > 0 {
			fmt.Fprintf(&b, "… %d more lines, from line %d on\n", left, from+i)
		}
		break
	}
	return b.String()
}

// clip shortens a line to a number of tokens.
func clip(line string, tokens int) string {
	runes := []rune(strings.TrimSpace(line))
	short, long := 0, len(runes)
	for short < long {
		if middle := (short + long + 1) / 2; accessibility.Tokens(string(runes[:middle])) <= tokens {
			short = middle
		} else {
			long = middle - 1
		}
	}
	return string(runes[:short])
}

func decode[T any](answer []byte) (T, error) {
	var v T
	err := json.Unmarshal(answer, &v)
	return v, err
}

// GenerateOptions refine Generate.
type GenerateOptions struct {
	Model     LLM                 // in place of the session's
	Variables map[string]Variable // remembered, as those of Act are
	Timeout   time.Duration       // 0 is no limit

	// Page is the page that the question is about, for the history; nil is the
	// active one.
	Page *Page

	// Delta, if not nil, gets the pieces of the answer as they arrive, without
	// the last one's Response, if the model is an [llm.Streamer]. It is called
	// on the goroutine of Generate, which waits for it. If an error follows,
	// discard what it got.
	Delta func(llm.Delta)
}

// A deltaHider passes on the pieces of an answer without values, even values
// that are split between pieces: it holds back as much text as a value may
// take.
type deltaHider struct {
	secrets *secrets
	emit    func(llm.Delta)

	pending string
	last    llm.Delta // identifies the text that pending belongs to
}

// add handles a piece. The answer, thoughts and each call's arguments are
// separate texts; a piece of another text flushes.
func (h *deltaHider) add(d llm.Delta) {
	if h.secrets.matcher.Load() == nil {
		h.flush()
		h.emit(d)
		return
	}
	if !ofOneText(d, h.last) {
		h.flush()
	}
	text := textOf(d)
	if d.Call != nil && (d.Call.Name != "" || d.Call.ID != "") { // the head of a call is passed on at once
		head := *d.Call
		head.Arguments = ""
		h.emit(llm.Delta{Call: &head})
	}
	h.last = d
	h.pass(h.take(text))
}

// flush passes on what is pending.
func (h *deltaHider) flush() {
	text := h.pending
	h.pending = ""
	h.pass(h.secrets.hide(text))
}

func (h *deltaHider) pass(text string) {
	switch {
	case text == "":
	case h.last.Call != nil:
		h.emit(llm.Delta{Call: &llm.CallDelta{Index: h.last.Call.Index, Arguments: text}})
	case h.last.Reasoning != "":
		h.emit(llm.Delta{Reasoning: text})
	default:
		h.emit(llm.Delta{Text: text})
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

// take appends text, and returns as much as can be passed on, without values.
func (h *deltaHider) take(text string) string {
	h.pending += text
	values := h.secrets.matcher.Load()
	cut := len(h.pending) - values.Reach()
	if cut <= 0 {
		return ""
	}
	for _, f := range values.Find(h.pending, false) {
		if f.Start < cut && cut < f.End {
			cut = f.Start
		}
	}
	for cut > 0 && !utf8.RuneStart(h.pending[cut]) {
		cut--
	}
	out := h.secrets.hide(h.pending[:cut])
	h.pending = h.pending[cut:]
	return out
}

// The stable part of each prompt comes first and never changes, so that a
// provider's prompt cache can serve it.

const promptOutline = `You operate a web page for a person. The page is given as an outline of its accessibility tree: a line for each element, indented below its container, as
[ref] role: name (states) value="…"
Name an element by its ref, exactly as written. Never make up a ref. The cells of a row stand between bars on its line; the second one of [0-21] row is named 0-21:2. There ↓ is a cell whose content stands on lines below, ← and ↑ are columns that the cell to the left or above reaches into. In options, the label of a group stands before its options in parentheses. A document that is (covered) lies behind a modal dialog.
`
