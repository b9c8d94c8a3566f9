package trace

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Trace is a run, as its recording tells it. It does not change.
type Trace struct {
	// Task is what an agent was to do; of a run without one the instructions
	// of its steps, one a line.
	Task    string
	Mode    agent.Mode    // empty without an agent
	Result  *agent.Result // of the agent; nil without one, or where it did not end
	Failure string        // what ended the run, in words; empty if nothing did
	Model   string        // empty if none was asked
	Usage   llm.Usage     // of all questions
	Cost    float64       // US dollars
	Priced  bool          // prices of all that was asked are known
	Driver  string        // what opened the browser
	Browser string        // its version
	Version string        // of the program that made the recording
	Whole   bool          // the recorder had room for all of it

	Began time.Time // zero where the recording has no times
	Took  time.Duration

	Steps []*Step

	// What the pages told of themselves, in order.
	Console   []Message
	Requests  []*Request
	Dialogs   []Dialog
	Downloads []*Download

	bundle []byte // without pictures
	spans  []span
	mask   func(string) string
}

// A Step is one call of an agent's tool, or one call of the engine.
type Step struct {
	Number int    // the agent's own; of others counted on from there, and from 1 without an agent
	Before bool   // it came before the agent's first one, and has no number
	Tool   string // click, navigate, extract, …

	Status      agent.Status
	Message     string // what came of it, or why it was not run
	Target      string // as button "Pay"
	Instruction string
	Address     string // where it began
	Arguments   string // JSON, as the model gave them; values are %names%
	Output      string // what it read
	Text        string // what the model said beside its call
	Reasoning   string
	Actions     []engine.Action
	Evidence    *engine.Evidence

	Begin time.Duration // since the trace's Began
	Took  time.Duration

	Usage     llm.Usage
	Cost      float64
	Questions []*Question
	Looks     []engine.Look
	Approvals []Approval // what somebody was asked on its way

	Shot  *Shot // before the input, with what it aimed at; nil if there is none
	After *Shot // when the page was read next

	Outline string // of the page when it began; empty if it was read then for the first time
	Change  string // what is different after it
	Seen    string // the whole outline after it, where that is another document

	Console   []Message
	Requests  []*Request
	Dialogs   []Dialog
	Downloads []*Download

	agents  bool // it is the agent's, which has numbered it
	actions int  // calls that did something
	before  *look
	aimed   *look // the last one before its first input
	stale   bool  // aimed is from before what the step before did
	after   *look
	aim     *driver.Location
	point   *driver.Offset
}

// ID is the step's anchor in the HTML file.
func (s *Step) ID() string {
	if s.Before {
		return "before-" + itoa(s.Number)
	}
	return "step-" + itoa(s.Number)
}

// A Shot is a picture of a page, with what a step aimed at.
type Shot struct {
	recording.Picture
	Box   *driver.Rect   // of the target, in CSS pixels of the viewport; nil if there is none
	Point *driver.Offset // that was pressed
}

// A Question is one question to a model with its answer.
type Question struct {
	Number  int
	Model   string
	Purpose llm.Purpose
	Begin   time.Duration
	Took    time.Duration
	Known   int    // messages that the question before it had, too; they are not among Prompt
	System  string // empty where it is that of the question before
	Prompt  []Part
	Answer  []Part
	Usage   llm.Usage
	Failed  string
	request *llm.Request
}

// A Part is a piece of a prompt or an answer.
type Part struct {
	Role string // user, model; system
	Kind string // instruction, text, outline, changes, picture, call, result, reasoning
	Text string
}

// A Message is what a script wrote to the console, or an error that nothing caught.
type Message struct {
	At    time.Duration
	Step  *Step // nil if it came before the first one
	Level driver.ConsoleLevel
	Text  string
	Where string
}

// A Request is one that a page sent.
type Request struct {
	At     time.Duration
	Took   time.Duration // 0 while it is under way
	Step   *Step
	Kind   driver.RequestKind
	Method string
	URL    string
	Status int
	Failed bool
	Ended  bool
}

// bad reports a request without an answer, or with an error for one.
func (r *Request) bad() bool { return r.Failed || r.Status >= 400 }

// A Dialog is one that a page opened, with the answer to it.
type Dialog struct {
	At     time.Duration
	Step   *Step
	Dialog driver.Dialog
	Answer *driver.DialogAnswer // nil if nobody answered
}

// A Download is one that a page began.
type Download struct {
	At       time.Duration
	Step     *Step
	Name     string
	URL      string
	Size     int64
	Done     bool
	Canceled bool
}

// A span is a piece of the timeline.
type span struct {
	lane  string // model, settle, tool, input
	begin time.Duration
	took  time.Duration
	step  *Step
	words string
}

// A look is a capture that may be shown.
type look struct {
	capture func() *driver.Capture // makes it anew
	built   *accessibility.Snapshot
}

// Verdict is what became of the run, in a word: verified, claimed, not done,
// waiting, left, failed, done; running where the recording ends before it.
func (t *Trace) Verdict() string {
	r := t.Result
	switch {
	case r != nil && r.Pending != nil:
		return "waiting"
	case r != nil && r.Success:
		return "verified"
	case r != nil && r.Completed:
		return "claimed"
	case r != nil && r.End == agent.EndDone:
		return "not done"
	case r != nil:
		return "failed"
	case t.Mode != "":
		return "running"
	case t.Failure != "":
		return "failed"
	}
	return "done"
}

// tokens are what recordings have in the place of values.
var tokens = regexp.MustCompile(`⟪([^⟪⟫ ]+)[^⟪⟫]*⟫`)

// plain has names in the place of a recording's tokens.
func plain(text string) string { return tokens.ReplaceAllString(text, "%$1%") }

func itoa(n int) string { return strconv.Itoa(n) }

// An Approval is a question to somebody whether something may be done, and the
// answer.
type Approval struct {
	engine.Approval
	Asked string        // what about
	At    time.Duration // since the trace's Began
	Took  time.Duration // until the answer
}

// words are who said what.
func (a *Approval) words() string { return a.By + ": " + string(a.Decision) }

// changed reports a step with an effect that others can see.
func (s *Step) changed() bool {
	if s.Evidence == nil {
		return false
	}
	return !slices.Contains([]string{"", "none", "scroll", "focus"}, string(s.Evidence.Effect))
}

// Compile makes a script of a run that is finished: its steps as they can be
// done again without a model, with what each has changed. opts may be nil. What
// only read is not in it. An error wraps ErrNoScript and says what speaks
// against it: a run that was not verified, a step whose outcome is not known.
func (t *Trace) Compile(opts *CompileOptions) (*script.Script, error) {
	if opts == nil {
		opts = &CompileOptions{}
	}
	c := &compiler{t: t, out: &script.Script{Wayfinder: script.Format, Version: script.Version, Task: comment(t.Task), Variables: variablesOf(t)}}
	switch {
	case !t.Whole:
		return nil, fmt.Errorf("%w: the recording is not whole", ErrNoScript)
	case t.Mode != "" && (t.Result == nil || !t.Result.Success) && !opts.Unverified:
		return nil, fmt.Errorf("%w: its success was not verified", ErrNoScript)
	case t.Mode == "" && t.Failure != "" && !opts.Unverified:
		return nil, fmt.Errorf("%w: it failed: %s", ErrNoScript, plain(t.Failure))
	}
	for i, s := range t.Steps {
		if err := c.step(i, s); err != nil {
			return nil, err
		}
	}
	if c.out.Start == "" {
		return nil, fmt.Errorf("%w: it opens no address", ErrNoScript)
	}
	if texts := slices.DeleteFunc(confirmedTexts(t), func(text string) bool { return strings.Contains(text, "%") }); len(texts) > 0 {
		c.out.End = &script.Expect{Texts: texts}
	}
	if err := c.out.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoScript, err)
	}
	return c.out, nil
}

// WriteHTML writes the trace as one HTML file that needs nothing else. It holds
// the bundle, which [Read] finds in it. What came from pages is text there.
// opts may be nil.
func (t *Trace) WriteHTML(w io.Writer, opts *HTMLOptions) error {
	limit := defaultBytes
	if opts != nil && opts.MaxBytes > 0 {
		limit = opts.MaxBytes
	}
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	if _, err := zip.Write(t.bundle); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	if err := zip.Close(); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	bundle := base64.StdEncoding.EncodeToString(packed.Bytes())
	view := newView(t, nil)
	text, err := view.render()
	if err != nil {
		return err
	}
	left := limit - len(text)
	if len(bundle) <= left*7/10 {
		view.Bundle = template.HTML(bundle) // letters, digits, +, / and =
		left -= len(bundle)
		view.BundleSize, view.BundleNote = byteCount(len(t.bundle)), "This file holds the bundle: wayfinder replay FILE plays the run again, offline."
	} else {
		view.BundleNote = fmt.Sprintf("The bundle (%s packed) has no room in this file. Write it by itself to replay the run.", byteCount(packed.Len()))
	}
	view.take(t, fit(picturesOf(t), left*19/20))
	if text, err = view.render(); err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// WritePlaywright writes the trace in the format of Playwright's trace viewer, as
// a zip file. Each step is an action, with its pictures in the place of DOM
// snapshots, its log and its error; what the page wrote and asked for stands
// where that viewer has it. The bundle is not in it.
func (t *Trace) WritePlaywright(w io.Writer) error {
	p := &playwright{t: t, zip: zip.NewWriter(w)}
	events, err := p.entry("trace.trace")
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	p.out = json.NewEncoder(events)
	p.out.SetEscapeHTML(false)
	p.events()
	network, err := p.entry("trace.network")
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	p.out = json.NewEncoder(network)
	p.out.SetEscapeHTML(false)
	for _, r := range t.Requests {
		p.request(r)
	}
	pictures := picturesOf(t)
	for _, id := range slices.Sorted(maps.Keys(pictures)) {
		file, err := p.entry(pictureFile(id))
		if err == nil {
			_, err = file.Write(pictures[id])
		}
		if err != nil {
			return fmt.Errorf("trace: %w", err)
		}
	}
	if err := p.zip.Close(); p.err == nil {
		p.err = err
	}
	if p.err != nil {
		return fmt.Errorf("trace: %w", p.err)
	}
	return nil
}

// GoTest is a Go test that does the run's actions again, without a model, and
// holds each to the effect that it had.
func (t *Trace) GoTest() string {
	var b strings.Builder
	_ = goTest.Execute(&b, struct { // into memory, by functions that do not fail
		Task                    string
		Variables, Steps, Texts []string
	}{comment(t.Task), variablesOf(t), goSteps(t), confirmedTexts(t)})
	return b.String()
}
