package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A Check is something that the caller wants to be so when a task is done. It names
// exactly one thing. Checks are looked at afresh when the model claims the task;
// where a task has any, its success is theirs alone: criteria, and what the
// instruction says, do not count.
type Check struct {
	Address  string        `json:"address,omitempty"`  // of the page; * stands for any letters
	Shown    string        `json:"shown,omitempty"`    // a text that the page says
	Gone     string        `json:"gone,omitempty"`     // a text that the page does not say
	Control  *ControlCheck `json:"control,omitempty"`  // the state of a control
	Request  *RequestCheck `json:"request,omitempty"`  // that a step of the run caused
	Download string        `json:"download,omitempty"` // the name of a file that came whole; * stands for any letters
	Output   *OutputCheck  `json:"output,omitempty"`   // a value of [Task].Output
}

// A ControlCheck is a control by its role and its name, and what it holds.
type ControlCheck struct {
	Role    string  `json:"role,omitempty"` // empty is any
	Name    string  `json:"name"`
	Value   *string `json:"value,omitempty"`
	Checked *bool   `json:"checked,omitempty"`
}

// A RequestCheck is a request that a step caused, and its answer.
type RequestCheck struct {
	Method  string            `json:"method,omitempty"`  // empty is any
	Address string            `json:"address,omitempty"` // a part of it
	Status  int               `json:"status,omitempty"`  // 0 is any below 400
	Query   map[string]string `json:"query,omitempty"`   // fields of the address
	// Fields are those of the body: of a form by their names, of JSON by their
	// paths, as "items[0].amount". A body longer than 16 KiB, or with files, has none.
	// Values of a field that is there several times are separated by commas. An empty
	// value stands for a field that is empty or not there.
	Fields map[string]string `json:"fields,omitempty"`
}

// An OutputCheck is a value by its JSON pointer (RFC 6901).
type OutputCheck struct {
	Pointer string          `json:"pointer"` // "" is the whole
	Value   json.RawMessage `json:"value"`
}

// A CheckResult is a check with what it found.
type CheckResult struct {
	Check   Check   `json:"check"`
	Verdict Verdict `json:"verdict"` // [Confirmed] or [Contradicted]
	Found   string  `json:"found,omitempty"`
}

// Validate returns an error, which is [ErrInvalid], unless the check names exactly one
// thing, and says of it what has to be so.
func (c *Check) Validate() error {
	n := 0
	for _, there := range []bool{c.Address != "", c.Shown != "", c.Gone != "", c.Control != nil, c.Request != nil, c.Download != "", c.Output != nil} {
		if there {
			n++
		}
	}
	switch {
	case n != 1:
		return fmt.Errorf("%w: a check names one of address, shown, gone, control, request, download and output; this one names %d", ErrInvalid, n)
	case c.Control != nil && (c.Control.Name == "" || c.Control.Value == nil && c.Control.Checked == nil):
		return fmt.Errorf("%w: a check of a control has its name, and value or checked", ErrInvalid)
	case c.Request != nil && c.Request.Method == "" && c.Request.Address == "":
		return fmt.Errorf("%w: a check of a request has its method or a part of its address", ErrInvalid)
	case c.Output != nil && !json.Valid(c.Output.Value):
		return fmt.Errorf("%w: a check of the output has a value in JSON", ErrInvalid)
	}
	return nil
}

// lacks returns what was found instead of what a check wants. It is empty where the
// check holds.
func (c *Check) lacks(f *facts, output json.RawMessage) string {
	switch {
	case c.Output != nil:
		return c.Output.lacks(output)
	case c.Request != nil:
		return c.Request.lacks(f)
	case c.Download != "":
		return f.lacksDownload(c.Download)
	case f.now == nil:
		return "the page cannot be read"
	case c.Address != "":
		if !matches(c.Address, f.address) {
			return "the page is at " + f.address
		}
	case c.Shown != "":
		if !f.says(c.Shown) {
			return fmt.Sprintf("the page does not say %q", c.Shown)
		}
	case c.Gone != "":
		if f.says(c.Gone) {
			return fmt.Sprintf("the page says %q", c.Gone)
		}
	case c.Control != nil:
		return c.Control.lacks(f.now, f.hide)
	}
	return ""
}

func (c *ControlCheck) lacks(page *engine.Snapshot, hide func(string) string) string {
	found := fmt.Sprintf("no control is called %q", c.Name)
	for i := range page.Nodes {
		n := &page.Nodes[i]
		if !n.Interactive || !sameText(n.Name, c.Name) || c.Role != "" && !strings.EqualFold(string(n.Role), c.Role) {
			continue
		}
		switch {
		case c.Value != nil && !sameText(n.Value, *c.Value) && !sameText(hide(n.Value), *c.Value):
			found = fmt.Sprintf("%q holds %q", c.Name, n.Value)
		case c.Checked != nil && n.States.Checked != accessibility.On && *c.Checked, c.Checked != nil && n.States.Checked != accessibility.Off && !*c.Checked:
			found = fmt.Sprintf("%q is otherwise: %s", c.Name, page.Line(n))
		default:
			return ""
		}
	}
	return found
}

func (c *RequestCheck) lacks(f *facts) string {
	found := "no step of the run caused such a request"
	for _, q := range f.ours() {
		if c.Method != "" && !strings.EqualFold(c.Method, q.Method) || !strings.Contains(q.URL, c.Address) {
			continue
		}
		fields := queryOf(q.URL)
		switch {
		case !q.Ended || q.Status == 0:
			found = "it got no answer"
		case c.Status == 0 && q.Status >= 400, c.Status != 0 && c.Status != q.Status:
			found = fmt.Sprintf("it was answered %d", q.Status)
		default:
			missing := lacksField(c.Query, fields, f.hide)
			if missing == "" {
				missing = lacksField(c.Fields, bodyOf(&q), f.hide)
			}
			if missing == "" {
				return ""
			}
			found = missing
		}
	}
	return found
}

// lacksField names a field that has another value than it should.
func lacksField(wanted map[string]string, has url.Values, hide func(string) string) string {
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		want, values := wanted[name], has[name]
		switch value := strings.Join(values, ","); {
		case value == want || value == hide(want):
		case len(values) == 0:
			return fmt.Sprintf("it has no field %s", name)
		default:
			return fmt.Sprintf("its field %s is %q", name, value)
		}
	}
	return ""
}

// bodyOf are the fields of a request's body.
func bodyOf(q *engine.RequestSeen) url.Values {
	fields := url.Values{}
	for _, f := range q.Fields {
		fields.Add(f.Name, f.Value)
	}
	return fields
}

// queryOf are the fields of an address. A placeholder of a variable, which is no valid
// escape, stands for itself.
func queryOf(address string) url.Values {
	address, _, _ = strings.Cut(address, "#")
	_, query, _ := strings.Cut(address, "?")
	fields := url.Values{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		for _, text := range []*string{&name, &value} {
			if plain, err := url.QueryUnescape(*text); err == nil {
				*text = plain
			}
		}
		fields.Add(name, value)
	}
	return fields
}

func (c *OutputCheck) lacks(output json.RawMessage) string {
	var value any
	if json.Unmarshal(output, &value) != nil {
		return "there is no output"
	}
	for _, name := range strings.Split(c.Pointer, "/")[min(1, len(c.Pointer)):] {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			i := -1
			if _, err := fmt.Sscanf(name, "%d", &i); err != nil || i < 0 || i >= len(v) {
				return "the output has no " + c.Pointer
			}
			value = v[i]
		default:
			return "the output has no " + c.Pointer
		}
	}
	has, _ := json.Marshal(value)
	var wanted any
	_ = json.Unmarshal(c.Value, &wanted) // it was looked at when the task began
	if want, _ := json.Marshal(wanted); !bytes.Equal(has, want) {
		return fmt.Sprintf("%s is %s", c.Pointer, has)
	}
	return ""
}

// matches reports whether a text is as a pattern says, with * for any letters.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		at := strings.Index(text, p)
		if at < 0 {
			return false
		}
		text = text[at+len(p):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}

// ParseCheck reads a check as it is written on a command line: kind=value with
// address, shown, gone, download, or request=METHOD ADDRESS [STATUS]; or as JSON.
func ParseCheck(text string) (Check, error) {
	var c Check
	kind, value, ok := strings.Cut(text, "=")
	switch {
	case strings.HasPrefix(strings.TrimSpace(text), "{"):
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&c); err != nil {
			return c, fmt.Errorf("%w: a check: %w", ErrInvalid, err)
		}
	case !ok:
		return c, fmt.Errorf("%w: a check is kind=value, as shown=Thank you, or JSON", ErrInvalid)
	case kind == "address":
		c.Address = value
	case kind == "shown":
		c.Shown = value
	case kind == "gone":
		c.Gone = value
	case kind == "download":
		c.Download = path.Base(value)
	case kind == "request":
		words := strings.Fields(value)
		c.Request = &RequestCheck{}
		for i, w := range words {
			switch {
			case i == 0:
				c.Request.Method = w
			case i == 1:
				c.Request.Address = w
			default:
				if _, err := fmt.Sscanf(w, "%d", &c.Request.Status); err != nil || i > 2 {
					return c, fmt.Errorf("%w: a check of a request is METHOD ADDRESS STATUS, as POST /order 200", ErrInvalid)
				}
			}
		}
	default:
		return c, fmt.Errorf("%w: there is no check %q; take address, shown, gone, download, request, or JSON", ErrInvalid, kind)
	}
	return c, c.Validate()
}
