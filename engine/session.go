package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
	"github.com/wayfinder-engine/wayfinder/internal/redact"
)

// Options set up a session. The zero value is a session without a model, which
// supports navigation, snapshots, page text, Do, and Observe without an
// instruction.
type Options struct {
	// Model answers Act, Observe and Extract.
	Model LLM

	// Cache stores what Act did for an instruction, so that it can be replayed
	// without the model. nil stores nothing.
	Cache Cache

	// Browser is passed to the driver. What Policy, Downloads and Dialog say is
	// said there: its DownloadDir, MaxDownload, Dial and Dialog must be zero.
	// Its Console is on where Hooks listen to the console.
	Browser driver.BrowserOptions

	// Policy says which addresses the browser may request. nil leaves the
	// network open: everything that this machine can reach, including its own
	// services. &Policy{} allows only the public Internet.
	Policy *Policy

	// Downloads says where downloads are saved; nil refuses them.
	Downloads *Downloads

	// SystemPrompt is added to the engine's own instructions to the model.
	SystemPrompt string

	// NoHeal turns off the second look at a page after an element could not be
	// used.
	NoHeal bool

	// Timeout bounds every call on a page that has no Timeout option of its
	// own: Act, Do, Observe, Extract, Navigate, Reload, Back, Forward,
	// Snapshot, Title, Screenshot, PDF, WaitFor. It covers the whole call: waiting
	// for the page's turn and for quiescence, the page's own time, and the
	// model's. When it expires, the work ends, not only the wait, and the error
	// wraps context.DeadlineExceeded. A context that ends earlier ends the call
	// earlier. 0 is 30 s, and 2 min for Observe and Extract, whose models write
	// long answers; an Extract that reads a page in parts gets 2 min more for
	// each.
	Timeout time.Duration

	// ActTimeout overrides Timeout for Act, Do and WaitFor.
	ActTimeout time.Duration

	// SettleTimeout bounds the wait for a quiet page before an act; 0 is 5 s.
	SettleTimeout time.Duration

	// Patience is how long an element may take to become usable: an overlay
	// fades, a button becomes enabled, an animation ends; 0 is 3 s.
	Patience time.Duration

	// MaxTokens bounds the outline that a model gets; 0 is 100,000 tokens. Act
	// and Observe leave out what matters least; Extract reads a longer page part
	// by part.
	MaxTokens int

	// Dialog answers JavaScript dialogs. nil accepts alert and beforeunload
	// and dismisses confirm and prompt.
	Dialog func(Dialog) DialogAnswer

	// File is asked about each local path that SetInputFiles would give to a
	// page, before the file is touched; an error rejects it. nil allows all. A
	// program that acts for others must set it: anybody who names a path can read
	// the file through a page of their own.
	File func(path string) error

	// Logger receives events at level Debug and problems at Warn. nil discards
	// them. Values of variables never reach it.
	Logger *slog.Logger

	// Hooks are called as the engine works.
	Hooks *Hooks
}

const (
	defaultSettleTimeout  = 5 * time.Second
	defaultPatience       = 3 * time.Second
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
	var page *Page
	var all []*Page
	switch e := e.(type) {
	case driver.BrowserGone:
		s.gone = cmp.Or(e.Err, error(driver.ErrClosed))
		for _, p := range s.pages {
			all = append(all, p)
		}
	case driver.PageOpened:
		page = s.pages[e.Page]
		if page == nil {
			page = newPage(s, e.Page)
			s.pages[e.Page] = page
		}
		s.active = e.Page
		// The new page is part of the opener's evidence.
		if opener := s.pages[e.Opener]; opener != nil {
			all = append(all, opener)
		}
	case driver.PageClosed:
		page = s.pages[e.Page]
		delete(s.pages, e.Page)
	default:
		page = s.pages[e.From()]
	}
	s.mu.Unlock()
	if page != nil {
		page.watch.take(e)
	}
	for _, p := range all {
		p.watch.take(e)
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
	known   bool
	actions []Action
	hidden  *redact.Matcher // what their surroundings were hidden by
}

// A view selects the part of a page to look at.
type view struct {
	selector  string
	ignore    []string
	mainFrame bool
	maxTokens int
	whole     bool // however long
	settle    time.Duration
}

// limitOfAct is limitOf for calls that send input or wait for a condition.
func (o *Options) limitOfAct(own time.Duration) limit {
	return o.limitOf(cmp.Or(own, o.ActTimeout), defaultLimit)
}

// limitOf returns the limit of a call: the call's own, else the session's, else
// the usual one.
func (o *Options) limitOf(own time.Duration, usual limit) limit {
	return cmp.Or(limit(own), limit(o.Timeout), usual)
}
