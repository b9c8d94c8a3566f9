package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A question is what the engine wants to know from a model.
type question struct {
	purpose llm.Purpose
	model   LLM // nil: the session's
	prompt  string
	parts   []llm.Part
	schema  *llm.ResponseSchema
	form    func() (*Schema, error) // the parsed schema; nil: it is parsed now

	// check validates an answer that satisfies the schema. The model sees its
	// error's text once, to repair the answer.
	check func(answer []byte) error
}

// formOf parses a schema once, on first use.
func formOf(s *llm.ResponseSchema) func() (*Schema, error) {
	return sync.OnceValues(func() (*Schema, error) { return schema.Parse(s.Schema) })
}

// ask puts a question and returns a validated answer. The model has one chance
// to repair an invalid one.
func (s *Session) ask(ctx context.Context, q question) ([]byte, Usage, error) {
	model := cmp.Or(q.model, s.opts.Model)
	if model == nil {
		return nil, Usage{}, fmt.Errorf("%w: set Options.Model, for example to offline.New() which needs no network", ErrNoModel)
	}
	read := q.form
	if read == nil {
		read = formOf(q.schema)
	}
	form, err := read()
	if err != nil {
		return nil, Usage{}, err
	}
	system := q.prompt
	if extra := strings.TrimSpace(s.opts.SystemPrompt); extra != "" {
		system += "\n" + extra + "\n"
	}
	req := &llm.Request{
		Purpose:  q.purpose,
		System:   system,
		Messages: []llm.Message{{Role: llm.User, Parts: q.parts}},
		Schema:   q.schema,
	}
	begin := time.Now()
	resp, err := llm.Ask(ctx, model, req, func(answer []byte) error {
		err := form.Validate(answer)
		if err == nil && q.check != nil {
			err = q.check(answer)
		}
		if err != nil { // the model sees it
			err = s.secrets.hideError(err)
		}
		return err
	})
	var usage Usage
	var text []byte
	if resp != nil {
		usage, text = resp.Usage, []byte(resp.Text)
	}
	s.asked(ctx, Ask{Purpose: string(q.purpose), Model: model.Name(), Begin: begin, Usage: usage, Err: err})
	if err != nil {
		return nil, usage, fmt.Errorf("ask %s: %w", model.Name(), err)
	}
	return text, usage, nil
}

// asked reports a question that has just ended.
func (s *Session) asked(ctx context.Context, a Ask) {
	a.Duration = time.Since(a.Begin)
	if a.Err != nil {
		a.Err = s.secrets.hideError(a.Err)
	}
	s.journal.asked(ctx, a)
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

// OutlineOf writes the outline of a snapshot without values of variables, even
// those that became known after it was taken. A Ref that is not in the snapshot
// is [ErrNotFound].
func (s *Session) OutlineOf(snap *Snapshot, e Excerpt) (string, error) {
	part, err := s.part(snap, e)
	if err != nil {
		return "", fmt.Errorf("outline: %w", err)
	}
	return part.Outline(), nil
}

// TextOf writes the text of a snapshot, a line for each block, without values
// of variables. If MaxTokens omits lines, the last line says how many, and
// where to continue.
func (s *Session) TextOf(snap *Snapshot, e Excerpt) (string, error) {
	part, err := s.part(snap, e)
	if err != nil {
		return "", fmt.Errorf("text: %w", err)
	}
	text := s.secrets.hide(part.Text())
	if e.MaxTokens <= 0 && e.From <= 0 {
		return text, nil
	}
	return fitLines(strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n"), e), nil
}

// LineOf writes a node of a snapshot as its line in the outline, without values
// of variables.
func (s *Session) LineOf(snap *Snapshot, n *accessibility.Node) string {
	return snap.With(*s.secrets.mask(&accessibility.Options{})).Line(n)
}

// Hide replaces the values of variables, in whatever encoding, by their
// placeholders, for a text that goes to a model or a record.
func (s *Session) Hide(text string) string { return s.secrets.hide(text) }

// Remember has the session hide the values of variables from now on, as it does
// those of a call's options.
func (s *Session) Remember(vars map[string]Variable) error {
	if err := checkVariables(vars); err != nil {
		return s.secrets.hideError(err)
	}
	s.secrets.add(vars)
	return nil
}

// part returns the part of a snapshot that an excerpt selects.
func (s *Session) part(snap *Snapshot, e Excerpt) (*Snapshot, error) {
	opts := *s.secrets.mask(&accessibility.Options{MaxTokens: e.MaxTokens, URLs: e.URLs})
	if e.Ref == "" {
		return snap.With(opts), nil
	}
	node, ok := snap.Lookup(e.Ref)
	if !ok {
		return nil, fmt.Errorf("%w: no line of the page has the ref %q", ErrNotFound, e.Ref)
	}
	opts.Scope = []driver.NodeRef{node.Source}
	return accessibility.Build(snap.Capture, &opts), nil
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

// Generate puts a request of the caller's own to the session's model, or that
// of opts, the way the engine puts its questions: history, metrics and hooks
// record it, the budgets of ctx count it if the model is behind a
// middleware.Meter, and values of variables are hidden in all of its texts,
// tool calls and results. Images are sent unchanged. The request itself is not
// modified; see [llm.Response.Message].
//
// If the model read a value from an image, the answer holds its placeholder.
// opts may be nil.
func (s *Session) Generate(ctx context.Context, req *llm.Request, opts *GenerateOptions) (*llm.Response, error) {
	if opts == nil {
		opts = &GenerateOptions{}
	}
	model := cmp.Or(opts.Model, s.opts.Model)
	if model == nil {
		return nil, fmt.Errorf("generate: %w: set Options.Model", ErrNoModel)
	}
	if s.isClosed() {
		return nil, fmt.Errorf("generate: session %w", ErrClosed)
	}
	if err := checkVariables(opts.Variables); err != nil {
		return nil, s.rejected("generate", err)
	}
	s.secrets.add(opts.Variables)
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.Timeout)
		defer cancel()
	}
	ctx, entry := s.enter(ctx, OperationGenerate, cmp.Or(opts.Page, s.Page()))
	begin := time.Now()
	asked := s.secrets.hideRequest(req)
	asked.Purpose = cmp.Or(req.Purpose, llm.PurposeAgent)
	resp, err := s.generate(ctx, model, asked, opts.Delta)
	var usage Usage
	if resp != nil {
		usage = resp.Usage
	}
	s.asked(ctx, Ask{Purpose: string(asked.Purpose), Model: model.Name(), Begin: begin, Usage: usage, Err: err})
	if err != nil {
		err = s.secrets.hideError(fmt.Errorf("generate: ask %s: %w", model.Name(), err))
	}
	s.journal.ended(ctx, entry, err, func(e *Entry) { e.Usage, e.Model = usage, model.Name() })
	if err != nil {
		return nil, err
	}
	return s.secrets.hideResponse(resp), nil
}

// generate asks in one piece, or streams if somebody listens and the model can.
func (s *Session) generate(ctx context.Context, model LLM, req *llm.Request, emit func(llm.Delta)) (*llm.Response, error) {
	streamer, ok := model.(llm.Streamer)
	if !ok || emit == nil {
		return model.Generate(ctx, req)
	}
	var resp *llm.Response
	bits := deltaHider{secrets: &s.secrets, emit: emit}
	for delta, err := range streamer.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		if delta.Response != nil {
			resp = delta.Response
			continue
		}
		bits.add(delta)
	}
	if resp == nil {
		return nil, errors.New("the stream ended without an answer")
	}
	bits.flush()
	return resp, nil
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
