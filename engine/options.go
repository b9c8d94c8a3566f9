package engine

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Options set up a session. The zero value is a session without a model:
// navigation, snapshots, page text, Do and the plain form of Observe work.
type Options struct {
	// Model answers Act, Observe and Extract.
	Model LLM

	// Cache keeps what instructions came to, so that Act need not ask the
	// model again. nil keeps nothing.
	Cache Cache

	// Browser is passed to the driver.
	Browser driver.BrowserOptions

	// Policy says which addresses the browser may ask for. nil leaves the
	// network open: whatever this machine can reach, its own services
	// included. &Policy{} is the public Internet alone.
	Policy *Policy

	// Downloads says where downloads are saved; nil refuses them.
	Downloads *Downloads

	// SystemPrompt is added to the engine's own instructions to the model.
	SystemPrompt string

	// NoHeal leaves out the second look after an element could not be used.
	NoHeal bool

	// Timeout bounds every call on a page that has no Timeout in options of its
	// own: Act, Do, Observe, Extract, Navigate, Reload, Back, Forward, Snapshot,
	// Title, Screenshot, WaitFor. All of the call counts: the wait for the
	// page's turn and for quiet, the page's own time, and the model's. The limit
	// ends the work, not only the wait, and gives an error that wraps
	// context.DeadlineExceeded. A context that ends earlier ends the call then.
	// 0 is 30 s, and 2 min for Observe and Extract, whose models write long
	// answers.
	Timeout time.Duration

	// ActTimeout is in the place of Timeout for Act, Do and WaitFor.
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

	// File decides about each path of this machine that SetInputFiles is to
	// give to a page, before it is looked at; an error refuses it. nil allows
	// all. A program that acts for others must set it: who names a path gets
	// its content, by way of a page of his own.
	File func(path string) error

	// Logger gets what happens at level Debug, and trouble at Warn. nil is silence.
	// Values of variables never reach it.
	Logger *slog.Logger

	// Hooks are called as things happen.
	Hooks *Hooks
}

// ActOptions refine Act and Do.
type ActOptions struct {
	Model     LLM // in place of the session's
	Variables map[string]Variable
	Timeout   time.Duration // in place of the session's

	// Selector limits the search to what it matches.
	Selector string

	// Files are contents that SetInputFiles can give by name, in place of
	// paths. They are kept on disk until the session is closed.
	Files map[string][]byte

	// DeepPaths has the actions in the result name their elements by deep
	// XPaths, also where the caller of Do named one otherwise. That costs a
	// reading of the page.
	DeepPaths bool

	// NoCache leaves the session's cache alone: for an instruction that
	// compares, as "open the cheapest", or means another thing each time.
	NoCache bool

	// Changes asks for Evidence.Changes. The page is then waited for and read
	// before and after the action; the reading after it serves the next look.
	Changes bool

	// Approve, if not nil, is asked about each action right before it is done,
	// with its element found and its placeholders in place. An error refuses
	// it: nothing is sent, and the error is in the chain of Act's or Do's. It
	// holds the page's turn, and its time counts as the act's.
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

	// SettleTimeout bounds the wait for a quiet page; 0 is 30 s.
	SettleTimeout time.Duration
}

// SnapshotOptions refine Snapshot.
type SnapshotOptions struct {
	Timeout         time.Duration // in place of the session's
	Selector        string
	IgnoreSelectors []string
	MainFrame       bool // leave the content of frames out
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
