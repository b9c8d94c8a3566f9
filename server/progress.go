package server

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A progress is what is known of one request's work while it is done. The
// engine's hooks find it in the context of the work.
type progress struct {
	tell     func(wire.LogLine) // nil: nobody listens
	step     func(text string)  // the latest line of verbosity 1; nil: nobody listens
	verbose  int
	agent    bool   // what its steps consist of is reported at verbose 2 only
	category string // what is done: act, observe, …
	events   *Events
	begin    time.Time // of the wait for the page's turn

	mu   sync.Mutex // protects what follows
	id   string
	sent engine.Sent // what the actions' input adds up to
}

type progressKey struct{}

// progressOf returns the progress of a context; a nil one takes everything.
func progressOf(ctx context.Context) *progress {
	p, _ := ctx.Value(progressKey{}).(*progress)
	return p
}

// action is the id of what is done, once that has begun.
func (p *progress) action() string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id
}

func (p *progress) began(id string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	first := p.id == ""
	p.id = id
	p.mu.Unlock()
	if first {
		p.events.waited(PageQueue, p.begin)
	}
}

// add counts whether an action has sent input. One that may have sent a part
// counts for all.
func (p *progress) add(sent engine.Sent) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if sent == engine.SentPossible || sent == engine.SentAll && p.sent != engine.SentPossible {
		p.sent = sent
	}
}

// sum is the sum of what add was given.
func (p *progress) sum() wire.Sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return wire.Sent(cmp.Or(p.sent, engine.SentNone))
}

// part reports a part of a step, or of a call that has no steps.
func (p *progress) part(format string, args ...any) {
	if p != nil && p.agent {
		p.say(2, format, args...)
		return
	}
	p.say(1, format, args...)
}

// say writes one readable line to the listener, if it wants that much.
func (p *progress) say(verbosity int, format string, args ...any) {
	if p == nil {
		return
	}
	told, step := p.tell != nil && verbosity <= p.verbose, p.step != nil && verbosity <= 1
	if !told && !step {
		return
	}
	line := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	if line == "" {
		return
	}
	text := strings.ToValidUTF8(line[:min(len(line), longestLine)], "")
	if told {
		p.tell(wire.LogLine{Category: p.category, Message: text, Level: verbosity})
	}
	if step {
		p.step(text)
	}
}

// hooks are those of every session: the requests' progress and the operator's.
func (s *Server) hooks() *engine.Hooks {
	return engine.JoinHooks(&engine.Hooks{
		Began: func(ctx context.Context, e engine.Entry) context.Context {
			if e.Parent == "" {
				progressOf(ctx).began(e.ID)
			}
			return ctx
		},
		Looked: func(ctx context.Context, l engine.Look) {
			progressOf(ctx).say(2, "read %s: %d elements, about %d tokens", l.URL, l.Nodes, l.Tokens)
		},
		Asked: func(ctx context.Context, a engine.Ask) {
			came := fmt.Sprintf("%d tokens in, %d out", a.Usage.Input, a.Usage.Output)
			if a.Err != nil {
				came = "no answer"
			}
			progressOf(ctx).part("asked %s: %s", a.Model, came)
		},
		Acted: func(ctx context.Context, r engine.ActResult) {
			progressOf(ctx).part("%s", r.Message)
		},
		Ended: func(ctx context.Context, e engine.Entry, _ error) { progressOf(ctx).add(e.Sent) },
	}, s.opts.Hooks)
}
