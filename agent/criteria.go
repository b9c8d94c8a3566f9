package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/verdict"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A claim is a done that was accepted, with what it was found to be worth, as the log of a
// run has it.
type claim struct {
	Success    bool                     `json:"success"`
	Proven     bool                     `json:"proven"`
	Message    string                   `json:"message"`
	Criteria   []Criterion              `json:"criteria"`
	Output     json.RawMessage          `json:"output,omitempty"`
	Sources    map[string]engine.Source `json:"sources,omitempty"`
	Ungrounded ungrounded               `json:"ungrounded,omitempty"`
	Omitted    []engine.Omission        `json:"omitted,omitempty"`
	Open       []OpenPart               `json:"open,omitempty"`
	Checks     []CheckResult            `json:"checks,omitempty"`

	numbers []string // of the output, that no page said
}

// ungrounded is what no page of a run says of its output.
type ungrounded []engine.Ungrounded

// UnmarshalJSON reads older logs, too, which have paths alone.
func (u *ungrounded) UnmarshalJSON(raw []byte) error {
	var paths []string
	if json.Unmarshal(raw, &paths) != nil {
		return json.Unmarshal(raw, (*[]engine.Ungrounded)(u))
	}
	for _, path := range paths {
		*u = append(*u, engine.Ungrounded{Pointer: path, Degree: engine.Contradicted, Reason: unsaid})
	}
	return nil
}

// verdict returns the verdict on the task.
func (c *claim) verdict() Verdict {
	switch {
	case c.Proven:
		return Verified
	case !c.Success:
		return GivenUp
	case len(c.Checks) > 0:
		return Contradicted // one of them does not hold
	case slices.ContainsFunc(c.Criteria, func(k Criterion) bool { return k.Verdict == Contradicted }):
		return Contradicted
	}
	return Unproven
}

// facts are what proofs are held against.
type facts struct {
	course
	start  *engine.Snapshot // when the run began; nil if it is not there any more
	before string           // what the page said then
	began  string           // the address when the run began

	instruction string
	read        []verdict.Reading // what the run was shown
}

// cover are the parts of the instruction that are open, as package verdict has them.
func (f *facts) cover() []verdict.Part {
	return verdict.Cover(f.instruction, f.deeds(), f.read)
}

// open are the parts of the instruction that nothing proves.
func (f *facts) open() (parts []OpenPart, missing bool) {
	for _, p := range f.cover() {
		parts = append(parts, OpenPart{Text: f.hide(p.Text), Reason: f.hide(p.Reason)})
		missing = missing || p.Missing
	}
	return parts, missing
}

// unsaid are criteria that speak of what none of their evidence says: the steps up to
// the newest one that they name, and for another kind of proof the page as it is.
func (f *facts) unsaid(criteria []Criterion) (open []OpenPart) {
	deeds := f.deeds()
	for i := range criteria {
		c := &criteria[i]
		if c.Verdict != Confirmed {
			continue
		}
		var texts []string
		newest, page := 0, false
		for _, p := range c.Evidence {
			if p.Kind == "action" {
				newest = max(newest, p.Step)
				continue
			}
			page = true
			texts = append(texts, p.Text, p.Value, p.Address)
		}
		for _, d := range deeds {
			if d.Proves && (page || d.Step <= newest) {
				texts = append(append(texts, d.Said...), d.Element)
			}
		}
		if page && f.now != nil {
			texts = append(texts, f.now.Text(), f.hide(f.now.Text()), f.address)
		}
		if missing := verdict.Unsaid(c.Text, f.instruction, texts); len(missing) > 0 {
			open = append(open, OpenPart{Text: f.hide(c.Text), Reason: f.hide(fmt.Sprintf("its evidence does not say %q", missing))})
		}
	}
	return open
}

// verify judges criteria, and reports whether all are confirmed and one at least
// rests on what the run did.
func (f *facts) verify(criteria []Criterion) (proven bool) {
	ours, all := false, len(criteria) > 0
	for i := range criteria {
		c := &criteria[i]
		f.judge(c)
		all = all && c.Verdict == Confirmed
		for _, p := range c.Evidence {
			ours = ours || p.ours && p.Verdict == Confirmed
		}
	}
	return all && ours
}

// judge gives a criterion the verdict of its proofs: one that is contradicted
// contradicts it, one that is not known leaves it unknown.
func (f *facts) judge(c *Criterion) {
	c.Verdict, c.Reason = Confirmed, ""
	if len(c.Evidence) == 0 {
		c.Verdict, c.Reason = Unproven, "it names no evidence"
		return
	}
	for i := range c.Evidence {
		p := &c.Evidence[i]
		p.Verdict, p.Found = f.check(p)
		switch {
		case p.Verdict == Contradicted && c.Verdict != Contradicted:
			c.Verdict, c.Reason = Contradicted, p.Found
		case p.Verdict == Unproven && c.Verdict == Confirmed:
			c.Verdict, c.Reason = Unproven, p.Found
		}
	}
}

// check holds one proof against what is known.
func (f *facts) check(p *Proof) (Verdict, string) {
	switch p.Kind {
	case "action":
		return f.action(p)
	case "value":
		return f.value(p)
	case "request":
		return f.request(p)
	case "text":
		return f.text(p)
	case "address":
		return f.where(p)
	}
	return Unproven, fmt.Sprintf("%q is no kind of evidence", p.Kind)
}

func (f *facts) action(p *Proof) (Verdict, string) {
	for i := range f.steps {
		a := &f.steps[i]
		if a.Step != p.Step {
			continue
		}
		o := f.judged()[i]
		switch {
		case a.Type == toolDone: // the model miscounts after it was questioned
			return Unproven, fmt.Sprintf("step %d is a done, and no evidence", p.Step)
		case a.Status == Failed || a.Status == NotRun:
			return Contradicted, o.why
		case !o.proves:
			return Unproven, o.why
		case a.changed(), a.Output != "": // it did something, or read something
			p.ours = true
			return Confirmed, ""
		}
		return Unproven, fmt.Sprintf("step %d changed nothing that was noticed", p.Step)
	}
	return Contradicted, fmt.Sprintf("there was no step %d", p.Step)
}

func (f *facts) value(p *Proof) (Verdict, string) {
	node, ok := lookUp(f.now, p.Ref)
	if !ok {
		return Unproven, fmt.Sprintf("there is no element %s on the page now", p.Ref)
	}
	if has := valueOf(node); !sameText(has, p.Value) && !sameText(f.hide(has), p.Value) {
		return Contradicted, fmt.Sprintf("%s holds %q now", f.now.Line(node), has)
	}
	if was, ok := lookUp(f.start, p.Ref); !ok || valueOf(was) != valueOf(node) || f.newDocument() {
		p.ours = f.acted()
	}
	return Confirmed, ""
}

// valueOf is what a control holds: its value, or whether it is on.
func valueOf(n *accessibility.Node) string {
	switch {
	case n.Value != "":
		return n.Value
	case n.States.Checked == accessibility.On:
		return "true"
	case n.States.Checked == accessibility.Off:
		return "false"
	}
	return ""
}

func (f *facts) request(p *Proof) (Verdict, string) {
	if p.Address == "" && p.Method == "" {
		return Unproven, "a request is named by its method and a part of its address"
	}
	found := "the run made no such request"
	for _, r := range f.ours() {
		if p.Method != "" && !strings.EqualFold(p.Method, r.Method) || !strings.Contains(r.URL, p.Address) {
			continue
		}
		switch {
		case r.Failed:
			found = "it got no answer"
		case !r.Ended:
			found = "its answer is not there yet"
		case p.Status != 0 && r.Status != p.Status, p.Status == 0 && r.Status >= 400:
			found = fmt.Sprintf("it was answered %d", r.Status)
		default:
			p.ours = true
			return Confirmed, ""
		}
	}
	return Contradicted, found
}

func (f *facts) text(p *Proof) (Verdict, string) {
	if strings.TrimSpace(p.Text) == "" {
		return Unproven, "no text is named"
	}
	if p.Ref != "" {
		node, ok := lookUp(f.now, p.Ref)
		if !ok {
			return Unproven, fmt.Sprintf("there is no element %s on the page now", p.Ref)
		}
		if !f.saidIn(nodeText(f.now, node), p.Text) {
			return Contradicted, fmt.Sprintf("%s does not say that", f.now.Line(node))
		}
	} else if f.now == nil || !f.says(p.Text) {
		return Contradicted, "the page does not say that now"
	}
	p.ours = f.acted() && !contains(f.before, p.Text)
	return Confirmed, ""
}

func (f *facts) where(p *Proof) (Verdict, string) {
	if p.Address == "" {
		return Unproven, "no address is named"
	}
	if !strings.Contains(f.address, p.Address) {
		return Contradicted, "the page is at " + f.address
	}
	p.ours = f.acted() && f.address != f.began
	return Confirmed, ""
}

func (f *facts) newDocument() bool { return accessibility.Diff(f.start, f.now).NewDocument }

// checked holds checks against the facts.
func (f *facts) checked(checks []Check, output json.RawMessage) (out []CheckResult, all bool) {
	all = true
	for _, c := range checks {
		r := CheckResult{Check: c, Verdict: Confirmed}
		if r.Found = f.hide(c.lacks(f, output)); r.Found != "" {
			r.Verdict, all = Contradicted, false
		}
		out = append(out, r)
	}
	return out, all
}

func (f *facts) lacksDownload(name string) string {
	found := "nothing was downloaded"
	for i := range f.steps {
		if f.steps[i].Evidence == nil {
			continue
		}
		for _, d := range f.steps[i].Evidence.Downloads {
			switch {
			case !matches(name, d.Name):
				found = "another file came: " + d.Name
			case !d.Done || d.Canceled:
				found = d.Name + " did not come whole"
			default:
				return ""
			}
		}
	}
	return found
}

var refPattern = regexp.MustCompile(`[0-9]+-[0-9]+`)

func lookUp(s *engine.Snapshot, ref string) (*accessibility.Node, bool) {
	if s == nil || ref == "" {
		return nil, false
	}
	return s.Lookup(accessibility.Ref(strings.Trim(ref, "[]")))
}

// nodeText is what an element and everything in it say.
func nodeText(s *engine.Snapshot, n *accessibility.Node) string {
	at := indexOf(s, n)
	if at < 0 {
		return n.Name
	}
	return textOf(s, at)
}

// indexOf is where an element stands in a snapshot, -1 for a cell that has no line.
func indexOf(s *engine.Snapshot, n *accessibility.Node) int32 {
	for i := range s.Nodes {
		if &s.Nodes[i] == n {
			return int32(i)
		}
	}
	return -1
}

func textOf(s *engine.Snapshot, at int32) string {
	var b strings.Builder
	for i := at; i < s.Nodes[at].End; i++ {
		m := &s.Nodes[i]
		for _, text := range []string{m.Name, m.Value, m.Description} {
			if text != "" {
				b.WriteString(text)
				b.WriteByte(' ')
			}
		}
		for _, cell := range m.Cells {
			b.WriteString(cell.Text)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// contains compares words, whatever the white space and case.
func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(oneLine(text)), strings.ToLower(oneLine(part)))
}

func sameText(a, b string) bool { return strings.EqualFold(oneLine(a), oneLine(b)) }

// contrary reports whether something speaks against the task, whatever the rest says: a
// step was refused and no later one did the same with success, or what the run did
// was undone, not sent, or of another value.
func (f *facts) contrary() bool {
	if slices.ContainsFunc(f.cover(), func(p verdict.Part) bool { return p.Contrary }) {
		return true
	}
	outcomes := f.judged()
	for i := range f.steps {
		again := false
		for k := i + 1; k < len(f.steps); k++ {
			again = again || f.steps[k].Selector == f.steps[i].Selector && outcomes[k].proves
		}
		if outcomes[i].failed && !again {
			return true
		}
	}
	return false
}
