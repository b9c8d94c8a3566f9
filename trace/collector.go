package trace

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// Options refine a collector.
type Options struct {
	// Secrets are texts that must not be in a trace, as keys. Values of
	// variables need not be named: the engine tells them.
	Secrets []string

	// Version is that of the program, for the trace's head.
	Version string

	// NoPictures leaves pictures and the times of single calls out. That costs
	// the run nothing but memory.
	NoPictures bool

	// MaxBytes bounds what is kept of a run, in memory; 0 is 64 MB.
	MaxBytes int64
}

// A Collector gathers what a session does, for a trace. It is for one session.
// Its methods may be called from several goroutines at once.
type Collector struct {
	opts     Options
	recorder *recording.Recorder

	mu    sync.Mutex // protects what follows, and holds an exchange and its note together
	begun bool       // the head is noted
	err   error      // the first failure to note something
}

// New returns a collector for a session whose browser d opens. opts may be nil.
func New(d driver.Driver, opts *Options) *Collector {
	c := &Collector{}
	if opts != nil {
		c.opts = *opts
	}
	c.recorder = recording.New(d, &recording.Options{Secrets: c.opts.Secrets, Trace: !c.opts.NoPictures, MaxBytes: c.opts.MaxBytes})
	return c
}

// Driver is what [engine.Open] gets: the browser, written down.
func (c *Collector) Driver() driver.Driver { return c.recorder }

// Recorder is what holds the run, for notes of the caller's own.
func (c *Collector) Recorder() *recording.Recorder { return c.recorder }

// note writes one down.
func (c *Collector) note(kind string, v any) {
	err := c.recorder.Note(kind, v)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

type entryKey struct{}

func entryOf(ctx context.Context) string {
	id, _ := ctx.Value(entryKey{}).(string)
	return id
}

// Hooks are for [engine.Options]; join them with others by [engine.JoinHooks].
func (c *Collector) Hooks() *engine.Hooks {
	return &engine.Hooks{
		Began: func(ctx context.Context, e engine.Entry) context.Context {
			c.begin()
			c.note(noteBegan, e)
			return context.WithValue(ctx, entryKey{}, e.ID)
		},
		Ended: func(_ context.Context, e engine.Entry, _ error) { c.note(noteEntry, e) },
		Looked: func(ctx context.Context, l engine.Look) {
			if recording.Recorded(ctx) {
				c.note(noteLook, looked{entryOf(ctx), l})
			}
		},
		// Browsers tell of these only to who asks; the recorder keeps them.
		Console:   func(driver.ConsoleMessage) {},
		PageError: func(driver.PageError) {},
	}
}

// begin notes the head, once.
func (c *Collector) begin() {
	c.mu.Lock()
	begun := c.begun
	c.begun = true
	c.mu.Unlock()
	if !begun {
		c.note(noteHead, head{c.opts.Version, c.recorder.String(), time.Now()})
	}
}

// AgentHooks are for [agent.Config].
func (c *Collector) AgentHooks() *agent.Hooks {
	return &agent.Hooks{
		RunBegan: func(ctx context.Context, r agent.RunInfo) context.Context {
			c.begin()
			c.note(noteRun, r)
			return ctx
		},
		RunEnded: func(_ context.Context, r *agent.Result, err error) {
			end := concluded{Result: r}
			if r.Pending != nil { // its state is the whole conversation
				without := *r
				pending := *r.Pending
				pending.State = nil
				without.Pending = &pending
				end.Result = &without
			}
			if err != nil {
				end.Error = err.Error()
			}
			c.note(noteResult, end)
		},
		StepBegan: func(ctx context.Context, s agent.Step) context.Context {
			c.note(noteStepBegan, s)
			return ctx
		},
		StepEnded: func(_ context.Context, s agent.Step) { c.note(noteStepEnded, s) },
	}
}

// Model returns a model that asks m and has the trace know its questions and
// answers. It streams if m does.
func (c *Collector) Model(m llm.Model) llm.Model {
	tapped := tap{m, c}
	if s, ok := m.(llm.Streamer); ok {
		return streamTap{tapped, s}
	}
	return tapped
}

// A tap notes what a model is asked and answers.
type tap struct {
	llm.Model
	collector *Collector
}

// Unwrap returns the model that is asked.
func (t tap) Unwrap() llm.Model { return t.Model }

func (t tap) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	begin := time.Now()
	resp, err := t.Model.Generate(ctx, req)
	t.note(ctx, req, resp, err, begin)
	return resp, err
}

// note keeps an exchange, in the form that replays read.
func (t tap) note(ctx context.Context, req *llm.Request, resp *llm.Response, err error, begin time.Time) {
	c := t.collector
	took := time.Since(begin)
	c.mu.Lock()
	defer c.mu.Unlock()
	var secrets []llm.Secret
	for _, s := range c.opts.Secrets {
		secrets = append(secrets, llm.NewSecret(s))
	}
	var line bytes.Buffer
	record := llmtest.Record(given{t.Name(), resp, err}, &line, secrets...)
	record.Generate(ctx, req) // what it gives is what it got
	failed := record.Err()
	if failed == nil && line.Len() > 0 {
		if _, failed = c.recorder.Exchanges().Write(line.Bytes()); failed == nil {
			failed = c.recorder.Note(noteQuestion, asked{entryOf(ctx), begin, took})
		}
	}
	if c.err == nil {
		c.err = failed
	}
}

// A streamTap is a tap of a model that streams.
type streamTap struct {
	tap
	streamer llm.Streamer
}

func (t streamTap) Stream(ctx context.Context, req *llm.Request) func(yield func(llm.Delta, error) bool) {
	return func(yield func(llm.Delta, error) bool) {
		begin := time.Now()
		for delta, err := range t.streamer.Stream(ctx, req) {
			if err != nil {
				t.note(ctx, req, nil, err, begin)
			} else if delta.Response != nil {
				t.note(ctx, req, delta.Response, nil, begin)
			}
			if !yield(delta, err) {
				return
			}
		}
	}
}

// A given is a model that has answered already.
type given struct {
	name string
	resp *llm.Response
	err  error
}

func (g given) Name() string { return g.name }

func (g given) Generate(context.Context, *llm.Request) (*llm.Response, error) { return g.resp, g.err }

// Err is the first failure to write something down; the trace lacks it.
func (c *Collector) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// WriteBundle writes the run as a bundle: see package driver/recording.
func (c *Collector) WriteBundle(w io.Writer) error {
	_, err := c.recorder.WriteTo(w)
	return err
}

// Trace reads what was collected so far.
func (c *Collector) Trace() (*Trace, error) {
	var bundle bytes.Buffer
	if err := c.WriteBundle(&bundle); err != nil {
		return nil, err
	}
	return read(bundle.Bytes(), c.recorder.Mask)
}
