package engine

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/internal/redact"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// maxCodes bounds how many one-time codes are remembered.
const maxCodes = 32

// secrets remembers the values of a session's variables, so that a page that
// shows one does not leak it to a model or a record. The zero value is ready to
// use. It is safe for concurrent use.
type secrets struct {
	// report, if not nil, gets each value, so that a recording browser hides it
	// too. Set once, before the first use.
	report  func(name, value string)
	matcher atomic.Pointer[redact.Matcher] // of values

	mu     sync.Mutex // protects what follows
	values []redact.Value
	codes  []string // one-time codes among the values, oldest first
}

// add remembers the values of variables.
func (s *secrets) add(vars map[string]Variable) {
	if len(vars) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.values)
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		v := vars[name]
		s.remember(v.Value, name)
		if v.TOTP != nil {
			s.remember(v.TOTP.Secret, name)
			s.remember(strings.TrimRight(cleanBase32(v.TOTP.Secret), "="), name)
		}
	}
	if len(s.values) != before {
		s.matcher.Store(redact.New(s.values))
	}
}

// addCode remembers a one-time code.
func (s *secrets) addCode(name, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.knows(code) {
		return
	}
	s.remember(code, name)
	s.codes = append(s.codes, code)
	if len(s.codes) > maxCodes {
		oldest := s.codes[0]
		s.values = slices.DeleteFunc(s.values, func(v redact.Value) bool { return v.Text == oldest })
		s.codes = s.codes[1:]
	}
	s.matcher.Store(redact.New(s.values))
}

// remember stores a value under the name of its variable; the first name wins.
func (s *secrets) remember(value, name string) {
	if s.report != nil {
		s.report(name, value)
	}
	if !s.knows(value) && strings.TrimSpace(value) != "" {
		s.values = append(s.values, redact.Value{Name: name, Text: value})
	}
}

func (s *secrets) knows(value string) bool {
	return slices.ContainsFunc(s.values, func(v redact.Value) bool { return v.Text == value })
}

// mask makes the outline of a snapshot hide the values; opts may be nil.
func (s *secrets) mask(opts *accessibility.Options) *accessibility.Options {
	if s.matcher.Load() == nil {
		return opts
	}
	var masked accessibility.Options
	if opts != nil {
		masked = *opts
	}
	masked.Mask = s.hide
	return &masked
}

// hide replaces values by their placeholders, in whatever encoding they appear.
// It takes time linear in the length of the text.
func (s *secrets) hide(text string) string { return s.replace(text, false) }

// hideShown is hide for results, which also hides values of one or two
// characters if they are the whole text or quoted.
func (s *secrets) hideShown(text string) string { return s.replace(text, true) }

func (s *secrets) replace(text string, short bool) string {
	return s.matcher.Load().Replace(text, short, func(v redact.Value, _ string) string { return "%" + v.Name + "%" })
}

// hideJSON hides values in the strings of a JSON text. Numbers are unchanged,
// and nil stays nil.
func (s *secrets) hideJSON(data []byte) []byte {
	if data == nil || s.matcher.Load() == nil {
		return data
	}
	out, done := make([]byte, 0, len(data)), 0
	for _, at := range jsonString.FindAllSubmatchIndex(data, -1) {
		out = append(append(out, data[done:at[2]]...), s.hide(string(data[at[2]:at[3]]))...)
		done = at[3]
	}
	return append(out, data[done:]...)
}

// jsonString finds the strings of a JSON text, also one that is cut off.
var jsonString = regexp.MustCompile(`(?s)"((?:[^"\\]|\\.?)*)"?`)

// hideRequest returns a copy of a request without values.
func (s *secrets) hideRequest(req *llm.Request) *llm.Request {
	out := *req
	if s.matcher.Load() == nil {
		return &out
	}
	out.System = s.hide(req.System)
	out.Tools = slices.Clone(req.Tools)
	for i, tool := range out.Tools {
		out.Tools[i].Description, out.Tools[i].Parameters = s.hide(tool.Description), s.hideJSON(tool.Parameters)
	}
	out.Messages = slices.Clone(req.Messages)
	for i, m := range out.Messages {
		out.Messages[i].Parts = s.hideParts(m.Parts)
	}
	return &out
}

func (s *secrets) hideParts(parts []llm.Part) []llm.Part {
	out := slices.Clone(parts)
	for i, part := range out {
		switch part := part.(type) {
		case llm.Instruction:
			out[i] = llm.Instruction{Text: s.hide(part.Text)}
		case llm.Text:
			out[i] = llm.Text{Text: s.hide(part.Text)}
		case llm.Page:
			out[i] = llm.Page{Kind: part.Kind, Text: s.hide(part.Text)}
		case llm.ToolCall:
			part.Arguments = s.hideJSON(part.Arguments)
			out[i] = part
		case llm.ToolResult:
			part.Parts = s.hideParts(part.Parts)
			out[i] = part
		}
	}
	return out
}

// hideResponse returns an answer without values. Parts that a provider signed
// are unchanged, since they only go back to the provider.
func (s *secrets) hideResponse(resp *llm.Response) *llm.Response {
	if s.matcher.Load() == nil {
		return resp
	}
	out := *resp
	out.Text = s.hide(resp.Text)
	if json.Valid([]byte(resp.Text)) {
		out.Text = string(s.hideJSON([]byte(resp.Text)))
	}
	out.Reasoning = slices.Clone(resp.Reasoning)
	for i, r := range out.Reasoning {
		out.Reasoning[i].Text = s.hide(r.Text)
	}
	out.ToolCalls = slices.Clone(resp.ToolCalls)
	for i, call := range out.ToolCalls {
		out.ToolCalls[i].Arguments = s.hideJSON(call.Arguments)
	}
	return &out
}

func (s *secrets) hideError(err error) error {
	text := err.Error()
	if hidden := s.hideShown(text); hidden != text {
		return &redactedError{text: hidden, err: err}
	}
	return err
}

// hideResult hides values wherever a result could show one: a field's content, an
// address with typed text, an error that quotes it.
func (s *secrets) hideResult(r *ActResult) {
	if s.matcher.Load() == nil {
		return
	}
	r.Message = s.hideShown(r.Message)
	r.Description = s.hide(r.Description)
	for i := range r.Actions {
		r.Actions[i] = s.hideAction(r.Actions[i])
	}
	s.hideTexts(reflect.ValueOf(&r.Evidence).Elem())
	if r.Cache != nil {
		r.Cache.Detail = s.hideShown(r.Cache.Detail)
	}
}

// hideAction hides values in an action: in the page's names for its element,
// and in arguments.
func (s *secrets) hideAction(a Action) Action {
	a.Description = s.hide(a.Description)
	if accessibility.DeepPath(a.Selector) { // an anchor has words of the page; without it the fingerprint decides
		a.Selector = s.hide(a.Selector)
	}
	if s.hide(string(a.Locator)) != string(a.Locator) {
		a.Locator = "" // a placeholder in it would be searched for as it is
	}
	a.Arguments = slices.Clone(a.Arguments)
	for i := range a.Arguments {
		a.Arguments[i] = s.hide(a.Arguments[i])
	}
	if a.Fingerprint != nil {
		print := s.hidePrint(*a.Fingerprint)
		a.Fingerprint = &print
	}
	if a.Surroundings != nil {
		around := *a.Surroundings
		around.Row, around.Head = s.hide(around.Row), s.hide(around.Head)
		a.Surroundings = &around
	}
	if a.Onto != nil {
		onto := s.hideAction(*a.Onto)
		a.Onto = &onto
	}
	return a
}

func (s *secrets) hidePrint(f Fingerprint) Fingerprint {
	f.Name = s.hide(f.Name)
	return f
}

// hideTexts hides values in every string below v, which must be settable,
// except in fields tagged hide:"-", which hold identifiers.
func (s *secrets) hideTexts(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(s.hideShown(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			s.hideTexts(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			s.hideTexts(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			s.hideTexts(value)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("hide") != "-" {
				s.hideTexts(v.Field(i))
			}
		}
	}
}

func (s *secrets) hideTool(t PageTool) PageTool {
	t.Description, t.InputSchema = s.hide(t.Description), s.hide(t.InputSchema)
	return t
}

func (s *secrets) hideApproval(a *Approval) *Approval {
	out := *a
	out.Reason, out.Outgoing = s.hide(a.Reason), s.hideOutgoing(a.Outgoing)
	out.Differences = nil
	for _, d := range a.Differences {
		out.Differences = append(out.Differences, s.hide(d))
	}
	return &out
}

func (s *secrets) hideOutgoing(r *Outgoing) *Outgoing {
	if r == nil {
		return nil
	}
	return r.Map(s.hide)
}

// hideSource hides values of variables. Offsets would tell how long one is.
func (s *secrets) hideSource(snap *Snapshot, source Source) Source {
	if s.matcher.Load() == nil {
		return source
	}
	source.Text = s.hideShown(source.Text)
	for i, part := range source.Parts {
		source.Parts[i] = s.hide(part)
	}
	if node, ok := snap.Lookup(source.Ref); !ok || s.hide(node.Name) != node.Name {
		source.Start, source.End = 0, 0
	}
	return source
}

// reveal puts values in the place of their placeholders in the strings of a JSON
// text. Of several values of one name it takes the one that the page shows.
func (s *secrets) reveal(data json.RawMessage, snap *Snapshot) json.RawMessage {
	if s.matcher.Load() == nil {
		return data
	}
	return placeholder.ReplaceAllFunc(data, func(m []byte) []byte {
		value, ok := s.shown(string(m[1:len(m)-1]), snap)
		if !ok {
			return m
		}
		quoted, err := json.Marshal(value)
		if err != nil {
			return m // strings can be written
		}
		return quoted[1 : len(quoted)-1]
	})
}

// shown returns the value of a variable that a snapshot shows, the first one if
// it shows none.
func (s *secrets) shown(name string, snap *Snapshot) (value string, ok bool) {
	s.mu.Lock()
	var values []string
	for _, v := range s.values {
		if v.Name == name {
			values = append(values, v.Text)
		}
	}
	s.mu.Unlock()
	if len(values) == 0 {
		return "", false
	}
	if len(values) > 1 {
		for _, v := range values {
			for i := range snap.Nodes {
				if strings.Contains(snap.Nodes[i].Name, v) || snap.Nodes[i].Value == v {
					return v, true
				}
			}
		}
	}
	return values[0], true
}

// A redactedError is an error whose text held the value of a variable.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }

// Is lets callers branch as before. There is no As: its result could hold the
// value.
func (e *redactedError) Is(target error) bool { return errors.Is(e.err, target) }
