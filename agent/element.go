package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/computer"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// acting does what a tool asks of an element, a point or the page's address.
type acting struct{ approving }

type (
	actIn struct {
		Instruction string `json:"instruction" jsonschema:"minLength=1,description=as: choose Vienna in the list of cities"`

		Dialog dialogAnswer `json:"dialog,omitempty" jsonschema:"description=answer to its dialog: accept\\, dismiss; of a prompt accept=text"`
	}
	clickIn struct {
		Ref       string   `json:"ref"`
		Button    string   `json:"button,omitempty" jsonschema:"enum=left,enum=right,enum=middle"`
		Count     int      `json:"count,omitempty" jsonschema:"minimum=1,maximum=3,description=2 is a double click"`
		Modifiers []string `json:"modifiers,omitempty" jsonschema:"description=keys held: Alt\\, Control\\, Meta\\, Shift"`
		At        *pointIn `json:"at,omitempty" jsonschema:"description=pixels from its upper left; without it the middle"`

		Dialog dialogAnswer `json:"dialog,omitempty" jsonschema:"description=answer to its dialog: accept\\, dismiss; of a prompt accept=text"`
	}
	fillIn struct {
		Ref   string `json:"ref"`
		Value string `json:"value"`
	}
	textIn struct {
		Ref  string `json:"ref"`
		Text string `json:"text"`
	}
	selectIn struct {
		Ref     string   `json:"ref"`
		Options []string `json:"options" jsonschema:"minItems=1,description=labels"`
	}
	pressIn struct {
		Keys string `json:"keys" jsonschema:"minLength=1,description=as Enter or Control+A"`
		Ref  string `json:"ref,omitempty" jsonschema:"description=without it what has the focus"`

		Dialog dialogAnswer `json:"dialog,omitempty" jsonschema:"description=answer to its dialog: accept\\, dismiss; of a prompt accept=text"`
	}
	refIn struct {
		Ref string `json:"ref"`
	}
	dragIn struct {
		Ref string  `json:"ref"`
		To  string  `json:"to,omitempty" jsonschema:"description=the ref to drop on"`
		DX  float64 `json:"dx,omitempty" jsonschema:"description=or by pixels"`
		DY  float64 `json:"dy,omitempty"`
	}
	scrollIn struct {
		Ref string  `json:"ref,omitempty" jsonschema:"description=without it the page"`
		To  string  `json:"to,omitempty" jsonschema:"description=next or previous (a view)\\, or as 50%"`
		DX  float64 `json:"dx,omitempty" jsonschema:"description=or by pixels"`
		DY  float64 `json:"dy,omitempty"`
	}
	uploadIn struct {
		Ref   string   `json:"ref"`
		Files []string `json:"files" jsonschema:"minItems=1,description=names of the files that the task gives"`
	}
)

// elementTools act on elements.
func elementTools() []Tool {
	return []Tool{
		built("act", acts, "One action in words, where no ref is at hand.",
			func(ctx context.Context, r *run, in actIn) (*Answer, error) {
				opts, err := r.answeringOptions(ctx, in.Dialog)
				if err != nil {
					return nil, err
				}
				res, err := r.page.Act(ctx, in.Instruction, opts)
				return r.acted(res, err, Action{Instruction: in.Instruction})
			}),
		built("click", acts, "Clicks an element.",
			func(ctx context.Context, r *run, in clickIn) (*Answer, error) {
				target, err := r.named(in.Ref)
				if err != nil {
					return nil, err
				}
				if in.At != nil {
					target.At = &engine.Offset{X: in.At.X, Y: in.At.Y}
				}
				return r.answering(ctx, target, engine.Command{Method: computer.Clicks[max(in.Count, 1)], Arguments: computer.Gesture(in.Button, in.Modifiers)}, "", in.Dialog)
			}),
		built(toolFill, acts, "Replaces a field's whole text.",
			func(ctx context.Context, r *run, in fillIn) (*Answer, error) {
				return r.onRef(ctx, in.Ref, engine.Command{Method: engine.Fill, Arguments: []string{in.Value}}, in.Value)
			}),
		built("type", acts, "Types text key by key at an element's caret.",
			func(ctx context.Context, r *run, in textIn) (*Answer, error) {
				return r.onRef(ctx, in.Ref, engine.Command{Method: engine.Type, Arguments: []string{in.Text}}, in.Text)
			}),
		built("select", acts, "Chooses options of a select or a list.",
			func(ctx context.Context, r *run, in selectIn) (*Answer, error) {
				return r.onRef(ctx, in.Ref, engine.Command{Method: engine.SelectOption, Arguments: in.Options}, strings.Join(in.Options, ", "))
			}),
		built("press", acts, "Presses a key or a chord.",
			func(ctx context.Context, r *run, in pressIn) (*Answer, error) {
				cmd := engine.Command{Method: engine.Press, Arguments: []string{in.Keys}}
				target := engine.Target{Focused: true}
				if in.Ref != "" {
					var err error
					if target, err = r.named(in.Ref); err != nil {
						return nil, err
					}
				}
				answer, err := r.answering(ctx, target, cmd, in.Keys, in.Dialog)
				if target.Focused && errors.Is(err, engine.ErrNotFound) {
					return r.answering(ctx, engine.Target{Selector: "body"}, cmd, in.Keys, in.Dialog)
				}
				return answer, err
			}),
		built("hover", acts, "Moves the pointer over an element.",
			func(ctx context.Context, r *run, in refIn) (*Answer, error) {
				return r.onRef(ctx, in.Ref, engine.Command{Method: engine.Hover}, "")
			}),
		built("drag", acts, "Drags an element onto another, or by a distance.", dragElement),
		built("scroll", acts, "Scrolls the page or an element.", scrollElement),
		built(toolUpload, acts, "Gives files of the task to a file field, or to the button that opens it.",
			func(ctx context.Context, r *run, in uploadIn) (*Answer, error) {
				for _, name := range in.Files {
					if _, ok := r.task.Files[name]; !ok {
						return nil, fmt.Errorf("%w: the task has no file %q; it has %s", engine.ErrInvalid, name, strings.Join(slices.Sorted(maps.Keys(r.task.Files)), ", "))
					}
				}
				return r.onRef(ctx, in.Ref, engine.Command{Method: engine.SetInputFiles, Arguments: in.Files}, strings.Join(in.Files, ", "))
			}),
	}
}

func dragElement(ctx context.Context, r *run, in dragIn) (*Answer, error) {
	if in.To == "" {
		if in.DX == 0 && in.DY == 0 {
			return nil, fmt.Errorf("%w: say where to drag it: to, or dx and dy", engine.ErrInvalid)
		}
		return r.onRef(ctx, in.Ref, engine.Command{Method: engine.DragByPixelOffset, Arguments: computer.Pixels(in.DX, in.DY)}, "")
	}
	drop, err := r.named(in.To)
	if err != nil {
		return nil, err
	}
	return r.onRef(ctx, in.Ref, engine.Command{Method: engine.DragAndDrop, Drop: &drop}, "")
}

func scrollElement(ctx context.Context, r *run, in scrollIn) (*Answer, error) {
	if in.Ref == "" {
		if r.view.snapshot == nil || len(r.view.snapshot.Nodes) == 0 {
			return nil, fmt.Errorf("%w: no page was read yet", engine.ErrNotFound)
		}
		in.Ref = string(r.view.snapshot.Nodes[0].Ref)
	}
	cmd := engine.Command{Method: engine.ScrollTo, Arguments: []string{in.To}}
	switch {
	case in.To == "next":
		cmd = engine.Command{Method: engine.NextChunk}
	case in.To == "previous":
		cmd = engine.Command{Method: engine.PrevChunk}
	case in.DX != 0 || in.DY != 0:
		cmd = engine.Command{Method: engine.ScrollByPixelOffset, Arguments: computer.Pixels(in.DX, in.DY)}
	case in.To == "":
		cmd = engine.Command{Method: engine.ScrollIntoView}
	}
	return r.onRef(ctx, in.Ref, cmd, "")
}

func (r *acting) actOptions() *engine.ActOptions {
	return &engine.ActOptions{Model: r.executionModel(), Variables: r.task.Variables, Files: r.task.Files, Approve: r.approve, NoCache: true}
}

// answeringOptions are those of an act that may open a dialog.
func (r *acting) answeringOptions(ctx context.Context, dialog dialogAnswer) (*engine.ActOptions, error) {
	opts := r.actOptions()
	if dialog == "" {
		return opts, nil
	}
	in, err := dialog.parse()
	if err != nil {
		return nil, err
	}
	opts.Dialogs, err = r.answers(ctx, in)
	return opts, err
}

// onRef does a command to the element that a ref names.
func (r *acting) onRef(ctx context.Context, ref string, cmd engine.Command, text string) (*Answer, error) {
	target, err := r.named(ref)
	if err != nil {
		return nil, err
	}
	return r.answering(ctx, target, cmd, text, "")
}

// answering does a command to a target, and answers the dialog that it opens.
func (r *acting) answering(ctx context.Context, target engine.Target, cmd engine.Command, text string, dialog dialogAnswer) (*Answer, error) {
	opts, err := r.answeringOptions(ctx, dialog)
	if err != nil {
		return nil, err
	}
	r.aimed = r.aimedAt(target)
	var what Action
	if r.aimed != nil {
		what = r.survey().around(r.aimed, cmd)
	}
	if cmd.Drop != nil {
		if onto := r.aimedAt(*cmd.Drop); onto != nil {
			what.About = append(what.About, r.survey().about(onto)...)
		}
	}
	what.Text = text
	res, err := r.page.DoTo(ctx, target, cmd, opts)
	return r.acted(res, err, what)
}

// aimedAt is the element of the reading that a target names, nil if it names none.
func (r *acting) aimedAt(target engine.Target) *accessibility.Node {
	if target.Ref == "" {
		return nil
	}
	node, _ := r.view.snapshot.Lookup(target.Ref)
	return node
}

// acted makes a tool's answer, and its report, of an act's result, and of what the tool
// knows of it beside that: texts with placeholders, and the element's surroundings.
func (r *acting) acted(res *engine.ActResult, err error, what Action) (*Answer, error) {
	r.aimed = nil
	if res == nil {
		return nil, err
	}
	rep := &report{action: what, usage: res.Usage}
	a := &rep.action
	a.Actions, a.Message = res.Actions, res.Message
	evidence := res.Evidence
	a.Evidence = &evidence
	if n := len(res.Actions); n > 0 {
		a.Selector = res.Actions[n-1].Selector
		if f := res.Actions[n-1].Fingerprint; f != nil {
			a.Target = f.String()
		}
	}
	rep.surprise = r.surprise(&evidence)
	if p := r.own.Opened(&evidence); p != nil {
		r.page = p
	}
	return &Answer{Text: res.Message, report: rep}, err
}

// surprise says why what was meant for the page before is not for this one.
func (r *acting) surprise(e *engine.Evidence) string {
	switch {
	case e.Navigation != nil && !e.Navigation.SameDocument:
		return "the page is another document now: " + r.session.Hide(r.addresses.shorten(e.Navigation.To))
	case len(e.NewPages) > 0:
		return "a new tab was opened"
	case len(e.Dialogs) > 0:
		return fmt.Sprintf("a dialog came: %q", r.session.Hide(e.Dialogs[0].Message))
	}
	return ""
}

// longestEdge is that of a picture, in pixels: models shrink larger ones, and
// points in them would be off.
const longestEdge = 1568

type (
	clickAtIn struct {
		X         float64  `json:"x" jsonschema:"minimum=0"`
		Y         float64  `json:"y" jsonschema:"minimum=0"`
		Button    string   `json:"button,omitempty" jsonschema:"enum=left,enum=right,enum=middle"`
		Count     int      `json:"count,omitempty" jsonschema:"minimum=1,maximum=3"`
		Modifiers []string `json:"modifiers,omitempty"`
	}
	typeAtIn struct {
		X    float64 `json:"x" jsonschema:"minimum=0"`
		Y    float64 `json:"y" jsonschema:"minimum=0"`
		Text string  `json:"text"`
	}
	pointIn = struct {
		X float64 `json:"x" jsonschema:"minimum=0"`
		Y float64 `json:"y" jsonschema:"minimum=0"`
	}
	dragAtIn struct {
		X   float64 `json:"x" jsonschema:"minimum=0"`
		Y   float64 `json:"y" jsonschema:"minimum=0"`
		ToX float64 `json:"toX" jsonschema:"minimum=0"`
		ToY float64 `json:"toY" jsonschema:"minimum=0"`
	}
	scrollAtIn struct {
		X  float64 `json:"x" jsonschema:"minimum=0"`
		Y  float64 `json:"y" jsonschema:"minimum=0"`
		DX float64 `json:"dx,omitempty"`
		DY float64 `json:"dy,omitempty"`
	}
)

// pointTools act at points of the newest picture.
func pointTools() []Tool {
	tools := []Tool{
		built("clickAt", acts, "Clicks a point of the newest picture.", func(ctx context.Context, r *run, in clickAtIn) (*Answer, error) {
			return r.onPoint(ctx, in.X, in.Y, engine.Command{Method: computer.Clicks[max(in.Count, 1)], Arguments: computer.Gesture(in.Button, in.Modifiers)}, "")
		}),
		built("typeAt", acts, "Clicks a point of the newest picture and types there.", func(ctx context.Context, r *run, in typeAtIn) (*Answer, error) {
			return r.onPoint(ctx, in.X, in.Y, engine.Command{Method: engine.Type, Arguments: []string{in.Text}}, in.Text)
		}),
		built("hoverAt", acts, "Moves the pointer to a point of the newest picture.", func(ctx context.Context, r *run, in pointIn) (*Answer, error) {
			return r.onPoint(ctx, in.X, in.Y, engine.Command{Method: engine.Hover}, "")
		}),
		built("dragAt", acts, "Drags from one point of the newest picture to another.", func(ctx context.Context, r *run, in dragAtIn) (*Answer, error) {
			drop := r.point(in.ToX, in.ToY)
			return r.onPoint(ctx, in.X, in.Y, engine.Command{Method: engine.DragAndDrop, Drop: &drop}, "")
		}),
		built("scrollAt", acts, "Turns the wheel at a point of the newest picture, by pixels.", func(ctx context.Context, r *run, in scrollAtIn) (*Answer, error) {
			return r.onPoint(ctx, in.X, in.Y, engine.Command{Method: engine.Wheel, Arguments: computer.Pixels(in.DX, in.DY)}, "")
		}),
	}
	for i := range tools {
		tools[i].modes = []Mode{Hybrid}
	}
	return tools
}

// point is a place of the newest picture on the page. What lies there must be
// what lay there when the picture was taken.
func (r *acting) point(x, y float64) engine.Target {
	scale := cmp.Or(r.scale, 1)
	return engine.Target{Snapshot: r.view.snapshot, At: &engine.Offset{X: x / scale, Y: y / scale}}
}

func (r *acting) onPoint(ctx context.Context, x, y float64, cmd engine.Command, text string) (*Answer, error) {
	return r.answering(ctx, r.point(x, y), cmd, text, "")
}

// travel moves the page to another document.
func (r *acting) travel(ctx context.Context, words string, move func() error) (*Answer, error) {
	if err := r.intend(ctx, nil, nil); err != nil {
		return nil, err
	}
	from := r.address()
	err := move()
	to := r.address()
	effect := engine.EffectNavigation
	if from == to && err != nil {
		effect = engine.EffectNone
	}
	e := engine.Evidence{Effect: effect, Navigation: &engine.NavigationSeen{From: from, To: to}}
	shown := r.addresses.shorten(r.page.URL())
	rep := &report{action: Action{Evidence: &e}, surprise: "the page is another document now: " + shown}
	if err != nil {
		return &Answer{report: rep}, err
	}
	text := words + ": " + shown
	if status := r.lastStatus(); status >= 400 {
		e.Navigation.Status = status
		text += fmt.Sprintf(" (answered %d)", status)
	}
	rep.action.Message = text
	return &Answer{Text: text, report: rep}, nil
}

// lastStatus is that of the newest document's answer, 0 if it is not known.
func (r *acting) lastStatus() int {
	seen := r.session.Requests(r.began)
	for _, q := range slices.Backward(seen) {
		if q.Page == r.page.ID() && q.URL == r.address() {
			return q.Status
		}
	}
	return 0
}

// findFields says how each field is filled, or which of them cannot be.
func (r *acting) findFields(ctx context.Context, fields []fieldIn) ([]engine.Command, error) {
	now, err := r.page.Snapshot(ctx, nil)
	if err != nil {
		return nil, err
	}
	var errs []error
	out := make([]engine.Command, len(fields))
	for i, f := range fields {
		node, err := r.node(f.Ref)
		if err == nil {
			there, ok := now.Lookup(node.Ref)
			if !ok {
				err = fmt.Errorf("%w: %s is gone", engine.ErrNotFound, r.session.LineOf(r.view.snapshot, node))
			} else {
				out[i], err = engine.FillCommand(there, f.Value)
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("field %d: %w", i+1, err))
		}
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("no field was filled: %w", errors.Join(errs...))
	}
	return out, nil
}
