package form

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// IsTool reports a form that offers itself to agents (WebMCP, toolname).
func IsTool(n *html.Node) bool {
	return dom.IsElement(n, "form") && dom.Attr(n, "toolname") != "" && dom.Attr(n, "tooldescription") != ""
}

// A parameter is what a tool's schema says of one name of a form.
type parameter struct {
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Format      string   `json:"format,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Minimum     *float64 `json:"minimum,omitempty"`
	Maximum     *float64 `json:"maximum,omitempty"`
}

// ToolSchema is what the controls of a form take, as a JSON Schema.
func (s *State) ToolSchema(form *html.Node) string {
	properties, required := map[string]parameter{}, []string{}
	for _, c := range s.Controls(form) {
		name := dom.Attr(c, "name")
		p, ok := s.parameter(c)
		if !ok || name == "" {
			continue
		}
		if had, twice := properties[name]; twice { // radio buttons
			p.Enum = append(had.Enum, p.Enum...)
		}
		properties[name] = p
		if dom.Has(c, "required") && !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	raw, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
	if err != nil {
		return "{}" // strings and numbers always marshal
	}
	return string(raw)
}

// parameter describes a control; it reports false for one that is not filled in.
func (s *State) parameter(c *html.Node) (p parameter, ok bool) {
	p = parameter{Type: "string", Description: dom.Attr(c, "toolparamdescription")}
	switch {
	case s.Disabled(c):
		return p, false
	case c.Data == "textarea":
		return p, true
	case c.Data == "select":
		for _, o := range Options(c) {
			p.Enum = append(p.Enum, s.Value(o))
		}
		return p, true
	case c.Data != "input":
		return p, false
	}
	switch kind := InputType(c); kind {
	case "hidden", "file", "submit", "image", "reset", "button":
		return p, false
	case "checkbox":
		p.Type = "boolean"
	case "radio":
		p.Enum = []string{s.Value(c)}
	case "number", "range":
		p.Type = "number"
		p.Minimum, p.Maximum = bound(c, "min"), bound(c, "max")
	case "date":
		p.Format = "date"
	}
	return p, true
}

func bound(c *html.Node, name string) *float64 {
	if v, ok := dom.Number(dom.Attr(c, name)); ok {
		return &v
	}
	return nil
}

// FillTool gives the controls of a form the values of a tool's arguments. It
// returns the controls that were changed, in tree order. A name that the form does
// not have is an error, and so is a value that a control does not take; what was
// given before it stays.
func (s *State) FillTool(form *html.Node, arguments map[string]any) (changed []*html.Node, _ error) {
	controls := s.Controls(form)
	for name := range arguments {
		if !slices.ContainsFunc(controls, func(c *html.Node) bool { return dom.Attr(c, "name") == name }) {
			return nil, fmt.Errorf("there is no parameter %q", name)
		}
	}
	for _, c := range controls {
		name := dom.Attr(c, "name")
		v, given := arguments[name]
		p, ok := s.parameter(c)
		if !given || !ok {
			continue
		}
		text := fmt.Sprint(v)
		if f, is := v.(float64); is {
			text = strconv.FormatFloat(f, 'f', -1, 64)
		}
		was, checked := s.Value(c), s.Checked(c)
		took := true
		switch {
		case c.Data == "select":
			_, took = s.ChooseByValue(c, []string{text})
		case p.Type == "boolean":
			on, is := v.(bool)
			took = is
			s.SetChecked(c, on)
		case c.Data == "input" && InputType(c) == "radio":
			if s.Value(c) == text {
				s.SetChecked(c, true)
			}
		default:
			s.SetValue(c, text)
			took = s.Value(c) != "" || text == ""
		}
		if !took {
			return changed, fmt.Errorf("invalid value %q for parameter %s", text, name)
		}
		if s.Value(c) != was || s.Checked(c) != checked {
			changed = append(changed, c)
		}
	}
	return changed, nil
}
