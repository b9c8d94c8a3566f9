package script

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A notFitting says why a step cannot be done as the script has it.
type notFitting struct {
	found string // what is there
	final bool   // no model may decide it
	cause error
}

// find returns the step's action for the page as it is, or why there is none.
func (r *replay) find(ctx context.Context) (*engine.Action, *notFitting, error) {
	action, misfit, err := r.locate(ctx, r.step.Target)
	if err != nil || misfit != nil {
		return nil, misfit, err
	}
	method, err := engine.ParseMethod(r.step.Do)
	if err != nil {
		return nil, nil, err
	}
	action.Method, action.Arguments = method, slices.Clone(r.step.Arguments)
	if drop := r.step.Drop; drop != nil && len(action.Arguments) > 0 {
		to, misfit, err := r.locate(ctx, drop)
		if misfit != nil {
			misfit.final = true
		}
		if err != nil || misfit != nil {
			return nil, misfit, err
		}
		action.Arguments[0] = to.Selector
	}
	return action, nil, nil
}

// locate finds a target among what the page shows.
func (r *replay) locate(ctx context.Context, t *Target) (*engine.Action, *notFitting, error) {
	all, err := r.page.Observe(ctx, "", nil)
	if err != nil {
		return nil, nil, fmt.Errorf("script: step %s: %w", r.step.Name, err)
	}
	var alike []engine.Action
	for _, a := range all.Actions {
		if is(a.Fingerprint, t) {
			alike = append(alike, a)
		}
	}
	if len(alike) == 0 {
		if alike, err = r.shown(ctx, t); err != nil {
			return nil, nil, err
		}
	}
	several := t.Alike > 1 || len(alike) > 1
	if several && t.Row != "" && len(alike) > 0 {
		rows := slices.DeleteFunc(slices.Clone(alike), func(a engine.Action) bool { return a.Surroundings == nil || a.Surroundings.Row != t.Row })
		if len(rows) == 0 {
			return nil, &notFitting{found: fmt.Sprintf("%d times %s, none of them in that row", len(alike), t), final: true, cause: engine.ErrMismatch}, nil
		}
		alike = rows
	}
	if len(alike) > 1 { // the same words around them: the place decides, if they are as many
		here := slices.DeleteFunc(slices.Clone(alike), func(a engine.Action) bool {
			return a.Selector != t.Selector || a.Surroundings == nil || a.Surroundings.Alike != t.Alike
		})
		if len(here) != 1 {
			return nil, &notFitting{found: fmt.Sprintf("%d elements that fit", len(alike)), final: true, cause: engine.ErrAmbiguous}, nil
		}
		alike = here
	}
	if len(alike) == 0 {
		return nil, &notFitting{found: r.nearest(t), cause: engine.ErrNotFound}, nil
	}
	found := alike[0]
	found.Description = r.step.Do + " " + t.String()
	return &found, nil, nil
}

// is reports whether an element is what a target says.
func is(f *engine.Fingerprint, t *Target) bool {
	return f != nil && f.Role == t.Role && f.Name == t.Name && (t.Tag == "" || f.Tag == t.Tag)
}

// shown finds a target among what cannot be acted on by nature, as a heading
// with a listener above it.
func (r *replay) shown(ctx context.Context, t *Target) ([]engine.Action, error) {
	snap, err := r.page.Snapshot(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("script: step %s: %w", r.step.Name, err)
	}
	var out []engine.Action
	for i := range snap.Nodes {
		n := &snap.Nodes[i]
		f := engine.Fingerprint{Role: string(n.Role), Name: r.session.Hide(n.Name), Tag: n.Tag}
		if is(&f, t) {
			out = append(out, engine.Action{Selector: snap.XPath(n), Fingerprint: &f})
		}
	}
	return out, nil
}

// nearest says what the page has in the place of a target, for people.
func (r *replay) nearest(t *Target) string {
	var names []string
	for i := range r.before.Nodes {
		if n := &r.before.Nodes[i]; string(n.Role) == t.Role && n.Name != "" {
			names = append(names, fmt.Sprintf("%q", r.session.Hide(n.Name)))
		}
	}
	names = slices.Compact(names)
	const most = 8
	switch {
	case len(names) == 0:
		return "no " + t.Role + " on the page" + r.over()
	case len(names) > most:
		names = append(names[:most], "…")
	}
	return fmt.Sprintf("among the elements of role %s only %s", t.Role, strings.Join(names, ", ")) + r.over()
}

// over names a dialog that lies over the page.
func (r *replay) over() string {
	for i := range r.before.Nodes {
		if n := &r.before.Nodes[i]; n.Role == "dialog" || n.Role == "alertdialog" {
			return fmt.Sprintf(", and the %s %q", n.Role, r.session.Hide(n.Name))
		}
	}
	return ""
}

// KeyOf is the key of a target: the name or the id of a field, if it has one.
func KeyOf(snap *accessibility.Snapshot, n *accessibility.Node) string {
	captured := snap.Captured(n)
	if captured == nil {
		return ""
	}
	switch captured.Name {
	case "input", "select", "textarea":
		for _, attribute := range []string{"name", "id"} {
			if v, ok := captured.Attr(attribute); ok && v != "" {
				return attribute + "=" + v
			}
		}
	}
	return ""
}
