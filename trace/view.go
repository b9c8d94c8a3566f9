package trace

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A view is a trace as the page's template shows it, with what the page has beside it:
// texts, and numbers of an SVG. Only Policy, Style, Program and Bundle are not escaped;
// they are ours.
type view struct {
	*Trace
	Policy  string
	Style   template.CSS
	Program template.JS

	Title, Task, Message  string
	Verdict, VerdictClass string
	Facts                 []fact
	Lanes                 []laneView
	Ticks                 []string
	Filters               []filterView
	Shown                 string
	Steps                 []*stepView

	GoTest, BundleNote, BundleSize, BundleName string
	Script, NoScript                           string // one of both
	Bundle                                     template.HTML
}

type (
	fact     struct{ Name, Value, Note string }
	laneView struct {
		Name, Sum string
		Bars      []barView
	}
	barView struct {
		ID, Words string
		X, Width  float64
	}
	filterView struct {
		Name, Label string
		Count       int
		On          bool
	}
	shotView struct {
		ID, Label, Note string
		Number          string
		Width, Height   int
		Src             template.URL
		Mark            bool
		Box             *driver.Rect
		Point           *driver.Offset
	}
	diffView struct{ Class, Text string }
)

// A pair is a name and what is said under it.
type pair struct{ Name, Value string }

type pairs []pair

// add adds a pair that says something.
func (p *pairs) add(name, value string) {
	if value != "" {
		*p = append(*p, pair{name, value})
	}
}

// A stepView is a step as the page shows it.
type stepView struct {
	*Step
	Number, Target, StatusWord, Meta, Tags string
	Said                                   string
	Shots                                  []shotView
	Call, Evidence                         pairs
	Effect, Output                         string
	Change                                 []diffView
	ChangeCount                            string
	Approvals                              []approvalView
}

func newView(t *Trace, pictures map[string][]byte) *view {
	v := &view{
		Trace: t, Policy: policyOfPage, Style: template.CSS(pageCSS), Program: template.JS(pageJS),
		Title: titleOf(t), Task: cmp.Or(t.Task, "A run"), BundleName: "run.wayfinder",
		GoTest: t.GoTest(), Shown: fmt.Sprintf("%d steps", len(t.Steps)),
	}
	v.Script, v.NoScript = scriptOrReason(t)
	verdict := verdicts[t.Verdict()]
	v.Verdict, v.VerdictClass = verdict.words, verdict.class
	v.Message = t.Failure
	if t.Result != nil {
		v.Message = t.Result.Message
	}
	v.Facts = factsOf(t)
	v.lanes(t)
	for _, f := range []filterView{{Name: "all", Label: "All", On: true}, {Name: "changed", Label: "Changed something"}, {Name: "failed", Label: "Failed"},
		{Name: "notRun", Label: "Not run"}, {Name: "unknown", Label: "Unknown"}, {Name: "asked", Label: "Asked a model"}, {Name: "person", Label: "Asked for approval"}, {Name: "trouble", Label: "Errors of the page"}} {
		for _, s := range t.Steps {
			if f.Name == "all" || slices.Contains(tagsOf(s), f.Name) {
				f.Count++
			}
		}
		if f.Count > 0 || f.On {
			v.Filters = append(v.Filters, f)
		}
	}
	for _, s := range t.Steps {
		v.Steps = append(v.Steps, stepViewOf(s))
	}
	v.take(t, pictures)
	return v
}

// pageFuncs are what the template asks of the parts of a trace.
var pageFuncs = template.FuncMap{
	"short":  short,
	"meta":   questionMeta,
	"proof":  proofWords,
	"bad":    (*Request).bad,
	"status": requestStatus,
	"answer": func(d Dialog) string {
		switch {
		case d.Answer == nil:
			return "nobody answered"
		case d.Answer.Accept:
			return strings.TrimSpace("accepted " + d.Answer.Text)
		}
		return "dismissed"
	},
	"state": func(d *Download) string {
		switch {
		case d.Done:
			return byteCount(int(d.Size)) + " from"
		case d.Canceled:
			return "canceled, from"
		}
		return "under way, from"
	},
}

// take puts pictures into the steps. Each stands in the file once.
func (v *view) take(t *Trace, pictures map[string][]byte) {
	shown := map[string]bool{}
	for i, s := range t.Steps {
		out := v.Steps[i]
		out.Shots = nil
		for _, one := range []struct {
			shot        *Shot
			label, note string
		}{{s.Shot, "before", "right before the input"}, {s.After, "after", "when the page was read next"}} {
			if one.shot == nil || pictures[one.shot.ID] == nil {
				continue
			}
			shot := shotView{
				ID: one.shot.ID, Label: one.label, Note: one.note, Number: labelOf(s), Width: int(one.shot.View.Width), Height: int(one.shot.View.Height),
				Box: one.shot.Box, Point: one.shot.Point, Mark: one.shot.Box != nil || one.shot.Point != nil,
			}
			if !shown[shot.ID] {
				shown[shot.ID] = true
				shot.Src = template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(pictures[shot.ID]))
			}
			out.Shots = append(out.Shots, shot)
		}
	}
}

// factsOf are what stands in the head.
func factsOf(t *Trace) []fact {
	var all []fact
	add := func(name, value, note string) {
		if value != "" {
			all = append(all, fact{Name: name, Value: value, Note: note})
		}
	}
	add("Model", t.Model, "")
	if u := t.Usage; u.Input > 0 || u.Output > 0 {
		cached := ""
		if u.Cached > 0 {
			cached = count(u.Cached) + " cached"
		}
		add("Tokens in", count(u.Input), cached)
		thought := ""
		if u.Reasoning > 0 {
			thought = count(u.Reasoning) + " reasoning"
		}
		add("Tokens out", count(u.Output), thought)
		if t.Priced || t.Cost > 0 {
			add("Cost", money(t.Cost), "list prices")
		} else {
			add("Cost", "not known", "")
		}
	}
	add("Time", short(t.Took), "")
	add("Steps", fmt.Sprint(len(t.Steps)), "")
	add("Mode", string(t.Mode), "")
	if !t.Began.IsZero() {
		add("Began", t.Began.UTC().Format("2006-01-02 15:04:05"), "UTC")
	}
	add("Browser", t.Browser, "")
	add("Wayfinder", t.Version, "")
	if !t.Whole {
		add("Recording", "its end is missing", "it was too large")
	}
	return all
}

func proofWords(p agent.Proof) string {
	words := []string{p.Kind}
	for _, w := range []string{p.Ref, p.Value, p.Text, p.Method, p.Address} {
		if w != "" {
			words = append(words, w)
		}
	}
	if p.Status != 0 {
		words = append(words, fmt.Sprint(p.Status))
	}
	return strings.Join(words, " ")
}

// lanes draw the timeline.
func (v *view) lanes(t *Trace) {
	if t.Took <= 0 || len(t.spans) == 0 {
		return
	}
	for _, name := range []string{"model", "person", "settle", "tool", "input"} {
		lane := laneView{Name: name}
		var sum time.Duration
		for _, s := range t.spans {
			if s.lane != name {
				continue
			}
			sum += s.took
			x := min(1000*milliseconds(s.begin)/milliseconds(t.Took), 998)
			bar := barView{ID: "steps", X: x, Width: min(max(1000*milliseconds(s.took)/milliseconds(t.Took), 2), 1000-x)}
			bar.Words = fmt.Sprintf("%s, %s", s.words, short(s.took))
			if s.step != nil {
				bar.ID = s.step.ID()
				bar.Words = fmt.Sprintf("%s: %s", strings.ReplaceAll(s.step.ID(), "-", " "), bar.Words)
			}
			lane.Bars = append(lane.Bars, bar)
		}
		if name == "person" && lane.Bars == nil {
			continue // nobody was asked
		}
		lane.Sum = short(sum)
		v.Lanes = append(v.Lanes, lane)
	}
	for i := range 5 {
		v.Ticks = append(v.Ticks, short(t.Took*time.Duration(i)/4))
	}
}

func requestStatus(r *Request) string {
	switch {
	case r.Failed:
		return "failed"
	case r.Status != 0:
		return fmt.Sprint(r.Status)
	case r.Ended:
		return "done"
	}
	return "…"
}

// labelOf is a step's number; what came before an agent's first one has none.
func labelOf(s *Step) string {
	if s.Before {
		return "·"
	}
	return itoa(s.Number)
}

func stepViewOf(s *Step) *stepView {
	v := &stepView{
		Step: s, Number: labelOf(s), Target: cmp.Or(s.Target, s.Instruction), StatusWord: statusWords[s.Status],
		Tags: strings.Join(tagsOf(s), " "), Output: cut(readable(s.Output)),
	}
	v.Said = strings.TrimSpace(strings.Join([]string{s.Reasoning, s.Text}, "\n"))
	meta := []string{short(s.Took)}
	if s.Usage.Input > 0 {
		meta = append(meta, count(s.Usage.Input)+" in", count(s.Usage.Output)+" out")
	}
	if s.Cost > 0 {
		meta = append(meta, money(s.Cost))
	}
	v.Meta = strings.Join(meta, " · ")
	v.Call = callPairs(s)
	v.Effect, v.Evidence = evidencePairs(s.Evidence)
	v.change(s.Change)
	for i := range s.Approvals {
		v.Approvals = append(v.Approvals, approvalViewOf(&s.Approvals[i]))
	}
	return v
}

func callPairs(s *Step) (call pairs) {
	add := call.add
	add("arguments", s.Arguments)
	if s.Instruction != s.Target {
		add("instruction", s.Instruction)
	}
	add("on", s.Address)
	for _, a := range s.Actions {
		words := string(a.Method)
		for _, arg := range a.Arguments {
			words += fmt.Sprintf(" %q", arg)
		}
		add("did", words)
		if a.Fingerprint != nil {
			add("element", a.Fingerprint.String())
		}
		if a.Locator != "" {
			add("locator", string(a.Locator))
		} else {
			add("selector", a.Selector)
		}
	}
	for _, l := range s.Looks {
		words := fmt.Sprintf("%d nodes, %s tokens; waited %s, read in %s", l.Nodes, count(l.Tokens), short(l.Settle), short(l.Capture+l.Build))
		add("looked", words)
		for _, note := range l.Notes {
			add("note", note)
		}
	}
	return call
}

// evidencePairs lists what was seen to change.
func evidencePairs(e *engine.Evidence) (effect string, seen pairs) {
	if e == nil || e.Effect == "" {
		return "", nil
	}
	raw, err := json.Marshal(e)
	var members map[string]json.RawMessage
	if err != nil || json.Unmarshal(raw, &members) != nil {
		return string(e.Effect), nil
	}
	for _, name := range []string{"effect", "navigation", "newPages", "dialogs", "downloads", "value", "states", "requests", "scroll", "refused", "fileChooser", "changes"} {
		text := string(members[name])
		var words string
		if json.Unmarshal(members[name], &words) == nil {
			text = words
		} else if text != "" {
			text = letters.Replace(text)
		}
		seen.add(name, text)
	}
	return string(e.Effect), seen
}

func (v *stepView) change(text string) {
	added, gone, changed := 0, 0, 0
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		class := ""
		switch {
		case line == "":
			continue
		case line[0] == '+':
			class, added = "add", added+1
		case line[0] == '-':
			class, gone = "gone", gone+1
		case line[0] == '~':
			class, changed = "changed", changed+1
		}
		v.Change = append(v.Change, diffView{class, line})
	}
	v.ChangeCount = fmt.Sprintf("+%d ~%d −%d", added, changed, gone)
}

func questionMeta(q *Question) string {
	meta := []string{q.Model, short(q.Took), count(q.Usage.Input) + " in"}
	if q.Usage.Cached > 0 {
		meta = append(meta, count(q.Usage.Cached)+" of them cached")
	}
	return strings.Join(append(meta, count(q.Usage.Output)+" out"), " · ")
}

type approvalView struct {
	Class, Words, At string
	Pairs            pairs
}

func approvalViewOf(a *Approval) approvalView {
	v := approvalView{Class: "failed", Words: a.words(), At: short(a.At)}
	switch a.Decision {
	case engine.Approved:
		v.Class = "confirmed"
	case engine.Later:
		v.Class = "unknown"
	}
	add := v.Pairs.add
	add("asked about", a.Asked)
	add("classes", strings.Join(a.Classes, ", "))
	add("answered after", short(a.Took))
	add("because", a.Reason)
	if out := a.Outgoing; out != nil {
		what := "would go out"
		if out.Held {
			what = "was held"
		}
		add(what, out.Method+" "+out.URL)
		for _, f := range out.Fields {
			name := f.Name
			if f.Label != "" && f.Label != f.Name {
				name += " (" + f.Label + ")"
			}
			add("field", name+" = "+f.Value)
		}
		add("body", strings.TrimSpace(out.Opaque+" "+out.Text))
		for _, line := range out.Page {
			add("on the page", line.Text)
		}
	}
	for _, d := range a.Differences {
		add("differs", d)
	}
	return v
}

// render writes the page.
func (v *view) render() ([]byte, error) {
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, v); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	return tokens.ReplaceAll(out.Bytes(), []byte("%$1%")), nil
}
