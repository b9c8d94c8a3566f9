package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/flow"
	"github.com/wayfinder-engine/wayfinder/agent/internal/verdict"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// carrying holds data to the sites that it may go to.
type carrying struct {
	decisions
	flows flows
}

// Flows is what becomes of a value that goes to another site than those where the run
// has read it.
type Flows string

// What becomes of them.
const (
	FlowsAsk    Flows = "ask"    // Approve is asked, with [ClassFlow]; without it they are refused
	FlowsRefuse Flows = "refuse" // the model gets an error that wraps [ErrFlow]
	FlowsAllow  Flows = "allow"  // nobody looks
)

// A Flow is a value that goes to another site than the one where the run has read it.
type Flow struct {
	Value string `json:"value"` // in lower case, as it was found: decoded, or a part of what goes out
	From  string `json:"from"`  // an origin, "tool NAME", "an earlier run", or "the task": a variable or a file
	To    string `json:"to"`    // an origin, or "tool NAME"
}

// An AllowedFlow is one that a task wants.
type AllowedFlow struct {
	To   string `json:"to"`             // a host with its port if it has one, or a tool's name
	What string `json:"what,omitempty"` // the value, or the words that stand beside it where it is read; empty is everything
}

// Validate reports an error for a flow that could never match.
func (a AllowedFlow) Validate() error {
	if a.To == "" || strings.ContainsAny(a.To, "/ ") {
		return fmt.Errorf("%w: %q is no destination of a flow; give a host, as shop.example or localhost:8080, or a tool's name", ErrInvalid, a.To)
	}
	return nil
}

// flows are what a run has read, by origin.
type flows struct {
	ledger *flow.Ledger     // nil: nobody looks, and it takes nothing in
	home   string           // the origin that what the task gives is for
	newest *engine.Snapshot // that was read
}

func (r *carrying) beginFlows() {
	cfg := &r.agent.cfg
	if cfg.Flows == FlowsAllow || cfg.Flows == "" && len(cfg.NeedApproval) == 0 && cfg.Approve == nil {
		return
	}
	r.flows.ledger = &flow.Ledger{}
	for _, text := range []string{r.task.Instruction, r.task.Context, cfg.Instructions} {
		r.flows.ledger.Say(text)
	}
	r.flows.earlier(r.task.Messages)
}

// earlier takes in what a model was shown before this run, or in another process: of
// that it is not known where it was read.
func (f *flows) earlier(messages []llm.Message) {
	var take func(parts []llm.Part)
	take = func(parts []llm.Part) {
		for _, p := range parts {
			switch p := p.(type) {
			case llm.Page:
				f.ledger.Read("an earlier run", p.Text)
			case llm.ToolResult:
				take(p.Parts)
			case llm.Text:
				f.ledger.Read("an earlier run", p.Text)
			}
		}
	}
	for _, m := range messages {
		if m.Role == llm.User {
			take(m.Parts)
		}
	}
}

// reads takes in a reading of the page.
func (r *carrying) reads(snap *engine.Snapshot) {
	r.seen.page(snap, r.page.URL())
	r.flows.page(snap)
}

// page takes in all that a page says, of each document by its own origin.
func (f *flows) page(snap *engine.Snapshot) {
	if f.ledger == nil || snap == f.newest {
		return
	}
	f.newest = snap
	docs := snap.Capture.Documents
	origins := make([]string, len(docs))
	for i := range docs {
		origins[i] = originIn(snap, i)
		f.ledger.Read(origins[i], docs[i].Title+"\n"+strings.TrimPrefix(docs[i].URL, origins[i]))
	}
	if f.home == "" && len(docs) > 0 {
		f.home = origins[0]
	}
	at := 0
	var header *accessibility.Node
	for i := range snap.Nodes {
		n := &snap.Nodes[i]
		if docs[at].Frame != n.Source.Frame {
			at = documentOf(snap, n)
		}
		if n.Header {
			header = n
		}
		text := cells(header, n) + n.Name + "\n" + n.Description + "\n" + n.Placeholder + "\n" + n.InvalidMessage + "\n" + n.URL
		if n.Value != "" {
			text += "\n" + oneLine(n.Name+" "+n.Value)
		}
		f.ledger.Read(origins[at], text)
	}
}

// cells are those of a row, each with what heads its column: a value's first line is the
// one that labels it.
func cells(header, row *accessibility.Node) (text string) {
	if header == nil || header == row || header.Parent != row.Parent || len(header.Cells) != len(row.Cells) {
		return ""
	}
	for i, c := range row.Cells {
		text += header.Cells[i].Text + ": " + c.Text + "\n"
	}
	return text
}

// documentOf is the index of a node's document.
func documentOf(snap *engine.Snapshot, n *accessibility.Node) int {
	for i := range snap.Capture.Documents {
		if snap.Capture.Documents[i].Frame == n.Source.Frame {
			return i
		}
	}
	return 0
}

// originIn is the origin of a document, by index: one without a host has that of the
// document that holds it.
func originIn(snap *engine.Snapshot, i int) string {
	for n := int32(i); n >= 0; n = snap.Capture.Documents[n].OwnerDocument {
		if origin := originOf(snap.Capture.Documents[n].URL); origin != "" {
			return origin
		}
	}
	return ""
}

// answeredBy takes in what a tool has answered, beside what a reading of the page says:
// an extraction is what a model has made of it, and dialogs are on no page.
func (r *carrying) answeredBy(tool *Tool, a *Action, text string) {
	switch from := originOf(a.PageURL); {
	case tool.kind == own:
		r.flows.ledger.Read("tool "+tool.Name, text)
	case tool.asks && tool.kind == reads:
		r.flows.ledger.Derive(from, text)
	case a.Evidence != nil:
		for _, d := range a.Evidence.Dialogs {
			r.flows.ledger.Derive(from, d.Message)
		}
		for _, d := range a.Evidence.Downloads {
			r.flows.ledger.Derive(from, d.Name)
		}
	}
}

// A carriage is what goes to one destination.
type carriage struct {
	to     string
	texts  []string
	flows  []Flow
	wanted []string // values that the task wants there
}

// takes tells what texts take to a destination that the task does not want there.
func (r *carrying) takes(to string, texts ...string) carriage {
	c := carriage{to: to, texts: texts}
	if r.flows.ledger == nil {
		return c
	}
	r.flows.ledger.Read(to, ownName(to))
	for _, found := range r.flows.ledger.Find(to, texts...) {
		if r.wants(to, found) {
			c.wanted = append(c.wanted, found.Value)
		} else {
			c.flows = append(c.flows, Flow{Value: r.session.Hide(found.Value), From: found.From, To: to})
		}
	}
	for _, text := range texts {
		if strings.HasPrefix(to, "tool ") {
			continue // it gets the placeholder
		}
		for _, name := range engine.Placeholders(text) {
			if v, ok := r.task.Variables[name]; ok && len(v.Hosts) == 0 {
				c.flows = append(c.flows, r.given("%"+name+"%", to)...)
			}
		}
	}
	return c
}

// given is what the task gives for where the run began, or for a host that it names.
func (r *carrying) given(what, to string) []Flow {
	if to == r.flows.home || r.names(to) || r.wants(to, flow.Found{Value: what}) {
		return nil
	}
	return []Flow{{Value: what, From: "the task", To: to}}
}

// wants reports whether the task says that a value goes to a destination: by Flows, or
// by an instruction that names both the host and what stands beside the value.
func (r *carrying) wants(to string, found flow.Found) bool {
	for _, a := range r.task.Flows {
		if a.To != hostOf(to) {
			continue
		}
		if what := plainWords(a.What); a.What == "" || strings.ReplaceAll(what, " ", "") == strings.ReplaceAll(plainWords(found.Value), " ", "") || len(what) > 0 && plainWords(found.Label) == what {
			return true
		}
	}
	return len(found.Label) >= flow.Shortest && r.names(to) && strings.Contains(" "+plainWords(r.task.Instruction)+" ", " "+plainWords(found.Label)+" ")
}

// names reports whether the instruction names a destination's host.
func (r *carrying) names(to string) bool {
	host := hostOf(to)
	if host == "" {
		return false
	}
	return verdict.Occurs(strings.ToLower(r.task.Instruction), host, func(before, after string) bool {
		after = strings.TrimPrefix(after, ".") // of the sentence
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		return (before == "" || !inHost(last)) && (after == "" || !inHost(next))
	})
}

func inHost(r rune) bool {
	return r == '.' || r == '-' || r == ':' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// hostOf is the host of an origin, with its port, or the name of a tool.
func hostOf(to string) string {
	if name, ok := strings.CutPrefix(to, "tool "); ok {
		return name
	}
	_, host, _ := strings.Cut(to, "://")
	return host
}

func plainWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// carriedBy tells what an action on the page takes to the document of its element, and
// to where its form leads.
func (r *carrying) carriedBy(a *engine.Action, node *accessibility.Node) (out []carriage) {
	if r.flows.ledger == nil {
		return nil
	}
	var texts []string
	switch a.Method {
	case engine.Fill, engine.Type, engine.SelectOption, engine.SetInputFiles:
		texts = a.Arguments
	case engine.Press:
		if len(a.Arguments) > 0 && utf8.RuneCountInString(a.Arguments[0]) == 1 {
			texts = a.Arguments[:1]
		}
	}
	if len(texts) == 0 {
		return nil
	}
	to := []string{r.originAt(node)}
	if form := r.formOf(node); form != nil {
		if action := originOf(form.Action); action != "" && action != to[0] {
			to = append(to, action)
		}
	}
	for _, origin := range to {
		if a.Method == engine.SetInputFiles {
			c := carriage{to: origin}
			for _, name := range texts {
				c.flows = append(c.flows, r.given(name, origin)...)
			}
			out = append(out, c)
			continue
		}
		out = append(out, r.takes(origin, texts...))
	}
	return out
}

// originAt is the origin of an element's document, or of the page's.
func (r *carrying) originAt(node *accessibility.Node) string {
	if snap := r.view.snapshot; node != nil && snap != nil {
		return originIn(snap, documentOf(snap, node))
	}
	return originOf(r.page.URL())
}

// ownName is what a destination is called, which it need not be told: of a host the
// last two parts, since those before are the sender's to choose.
func ownName(to string) string {
	labels := strings.Split(hostOf(to), ".")
	return strings.Join(labels[max(0, len(labels)-2):], ".")
}

// carriedIn tells what an address takes to its host. One that a page has shown whole is
// what that page says.
func (r *carrying) carriedIn(address string) []carriage {
	at, err := url.Parse(address)
	to := strings.ToLower(originOf(address))
	if r.flows.ledger == nil || err != nil || to == "" || r.seen.addresses[address] {
		return nil
	}
	uri := at.RequestURI()
	if plain, err := url.QueryUnescape(uri); err == nil {
		uri = plain // as the words stand where they were read
	}
	text := strings.TrimSuffix(strings.ToLower(at.Host), ownName(to)) + "/" + at.User.String() + "/" + uri + "/" + at.Fragment
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("/?&=;.", r) })
	whole := r.takes(to, text)
	whole.texts = nil // its parts are what the next address is read together with
	each := r.takes(to, parts...)
	each.flows = slices.DeleteFunc(each.flows, func(f Flow) bool { return slices.Contains(whole.wanted, f.Value) }) // a part has no words around it
	return []carriage{whole, each}
}

// carriedTo tells what a call takes to a tool of the program or of a server.
func (r *carrying) carriedTo(tool *Tool, call llm.ToolCall) []carriage {
	if r.flows.ledger == nil || tool.kind != own || tool.Local {
		return nil
	}
	to := "tool " + tool.Name
	r.flows.ledger.Read(to, tool.Description+"\n"+string(tool.Parameters))
	return []carriage{r.takes(to, textsOf(arguments(call), string(tool.Parameters))...)}
}

// textsOf are the texts and numbers of JSON, with the names that its schema lacks.
func textsOf(raw json.RawMessage, form string) (out []string) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if err != nil {
			return out
		}
		switch v := token.(type) {
		case string:
			if quoted, err := json.Marshal(v); err != nil || !strings.Contains(form, string(quoted)) {
				out = append(out, v)
			}
		case json.Number:
			out = append(out, v.String())
		}
	}
}

// release asks about what is to be done, with what it carries.
func (r *carrying) release(ctx context.Context, a Approval, carried []carriage) error {
	for _, c := range carried {
		for _, f := range c.flows {
			if !slices.Contains(a.Flows, f) {
				a.Flows = append(a.Flows, f)
			}
		}
	}
	var err error
	switch {
	case len(a.Flows) == 0:
		err = r.decide(ctx, a)
	case r.agent.cfg.Flows == FlowsRefuse:
		err = fmt.Errorf("%w: %w: %s", ErrFlow, ErrDenied, sayFlows(a.Flows))
	default:
		a.Classes = append(a.Classes, ClassFlow)
		if err = r.decide(ctx, a); err != nil && !errors.Is(err, ErrLater) { // which a pending is, too
			err = fmt.Errorf("%w: %s: %w", ErrFlow, sayFlows(a.Flows), err)
		}
	}
	if err != nil {
		return err
	}
	for _, c := range carried {
		for _, text := range c.texts {
			r.flows.ledger.Sent(c.to, text)
		}
	}
	return nil
}

// sayFlows is for the model, which knows the values.
func sayFlows(list []Flow) string {
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%q from %s to %s", f.Value, f.From, f.To))
	}
	return strings.Join(out, ", ")
}

func (r *carrying) formOf(node *accessibility.Node) *accessibility.Form {
	if node == nil || r.view.snapshot == nil {
		return nil
	}
	return r.view.snapshot.Form(node)
}

// read reads the whole page anew where it has changed. What the model knows of
// the page is not touched: it gets the changes after its calls.
func (r *carrying) read(ctx context.Context) (*engine.Snapshot, error) {
	snap, err := r.page.Snapshot(ctx, nil)
	if err == nil {
		r.flows.page(snap)
	}
	return snap, err
}

// excerpt reads the page and writes a part of it.
func (r *carrying) excerpt(ctx context.Context, ref string, write func(*engine.Snapshot, accessibility.Ref) (string, error)) (*Answer, error) {
	snap, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	text, err := write(snap, accessibility.Ref(strings.Trim(ref, "[]")))
	if err != nil {
		return nil, err
	}
	return &Answer{Text: text}, nil
}
