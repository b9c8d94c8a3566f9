package engine

import (
	"cmp"
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

// limitOfAct is limitOf for calls that send input or wait for a condition.
func (o *Options) limitOfAct(own time.Duration) limit {
	return o.limitOf(cmp.Or(own, o.ActTimeout), defaultLimit)
}

// limitOf returns the limit of a call: the call's own, else the session's, else
// the usual one.
func (o *Options) limitOf(own time.Duration, usual limit) limit {
	return cmp.Or(limit(own), limit(o.Timeout), usual)
}
