package program

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// The primitives are the functions that reach the page. Each that does something is
// one step by one tool of the agent.
type primitives struct {
	language
	ctx   context.Context // of Run: a builtin gets none
	world world
	most  int // calls
	calls int
	log   log
	view  *view // the last that a step was aimed in
}

// reach adds them to what a program can name.
func (p *primitives) reach() {
	for name, f := range map[string]builtin{
		"address": p.address, "back": p.simple("back"), "click": p.click, "dialog": p.dialog, "extract": p.extract, "fill": p.fill,
		"find": p.find, "log": p.logs, "navigate": p.navigate, "press": p.press, "print": p.logs, "read": p.readText, "reload": p.simple("reload"),
		"select": p.selectOption, "tabs": p.tabs, "var": p.variable, "wait": p.wait,
	} {
		p.function(name, f)
	}
}

// mayCall counts a call that reaches the page.
func (p *primitives) mayCall() error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if p.calls++; p.calls > p.most {
		return fmt.Errorf("%w: at most %d", ErrCalls, p.most)
	}
	return nil
}

// do does a step. A surprise ends the program.
func (p *primitives) do(tool string, arguments map[string]any) (string, error) {
	if err := p.mayCall(); err != nil {
		return "", err
	}
	step, err := p.world.Do(p.ctx, tool, arguments)
	if err != nil {
		return "", err
	}
	if err := p.meter.text(len(step.Text)); err != nil {
		return "", err
	}
	if step.Surprise != "" {
		return "", fmt.Errorf("%w: step %d: %s", ErrSurprise, step.Number, step.Surprise)
	}
	return step.Text, nil
}

// look reads the page as it is now.
func (p *primitives) look() (*view, error) {
	if err := p.mayCall(); err != nil {
		return nil, err
	}
	view, err := p.world.Read(p.ctx)
	if err != nil {
		return nil, err
	}
	return view, p.meter.spend(len(view.Snapshot.Nodes) / 8)
}

// aim reads the page for the step that comes.
func (p *primitives) aim() error {
	view, err := p.look()
	if err == nil {
		p.view = view
	}
	return err
}

// act does a step, of which no more is to be known.
func (p *primitives) act(tool string, arguments map[string]any) (starlark.Value, error) {
	_, err := p.do(tool, arguments)
	return starlark.None, err
}

func (p *primitives) simple(tool string) builtin {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
			return nil, err
		}
		return p.act(tool, map[string]any{})
	}
}

func (p *primitives) address(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
		return nil, err
	}
	view, err := p.look()
	if err != nil {
		return nil, err
	}
	return starlark.String(view.Hide(view.Address)), p.meter.text(len(view.Address))
}

func (p *primitives) find(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
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
	if _, err := p.do("find", arguments); err != nil {
		return nil, err
	}
	view, err := p.look()
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
		if err := p.meter.charge(e.size()); err != nil {
			return nil, err
		}
		out[k] = e
	}
	return starlark.NewList(out), nil
}

// target reads the page and finds the element that a step is for. It returns its ref.
func (p *primitives) target(target, within starlark.Value) (string, error) {
	if err := p.aim(); err != nil {
		return "", err
	}
	i, err := p.view.locate(target, within)
	if err != nil {
		return "", err
	}
	return string(p.view.Snapshot.Nodes[i].Ref), nil
}

// refer names the element of a step in its arguments, where the step has one.
func (p *primitives) refer(arguments map[string]any, target, within starlark.Value) (err error) {
	if target != nil && target != starlark.None {
		arguments["ref"], err = p.target(target, within)
	}
	return err
}

func (p *primitives) click(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var target, within starlark.Value
	count := 1
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "target", &target, "within?", &within, "count?", &count); err != nil {
		return nil, err
	}
	ref, err := p.target(target, within)
	if err != nil {
		return nil, err
	}
	arguments := map[string]any{"ref": ref}
	if count != 1 {
		arguments["count"] = count
	}
	return p.act("click", arguments)
}

func (p *primitives) fill(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var target, value, within starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "target", &target, "value", &value, "within?", &within); err != nil {
		return nil, err
	}
	ref, err := p.target(target, within)
	if err != nil {
		return nil, err
	}
	text, err := p.written(value)
	if err != nil {
		return nil, err
	}
	// Of fillForm, because it knows what a field takes: a text, an option, a tick.
	return p.act("fillForm", map[string]any{"fields": []any{map[string]any{"ref": ref, "value": text}}})
}

// written is a value as it goes into a field. A text that came from a page may say
// %password%, and must not be taken for the variable.
func (p *primitives) written(value starlark.Value) (string, error) {
	switch v := value.(type) {
	case secret:
		return v.String(), nil
	case starlark.Bool:
		return strconv.FormatBool(bool(v)), nil
	case starlark.Int, starlark.Float:
		return v.String(), nil
	case starlark.String:
		return string(v), p.noPlaceholder(string(v))
	}
	return "", fmt.Errorf("%w: a %s cannot be written into a field; give a text, a number, True or False, or var(\"name\")", ErrInvalid, value.Type())
}

// noPlaceholder refuses a text in which the value of a variable would be put. The page was
// read before it, which says what the variables are.
func (p *primitives) noPlaceholder(text string) error {
	for _, name := range p.view.Variables {
		if strings.Contains(text, "%"+name+"%") {
			return fmt.Errorf("%w: the text holds the placeholder %%%s%%; the value of a variable is given by var(%q) alone", ErrInvalid, name, name)
		}
	}
	return nil
}

func (p *primitives) selectOption(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var target, option, within starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "target", &target, "option", &option, "within?", &within); err != nil {
		return nil, err
	}
	ref, err := p.target(target, within)
	if err != nil {
		return nil, err
	}
	values := []starlark.Value{option}
	if list, ok := option.(*starlark.List); ok {
		values = slices.Collect(starlark.Elements(list))
	}
	var options []any
	for _, v := range values {
		text, err := p.written(v)
		if err != nil {
			return nil, err
		}
		options = append(options, text)
	}
	return p.act("select", map[string]any{"ref": ref, "options": options})
}

func (p *primitives) press(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var keys string
	var target, within starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "keys", &keys, "target?", &target, "within?", &within); err != nil {
		return nil, err
	}
	arguments := map[string]any{"keys": keys}
	err := p.refer(arguments, target, within)
	if err == nil && arguments["ref"] == nil {
		err = p.aim()
	}
	if err == nil {
		err = p.noPlaceholder(keys)
	}
	if err != nil {
		return nil, err
	}
	return p.act("press", arguments)
}

func (p *primitives) readText(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var target, within starlark.Value
	from := 0
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "target?", &target, "within?", &within, "from_line?", &from); err != nil {
		return nil, err
	}
	arguments := map[string]any{}
	if from > 0 {
		arguments["from"] = from
	}
	if err := p.refer(arguments, target, within); err != nil {
		return nil, err
	}
	text, err := p.do("read", arguments)
	return starlark.String(text), err
}

func (p *primitives) extract(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var instruction string
	var form *starlark.Dict
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "instruction", &instruction, "schema?", &form); err != nil {
		return nil, err
	}
	arguments := map[string]any{"instruction": instruction}
	if form != nil {
		if _, err := p.meter.weigh(form); err != nil {
			return nil, err
		}
		schema, err := toGo(form)
		if err != nil {
			return nil, err
		}
		arguments["schema"] = schema
	}
	text, err := p.do("extract", arguments)
	if err != nil || form == nil {
		return starlark.String(text), err
	}
	if err := p.meter.charge(16 * len(text)); err != nil {
		return nil, err
	}
	return fromJSON(text)
}

func (p *primitives) navigate(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var address string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "address", &address); err != nil {
		return nil, err
	}
	return p.act("navigate", map[string]any{"url": address})
}

func (p *primitives) dialog(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var accept bool
	var text string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "accept", &accept, "text?", &text); err != nil {
		return nil, err
	}
	if err := p.aim(); err != nil {
		return nil, err
	}
	if err := p.noPlaceholder(text); err != nil {
		return nil, err
	}
	return p.act("dialog", map[string]any{"accept": accept, "text": text})
}

func (p *primitives) tabs(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
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
	text, err := p.do("tabs", arguments)
	return starlark.String(text), err
}

func (p *primitives) wait(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
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
	return p.act("wait", arguments)
}

func (p *primitives) variable(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name", &name); err != nil {
		return nil, err
	}
	name = strings.Trim(name, "%")
	view, err := p.look()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(view.Variables, name) {
		return nil, fmt.Errorf("%w: the task has no variable %q; it has %q", ErrInvalid, cut(name, 80), view.Variables)
	}
	return secret(name), nil
}

// logs writes a line for the model.
func (p *primitives) logs(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(kwargs) > 0 {
		return nil, fmt.Errorf("%w: %s takes values alone", ErrInvalid, b.Name())
	}
	if p.log.size >= mostLog {
		p.log.left++
		return starlark.None, nil
	}
	if err := p.meter.charge(mostLine); err != nil {
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
	p.log.add(line.String())
	return starlark.None, nil
}
