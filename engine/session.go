package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
	"github.com/wayfinder-engine/wayfinder/internal/redact"
	"github.com/wayfinder-engine/wayfinder/internal/uuid"
	"github.com/wayfinder-engine/wayfinder/llm"
)

const (
	defaultSettleTimeout  = 5 * time.Second
	defaultPatience       = 3 * time.Second
	longestLoad           = 10 * time.Second // of a page or frame, after which it is used as it is
	extractSettleTimeout  = 30 * time.Second
	defaultOutlineTokens  = 100_000
	maxAmbiguousNamed     = 10
	maxInstructionLetters = 20_000
)

// A Session is one isolated browser and the record of what was done in it. It
// is safe for concurrent use: calls on different pages never wait for each
// other, calls on one page take turns.
type Session struct {
	browser   driver.Browser
	opts      Options
	secrets   secrets
	journal   journal
	requests  requestLog
	guard     guard
	holds     outgoing.Gate
	downloads downloadFolder
	files     fileStore
	issued    issuedActions
	inputs    atomic.Int64 // how often input was sent to any page
	stop      func()       // ends the event registration

	mu     sync.Mutex // protects what follows
	pages  map[driver.PageID]*Page
	active driver.PageID // opened or used last
	gone   error         // set when the browser went away by itself
	closed bool
}

// Open opens a browser and returns a session in it. opts may be nil. ctx bounds
// the opening only; the session lives until Close.
func Open(ctx context.Context, d Driver, opts *Options) (*Session, error) {
	if d == nil {
		return nil, fmt.Errorf("open session: %w: no driver; pass for example cdp.Launch{}", ErrInvalid)
	}
	s := &Session{pages: map[driver.PageID]*Page{}}
	if opts != nil {
		s.opts = *opts
	}
	s.journal.log = cmp.Or(s.opts.Logger, slog.New(slog.DiscardHandler))
	s.journal.hooks = cmp.Or(s.opts.Hooks, &Hooks{})
	s.journal.sums.Asks = map[llm.Purpose]AskMetrics{}
	browserOptions := s.opts.Browser
	err := checkBrowser(&browserOptions)
	browserOptions.Dialog = s.opts.Dialog
	if h := s.journal.hooks; h.Console != nil || h.PageError != nil {
		browserOptions.Console = true
	}
	if err == nil {
		err = s.prepareDownloads(&browserOptions)
	}
	if err == nil {
		err = s.guardBrowser(ctx, d, &browserOptions)
	}
	if err != nil {
		return nil, fmt.Errorf("open session with %s: %w", d, err)
	}
	browser, err := d.Open(ctx, &browserOptions)
	if err != nil {
		return nil, fmt.Errorf("open session with %s: %w", d, errors.Join(err, s.guard.close()))
	}
	s.browser = browser
	if hider, ok := browser.(driver.Hider); ok {
		s.secrets.report = hider.Hide
	}
	s.stop = browser.Listen(s.deliver)
	pages := browser.Pages()
	if len(pages) == 0 {
		s.Close()
		return nil, fmt.Errorf("open session with %s: the driver gave no page", d)
	}
	for _, p := range pages {
		s.adopt(p)
	}
	s.activate(pages[len(pages)-1].ID())
	return s, nil
}

// checkBrowser rejects what the session's own options say.
func checkBrowser(o *driver.BrowserOptions) error {
	for _, twice := range []struct {
		set            bool
		there, instead string
	}{
		{o.Dialog != nil, "Dialog", "Options.Dialog"},
		{o.DownloadDir != "", "DownloadDir", "Options.Downloads"},
		{o.MaxDownload != 0, "MaxDownload", "Options.Downloads"},
		{o.Dial != nil, "Dial", "Options.Policy"},
	} {
		if twice.set {
			return fmt.Errorf("%w: Options.Browser.%s; use %s", ErrInvalid, twice.there, twice.instead)
		}
	}
	return nil
}

// StorageState returns the cookies of the session's browser, and the local storage
// and IndexedDB of the sites that it shows, for [BrowserOptions] of another session.
// It holds what logs its owner in: keep it as a secret. What sites have in IndexedDB
// and is not in it is named in [OriginStorage].LeftOut.
func (s *Session) StorageState(ctx context.Context) (*driver.StorageState, error) {
	state, err := s.browser.StorageState(ctx)
	if err != nil {
		return nil, s.explain("storage state", err)
	}
	return state, nil
}

// Page returns the active page: the open page that was opened or used last, or
// nil if all are closed.
func (s *Session) Page() *Page {
	open := s.Pages()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range open {
		if p.ID() == s.active {
			return p
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[len(open)-1]
}

// Pages returns the open pages in the order in which they were opened,
// including those that the site opened.
func (s *Session) Pages() []*Page {
	var open []*Page
	for _, p := range s.browser.Pages() {
		open = append(open, s.adopt(p))
	}
	return open
}

// PageByID returns the open page with the given ID, or nil if there is none.
func (s *Session) PageByID(id driver.PageID) *Page {
	for _, p := range s.Pages() {
		if p.ID() == id {
			return p
		}
	}
	return nil
}

// NewPage opens a page and makes it the active one.
func (s *Session) NewPage(ctx context.Context) (*Page, error) {
	p, err := s.browser.NewPage(ctx)
	if err != nil {
		return nil, s.explain("new page", err)
	}
	page := s.adopt(p)
	s.activate(p.ID())
	return page, nil
}

// Model returns the session's model; nil if it has none.
func (s *Session) Model() LLM { return s.opts.Model }

// Browser returns the driver's browser, for what the engine does not cover,
// such as cookies and storage state.
func (s *Session) Browser() driver.Browser { return s.browser }

// Close ends the session and its browser. Further calls do nothing.
func (s *Session) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	pages := s.pages
	s.mu.Unlock()
	err := errors.Join(s.browser.Close(), s.guard.close(), s.files.close())
	s.downloads.sweep()
	s.stop()
	for _, p := range pages {
		p.watch.close(ErrClosed)
	}
	if err != nil {
		return fmt.Errorf("close session: %w", err)
	}
	return nil
}

func (s *Session) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// adopt returns the engine's page for a driver's page.
func (s *Session) adopt(p driver.Page) *Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	page := s.pages[p.ID()]
	if page == nil {
		page = newPage(s, p.ID())
		s.pages[p.ID()] = page
	}
	if page.driver == nil { // afterwards it is read without the lock
		page.driver = p
	}
	return page
}

func (s *Session) activate(id driver.PageID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active = id
}

// deliver handles the browser's events. It runs on the driver's goroutine.
func (s *Session) deliver(e driver.Event) {
	e = s.nameDownload(e)
	s.requests.take(e)
	s.journal.heard(e, s.secrets.hide)
	s.mu.Lock()
	var concerned []*Page
	switch e := e.(type) {
	case driver.BrowserGone:
		s.gone = cmp.Or(e.Err, error(driver.ErrClosed))
		concerned = slices.Collect(maps.Values(s.pages))
	case driver.PageOpened:
		if s.pages[e.Page] == nil {
			s.pages[e.Page] = newPage(s, e.Page)
		}
		s.active = e.Page
		concerned = []*Page{s.pages[e.Page], s.pages[e.Opener]} // the new page is part of the opener's evidence
	case driver.PageClosed:
		concerned = []*Page{s.pages[e.Page]}
		delete(s.pages, e.Page)
	default:
		concerned = []*Page{s.pages[e.From()]}
	}
	s.mu.Unlock()
	for _, page := range concerned {
		if page != nil {
			page.watch.take(e)
		}
	}
}

// explain adds context to a driver's error. A browser that is gone comes before
// any other cause.
func (s *Session) explain(op string, err error) error {
	s.mu.Lock()
	gone, closed := s.gone, s.closed
	s.mu.Unlock()
	switch {
	case closed && errors.Is(err, ErrMayHaveHappened):
		return fmt.Errorf("%s: session %w: %w", op, ErrClosed, err)
	case closed && errors.Is(err, driver.ErrClosed):
		return fmt.Errorf("%s: session %w", op, ErrClosed)
	case gone != nil && !errors.Is(err, gone):
		return fmt.Errorf("%s: the browser is gone: %w", op, errors.Join(gone, err))
	}
	return fmt.Errorf("%s: %w", op, err)
}

// rejected is the error of a call that was refused before it began. What it
// repeats of the call may hold the value of a variable that the session knows.
func (s *Session) rejected(op string, err error) error {
	return s.secrets.hideError(fmt.Errorf("%s: %w", op, err))
}

func (s *Session) settleTimeout() time.Duration {
	return cmp.Or(s.opts.SettleTimeout, defaultSettleTimeout)
}

func (s *Session) patience() time.Duration {
	return cmp.Or(s.opts.Patience, defaultPatience)
}

func (s *Session) outlineTokens() int {
	return cmp.Or(s.opts.MaxTokens, defaultOutlineTokens)
}

// A Snapshot is what a page looks like to the engine.
type Snapshot = accessibility.Snapshot

// everyAction are the actions of a whole page, as far as they were asked for.
type everyAction struct {
	actions []Action        // nil until they are
	hidden  *redact.Matcher // what their surroundings were hidden by
}

// A view selects the part of a page to look at.
type view struct {
	SnapshotOptions
	whole  bool // however long
	settle time.Duration
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
	opts = cmp.Or(opts, &GenerateOptions{})
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

// ask puts a question and returns a validated answer. The model has one chance
// to repair an invalid one.
func (s *Session) ask(ctx context.Context, q question) ([]byte, Usage, error) {
	model := cmp.Or(q.model, s.opts.Model)
	if model == nil {
		return nil, Usage{}, fmt.Errorf("%w: set Options.Model, for example to offline.New() which needs no network", ErrNoModel)
	}
	form, err := q.schema.parse()
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
		Schema:   &q.schema.ResponseSchema,
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

// withCodes returns variables with one-time codes in the place of those that make them,
// for the ones that appear in arguments. ready, if not nil, waits before the first code is
// made, which is not valid for long.
func (s *Session) withCodes(ctx context.Context, args []string, vars map[string]Variable, ready func() error) (map[string]Variable, error) {
	vars = maps.Clone(vars)
	for _, name := range usedVariables(args, vars) {
		t := vars[name].TOTP
		if t == nil {
			continue
		}
		if ready != nil {
			if err := ready(); err != nil {
				return vars, err
			}
			ready = nil
		}
		code, err := t.next(ctx)
		if err != nil {
			return vars, fmt.Errorf("%%%s%%: %w", name, err)
		}
		s.secrets.addCode(name, code)
		vars[name] = Variable{Value: code}
	}
	return vars, nil
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

// BeginCall records a call of the caller's own, such as an agent's run, in the
// history and calls the hooks for it. Calls made with the returned context
// belong to it (see [WithParent]) and to its span. page may be nil, for the
// active page. End must be called exactly once.
func (s *Session) BeginCall(ctx context.Context, page *Page, name Operation, instruction string) (context.Context, *Call) {
	ctx, entry := s.enter(ctx, name, cmp.Or(page, s.Page()))
	return WithParent(ctx, entry.ID), &Call{session: s, ctx: ctx, entry: entry, instruction: instruction}
}

// HideOutgoing returns a copy that may be shown: values of variables have become
// their placeholders, and values of passwords bullets. It is nil for nil.
func (s *Session) HideOutgoing(r *Outgoing) *Outgoing {
	return s.secrets.hideOutgoing(r)
}

// History returns the session's entries, oldest first, without values of
// variables. The caller owns the slice.
func (s *Session) History() []Entry {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make([]Entry, len(j.entries))
	for i, e := range j.entries {
		out[i] = *e
		out[i].Actions = slices.Clone(e.Actions)
		out[i].PageURL = s.secrets.hide(e.PageURL)
		out[i].Instruction = s.secrets.hide(e.Instruction)
		out[i].Message = s.secrets.hide(e.Message)
		out[i].Address = s.secrets.hide(e.Address)
		out[i].Arrived = s.secrets.hide(e.Arrived)
		if e.Approval != nil {
			out[i].Approval = s.secrets.hideApproval(e.Approval)
		}
		if e.Response != nil {
			answer := *e.Response
			answer.URL = s.secrets.hide(answer.URL)
			out[i].Response = &answer
		}
	}
	return out
}

// Metrics returns the sums so far.
func (s *Session) Metrics() Metrics {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	out := j.sums
	out.Cache.Reasons = maps.Clone(out.Cache.Reasons)
	out.Asks = maps.Clone(out.Asks)
	return out
}

// Requests returns the requests for documents and data that the session's pages
// sent since a moment, oldest first. A session keeps the last 1,000. The caller
// owns the slice.
func (s *Session) Requests(since time.Time) []RequestSeen {
	l := &s.requests
	l.mu.Lock()
	var kept []keptRequest
	for _, r := range l.seen {
		if !r.Begin.Before(since) {
			kept = append(kept, *r)
		}
	}
	l.mu.Unlock()
	out := make([]RequestSeen, len(kept))
	for i, r := range kept {
		out[i] = r.RequestSeen
		out[i].URL = s.secrets.hide(r.URL)
		if r.body != "" {
			sent := outgoing.FromWire(r.Method, "", http.Header{"Content-Type": {r.contentType}}, []byte(r.body))
			out[i].Fields = sent.Map(s.secrets.hide).Fields
		}
	}
	return out
}

// enter begins a call's entry in the history and returns the context to work
// with. p is nil if all pages were closed.
func (s *Session) enter(ctx context.Context, name Operation, p *Page) (context.Context, *Entry) {
	e := Entry{ID: uuid.New(), Parent: parentOf(ctx), Operation: name, Begin: time.Now()}
	if p != nil {
		e.Page, e.PageURL = p.id, s.secrets.hide(p.URL())
	}
	return s.journal.began(ctx, &e), &e
}

// modelName returns the name of the model, or "" if none was asked.
func (s *Session) modelName(own LLM, used Usage) string {
	model := cmp.Or(own, s.opts.Model)
	if model == nil || used == (Usage{}) {
		return ""
	}
	return model.Name()
}

// pageOf is the page that a frame belongs to; nil if that is not known.
func (s *Session) pageOf(frame driver.FrameID) *Page {
	for _, p := range s.browser.Pages() {
		if frame != "" && slices.ContainsFunc(p.Frames(), func(f driver.Frame) bool { return f.ID == frame }) {
			return s.PageByID(p.ID())
		}
	}
	return nil
}

// guardBrowser sets up the guard of a session and the browser options for it.
func (s *Session) guardBrowser(ctx context.Context, d Driver, opts *driver.BrowserOptions) error {
	g := &s.guard
	g.session, g.allow = s, opts.Allow
	if p := s.opts.Policy; p != nil {
		if err := g.compile(ctx, p, d, opts); err != nil {
			return err
		}
	}
	if g.rules != nil || g.allow != nil {
		opts.Allow = g.decide
	}
	return nil
}

// ownedByOther reports whether a frame belongs to a page that this one did not
// open.
func (s *Session) ownedByOther(frame driver.FrameID, page *Page) bool {
	if frame == "" {
		return false
	}
	for _, p := range s.browser.Pages() {
		if p.ID() != page.id && slices.ContainsFunc(p.Frames(), func(f driver.Frame) bool { return f.ID == frame }) {
			return p.Opener() != page.id
		}
	}
	return false
}
