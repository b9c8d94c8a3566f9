package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A claim is a done that was accepted, with what it was found to be worth.
type claim struct {
	success, proven bool
	message         string
	criteria        []Criterion
	output          json.RawMessage
	ungrounded      []string
}

// facts are what proofs are held against.
type facts struct {
	steps    []Action
	start    *engine.Snapshot // when the run began; nil if it is not there any more
	before   string           // what the page said then
	now      *engine.Snapshot // nil if the page cannot be read
	address  string
	began    string // the address when the run began
	requests []engine.RequestSeen
	hide     func(string) string // puts placeholders in the place of values
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
		switch {
		case a.Status == Unknown:
			return Unproven, fmt.Sprintf("of step %d it is not known what came of it", p.Step)
		case a.Status != Done:
			return Contradicted, fmt.Sprintf("step %d was not done: %s", p.Step, a.Message)
		case a.changed():
			p.ours = true
			return Confirmed, ""
		case a.Output != "": // it read something
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
	found := ""
	for _, r := range f.requests {
		if p.Method != "" && !strings.EqualFold(p.Method, r.Method) || !strings.Contains(r.URL, p.Address) {
			continue
		}
		switch {
		case r.Failed:
			found = "it got no answer"
		case !r.Ended:
			found = "its answer is not there yet"
		case p.Status != 0 && r.Status != p.Status:
			found = fmt.Sprintf("it was answered %d", r.Status)
		case p.Status == 0 && r.Status >= 400:
			found = fmt.Sprintf("it was answered %d", r.Status)
		default:
			p.ours = true
			return Confirmed, ""
		}
	}
	if found != "" {
		return Contradicted, found
	}
	return Contradicted, "the run made no such request"
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
		if !f.inNode(node, p.Text) {
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

// says reports whether the page says a text now, be it that a placeholder stands
// in it for a value.
func (f *facts) says(text string) bool {
	now := f.now.Text()
	return contains(now, text) || contains(f.hide(now), text)
}

func (f *facts) inNode(n *accessibility.Node, text string) bool {
	now := nodeText(f.now, n)
	return contains(now, text) || contains(f.hide(now), text)
}

// acted reports whether any step had an effect.
func (f *facts) acted() bool {
	for i := range f.steps {
		if f.steps[i].changed() && (f.steps[i].Status == Done || f.steps[i].Status == Unknown) {
			return true
		}
	}
	return false
}

func (f *facts) newDocument() bool { return accessibility.Diff(f.start, f.now).NewDocument }

var refPattern = regexp.MustCompile(`[0-9]+-[0-9]+`)

func lookUp(s *engine.Snapshot, ref string) (*accessibility.Node, bool) {
	if s == nil || ref == "" {
		return nil, false
	}
	return s.Lookup(accessibility.Ref(strings.Trim(ref, "[]")))
}

// nodeText is what an element and everything in it say.
func nodeText(s *engine.Snapshot, n *accessibility.Node) string {
	var b strings.Builder
	first := -1
	for i := range s.Nodes {
		if &s.Nodes[i] == n {
			first = i
			break
		}
	}
	if first < 0 {
		return n.Name
	}
	for i := first; i < int(n.End); i++ {
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
