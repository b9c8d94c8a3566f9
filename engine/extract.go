package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/direct"
	"github.com/wayfinder-engine/wayfinder/internal/grounding"
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

	// Direct reads without a model what the page itself structures: tables,
	// labels with values, repeated cards, forms. It needs a Schema. What it
	// can't fill is in Extraction.Unfilled; it never guesses.
	Direct bool

	// Strict makes a value that could not be traced to the page an error,
	// [ErrUngrounded], after the model had one chance to give another. Without
	// it, Extraction.Ungrounded lists such values. What a model reads from a
	// picture alone cannot be traced.
	Strict bool

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
//   - With a schema and ExtractOptions.Direct no model is asked. The value is
//     valid where Extraction.Unfilled is empty.
//
// Each value that was read is traced to where it stands: see Extraction.Sources,
// Extraction.Ungrounded and ExtractOptions.Strict.
func (p *Page) Extract(ctx context.Context, instruction string, opts *ExtractOptions) (*Extraction, error) {
	if opts == nil {
		opts = &ExtractOptions{}
	}
	if len(instruction) > maxInstructionLetters {
		return nil, fmt.Errorf("extract: %w", checkInstruction(instruction))
	}
	s, start := p.session, time.Now()
	out := &Extraction{}
	c := &call{page: p, name: OperationExtract, limit: s.opts.limitOf(opts.Timeout, readingLimit)}
	c.work = func(ctx context.Context, id string) error {
		out.ID = id
		return p.extract(ctx, instruction, opts, out)
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

func (p *Page) extract(ctx context.Context, instruction string, opts *ExtractOptions, out *Extraction) error {
	if opts.Direct && opts.Schema == nil {
		return fmt.Errorf("%w: without a model, Extract needs a schema", ErrInvalid)
	}
	wordless := strings.TrimSpace(instruction) == "" && opts.Schema == nil
	v := view{
		selector:  strings.TrimSpace(opts.Selector),
		ignore:    opts.IgnoreSelectors,
		mainFrame: !opts.Frames,
		maxTokens: p.session.outlineTokens(),
		settle:    cmp.Or(opts.SettleTimeout, extractSettleTimeout),
	}
	if wordless {
		v.maxTokens = 0
	}
	snap, err := p.look(ctx, v)
	if err != nil {
		return err
	}
	if wordless {
		out.Data, err = json.Marshal(map[string]string{"pageText": p.session.secrets.hide(snap.Text())})
		return err
	}
	if opts.Direct {
		return p.extractDirect(ctx, instruction, opts, v, snap, out)
	}
	form := &answerForm{session: p.session, snap: snap, response: textSchema, known: textForm}
	if opts.Schema != nil {
		if form, err = p.session.formFor(opts.Schema, snap); err != nil {
			return err
		}
	}
	parts := []llm.Part{llm.Instruction{Text: cmp.Or(strings.TrimSpace(p.session.secrets.hide(instruction)), "Read the data that the schema describes.")}}
	parts = append(parts, p.session.outlinePart(snap))
	if opts.Screenshot {
		picture, err := p.driver.Screenshot(ctx, nil)
		if err != nil {
			return err
		}
		parts = append(parts, llm.Image{MediaType: "image/png", Data: picture})
	}
	form.strictly, form.out = opts.Strict, out
	_, usage, err := p.session.ask(ctx, question{
		purpose: llm.PurposeExtract,
		model:   opts.Model,
		prompt:  promptExtract,
		parts:   parts,
		schema:  form.response,
		form:    form.known,
		check:   form.read,
	})
	out.Usage = usage
	out.Data = form.data
	if err != nil {
		return err
	}
	if !opts.Strict { // else the answer has been traced
		if err := form.ground(); err != nil {
			return err
		}
	}
	out.Omitted = slices.Concat(cutByBudget(snap), shownInPart(snap, out.Sources), out.Omitted)
	return nil
}

// extractDirect reads data without a model from the capture that a snapshot was
// made of.
func (p *Page) extractDirect(ctx context.Context, instruction string, opts *ExtractOptions, v view, snap *Snapshot, out *Extraction) error {
	scope, err := p.viewOptions(ctx, v)
	if err != nil {
		return err
	}
	options := direct.Options{Instruction: instruction}
	if scope != nil {
		options.Scope, options.Ignore, options.MainFrame = scope.Scope, scope.Ignore, scope.MainFrame
	}
	found, err := direct.Extract(snap.Capture, opts.Schema, &options)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	out.Data, out.Unfilled = found.Data, found.Unfilled
	out.Sources = p.session.directSources(snap, found)
	out.Omitted = shownInPart(snap, out.Sources)
	return nil
}

// An answerForm is the schema of an answer to Extract, and the data once the
// answer was read.
type answerForm struct {
	session  *Session
	snap     *Snapshot
	wanted   *Schema // the caller's; nil for a plain text
	strictly bool    // refuses what the page does not say
	response *llm.ResponseSchema
	known    func() (*Schema, error) // the parsed response schema; nil if it was not parsed
	strict   *schema.Strict          // nil for a plain text
	links    *schema.Links

	data json.RawMessage // without values of variables in addresses
	bare json.RawMessage // with them
	out  *Extraction     // gets the sources
}

// formFor makes the answer's form from the caller's schema: addresses become
// references, and a root that is not an object is wrapped.
func (s *Session) formFor(wanted *Schema, snap *Snapshot) (*answerForm, error) {
	links, err := wanted.WithLinks()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	strict, err := links.Schema().Strict(schema.Plain)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return &answerForm{
		session:  s,
		snap:     snap,
		wanted:   wanted,
		response: &llm.ResponseSchema{Name: "extraction", Schema: strict.JSON()},
		strict:   strict,
		links:    links,
	}, nil
}

// read converts an answer to the caller's schema and keeps it.
func (f *answerForm) read(answer []byte) error {
	if err := f.restore(answer); err != nil || !f.strictly {
		return err
	}
	if err := f.ground(); err != nil {
		return err
	}
	if len(f.out.Ungrounded) > 0 {
		return &UngroundedError{Values: f.out.Ungrounded}
	}
	return nil
}

func (f *answerForm) restore(answer []byte) error {
	if f.strict == nil {
		f.data, f.bare = answer, answer
		return nil
	}
	restored, err := f.strict.Restore(answer)
	if err != nil {
		return err
	}
	if f.bare, err = f.links.Resolve(restored, f.address); err != nil {
		return err
	}
	f.data, err = f.links.Resolve(restored, func(ref string) (string, bool) {
		address, ok := f.address(ref)
		return f.session.secrets.hide(address), ok
	})
	return err
}

// ground traces the data to the page.
func (f *answerForm) ground() error { return f.session.ground(f.snap, f.wanted, f.bare, f.out) }

// address returns the address of the link, or of the picture, that a reference
// names.
func (f *answerForm) address(ref string) (string, bool) {
	node, ok := f.snap.Lookup(accessibility.Ref(ref))
	if !ok {
		return "", false
	}
	if node.URL != "" || node.Tag != "img" {
		return node.URL, node.URL != ""
	}
	return f.picture(node)
}

// picture returns the address of a picture.
func (f *answerForm) picture(node *accessibility.Node) (string, bool) {
	captured := f.snap.Captured(node)
	if captured == nil {
		return "", false
	}
	src, _ := captured.Attr("src")
	i := slices.IndexFunc(f.snap.Capture.Documents, func(d driver.Document) bool { return d.Doc == node.Source.Doc && d.Frame == node.Source.Frame })
	if i < 0 || strings.TrimSpace(src) == "" {
		return "", false
	}
	base, err := url.Parse(cmp.Or(f.snap.Capture.Documents[i].BaseURL, f.snap.Capture.Documents[i].URL))
	if err != nil {
		return "", false
	}
	address, err := base.Parse(strings.TrimSpace(src))
	if err != nil {
		return "", false
	}
	return address.String(), true
}

// ground traces data to a snapshot and reports it, without values of variables.
// The data must hold them, or their placeholders.
func (s *Session) ground(snap *Snapshot, form *Schema, data json.RawMessage, out *Extraction) error {
	report, err := grounding.Check(snap, form, s.secrets.reveal(data, snap), &grounding.Options{Now: time.Now()})
	if err != nil {
		return err
	}
	out.Sources = make(map[string]Source, len(report.Sources))
	for pointer, found := range report.Sources {
		out.Sources[s.secrets.hide(pointer)] = s.hideSource(snap, Source{
			Frame: found.Frame, Ref: found.Ref, Kind: SourceKind(found.Kind),
			Text: found.Text, Start: found.Start, End: found.End,
			Parts: found.Parts, How: found.How,
		})
	}
	out.Ungrounded = nil
	for _, f := range report.Ungrounded {
		out.Ungrounded = append(out.Ungrounded, Ungrounded{s.secrets.hide(f.Pointer), s.secrets.hideShown(f.Reason)})
	}
	out.Omitted = nil
	for _, gap := range report.Missing {
		out.Omitted = append(out.Omitted, Omission{
			Cause: OmittedByModel, Pointer: s.secrets.hide(gap.Pointer), Refs: gap.Refs, Count: len(gap.Refs), Noun: noun(len(gap.Refs), "records"),
		})
	}
	return nil
}

// An Extraction is what Extract read. Data is, without instruction and schema,
// {"pageText": …}; without schema {"extraction": …}; else a value of the schema.
type Extraction struct {
	Data     json.RawMessage `json:"data"`
	ID       string          `json:"actionId"`
	Usage    Usage           `json:"usage"`
	Duration time.Duration   `json:"duration"`

	// Unfilled are JSON pointers to what a direct extraction did not find; the
	// empty pointer is the whole. Required members can be missing in Data then.
	Unfilled []string `json:"unfilled,omitempty"`

	// Sources are where the values of Data stand on the page, by JSON pointer,
	// and Ungrounded are the values that were not found there. Nulls and empty
	// lists claim nothing and are in neither. A text (Data without a schema) is
	// traced as a whole: it is ungrounded where one of its sentences is not the
	// page's own. {"pageText": …} has no sources.
	Sources    map[string]Source `json:"sources,omitempty"`
	Ungrounded []Ungrounded      `json:"ungrounded,omitempty"`

	// Omitted is what Data does not cover: what the model was not shown because
	// the outline had no room for it, lists of which the page shows a part, and
	// records beside those of a list in Data that the model did not give.
	Omitted []Omission `json:"omitted,omitempty"`
}

// Grounded returns how many values were traced to the page, of how many.
func (e *Extraction) Grounded() (n, of int) {
	return len(e.Sources), len(e.Sources) + len(e.Ungrounded)
}

const promptExtract = promptOutline + `
Read from the page what the person asks for and answer in JSON of the schema given. Take texts as they stand on the page, whole and without comment. Take all entries of a list that the instruction covers, in the order of the page. What the page does not say is null, or empty, or left out as the schema allows; never invent. Where the schema asks for a ref, give the ref of the link whose address is meant.
`

var textSchema = &llm.ResponseSchema{Name: "extraction", Schema: json.RawMessage(`{
  "type": "object",
  "properties": {"extraction": {"type": "string", "description": "what was asked for, as text"}},
  "required": ["extraction"],
  "additionalProperties": false
}`)}

var textForm = formOf(textSchema)
