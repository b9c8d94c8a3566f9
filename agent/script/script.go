package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// Format and Version are what the JSON of a script begins with.
const (
	Format  = "script"
	Version = 1
)

// ErrFormat: the data is no script, or a step of it is wrong. The errors of [Parse] wrap it.
var ErrFormat = errors.New("not a script that can be read")

// A Script is a run as a program. It holds no value of a variable.
type Script struct {
	Wayfinder string `json:"wayfinder"` // Format
	Version   int    `json:"version"`

	Task string `json:"task,omitempty"`
	// Start is the address where it begins. Addresses of the same origin are
	// written as paths, so that a script can be replayed at another one.
	Start string `json:"start"`
	// Variables are the names of the values that the caller gives, and Files those
	// of contents to upload.
	Variables []string `json:"variables,omitempty"`
	Files     []string `json:"files,omitempty"`

	// Background are requests that the page makes by itself, as it likes: beacons.
	// They are not counted among those of a step.
	Background []string `json:"background,omitempty"`

	Steps []Step `json:"steps"`
	// End is what holds when all is done.
	End *Expect `json:"end,omitempty"`
}

// The moves of a step: what it can do beside the methods of package engine.
const (
	Navigate  = "navigate"
	Back      = "back"
	Forward   = "forward"
	Reload    = "reload"
	TabOpen   = "tab open"
	TabSwitch = "tab switch"
	TabClose  = "tab close"
)

// A Step is one action.
type Step struct {
	// Name is the recorded step that it comes from, as "7", or "7b" for the
	// second action of that.
	Name string `json:"step"`
	// Do is a method of package engine, or one of the moves.
	Do        string   `json:"do"`
	Target    *Target  `json:"target,omitempty"`
	Arguments []string `json:"arguments,omitempty"` // variables as %name%
	Address   string   `json:"address,omitempty"`   // of navigate and tab open
	Tab       int      `json:"tab,omitempty"`       // of tab switch and tab close, from 1: of the replay's own
	Drop      *Target  `json:"drop,omitempty"`      // of dragAndDrop

	// On is the address that the page must have before. A * stands for any
	// characters but a slash.
	On string `json:"on,omitempty"`
	// Optional steps are left out where their target is not there: a dialog that
	// comes now and then.
	Optional bool `json:"optional,omitempty"`

	// Sends is what the link or the form says that pressing the target would send.
	// It is compared before anything is pressed.
	Sends *Sends `json:"sends,omitempty"`

	Expect Expect `json:"expect"`
}

// A Field is one value that a form sends, with values of variables as %name%.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Target is an element as a person tells it from others.
type Target struct {
	Role string `json:"role"`
	Name string `json:"name"`
	Tag  string `json:"tag,omitempty"`
	// Row is the text right around it. It decides where several elements have the
	// same role and name, and has to be the same where there were several.
	Row   string `json:"row,omitempty"`
	Alike int    `json:"alike,omitempty"` // how many had the same; 0 is one
	Head  string `json:"head,omitempty"`  // what its row or list item begins with
	// Key is the name or the id of a field, as the page's program knows it.
	Key string `json:"key,omitempty"`
	// Selector is where it was. It decides between elements that are alike and have
	// the same row.
	Selector string `json:"selector,omitempty"`
}

// String returns role and name.
func (t *Target) String() string { return fmt.Sprintf("%s %q", t.Role, t.Name) }

// An Expect is what a step must have changed. What is empty is not asked for,
// but for Requests: a step that sent nothing must not send.
type Expect struct {
	Effect engine.Effect `json:"effect,omitempty"`
	// Address is the page's after it, as in Step.On.
	Address string `json:"address,omitempty"`
	// Requests are those that may change something, each as "POST /orders/*":
	// exactly these, in any order.
	Requests []string `json:"requests,omitempty"`
	// Value is what the control holds then.
	Value *string `json:"value,omitempty"`
	// States are those that changed, as checked: true.
	States map[string]string `json:"states,omitempty"`
	// Texts are words that the page says then.
	Texts []string `json:"texts,omitempty"`
	// Dialogs are those that it opens, with the answers to give.
	Dialogs []Dialog `json:"dialogs,omitempty"`
	// Download is the name of a file.
	Download string `json:"download,omitempty"`
}

// A Dialog is a dialog of the browser, and the answer to it.
type Dialog struct {
	Kind    string `json:"kind"`
	Message string `json:"message,omitempty"`
	Accept  bool   `json:"accept,omitempty"`
	Text    string `json:"text,omitempty"`
}

// String returns the script as indented JSON.
func (s *Script) String() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		return "" // it has nothing that JSON lacks
	}
	return b.String()
}

// Is reports whether data looks like a script.
func Is(data []byte) bool {
	var head struct {
		Wayfinder string `json:"wayfinder"`
	}
	return json.Unmarshal(data, &head) == nil && head.Wayfinder == Format
}

// Parse reads a script and checks it. An error wraps ErrFormat and says what to
// write instead.
func Parse(data []byte) (*Script, error) {
	s := &Script{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("script: %w: %w", ErrFormat, err)
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return s, nil
}

// Check says what is wrong with a script. The error wraps ErrFormat.
func (s *Script) Check() error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("script: %w: %w", ErrFormat, fmt.Errorf(format, args...))
	}
	switch start, err := url.Parse(s.Start); {
	case s.Wayfinder != Format:
		return wrong("it has to begin with \"wayfinder\": %q", Format)
	case s.Version != Version:
		return wrong("it is of version %d, and this program reads version %d", s.Version, Version)
	case err != nil || start.Scheme == "":
		return wrong("start %q is no whole address, as https://shop.example/", s.Start)
	}
	for i := range s.Steps {
		if err := s.Steps[i].check(); err != nil {
			return wrong("step %s: %w", s.Steps[i].Name, err)
		}
		for _, arg := range s.Steps[i].Arguments {
			for _, name := range engine.Placeholders(arg) {
				if !slices.Contains(s.Variables, name) {
					return wrong("step %s names %%%s%%, which is not among the variables", s.Steps[i].Name, name)
				}
			}
		}
	}
	return nil
}

// answers are those to the confirms and prompts that the step opens.
func (s *Step) answers() []engine.DialogAnswer {
	var answers []engine.DialogAnswer
	for _, d := range s.Expect.Dialogs {
		if d.Kind == "confirm" || d.Kind == "prompt" {
			answers = append(answers, engine.DialogAnswer{Accept: d.Accept, Text: d.Text})
		}
	}
	return answers
}

func (s *Step) check() error {
	switch s.Do {
	case Navigate:
		if s.Address == "" {
			return errors.New("navigate needs an address")
		}
	case TabSwitch, TabClose:
		if s.Tab < 1 {
			return fmt.Errorf("%s needs the number of a tab, from 1", s.Do)
		}
	case Back, Forward, Reload, TabOpen:
	default:
		if s.Do == "" {
			return errors.New("it does not say what to do")
		}
		if _, err := engine.ParseMethod(s.Do); err != nil {
			return fmt.Errorf("%w; or %s", err, strings.Join([]string{Navigate, Back, Forward, Reload, TabOpen, TabSwitch, TabClose}, ", "))
		}
		if s.Target == nil || s.Target.Role == "" {
			return fmt.Errorf("%s needs a target with its role and name", s.Do)
		}
	}
	for _, p := range append([]string{s.On, s.Expect.Address}, s.Expect.Requests...) {
		if strings.Contains(p, "**") {
			return fmt.Errorf("%q: one * stands for any characters but a slash", p)
		}
	}
	return nil
}

// clone is a copy that shares nothing.
func (s *Script) clone() *Script {
	out := &Script{}
	if err := json.Unmarshal([]byte(s.String()), out); err != nil {
		panic(err) // what was written by us
	}
	return out
}

// Until returns the script up to a step, that one left out: what a fork does
// before it goes another way. The name is that of the recorded step.
func (s *Script) Until(step string) (*Script, error) {
	at := slices.IndexFunc(s.Steps, func(one Step) bool { return one.Name == step })
	if at < 0 {
		return nil, fmt.Errorf("script: there is no step %q", step)
	}
	out := s.clone()
	out.Steps, out.End = out.Steps[:at], nil
	return out, nil
}

// Path writes an address as a step opens it: without the origin, if that is
// Start's.
func (s *Script) Path(address string) string { return placeOf(s.Start).path(address) }

// Address writes an address as an expectation: as a path if it is of Start's
// origin, without query and fragment unless that is a route, and with * in the
// place of values and of parts that hold a digit, which change from run to run.
func (s *Script) Address(address string) string { return placeOf(s.Start).pattern(address) }

// Request writes a request as [Expect].Requests has it.
func (s *Script) Request(method, address string, status int) string {
	return placeOf(s.Start).request(method, address, status)
}

// Sends writes what leaves a page as a step has it; nil for nil. Without
// fields, only method and address are written: where it is not known what the
// form held when it was sent.
func (s *Script) Sends(r *engine.Outgoing, fields bool) *Sends {
	if r == nil {
		return nil
	}
	out := &Sends{Method: strings.ToUpper(r.Method), Address: s.Path(hiddenValue.ReplaceAllString(r.URL, "*"))}
	if !fields {
		return out
	}
	for _, f := range r.Fields {
		if f.Any || !f.Password && isToken(f.Value) {
			continue
		}
		if f.Password && !strings.Contains(f.Value, "%") {
			f.Value = "*" // nothing but its length is known
		}
		out.Fields = append(out.Fields, Field{f.Name, f.Value})
	}
	return out
}
