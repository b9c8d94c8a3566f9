package agent

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/verdict"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
)

// An outcome is what became of a step, as far as it is evidence.
type outcome struct {
	proves bool
	why    string // it proves nothing
	undone bool   // it is as it was before the step
	failed bool   // the page or its server refused it, or a dialog of it was dismissed
	sent   bool   // a request that is no mere reading was answered well
	said   []string
	fields []string // the values of what it sent, if that was answered well
}

// A course is what a run did, step by step, with the page as it is at the end.
type course struct {
	steps    []Action
	now      *engine.Snapshot // nil if the page cannot be read
	address  string
	requests []engine.RequestSeen
	older    []engine.RequestSeen // of the page, before the run
	hide     func(string) string  // puts placeholders in the place of values
	declared map[string]bool      // tools of the program's own that say that they act

	paths map[string]*accessibility.Node // of the page now, by XPath; made when asked for
	known []outcome                      // of the steps; made when asked for
}

func (c *course) outcome(i int) (o outcome) {
	a := &c.steps[i]
	caused := c.causedBy(i)
	landed := landing(a, caused)
	for _, q := range caused {
		if !landed.IsZero() && q.Begin.After(landed) {
			continue
		}
		o.said = append(o.said, q.Method+" "+plainAddress(q.URL))
		if !readsOnly(q.Method) && answeredWell(q) {
			o.sent = true
			for _, field := range q.Fields {
				o.fields = append(o.fields, field.Value)
			}
		}
	}
	switch {
	case a.Status == Unknown:
		o.why = fmt.Sprintf("of step %d it is not known what came of it", a.Step)
	case a.Status != Done:
		o.why = fmt.Sprintf("step %d was not done: %s", a.Step, a.Message)
	default:
		o.why = c.spoiled(i, caused)
		if o.failed = o.why != ""; !o.failed {
			o.why, o.undone = c.undone(i)
		}
	}
	o.proves = o.why == ""
	if !o.proves {
		o.sent, o.fields = false, nil
	}
	return o
}

// spoiled says why a step that was done proves nothing; empty if it does.
func (c *course) spoiled(i int, caused []engine.RequestSeen) string {
	a := &c.steps[i]
	e := a.Evidence
	if e == nil {
		return ""
	}
	for _, d := range e.Dialogs {
		if !d.Accepted && d.Kind != "alert" {
			return fmt.Sprintf("at step %d the page asked %q, and the answer was no", a.Step, d.Message)
		}
	}
	if n := e.Navigation; n != nil {
		switch {
		case n.Status >= 400:
			return fmt.Sprintf("step %d was answered %d", a.Step, n.Status)
		case n.Failed != "":
			return fmt.Sprintf("step %d led to no page: %s", a.Step, n.Failed)
		}
	}
	if len(e.Refused) > 0 {
		return fmt.Sprintf("a request of step %d was refused: %s", a.Step, e.Refused[0].Reason)
	}
	for _, d := range e.Downloads {
		if d.Canceled {
			return fmt.Sprintf("the download of step %d came to nothing", a.Step)
		}
	}
	for _, q := range caused {
		if readsOnly(q.Method) || !c.sameHost(q, a) || q.Status > 0 && q.Status < 400 || !q.Ended || c.repaired(q) {
			continue
		}
		if q.Status == 0 {
			return fmt.Sprintf("a request of step %d got no answer", a.Step)
		}
		return fmt.Sprintf("a request of step %d was answered %d", a.Step, q.Status)
	}
	return ""
}

// undone says that a step's value or state is not there any more: a later step of
// the same element brought it back, or the element holds another one at the end
// though nothing has been sent since.
func (c *course) undone(i int) (why string, back bool) {
	a := &c.steps[i]
	was, is, ok := set(a)
	if !ok {
		return "", false
	}
	for k := i - 1; k >= 0; k-- {
		if b := &c.steps[k]; b.Selector == a.Selector && b.PageURL == a.PageURL && b.changed() {
			if first, then, ok := set(b); ok && first == is && then == was && was != is {
				return fmt.Sprintf("step %d only undid step %d", a.Step, b.Step), true
			}
			break
		} else if b.changed() && b.Evidence.Navigation != nil {
			break
		}
	}
	for k := i + 1; k < len(c.steps); k++ {
		b := &c.steps[k]
		if !b.changed() || b.Parent != 0 && b.Parent == a.Step {
			continue
		}
		if b.Selector != "" && b.Selector == a.Selector {
			_, now, ok := set(b)
			switch {
			case ok && now == was && was != is:
				return fmt.Sprintf("step %d undid step %d", b.Step, a.Step), true
			case ok && now != is:
				return fmt.Sprintf("step %d put something else in the place of what step %d set", b.Step, a.Step), false
			}
			return "", false // it is that step's now
		}
		// What sent it has taken it, unless that was answered badly. To go back or
		// elsewhere sends nothing.
		if b.Evidence.Value == nil && len(b.Evidence.States) == 0 || b.Evidence.Navigation != nil {
			if len(b.Actions) > 0 && c.spoiled(k, c.causedBy(k)) == "" {
				return "", false
			}
		}
	}
	if n := c.at(a.Selector, a.PageURL); n != nil && !n.Password {
		if has := valueOf(n); !sameText(has, is) && !sameText(c.hide(has), is) && has != "" && sameText(has, was) {
			return fmt.Sprintf("what step %d set is not there any more: it holds %q", a.Step, c.hide(has)), true
		}
	}
	return "", false
}

// set is what a step has brought its element from and to.
func set(a *Action) (was, is string, ok bool) {
	if a.Evidence == nil || len(a.Actions) != 1 {
		return "", "", false
	}
	if v := a.Evidence.Value; v != nil {
		return v.Before, v.After, true
	}
	for _, name := range []string{"checked", "selected", "pressed"} {
		if v, ok := a.Evidence.States[name]; ok {
			return v.Before, v.After, true
		}
	}
	return "", "", false
}

// at is the element of a step as the page shows it at the end, nil if that is
// another document, or has it no more.
func (c *course) at(selector, address string) *accessibility.Node {
	if c.now == nil || selector == "" || plainAddress(address) != plainAddress(c.hide(c.address)) {
		return nil
	}
	if c.paths == nil {
		c.paths = map[string]*accessibility.Node{}
		for i := range c.now.Nodes {
			if n := &c.now.Nodes[i]; n.Interactive {
				c.paths["xpath="+strings.TrimPrefix(c.now.XPath(n), "xpath=")] = n
			}
		}
	}
	return c.paths["xpath="+strings.TrimPrefix(selector, "xpath=")]
}

// causedBy are the requests that a step caused: they began after it and before the
// next one that is not a step on its way. One that the page had sent before any step is the page's own, as that
// of a page that polls.
func (c *course) causedBy(i int) (out []engine.RequestSeen) {
	a := &c.steps[i]
	if !a.acts() {
		return nil
	}
	end := time.Time{}
	for k := i + 1; k < len(c.steps); k++ {
		if c.steps[k].acts() && !c.onTheWay(k, a.Step) {
			end = c.steps[k].Begin
			break
		}
	}
	for _, q := range c.requests {
		if q.Begin.Before(a.Begin) || !end.IsZero() && !q.Begin.Before(end) || c.polled(q, a.Begin) {
			continue
		}
		out = append(out, q)
	}
	return out
}

// onTheWay reports whether a step was done on the way of another one, as by a program.
func (c *course) onTheWay(k, step int) bool {
	parent := c.steps[k].Parent
	for i := k - 1; i >= 0 && parent != 0 && parent != step; i-- {
		if c.steps[i].Step == parent {
			parent = c.steps[i].Parent
		}
	}
	return parent != 0 && parent == step
}

// landing is when the document was asked for that a step led to, zero if it led to
// none. What is sent later is the new page's own, as where it polls.
func landing(a *Action, caused []engine.RequestSeen) time.Time {
	if n := a.Evidence; n != nil && n.Navigation != nil && !n.Navigation.SameDocument {
		for _, q := range caused {
			if plainAddress(q.URL) == plainAddress(n.Navigation.To) {
				return q.Begin
			}
		}
	}
	return time.Time{}
}

// polled reports whether the page sent the same request when no step was under way.
func (c *course) polled(q engine.RequestSeen, before time.Time) bool {
	for _, p := range slices.Concat(c.older, c.requests) {
		if p.Method != q.Method || plainAddress(p.URL) != plainAddress(q.URL) || !p.Begin.Before(before) {
			continue
		}
		idle := true
		for k := range c.steps {
			a := &c.steps[k]
			if a.acts() && !p.Begin.Before(a.Begin) && !p.Begin.After(a.Begin.Add(a.Duration)) {
				idle = false
			}
		}
		if idle {
			return true
		}
	}
	return false
}

// repaired reports whether the same request was answered well later.
func (c *course) repaired(q engine.RequestSeen) bool {
	return slices.ContainsFunc(c.requests, func(p engine.RequestSeen) bool {
		return p.Begin.After(q.Begin) && p.Method == q.Method && plainAddress(p.URL) == plainAddress(q.URL) && answeredWell(p)
	})
}

func (c *course) sameHost(q engine.RequestSeen, a *Action) bool {
	to, err := url.Parse(q.URL)
	from, e := url.Parse(a.PageURL)
	return err != nil || e != nil || to.Host == from.Host
}

func readsOnly(method string) bool {
	return method == "GET" || method == "HEAD" || method == "OPTIONS"
}

// answeredWell looks at the status: that a page did not read on, or left, is no
// word of the server's.
func answeredWell(q engine.RequestSeen) bool { return q.Ended && q.Status > 0 && q.Status < 400 }

// plainAddress is an address without its query and fragment.
func plainAddress(address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	return address
}

// deeds are what the run did, as package verdict judges it.
func (c *course) deeds() (out []verdict.Deed) {
	outcomes := c.judged()
	last, button := c.pending(outcomes)
	var entries []entry
	for i := range c.steps {
		a, o := &c.steps[i], outcomes[i]
		if slices.ContainsFunc(c.steps, func(b Action) bool { return b.Parent == a.Step && a.Step != 0 }) {
			continue // its steps speak for themselves
		}
		d := verdict.Deed{Step: a.Step, Proves: o.proves, Changed: a.changed(), Sent: o.sent, Undone: o.undone, Fields: o.fields, Said: slices.Concat(o.said, a.About), Led: o.said, Twins: a.Twins, InRow: a.InRow, Replaced: a.Replaced}
		if e := a.Evidence; e != nil {
			d.Left = e.Navigation != nil && !e.Navigation.SameDocument
		}
		if i == last {
			d.Pending = button
		}
		if a.Output != "" && a.Evidence == nil {
			d.Kind, d.Said = verdict.Read, append(d.Said, a.Output)
			if c.declared[a.Type] && o.proves { // its program says that it acts
				d.Kind, d.Changed, d.Sent, d.Said = verdict.Press, true, true, append(d.Said, string(a.Arguments))
			}
			out = append(out, d)
			continue
		}
		if a.Evidence == nil {
			continue
		}
		words := evidenceWords(a.Evidence)
		d.Said, d.Led = append(d.Said, words...), slices.Concat(d.Led, words)
		if len(a.Actions) == 0 { // it went somewhere, or is a page's own tool
			d.Kind, d.Element = verdict.Press, a.Type
			if a.Evidence.Navigation != nil || a.Type == toolTabs {
				d.Kind, d.Element = verdict.Open, a.Message
			}
			d.Said = append(d.Said, a.Message, string(a.Arguments))
			out = append(out, d)
			continue
		}
		for k := range a.Actions {
			act := &a.Actions[k]
			one := d
			if one.Kind = kindOf(act, a); one.Kind == verdict.Read {
				continue // it only looked elsewhere
			}
			c.describe(&one, a, k)
			if one.Unsent {
				one.Unsent = !c.sentAfter(i, outcomes)
			}
			out = append(out, one)
			if act.Method == engine.Fill || act.Method == engine.SelectOption {
				by := entry{step: i, deed: len(out) - 1, act: act, was: strings.Join(one.Replaced, " ")}
				c.replace(entries, by, out)
				entries = append(entries, by)
			}
		}
	}
	return out
}

// describe fills in a deed from the kth action of its step: what it was done to, with
// which values, and whether the element stands in a form. Unsent says then of an entry
// that its form has a button that sends it; whether it was sent is the caller's to see.
func (c *course) describe(one *verdict.Deed, a *Action, k int) {
	act := &a.Actions[k]
	if p := act.Fingerprint; p != nil {
		one.Element = p.String()
	}
	one.Said = slices.Concat(one.Said, act.Arguments)
	if act.Surroundings != nil && len(a.About) == 0 { // wider than a row where there is none
		one.Said = append(one.Said, act.Surroundings.Row)
	}
	one.Changed = one.Changed || one.Kind == verdict.Enter
	one.Went = !one.Sent && (one.Left || len(a.Evidence.NewPages) > 0)
	if act.Method == engine.Fill || act.Method == engine.Type {
		one.Entered = act.Arguments
	}
	if act.Method == engine.SelectOption {
		one.Chosen = act.Arguments
	}
	if len(a.Actions) > 1 { // of a form, each field has its own
		one.Replaced = nil
		if k < len(a.Replaced) {
			one.Replaced = a.Replaced[k : k+1]
		}
	}
	// A field that is not on the page any more may have stood in a form.
	one.Form = one.Kind == verdict.Enter || one.Kind == verdict.Choose
	one.Beside, one.Nearer = a.Beside, a.Nearer
	if n := c.at(act.Selector, a.PageURL); n != nil {
		form := c.now.Form(n)
		one.Form = form != nil
		if one.Kind == verdict.Enter || one.Kind == verdict.Choose {
			one.Unsent = form != nil && slices.ContainsFunc(form.Buttons, func(b *accessibility.Node) bool { return c.now.Form(b).Submits })
		}
	}
}

// pending is the newest step that sent something, and a button of the page that it led
// to, where that page is the end of a sequence and not its answer: two steps at least
// sent entries to addresses of one folder, the page says all of these entries again,
// and it has a form without fields for another address of the folder. The index is
// -1 where there is none.
func (c *course) pending(outcomes []outcome) (step int, button string) {
	var folders []string
	entries := map[string][]string{} // the newest of each field
	sendings := 0
	step = -1
	for i := range c.steps {
		a := &c.steps[i]
		for k := range a.Actions {
			if m := a.Actions[k].Method; (m == engine.Fill || m == engine.SelectOption) && outcomes[i].proves {
				entries[plainAddress(a.PageURL)+" "+a.Actions[k].Selector] = a.Actions[k].Arguments
			}
		}
		if !outcomes[i].sent || len(outcomes[i].fields) == 0 {
			continue
		}
		for _, q := range c.causedBy(i) {
			if !readsOnly(q.Method) {
				folders = append(folders, folder(q.URL))
				break
			}
		}
		sendings, step = sendings+1, i
	}
	if sendings < 2 || c.now == nil || len(entries) == 0 {
		return -1, ""
	}
	n := c.steps[step].Evidence.Navigation
	if n == nil || plainAddress(n.To) != plainAddress(c.hide(c.address)) {
		return -1, ""
	}
	for _, e := range slices.Concat(slices.Collect(maps.Values(entries))...) {
		if !strings.HasPrefix(e, "%") && e != "true" && e != "false" && !c.says(e) {
			return -1, ""
		}
	}
	for i := range c.now.Nodes {
		b := &c.now.Nodes[i]
		form := c.now.Form(b)
		if b.Role != "button" || form == nil || !form.Submits || folder(form.Action) == "" || !slices.Contains(folders, folder(c.hide(form.Action))) || c.hasFields(b) {
			continue
		}
		if sends := outgoing.FromForm(c.now.Capture, b.Target, false); sends != nil && !readsOnly(sends.Method) {
			return step, c.now.Line(b)
		}
	}
	return -1, ""
}

// hasFields reports whether a button's form has anything else to act on.
func (c *course) hasFields(button *accessibility.Node) bool {
	for i := range c.now.Nodes {
		n := &c.now.Nodes[i]
		if !n.Interactive || n.Role == "button" || n.Role == "link" {
			continue
		}
		if form := c.now.Form(n); form != nil && slices.Contains(form.Buttons, button) {
			return true
		}
	}
	return false
}

// folder is an address up to the last part of its path; that of the root is empty.
func folder(address string) string {
	u, err := url.Parse(plainAddress(address))
	if err != nil || path.Dir(u.Path) == "/" || path.Dir(u.Path) == "." {
		return ""
	}
	return u.Scheme + "://" + u.Host + path.Dir(u.Path)
}

// taken reports whether what stood on the page after one step was sent, and answered
// well, before another one.
func (c *course) taken(after, before int) bool {
	for k := after + 1; k < before; k++ {
		b := &c.steps[k]
		if !b.changed() || len(b.Actions) == 0 {
			continue
		}
		caused := c.causedBy(k)
		if c.spoiled(k, caused) == "" && (b.Evidence.Navigation != nil || slices.ContainsFunc(caused, func(q engine.RequestSeen) bool { return !readsOnly(q.Method) })) {
			return true
		}
	}
	return false
}

// An entry is a value that a step has given to a field, with its deed.
type entry struct {
	step, deed int
	act        *engine.Action
	was        string
}

// replace takes the proof from the deed of an entry that another value came in the
// place of before the site took it; of both, if the field is then as it was.
func (c *course) replace(entries []entry, by entry, deeds []verdict.Deed) {
	for _, e := range slices.Backward(entries) {
		if e.act.Selector != by.act.Selector || e.act.Selector == "" || plainAddress(c.steps[e.step].PageURL) != plainAddress(c.steps[by.step].PageURL) {
			continue
		}
		if text := by.act.Arguments; !slices.Equal(text, e.act.Arguments) && !c.taken(e.step, by.step) {
			deeds[e.deed].Proves = false
			if sameText(strings.Join(text, " "), e.was) {
				deeds[e.deed].Undone = true
				deeds[by.deed].Proves, deeds[by.deed].Undone = false, true
			}
		}
		return
	}
}

// sentAfter reports whether a step or one after it sent what stood in a form.
func (c *course) sentAfter(i int, outcomes []outcome) bool {
	for k := i; k < len(c.steps); k++ {
		e := c.steps[k].Evidence
		if outcomes[k].sent || k > i && e != nil && e.Navigation != nil && outcomes[k].proves {
			return true
		}
	}
	return false
}

// kindOf is what an action on an element is; Read is one that only looks elsewhere.
func kindOf(act *engine.Action, a *Action) verdict.Kind {
	switch act.Method {
	case engine.Fill, engine.Type, engine.Clear, engine.SetInputFiles:
		return verdict.Enter
	case engine.SelectOption, engine.Check, engine.Uncheck:
		return verdict.Choose
	case engine.DragAndDrop, engine.DragByPixelOffset:
		return verdict.Move
	case engine.Hover, engine.Focus, engine.Blur, engine.ScrollTo, engine.ScrollIntoView, engine.NextChunk, engine.PrevChunk, engine.ScrollByPixelOffset, engine.Wheel:
		return verdict.Read
	}
	if _, ok := a.Evidence.States["checked"]; ok {
		return verdict.Choose
	}
	return verdict.Press
}

// evidenceWords is what evidence says.
func evidenceWords(e *engine.Evidence) (out []string) {
	if n := e.Navigation; n != nil {
		out = append(out, addressWords(n.To))
	}
	for _, p := range e.NewPages {
		out = append(out, addressWords(p.URL))
	}
	for _, d := range e.Dialogs {
		out = append(out, d.Message, d.Answer)
	}
	for _, d := range e.Downloads {
		out = append(out, d.Name)
	}
	if v := e.Value; v != nil {
		out = append(out, v.After)
	}
	return append(out, e.Changes)
}

// addressWords is an address as it is read.
func addressWords(address string) string {
	if plain, err := url.QueryUnescape(address); err == nil {
		return plain
	}
	return address
}

// judged are the outcomes of the steps: each is judged by what became of it.
func (c *course) judged() []outcome {
	if c.known == nil {
		for i := range c.steps {
			c.known = append(c.known, c.outcome(i))
		}
	}
	return c.known
}

// says reports whether the page says a text now.
func (c *course) says(text string) bool { return c.saidIn(c.now.Text(), text) }

// saidIn reports whether a text of the page has another one in it, be it that a
// placeholder stands in that for a value.
func (c *course) saidIn(now, text string) bool {
	return contains(now, text) || contains(c.hide(now), text)
}

// acted reports whether any step had an effect.
func (c *course) acted() bool {
	return slices.ContainsFunc(c.steps, func(a Action) bool { return a.changed() && (a.Status == Done || a.Status == Unknown) })
}

// ours are the requests that steps of this run caused.
func (c *course) ours() (out []engine.RequestSeen) {
	for i := range c.steps {
		out = append(out, c.causedBy(i)...)
	}
	return out
}
