package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/internal/direct"
	"github.com/wayfinder-engine/wayfinder/internal/grounding"
	"github.com/wayfinder-engine/wayfinder/internal/parts"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// ExtractOptions refine Extract.
type ExtractOptions struct {
	Model   LLM
	Timeout time.Duration // in place of the session's

	// Schema is the form of the data; nil asks for a text.
	Schema *Schema

	Selector        string   // limits the search to what it matches
	IgnoreSelectors []string // leaves out what they match
	Frames          bool     // include the content of frames
	Screenshot      bool     // give the model a picture of the viewport too

	// Direct reads without a model what the page's own markup structures: headers
	// of tables, terms of definitions, labels of controls, headings and captions,
	// itemprop; JSON-LD names what a person sees. Members are found by the words of
	// their names, titles and descriptions; there are no synonyms. It needs a
	// Schema. What it can't fill is in Extraction.Unfilled; it never guesses.
	Direct bool

	// Strict makes a value that the page contradicts an error, [ErrUngrounded],
	// after the model had one chance to give another. The repair also names the
	// records that a list leaves out; a model that leaves them out again may have
	// been asked to, and they are in Extraction.Omitted. Without Strict,
	// Extraction.Ungrounded lists what is contradicted, and only data without a
	// value ({"name":"","price":0}) is that error, unless the page says that there
	// is none. What a model reads from a picture alone is contradicted.
	Strict bool

	// StrictAll also makes what is [Unproven] an error, and records that a list
	// leaves out.
	StrictAll bool

	// PartTokens bounds the outline in one question, in tokens. A page whose
	// outline is longer is read part by part. 0 asks about a page of up to
	// Options.MaxTokens at once, and about a longer one in parts of at most
	// 25,000 tokens: an answer that lists what it read is about as long as that,
	// and models write less than they read. A part whose answer is cut off at the
	// model's limit is read in halves.
	PartTokens int

	// MaxCalls and MaxTokens bound the questions of the whole extraction and the
	// tokens they take, in and out together; 0 is no bound. They are checked
	// before each question, its size estimated. A repair belongs to its question.
	MaxCalls, MaxTokens int

	// Partial allows data that does not cover the page: what a bound left unread
	// is in Extraction.Omitted. Without it, that is [ErrIncomplete]. Nothing read
	// at all is an error in any case.
	Partial bool

	// SettleTimeout bounds the wait for a quiet page; 0 is 30 s.
	SettleTimeout time.Duration
}

// Extract reads data from the page; opts may be nil.
//
//   - Without instruction and schema it gives {"pageText": …}, the text of the
//     page's accessibility tree. No model is asked.
//   - Without schema it gives {"extraction": …}, a text.
//   - With a schema it gives a value that is valid against it. Members of format
//     uri are addresses of links that stand on the page: a model names them by
//     reference and cannot make one up.
//   - The model is asked to cite: a ref for each object of a list, and one for each
//     member of any other object. Citations are no part of the data. They decide
//     between places that are equally likely; without them, or where they are wrong,
//     the place is looked for.
//   - With a schema and ExtractOptions.Direct no model is asked. The value is
//     valid where Extraction.Unfilled is empty. So it is with a word matcher (see
//     [llm.MatchesWords]), which is never asked to fill what the page leaves open.
//
// A page that is too long for one question is read part by part, at most four at
// once, and the answers are joined: lists in page order, and what the page says once
// stands in them once. What a bound leaves unread is [ErrIncomplete], unless
// ExtractOptions.Partial allows it. Tokens and money are also checked by the
// budgets of ctx (see middleware.WithBudget) before each question.
//
// Each value that was read is traced to where it stands: see Extraction.Sources,
// Extraction.Ungrounded and ExtractOptions.Strict. Of a text that is what each
// sentence quotes: see Extraction.Sentences.
func (p *Page) Extract(ctx context.Context, instruction string, opts *ExtractOptions) (*Extraction, error) {
	opts = cmp.Or(opts, &ExtractOptions{})
	if len(instruction) > maxInstructionLetters {
		return nil, fmt.Errorf("extract: %w", checkInstruction(instruction))
	}
	s, start := p.session, time.Now()
	out := &Extraction{}
	c := &call{page: p, name: OperationExtract, limit: s.opts.limitOf(opts.Timeout, readingLimit)}
	c.work = func(ctx context.Context, id string) error {
		out.ID = id
		return p.extract(ctx, c, instruction, opts, out)
	}
	c.finish = func(context.Context, error) { out.Data = s.secrets.hideJSON(out.Data) }
	c.fill = func(e *Entry) {
		e.Instruction, e.Data, e.Usage = s.secrets.hide(instruction), out.Data, out.Usage
		e.Model = s.modelName(opts.Model, out.Usage)
	}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	out.Duration = time.Since(start)
	return out, nil
}

// Extract reads a value of type T from the page: the schema is made from the
// type (see package schema). opts may be nil; its Schema must be.
//
//	type product struct {
//		Name  string  `json:"name"`
//		Price float64 `json:"price" jsonschema:"minimum=0"`
//	}
//	products, err := engine.Extract[[]product](ctx, page, "all products", nil)
func Extract[T any](ctx context.Context, p *Page, instruction string, opts *ExtractOptions) (T, error) {
	value, _, err := ExtractWithSources[T](ctx, p, instruction, opts)
	return value, err
}

// ExtractWithSources is [Extract] with all that is known of the value: where
// each part of it stands on the page, and what was left out. The Extraction is
// nil if the page could not be read; it is there if its data is no T.
func ExtractWithSources[T any](ctx context.Context, p *Page, instruction string, opts *ExtractOptions) (T, *Extraction, error) {
	var zero T
	o := ExtractOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Schema != nil {
		return zero, nil, fmt.Errorf("extract: %w: the schema comes from the type; leave ExtractOptions.Schema nil", ErrInvalid)
	}
	form, err := schema.For[T]()
	if err != nil {
		return zero, nil, fmt.Errorf("extract: %w: %w", ErrInvalid, err)
	}
	o.Schema = form
	out, err := p.Extract(ctx, instruction, &o)
	if err != nil {
		return zero, nil, err
	}
	value, err := schema.Decode[T](form, out.Data)
	return value, out, err
}

func (p *Page) extract(ctx context.Context, c *call, instruction string, opts *ExtractOptions, out *Extraction) error {
	if opts.Direct && opts.Schema == nil {
		return fmt.Errorf("%w: without a model, Extract needs a schema", ErrInvalid)
	}
	if opts.PartTokens < 0 || opts.MaxCalls < 0 || opts.MaxTokens < 0 {
		return fmt.Errorf("%w: PartTokens, MaxCalls and MaxTokens must not be negative; 0 is no bound", ErrInvalid)
	}
	snap, err := p.look(ctx, view{
		SnapshotOptions: SnapshotOptions{Selector: strings.TrimSpace(opts.Selector), IgnoreSelectors: opts.IgnoreSelectors, MainFrame: !opts.Frames},
		whole:           true,
		settle:          cmp.Or(opts.SettleTimeout, extractSettleTimeout),
	})
	if err != nil {
		return err
	}
	if strings.TrimSpace(instruction) == "" && opts.Schema == nil {
		out.Data, err = json.Marshal(map[string]string{"pageText": p.session.secrets.hide(snap.Text())})
		return err
	}
	if opts.Direct || opts.Schema != nil && llm.MatchesWords(cmp.Or(opts.Model, p.session.opts.Model)) {
		return p.extractDirect(instruction, opts, snap, out)
	}
	x := &extraction{page: p, call: c, opts: opts, snap: snap, out: out, instruction: cmp.Or(strings.TrimSpace(p.session.secrets.hide(instruction)), "Read the data that the schema describes.")}
	return x.run(ctx)
}

// extractDirect reads data without a model.
func (p *Page) extractDirect(instruction string, opts *ExtractOptions, snap *Snapshot, out *Extraction) error {
	found, err := direct.Extract(snap, opts.Schema, instruction)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	out.Data, out.Unfilled = found.Data, found.Unfilled
	out.Sources = p.session.directSources(snap, found)
	out.Omitted = shownInPart(snap, out.Sources)
	return nil
}

const (
	// defaultPartTokens is the outline of one question where a page takes
	// several: an answer has about as many tokens as what it was read from, and
	// models write far less than they read.
	defaultPartTokens = 25_000

	partsAtOnce = 4
)

// An extraction is one call of Extract that asks a model: one question about the
// whole page, or one about each part of it.
type extraction struct {
	page        *Page
	call        *call
	opts        *ExtractOptions
	snap        *Snapshot
	out         *Extraction
	instruction string

	division *parts.Division
	traced   *grounding.Page
	whole    *answerForm // of an answer for the page
	partial  func() (*answerForm, error)
	picture  []llm.Part

	mu       sync.Mutex // protects the fields below, and out.Usage
	calls    int
	expected int // tokens of the calls under way, estimated
	done     int // lines that were read
	bound    error
}

// run reads the page.
func (x *extraction) run(ctx context.Context) (err error) {
	x.traced = grounding.Read(x.snap, &grounding.Options{Now: time.Now()})
	if x.whole, err = x.formFor(x.opts.Schema); err != nil {
		return err
	}
	x.partial = sync.OnceValues(func() (*answerForm, error) {
		if x.opts.Schema == nil {
			return x.whole, nil
		}
		wanted, err := x.opts.Schema.Partial()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		return x.formFor(wanted)
	})
	if x.opts.Screenshot {
		picture, err := x.page.driver.Screenshot(ctx, nil)
		if err != nil {
			return err
		}
		x.picture = []llm.Part{llm.Image{MediaType: "image/png", Data: picture}}
	}
	if err := x.read(ctx); err != nil {
		return err
	}
	return x.finish()
}

// read asks for the page, part by part if it is too long for one question.
func (x *extraction) read(ctx context.Context) error {
	room := cmp.Or(x.opts.PartTokens, x.page.session.outlineTokens())
	if accessibility.Tokens(x.snap.Outline()) > room && x.opts.PartTokens == 0 {
		room = min(room, defaultPartTokens)
	}
	x.division = parts.Divide(x.snap, x.page.session.secrets.mask(&accessibility.Options{}).Mask, room)
	all := x.division.All()
	if len(all) == 0 { // of a page without a line
		all = []parts.Part{{}}
	}
	if len(all) > 1 && x.opts.Timeout == 0 && x.page.session.opts.Timeout == 0 {
		var cancel context.CancelFunc
		ctx, cancel = x.call.extend(ctx, readingLimit*limit(1+len(all)))
		defer cancel()
	}
	reader := &parts.Reader{
		AtOnce: partsAtOnce,
		Ask:    x.ask,
		Smaller: func(err error) bool { // the model could not read the question, or write its answer to the end
			model, ok := errors.AsType[*llm.Error](err)
			return ok && (model.Kind == llm.KindLength || model.Kind == llm.KindTooLong)
		},
		Ends: func(err error) bool {
			model, ok := errors.AsType[*llm.Error](err)
			return errors.Is(err, ErrIncomplete) || ok && model.Kind == llm.KindBudget
		},
	}
	answers, unread, err := reader.Read(ctx, x.division, all)
	if err != nil {
		return err
	}
	if err := x.cover(unread); err != nil {
		return err
	}
	if len(answers) == 0 {
		return x.bound
	}
	return x.join(answers)
}

// isWhole reports whether a part is the page.
func (x *extraction) isWhole(p parts.Part) bool { return p.From == 0 && int(p.To) == len(x.snap.Nodes) }

// ask puts the question about a part.
func (x *extraction) ask(ctx context.Context, p parts.Part) (answer parts.Answer, err error) {
	s := x.page.session
	base, instruction := x.whole, x.instruction
	if !x.isWhole(p) {
		if base, err = x.partial(); err != nil {
			return answer, err
		}
		instruction += partNote
		if x.opts.Schema == nil {
			instruction += " If this part says nothing of it, answer with an empty text."
		}
	}
	form := *base
	form.complete, form.out = x.isWhole(p), &Extraction{}
	// A part proves nothing of what others say, so all of them are held to that together.
	form.strictly, form.all = x.opts.Strict || x.opts.StrictAll, x.opts.StrictAll && form.complete
	q := question{
		purpose: llm.PurposeExtract,
		model:   x.opts.Model,
		prompt:  promptExtract,
		parts:   slices.Concat([]llm.Part{llm.Instruction{Text: instruction}, llm.Page{Kind: "outline", Text: x.division.Outline(p)}}, x.picture),
		schema:  form.response,
		check:   form.read,
	}
	expected := p.Tokens + (len(q.prompt)+len(instruction)+len(q.schema.Schema))/4
	if err := x.begin(expected); err != nil {
		return answer, err
	}
	report := PartRead{Lines: int(p.To - p.From), Of: len(x.snap.Nodes), Begin: time.Now()}
	_, usage, err := s.ask(ctx, q)
	x.ended(ctx, p, expected, usage, &report, err)
	if err != nil {
		return answer, err
	}
	if x.isWhole(p) {
		x.whole = &form
		return parts.Answer{Data: form.bare}, nil
	}
	return x.trace(ctx, p, &form)
}

const partNote = "\nThe page is long and is read in parts. What follows is one of them; lines that say what it stands in are shown with each part. Give only what this part says, all of it, and leave out what it does not say: other parts are read for that."

// begin counts a call that is about to be made, unless a bound forbids it.
func (x *extraction) begin(expected int) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	spent := x.out.Usage.Input + x.out.Usage.Output
	switch {
	case x.opts.MaxCalls > 0 && x.calls >= x.opts.MaxCalls:
		x.bound = &IncompleteError{Cause: fmt.Errorf("%d of %d questions are asked", x.calls, x.opts.MaxCalls)}
	case x.opts.MaxTokens > 0 && spent+x.expected+expected > x.opts.MaxTokens:
		x.bound = &IncompleteError{Cause: fmt.Errorf("%d of %d tokens are used, and the next question is about %d", spent, x.opts.MaxTokens, expected)}
	default:
		x.calls++
		x.expected += expected
		return nil
	}
	return x.bound
}

// ended counts a call that was made.
func (x *extraction) ended(ctx context.Context, p parts.Part, expected int, usage Usage, report *PartRead, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expected -= expected
	x.out.Usage = x.out.Usage.Add(usage)
	if model, ok := errors.AsType[*llm.Error](err); ok && model.Kind == llm.KindBudget {
		x.bound = &IncompleteError{Cause: err}
	}
	if err == nil {
		x.done += int(p.To - p.From)
	}
	if hook := x.page.session.journal.hooks.PartRead; hook != nil && !x.isWhole(p) {
		report.Duration, report.Usage, report.Done = time.Since(report.Begin), usage, x.done
		if err != nil {
			report.Err = x.page.session.secrets.hideError(err)
		}
		hook(ctx, *report)
	}
}

// trace finds where an answer stands within its part.
func (x *extraction) trace(ctx context.Context, p parts.Part, form *answerForm) (parts.Answer, error) {
	answer := parts.Answer{Data: form.bare}
	if form.wanted == nil {
		return answer, nil
	}
	if err := ctx.Err(); err != nil {
		return answer, err
	}
	scope := accessibility.Options{Scope: x.division.Scope(p), MainFrame: !x.opts.Frames}
	page := grounding.Read(accessibility.Build(x.snap.Capture, &scope), &grounding.Options{Now: time.Now()})
	report, err := page.Check(form.wanted, x.page.session.secrets.reveal(form.bare, x.snap), form.cited)
	if err != nil {
		return answer, err
	}
	above := map[accessibility.Ref]bool{}
	for _, i := range p.Context {
		above[x.snap.Nodes[i].Ref] = true
	}
	answer.Sources = make(map[string]parts.Source, len(report.Sources))
	for pointer, found := range report.Sources {
		source := parts.Source{}
		if found.Kind == grounding.Derived {
			source.Derived = cmp.Or(found.How, "derived")
		} else if found.Kind != grounding.Empty {
			row, _, _ := strings.Cut(string(found.Ref), ":")
			source.At = fmt.Sprintf("%s %d %s", found.Ref, found.Start, found.Text)
			source.Repeated = above[accessibility.Ref(row)]
		}
		answer.Sources[pointer] = source
	}
	return answer, nil
}

// cover notes what was left unread, and what of the lines that were read was cut
// off. It is an error unless the caller allows it.
func (x *extraction) cover(unread []parts.Part) error {
	for _, o := range slices.Concat(x.division.Unread(unread), x.division.Cut()) {
		x.out.Omitted = append(x.out.Omitted, Omission{Cause: OmittedByBudget, Refs: o.Refs, Count: o.Count, Noun: o.Noun})
	}
	if len(x.out.Omitted) == 0 || x.opts.Partial {
		return nil
	}
	bound, ok := errors.AsType[*IncompleteError](x.bound)
	if !ok {
		bound = &IncompleteError{Cause: errors.New("lines are longer than a part")}
	}
	bound.Omitted = x.out.Omitted
	return bound
}

// join puts the answers together.
func (x *extraction) join(answers []parts.Answer) (err error) {
	f := x.whole
	switch {
	case f.bare != nil: // the answer for the whole page
		return nil
	case f.wanted == nil:
		texts := make([]string, len(answers))
		for i := range answers {
			if texts[i], err = textIn(answers[i].Data); err != nil {
				return err // the answers have their schema
			}
		}
		f.bare, err = json.Marshal(map[string]string{"extraction": parts.JoinTexts(texts)})
	default:
		f.bare, err = parts.Join(f.wanted, answers)
	}
	if err != nil {
		return err
	}
	if f.wanted != nil {
		if err := f.wanted.Validate(f.bare); err != nil {
			provider, _, _ := strings.Cut(cmp.Or(x.opts.Model, x.page.session.opts.Model).Name(), "/")
			return &llm.Error{Provider: provider, Kind: llm.KindSchema, Message: "the answers for the parts of the page do not make up what the schema asks for: " + err.Error(), Err: err}
		}
	}
	return nil
}

// finish traces the data and hides values of variables in it.
func (x *extraction) finish() error {
	s, f := x.page.session, x.whole
	omitted := x.out.Omitted
	if err := s.ground(x.traced, x.snap, f.wanted, f.bare, f.cited, x.out); err != nil {
		return err
	}
	x.out.Data = s.secrets.hideJSON(f.bare)
	x.out.Omitted = slices.Concat(omitted, shownInPart(x.snap, x.out.Sources), x.out.Omitted)
	if x.opts.Strict || x.opts.StrictAll || f.wanted != nil && grounding.Blank(f.bare) {
		return refused(x.out, x.opts.StrictAll, false)
	}
	return nil
}

const promptExtract = promptOutline + `
Read from the page what the person asks for and answer in JSON of the schema given. Take texts as they stand on the page, whole and without comment. Take all entries of a list that the instruction covers, in the order of the page. What the page does not say is null, or empty, or left out as the schema allows; never invent. Where the schema asks for a ref, give the ref of the link whose address is meant.
`
