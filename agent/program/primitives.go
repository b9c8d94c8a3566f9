package program

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

const plus = syntax.PLUS

// primitives are the functions that reach the page. Each that does something is
// one step by one tool of the agent.
func (m *machine) primitives() {
	for name, f := range map[string]builtin{
		"address": m.address, "back": m.simple("back"), "click": m.click, "dialog": m.dialog, "extract": m.extract, "fill": m.fill,
		"find": m.find, "log": m.logs, "navigate": m.navigate, "press": m.press, "print": m.logs, "read": m.readText, "reload": m.simple("reload"),
		"select": m.selectOption, "tabs": m.tabs, "var": m.variable, "wait": m.wait,
	} {
		m.function(name, f)
	}
}

// mayCall counts a call that reaches the page.
func (m *machine) mayCall() error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if m.calls++; m.calls > m.limits.Calls {
		return fmt.Errorf("%w: at most %d", ErrCalls, m.limits.Calls)
	}
	return nil
}

// do does a step. A surprise ends the program.
func (m *machine) do(tool string, arguments map[string]any) (string, error) {
	if err := m.mayCall(); err != nil {
		return "", err
	}
	step, err := m.world.Do(m.ctx, tool, arguments)
	if err != nil {
		return "", err
	}
	if err := m.meter.text(len(step.Text)); err != nil {
		return "", err
	}
	if step.Surprise != "" {
		return "", fmt.Errorf("%w: step %d: %s", ErrSurprise, step.Number, step.Surprise)
	}
	return step.Text, nil
}

// look reads the page as it is now.
func (m *machine) look() (*view, error) {
	if err := m.mayCall(); err != nil {
		return nil, err
	}
	view, err := m.world.Read(m.ctx)
	if err != nil {
		return nil, err
	}
	return view, m.spend(len(view.Snapshot.Nodes) / 8)
}

// act does a step, of which no more is to be known.
func (m *machine) act(tool string, arguments map[string]any) (starlark.Value, error) {
	_, err := m.do(tool, arguments)
	return starlark.None, err
}

func (m *machine) simple(tool string) builtin {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
			return nil, err
		}
		return m.act(tool, map[string]any{})
	}
}

func (m *machine) address(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
		return nil, err
	}
	view, err := m.look()
	if err != nil {
		return nil, err
	}
	return starlark.String(view.hide(view.Address)), m.meter.text(len(view.Address))
}

func (m *machine) find(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var role, name, text string
	var within starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "role?", &role, "name?", &name, "text?", &text, "within?", &within); err != nil {
		return nil, err
	}
	if r, n, ok := strings.Cut(role, ": "); ok && name == "" { // as the outline has it
		role, name = r, n
	}
	arguments := map[string]any{}
	if role != "" {
		arguments["role"] = role
	}
	if hasWords(name) {
		arguments["query"] = name
	} else if role == "" && hasWords(text) {
		arguments["query"] = text
	}
	if len(arguments) == 0 {
		return nil, fmt.Errorf("%w: say what to find: a role, a name, or both", ErrInvalid)
	}
	if _, err := m.do("find", arguments); err != nil {
		return nil, err
	}
	view, err := m.look()
	if err != nil {
		return nil, err
	}
	found, err := view.find(query{role, name, text}, within)
	if err != nil {
		return nil, err
	}
	out := make([]starlark.Value, len(found))
	for k, i := range found {
		e := view.element(i)
		if err := m.meter.charge(e.size()); err != nil {
			return nil, err
		}
		out[k] = e
	}
	return starlark.NewList(out), nil
}

// target reads the page and finds the element that a step is for.
func (m *machine) target(target, within starlark.Value) (*accessibility.Node, error) {
	view, err := m.look()
	if err != nil {
		return nil, err
	}
	i, err := view.locate(target, within)
	if err != nil {
		return nil, err
	}
	m.view = view
	return &view.Snapshot.Nodes[i], nil
}

func (m *machine) click(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var target, within starlark.Value
	count := 1
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "target", &target, "within?", &within, "count?", &count); err != nil {
		return nil, err
	}
	n, err := m.target(target, within)
	if err != nil {
		return nil, err
	}
	arguments := map[string]any{"ref": string(n.Ref)}
	if count != 1 {
		arguments["count"] = count
	}
	return m.act("click", arguments)
}

func (m *machine) fill(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var target, value, within starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "target", &target, "value", &value, "within?", &within); err != nil {
		return nil, err
	}
	n, err := m.target(target, within)
	if err != nil {
		return nil, err
	}
	text, err := m.written(value)
	if err != nil {
		return nil, err
	}
	// Of fillForm, because it knows what a field takes: a text, an option, a tick.
	return m.act("fillForm", map[string]any{"fields": []any{map[string]any{"ref": string(n.Ref), "value": text}}})
}

// written is a value as it goes into a field. A text that came from a page may say
// %password%, and must not be taken for the variable.
func (m *machine) written(value starlark.Value) (string, error) {
	switch v := value.(type) {
	case secret:
		return v.String(), nil
	case starlark.Bool:
		if v {
			return "true", nil
		}
		return "false", nil
	case starlark.Int, starlark.Float:
		return v.String(), nil
	case starlark.String:
		return string(v), m.noPlaceholder(string(v))
	}
	return "", fmt.Errorf("%w: a %s cannot be written into a field; give a text, a number, True or False, or var(\"name\")", ErrInvalid, value.Type())
}

// noPlaceholder refuses a text in which the value of a variable would be put.
func (m *machine) noPlaceholder(text string) error {
	if m.view == nil || !strings.Contains(text, "%") {
		return nil
	}
	for _, name := range m.view.Variables {
		if strings.Contains(text, "%"+name+"%") {
			return fmt.Errorf("%w: the text holds the placeholder %%%s%%; the value of a variable is given by var(%q) alone", ErrInvalid, name, name)
		}
	}
	return nil
}

func (m *machine) selectOption(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var target, option, within starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "target", &target, "option", &option, "within?", &within); err != nil {
		return nil, err
	}
	n, err := m.target(target, within)
	if err != nil {
		return nil, err
	}
	values := []starlark.Value{option}
	if list, ok := option.(*starlark.List); ok {
		values = slices.Collect(starlark.Elements(list))
	}
	var options []any
	for _, v := range values {
		text, err := m.written(v)
		if err != nil {
			return nil, err
		}
		options = append(options, text)
	}
	return m.act("select", map[string]any{"ref": string(n.Ref), "options": options})
}

func (m *machine) press(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var keys string
	var target, within starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "keys", &keys, "target?", &target, "within?", &within); err != nil {
		return nil, err
	}
	arguments := map[string]any{"keys": keys}
	if target != nil && target != starlark.None {
		n, err := m.target(target, within)
		if err != nil {
			return nil, err
		}
		arguments["ref"] = string(n.Ref)
	} else if view, err := m.look(); err == nil {
		m.view = view
	} else {
		return nil, err
	}
	if err := m.noPlaceholder(keys); err != nil {
		return nil, err
	}
	return m.act("press", arguments)
}

func (m *machine) readText(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var target, within starlark.Value
	from := 0
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "target?", &target, "within?", &within, "from_line?", &from); err != nil {
		return nil, err
	}
	arguments := map[string]any{}
	if from > 0 {
		arguments["from"] = from
	}
	if target != nil && target != starlark.None {
		n, err := m.target(target, within)
		if err != nil {
			return nil, err
		}
		arguments["ref"] = string(n.Ref)
	}
	text, err := m.do("read", arguments)
	return starlark.String(text), err
}

func (m *machine) extract(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var instruction string
	var form *starlark.Dict
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "instruction", &instruction, "schema?", &form); err != nil {
		return nil, err
	}
	arguments := map[string]any{"instruction": instruction}
	if form != nil {
		if _, err := m.weigh(form); err != nil {
			return nil, err
		}
		schema, err := toGo(form)
		if err != nil {
			return nil, err
		}
		arguments["schema"] = schema
	}
	text, err := m.do("extract", arguments)
	if err != nil || form == nil {
		return starlark.String(text), err
	}
	return m.fromJSON(text)
}

func (m *machine) navigate(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var address string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "address", &address); err != nil {
		return nil, err
	}
	return m.act("navigate", map[string]any{"url": address})
}

func (m *machine) dialog(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var accept bool
	var text string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "accept", &accept, "text?", &text); err != nil {
		return nil, err
	}
	view, err := m.look()
	if err != nil {
		return nil, err
	}
	m.view = view
	if err := m.noPlaceholder(text); err != nil {
		return nil, err
	}
	return m.act("dialog", map[string]any{"accept": accept, "text": text})
}

func (m *machine) tabs(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	action, tab, address := "list", 0, ""
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "action?", &action, "tab?", &tab, "address?", &address); err != nil {
		return nil, err
	}
	arguments := map[string]any{"action": action}
	if tab != 0 {
		arguments["tab"] = tab
	}
	if address != "" {
		arguments["url"] = address
	}
	text, err := m.do("tabs", arguments)
	return starlark.String(text), err
}

func (m *machine) wait(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	conditions := []struct{ name, tool, value string }{{"text", "text", ""}, {"gone", "textGone", ""}, {"selector", "selector", ""}, {"address", "address", ""}}
	var seconds starlark.Value = starlark.MakeInt(0)
	pairs := []any{}
	for i := range conditions {
		pairs = append(pairs, conditions[i].name+"?", &conditions[i].value)
	}
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, append(pairs, "seconds?", &seconds)...); err != nil {
		return nil, err
	}
	arguments := map[string]any{"for": "quiet"}
	for _, c := range conditions {
		if c.value == "" {
			continue
		}
		if arguments["for"] != "quiet" {
			return nil, fmt.Errorf("%w: wait for one thing at a time", ErrInvalid)
		}
		arguments["for"], arguments["value"] = c.tool, c.value
	}
	switch s, ok := starlark.AsFloat(seconds); {
	case !ok:
		return nil, fmt.Errorf("%w: seconds is a number", ErrInvalid)
	case s != 0:
		arguments["seconds"] = s
	}
	return m.act("wait", arguments)
}

func (m *machine) variable(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name", &name); err != nil {
		return nil, err
	}
	name = strings.Trim(name, "%")
	view, err := m.look()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(view.Variables, name) {
		return nil, fmt.Errorf("%w: the task has no variable %q; it has %q", ErrInvalid, cut(name, 80), view.Variables)
	}
	return secret(name), nil
}

// logs writes a line for the model.
func (m *machine) logs(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(kwargs) > 0 {
		return nil, fmt.Errorf("%w: %s takes values alone", ErrInvalid, b.Name())
	}
	if m.log.size >= mostLog {
		m.log.left++
		return starlark.None, nil
	}
	if err := m.meter.charge(mostLine); err != nil {
		return nil, err
	}
	line := brief{most: mostLine}
	for i, v := range args {
		if i > 0 {
			line.put(" ")
		}
		if text, ok := v.(starlark.String); ok {
			line.put(string(text))
			continue
		}
		line.value(v, 0)
	}
	m.log.add(line.String())
	return starlark.None, nil
}
