package script

import (
	"context"
	"errors"
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

// locate finds a target on the page, as the engine finds a stored action's element.
func (r *replay) locate(ctx context.Context, t *Target) (*engine.Action, *notFitting, error) {
	found, err := r.page.Find(ctx, engine.Action{
		Selector:     t.Selector,
		Fingerprint:  &engine.Fingerprint{Role: t.Role, Name: t.Name, Tag: t.Tag},
		Surroundings: &engine.Surroundings{Row: t.Row, Alike: max(t.Alike, 1), Head: t.Head},
	})
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return nil, &notFitting{found: r.nearest(t), cause: engine.ErrNotFound}, nil
	case errors.Is(err, engine.ErrMismatch), errors.Is(err, engine.ErrAmbiguous):
		return nil, &notFitting{found: err.Error(), final: true, cause: err}, nil
	case err != nil:
		return nil, nil, fmt.Errorf("script: step %s: %w", r.step.Name, err)
	}
	found.Description = r.step.Do + " " + t.String()
	return &found, nil, nil
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
