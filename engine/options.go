package engine

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
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
	// long answers.
	Timeout time.Duration

	// ActTimeout overrides Timeout for Act, Do and WaitFor.
	ActTimeout time.Duration

	// SettleTimeout bounds the wait for a quiet page before an act; 0 is 5 s.
	SettleTimeout time.Duration

	// Patience is how long an element may take to become usable: an overlay
	// fades, a button becomes enabled, an animation ends; 0 is 3 s.
	Patience time.Duration

	// MaxTokens bounds the outline that a model gets; 0 is 100,000 tokens.
	MaxTokens int

	// Dialog answers JavaScript dialogs. nil accepts alert and beforeunload
	// and dismisses confirm and prompt.
	Dialog func(Dialog) DialogAnswer

	// File is asked about each local path that SetInputFiles would give to a
	// page, before the file is touched; an error rejects it. nil allows all. A
	// program that acts for others must set it: whoever names a path can read
	// the file through a page of their own.
	File func(path string) error

	// Logger receives events at level Debug and problems at Warn. nil discards
	// them. Values of variables never reach it.
	Logger *slog.Logger

	// Hooks are called as the engine works.
	Hooks *Hooks
}

// ActOptions refine Act and Do.
type ActOptions struct {
	Model     LLM // in place of the session's
	Variables map[string]Variable
	Timeout   time.Duration // in place of the session's

	// Selector limits the search to what it matches.
	Selector string

	// Files are contents that SetInputFiles can give by name instead of by
	// path. They stay on disk until the session is closed.
	Files map[string][]byte

	// DeepPaths makes the actions of the result name their elements by deep
	// XPaths, even if the caller of Do used another selector. That costs a
	// reading of the page.
	DeepPaths bool

	// NoCache bypasses the session's cache, for an instruction that compares,
	// such as "open the cheapest", or that means something else each time.
	NoCache bool

	// Changes asks for Evidence.Changes. The page is then settled and read
	// before and after the action; the reading after it also serves the next
	// look.
	Changes bool

	// Approve, if not nil, is asked about each action right before its input is
	// sent, with the element resolved and placeholders in place. An error
	// rejects the action: nothing is sent, and the error of Act or Do wraps it.
	// It runs during the page's turn, and its time counts towards the act's
	// limit.
	Approve func(ctx context.Context, a Action) error

	replay *cacheReplay // of the act under way
}

// ObserveOptions refine Observe.
type ObserveOptions struct {
	Model     LLM
	Variables map[string]Variable
	Timeout   time.Duration // in place of the session's

	Selector        string   // limits the search to what it matches
	IgnoreSelectors []string // leaves out what they match
}

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

// SnapshotOptions refine Snapshot.
type SnapshotOptions struct {
	Timeout         time.Duration // in place of the session's
	Selector        string
	IgnoreSelectors []string
	MainFrame       bool // without the content of frames
	MaxTokens       int  // 0 is no limit
}

const (
	defaultSettleTimeout  = 5 * time.Second
	defaultPatience       = 3 * time.Second
	extractSettleTimeout  = 30 * time.Second
	defaultOutlineTokens  = 100_000
	maxAmbiguousNamed     = 10
	maxInstructionLetters = 20_000
)

func (o *ActOptions) check() error {
	if err := checkVariables(o.Variables); err != nil {
		return err
	}
	return checkFiles(o.Files)
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
