package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// A builder reads a recording from its beginning to its end.
type builder struct {
	t      *Trace
	prices *middleware.Prices

	run      string // the entry of the agent's run; empty without one
	step     *Step  // what happens now belongs to it; nil before the first
	began    map[string]engine.Entry
	byEntry  map[string]*Step
	early    []*Question // of a turn whose first step has not begun
	last     *Question
	exchange *exchange // that waits for its note

	pages    map[driver.PageID]*pageState
	requests map[string]*Request
	loads    map[string]*Download
	unpriced bool
}

// A pageState is what is known of a page while the recording is read.
type pageState struct {
	actor   *Step // that did something last
	look    *look // the last one
	stale   bool  // something was done since
	located *driver.Location
}

// read makes a trace of a bundle. mask, if not nil, puts names in the place of
// values that were spread over several texts of a page.
func read(bundle []byte, mask func(string) string) (*Trace, error) {
	rec, err := recording.Read(bytes.NewReader(bundle))
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	var bare bytes.Buffer
	if err := recording.WithoutPictures(&bare, bytes.NewReader(bundle)); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	prices, err := middleware.ListPrices()
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	b := &builder{
		t:      &Trace{Browser: rec.Browser(), Whole: rec.Complete(), bundle: bare.Bytes(), mask: mask},
		prices: prices, began: map[string]engine.Entry{}, byEntry: map[string]*Step{}, pages: map[driver.PageID]*pageState{},
		requests: map[string]*Request{}, loads: map[string]*Download{},
	}
	for m := range rec.Moments() {
		if err := b.moment(m); err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
	}
	b.finish()
	return b.t, nil
}

func (b *builder) page(id driver.PageID) *pageState {
	p := b.pages[id]
	if p == nil {
		p = &pageState{}
		b.pages[id] = p
	}
	return p
}

// since is a time of the clock as the trace counts it.
func (b *builder) since(at time.Time) time.Duration {
	if b.t.Began.IsZero() || at.IsZero() {
		return 0
	}
	return max(0, at.Sub(b.t.Began))
}

func (b *builder) moment(m recording.Moment) error {
	b.t.Took = max(b.t.Took, m.At)
	switch {
	case m.Note != "":
		if err := b.note(m); err != nil {
			return fmt.Errorf("a note %q: %w", m.Note, err)
		}
	case m.Picture != nil:
		b.picture(m)
	case m.Call != nil:
		b.call(m)
	case m.Event != nil:
		b.event(m)
	}
	return nil
}

func (b *builder) note(m recording.Moment) error {
	switch m.Note {
	case noteHead:
		return take(m.Data, func(h head) {
			b.t.Version, b.t.Driver = h.Version, h.Driver
			b.t.Began = h.Now.Add(-m.At)
		})
	case noteBegan:
		return take(m.Data, b.beganEntry)
	case noteEntry:
		return take(m.Data, b.endedEntry)
	case noteLook:
		return take(m.Data, b.looked)
	case noteExchange:
		return take(m.Data, func(x exchange) { b.exchange = &x })
	case noteQuestion:
		return take(m.Data, b.asked)
	case noteRun:
		return take(m.Data, func(r agent.RunInfo) { b.t.Task, b.t.Mode, b.t.Model = r.Task, r.Mode, r.Model })
	case noteStepBegan:
		return take(m.Data, func(s agent.Step) {
			step := b.add(&Step{Number: s.Number, Tool: s.Action.Type, Begin: b.since(s.Action.Begin), agents: true})
			b.assign(step)
			b.fill(step, &s.Action)
		})
	case noteStepEnded:
		return take(m.Data, func(s agent.Step) {
			if step := b.numbered(s.Number); step != nil {
				b.fill(step, &s.Action)
				step.Text, step.Reasoning, step.Usage, step.Cost = s.Text, s.Reasoning, s.Usage, s.Cost
			}
		})
	case noteResult:
		return take(m.Data, b.concluded)
	}
	return nil
}

// assign gives a step the questions that led to it.
func (b *builder) assign(s *Step) {
	s.Questions, b.early = append(s.Questions, b.early...), nil
	for i := range b.t.spans {
		if b.t.spans[i].step == nil && b.t.spans[i].lane == "model" {
			b.t.spans[i].step = s
		}
	}
}

// add puts a step at the end of the trace.
func (b *builder) add(s *Step) *Step {
	b.t.Steps = append(b.t.Steps, s)
	b.step = s
	return s
}

// numbered finds a step of the agent.
func (b *builder) numbered(n int) *Step {
	for _, s := range slices.Backward(b.t.Steps) {
		if s.Number == n && s.agents {
			return s
		}
	}
	return nil
}

func (b *builder) beganEntry(e engine.Entry) {
	b.began[e.ID] = e
	if b.t.Began.IsZero() {
		b.t.Began = e.Begin
	}
	switch {
	case e.Operation == "agent":
		b.run = e.ID
		return
	case b.run != "" && e.Parent == b.run:
		if e.Operation != engine.OperationGenerate && b.step != nil {
			b.byEntry[e.ID] = b.step
		}
		return
	case e.Parent != "" && b.byEntry[e.Parent] != nil:
		b.byEntry[e.ID] = b.byEntry[e.Parent]
		return
	}
	step := b.add(&Step{Number: len(b.t.Steps) + 1, Tool: string(e.Operation), Begin: b.since(e.Begin), Address: e.PageURL})
	b.assign(step)
	b.byEntry[e.ID] = step
}

func (b *builder) endedEntry(e engine.Entry) {
	if b.t.Began.IsZero() {
		b.t.Began = e.Begin
	}
	b.t.Took = max(b.t.Took, b.since(e.End))
	b.approved(&e)
	step := b.byEntry[e.ID]
	if step == nil || e.Approval != nil || e.Operation == "agent" || b.run != "" && e.Parent == b.run {
		return
	}
	step.Instruction, step.Address, step.Message = cmp.Or(e.Instruction, e.Address), e.PageURL, cmp.Or(e.Message, e.Arrived)
	step.Actions, step.Usage = e.Actions, e.Usage
	step.Took = e.End.Sub(e.Begin)
	step.Output = string(e.Data)
	if e.Evidence.Effect != "" {
		step.Evidence = &e.Evidence
	}
	step.Status = agent.Done
	if !e.Success {
		step.Status = agent.Failed
		if e.Sent == engine.SentPossible {
			step.Status = agent.Unknown
		}
		b.t.Failure = e.Message
	}
	for _, a := range e.Actions {
		if a.Fingerprint != nil {
			step.Target = a.Fingerprint.String()
		}
	}
	if e.Model != "" {
		b.t.Model = cmp.Or(b.t.Model, e.Model)
	}
	step.Cost = b.price(e.Model, e.Usage)
}

// price is what a usage costs. It notes models that have no price.
func (b *builder) price(model string, u llm.Usage) float64 {
	if model == "" || u == (llm.Usage{}) {
		return 0
	}
	p, ok := b.prices.Of(model)
	if !ok {
		b.unpriced = true
		return 0
	}
	return p.Cost(u)
}

// fill takes what an agent says of a step.
func (b *builder) fill(s *Step, a *agent.Action) {
	s.Status, s.Message, s.Target, s.Output = a.Status, a.Message, a.Target, a.Output
	s.Instruction, s.Address, s.Actions, s.Evidence, s.Took = a.Instruction, a.PageURL, a.Actions, a.Evidence, a.Duration
	s.Arguments = indented(a.Arguments)
	if s.Begin == 0 {
		s.Begin = b.since(a.Begin)
	}
}

func indented(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "{}" || !json.Valid(raw) {
		return ""
	}
	if text := letters.Replace(string(raw)); len(text) <= 100 {
		return text
	}
	return readable(string(raw))
}

// concluded takes a run's end, and the steps that were not run.
func (b *builder) concluded(c concluded) {
	b.t.Result, b.t.Failure = c.Result, c.Error
	if c.Result == nil {
		return
	}
	for i := range c.Result.Actions {
		a := &c.Result.Actions[i]
		step := b.numbered(a.Step)
		if step == nil {
			step = &Step{Number: a.Step, Tool: a.Type, agents: true}
			at := slices.IndexFunc(b.t.Steps, func(s *Step) bool { return s.agents && s.Number > a.Step })
			if at < 0 {
				at = len(b.t.Steps)
			}
			b.t.Steps = slices.Insert(b.t.Steps, at, step)
		}
		b.fill(step, a)
	}
	b.t.Cost = c.Result.Cost
	if len(b.early) > 0 && len(b.t.Steps) > 0 { // of a turn without a step
		b.assign(b.t.Steps[len(b.t.Steps)-1])
	}
}

func (b *builder) looked(l looked) {
	step := cmp.Or(b.byEntry[l.Entry], b.step)
	if step != nil {
		step.Looks = append(step.Looks, l.Look)
	}
	if l.Look.Settle > 0 {
		b.t.spans = append(b.t.spans, span{"settle", b.since(l.Look.Begin), l.Look.Settle, step, "waited for a quiet page"})
	}
}

// pressed is where a mouse button went down, or a finger.
var pressed = regexp.MustCompile(`(?:down \w+|tap|wheel|drag) \S*?\((-?[\d.e+]+),(-?[\d.e+]+)\)`)

func (b *builder) call(m recording.Moment) {
	p, c := b.page(m.Page), m.Call
	if c.Location != nil {
		p.located = c.Location
	}
	if c.Capture != nil {
		now := &look{capture: c.Capture}
		switch {
		case p.actor != nil:
			p.actor.after = now
		case b.step != nil && b.step.before == nil && b.step.actions == 0:
			b.step.before = now
		}
		if b.step != nil && b.step.actions == 0 {
			b.step.aimed = now
		}
		p.look, p.stale = now, false
	}
	if !c.Acting {
		return
	}
	step := b.step
	if step == nil {
		return
	}
	if step.actions++; step.actions == 1 {
		step.before = cmp.Or(step.before, p.look)
		step.aimed, step.stale = cmp.Or(step.aimed, p.look), step.aimed == nil && p.stale
	}
	p.actor, p.stale = step, true
	if c.Op == "evaluate" || c.Op == "newpage" || c.Op == "close" {
		return
	}
	if m.At > 0 {
		b.t.spans = append(b.t.spans, span{"input", m.At, c.Took, step, c.Op})
	}
	if at := pressed.FindStringSubmatch(c.Words); at != nil && step.point == nil {
		x, _ := strconv.ParseFloat(at[1], 64) // of the pattern
		y, _ := strconv.ParseFloat(at[2], 64)
		step.point = &driver.Offset{X: x, Y: y}
	}
	if step.aim == nil {
		step.aim = p.located
	}
	p.located = nil
}

// mostOutline bounds an outline, and the changes of a step, in tokens.
const mostOutline = 3000

// finish completes what is known at the end alone.
func (b *builder) finish() {
	t := b.t
	if len(t.Steps) > 0 {
		b.assign(t.Steps[len(t.Steps)-1])
	}
	for i := range t.Dialogs {
		if s := t.Dialogs[i].Step; s != nil {
			s.Dialogs = append(s.Dialogs, t.Dialogs[i])
		}
	}
	b.count()
	for _, s := range t.Steps {
		if s.Status == "" {
			s.Status = agent.Unknown
		}
		b.shown(s)
		if s.Begin > 0 || s.Took > 0 {
			t.spans = append(t.spans, span{"tool", s.Begin, s.Took, s, s.Tool})
		}
		t.Took = max(t.Took, s.Begin+s.Took)
	}
	if t.Mode == "" {
		var words []string
		for _, s := range t.Steps {
			if s.Instruction != "" {
				words = append(words, s.Tool+": "+s.Instruction)
			}
			t.Cost += s.Cost
		}
		t.Task = strings.Join(words, "\n")
	}
	t.Priced = !b.unpriced
	for _, s := range t.Steps {
		for _, q := range s.Questions {
			t.Usage = t.Usage.Add(q.Usage)
		}
	}
	if t.Usage == (llm.Usage{}) { // a bundle without questions
		for _, s := range t.Steps {
			t.Usage = t.Usage.Add(s.Usage)
		}
	}
}

// count gives numbers to the steps that are not the agent's.
func (b *builder) count() {
	first, highest, before := -1, 0, 0
	for i, s := range b.t.Steps {
		if s.agents {
			highest = max(highest, s.Number)
			if first < 0 {
				first = i
			}
		}
	}
	for i, s := range b.t.Steps {
		switch {
		case s.agents:
		case i < first:
			before++
			s.Before, s.Number = true, before
		default:
			highest++
			s.Number = highest
		}
	}
}

// shown completes what a step shows of its pages.
func (b *builder) shown(s *Step) {
	if s.Shot != nil && s.aim != nil {
		box := s.aim.Box
		if !box.IsZero() {
			s.Shot.Box = &box
		}
		if s.point != nil {
			at := *s.point
			if inside := at.X >= box.X && at.X <= box.X+box.Width && at.Y >= box.Y && at.Y <= box.Y+box.Height; !inside && !box.IsZero() {
				at = driver.Offset{X: box.X + box.Width/2, Y: box.Y + box.Height/2} // it is of another frame's viewport
			}
			s.Shot.Point = &at
		}
	} else if s.Shot != nil {
		s.Shot.Point = s.point
	}
	before, after := b.snapshot(s.before), b.snapshot(s.after)
	if before != nil {
		s.Outline = before.Outline()
	}
	switch {
	case after == nil:
	case before == nil:
		s.Seen = after.Outline()
	default:
		changes := accessibility.Diff(before, after)
		if changes.NewDocument {
			s.Seen = after.Outline()
		} else {
			s.Change = changes.Outline(mostOutline)
		}
	}
}

func (b *builder) snapshot(l *look) *accessibility.Snapshot {
	if l == nil {
		return nil
	}
	if l.built == nil {
		l.built = accessibility.Build(l.capture(), &accessibility.Options{MaxTokens: mostOutline, Mask: b.hide})
	}
	return l.built
}

// hide writes names in the place of values and of a recording's tokens.
func (b *builder) hide(text string) string {
	if b.t.mask != nil {
		text = b.t.mask(text)
	}
	return plain(text)
}

// event takes what a page told of itself.
func (b *builder) event(m recording.Moment) {
	step, t := b.step, b.t
	switch e := m.Event.(type) {
	case driver.ConsoleMessage:
		b.message(Message{m.At, step, e.Level, e.Text, place(e.URL, e.Line)})
	case driver.PageError:
		b.message(Message{m.At, step, driver.ConsoleError, e.Text, place(e.URL, e.Line)})
	case driver.RequestStarted:
		r := &Request{At: m.At, Step: step, Kind: e.Kind, Method: e.Method, URL: e.URL}
		b.requests[string(e.Page)+" "+e.ID] = r
		t.Requests = append(t.Requests, r)
		if step != nil {
			step.Requests = append(step.Requests, r)
		}
	case driver.RequestEnded:
		if r := b.requests[string(e.Page)+" "+e.ID]; r != nil {
			r.Status, r.Failed, r.Ended, r.Took = e.Status, e.Failed, true, m.At-r.At
		}
	case driver.DialogOpened:
		t.Dialogs = append(t.Dialogs, Dialog{At: m.At, Step: step, Dialog: e.Dialog})
	case driver.DialogClosed:
		for i := range t.Dialogs {
			if d := &t.Dialogs[i]; d.Answer == nil && d.Dialog == e.Dialog {
				answer := e.Answer
				d.Answer = &answer
				break
			}
		}
	case driver.DownloadStarted:
		d := &Download{At: m.At, Step: step, Name: e.Name, URL: e.URL}
		b.loads[e.ID] = d
		t.Downloads = append(t.Downloads, d)
		if step != nil {
			step.Downloads = append(step.Downloads, d)
		}
	case driver.DownloadEnded:
		if d := b.loads[e.ID]; d != nil {
			d.Size, d.Canceled, d.Done = e.Size, e.Canceled, !e.Canceled
		}
	}
}

func (b *builder) message(m Message) {
	b.t.Console = append(b.t.Console, m)
	if m.Step != nil {
		m.Step.Console = append(m.Step.Console, m)
	}
}

func (b *builder) picture(m recording.Moment) {
	p := b.page(m.Page)
	shot := &Shot{Picture: *m.Picture}
	switch {
	case m.Picture.Before && b.step != nil:
		if b.step.Shot == nil || b.step.actions == 0 {
			b.step.Shot = shot
		}
		if p.actor != nil && p.actor != b.step && p.actor.After == nil {
			p.actor.After = shot
		}
	case p.actor != nil:
		p.actor.After = shot
	}
}

// approved gives a step the question that an entry holds.
func (b *builder) approved(e *engine.Entry) {
	if e.Approval == nil {
		return
	}
	step := cmp.Or(b.byEntry[e.ID], b.step)
	if step == nil {
		return
	}
	a := Approval{Approval: *e.Approval, Asked: e.Instruction, At: b.since(e.Begin), Took: e.End.Sub(e.Begin)}
	step.Approvals = append(step.Approvals, a)
	b.t.spans = append(b.t.spans, span{"person", a.At, a.Took, step, a.words()})
}

// asked takes a question, whose exchange came right before.
func (b *builder) asked(a asked) {
	x := b.exchange
	b.exchange = nil
	if x == nil || x.Request == nil {
		return
	}
	q := &Question{
		Number: 1, Model: x.Model, Purpose: x.Request.Purpose, Begin: b.since(a.Begin), Took: a.Took,
		request: x.Request,
	}
	if b.last != nil {
		q.Number = b.last.Number + 1
	}
	b.prompt(q)
	if r := x.Response; r != nil {
		q.Usage = r.Usage
		q.Usage.Duration = a.Took
		b.price(x.Model, r.Usage)
		for _, thought := range r.Reasoning {
			if thought.Text != "" {
				q.Answer = append(q.Answer, Part{"model", "reasoning", cut(thought.Text)})
			}
		}
		if r.Text != "" {
			q.Answer = append(q.Answer, Part{"model", "text", cut(readable(r.Text))})
		}
		for _, call := range r.ToolCalls {
			q.Answer = append(q.Answer, Part{"model", "call", callText(call)})
		}
	}
	if e := x.Error; e != nil {
		q.Failed = strings.TrimSpace(fmt.Sprintf("%s %s", e.Kind, e.Message))
	}
	b.last = q
	entry := b.began[a.Entry]
	step := b.byEntry[a.Entry]
	switch {
	case step == nil && b.run != "" && entry.Parent == b.run: // the agent's own: of the step that it leads to
		b.early = append(b.early, q)
	case step == nil && b.step != nil:
		step = b.step
		fallthrough
	case step != nil:
		step.Questions = append(step.Questions, q)
	default:
		b.early = append(b.early, q)
	}
	b.t.spans = append(b.t.spans, span{"model", q.Begin, q.Took, step, fmt.Sprintf("question %d, %d tokens in, %d out", q.Number, q.Usage.Input, q.Usage.Output)})
}

// prompt lists what is new in a question.
func (b *builder) prompt(q *Question) {
	before := &llm.Request{}
	if b.last != nil && b.last.Purpose == q.Purpose {
		before = b.last.request
	}
	if q.request.System != before.System {
		q.System = cut(q.request.System)
	}
	for q.Known < len(before.Messages) && q.Known < len(q.request.Messages) && same(before.Messages[q.Known], q.request.Messages[q.Known]) {
		q.Known++
	}
	for _, m := range q.request.Messages[q.Known:] {
		for _, part := range m.Parts {
			q.Prompt = append(q.Prompt, parts(string(m.Role), part)...)
		}
	}
}
