package agent

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/agent/internal/owned"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// scene is what a run works with: its task, its model, its pages, and the newest
// view of them. It is the lowest layer of a run.
type scene struct {
	self    *run // which the layers make up
	agent   *Agent
	task    *Task
	id      string
	session *engine.Session
	page    *engine.Page // nil: all of its own are closed
	own     *owned.Pages
	vendor  *vendorTool // of mode CUA; nil in the others
	view    view
	scale   float64 // of the newest picture: its pixels for one CSS pixel

	began     time.Time
	start     *engine.Snapshot // when the run began
	startedAt string           // its address
	startText string           // what it said
}

func (r *scene) modelName() string {
	if m := cmp.Or(r.agent.cfg.Model, r.session.Model()); m != nil {
		return m.Name()
	}
	return ""
}

// executionModel answers the questions of tools; nil is the session's.
func (r *scene) executionModel() llm.Model {
	return cmp.Or(r.agent.cfg.ExecutionModel, r.agent.cfg.Model)
}

func (r *scene) executionName() string {
	if m := r.executionModel(); m != nil {
		return m.Name()
	}
	return r.modelName()
}

// window is how many tokens the model takes.
func (r *scene) window() int { return cmp.Or(r.agent.cfg.Window, defaultWindow) }

// outlineTokens bounds what the page takes of the model's window.
func (r *scene) outlineTokens() int {
	return cmp.Or(r.agent.cfg.OutlineTokens, min(defaultOutline, r.window()/4))
}

// answerTokens bounds what a tool's answer takes of it.
func (r *scene) answerTokens() int { return min(mostAnswer, r.window()/6) }

func (r *scene) address() string {
	if r.page == nil {
		return ""
	}
	return r.session.Hide(r.page.URL())
}

// enterPage goes to a page, which is the run's own from then on; nil is none.
func (r *scene) enterPage(p *engine.Page) {
	r.page = p
	r.own.Add(p)
}

// followPage goes to another page of the run where the one that it was at is gone.
// Without one, the run has no page.
func (r *scene) followPage() {
	next := r.own.Follow(r.page)
	if next == nil || next != r.page {
		r.page, r.view.stale = next, true
	}
}

// noPage says that the run has no page, and what it can do.
func (r *scene) noPage() string {
	if n := len(r.session.Pages()); n > 0 {
		return fmt.Sprintf("all tabs of this run are closed; open one with tabs, or switch to one of the %d others", n)
	}
	return "all tabs are closed; open one with tabs"
}

// node finds the element that a ref names in what the model was shown.
func (r *scene) node(ref string) (*accessibility.Node, error) {
	if r.view.snapshot == nil {
		return nil, fmt.Errorf("%w: no page was read yet", engine.ErrNotFound)
	}
	node, ok := lookUp(r.view.snapshot, ref)
	if !ok {
		return nil, fmt.Errorf("%w: no line of the outline has the ref %q; take one of the newest outline", engine.ErrNotFound, ref)
	}
	return node, nil
}

// named is the element that a ref names, as a target.
func (r *scene) named(ref string) (engine.Target, error) {
	node, err := r.node(ref)
	if err != nil {
		return engine.Target{}, err
	}
	return engine.Target{Snapshot: r.view.snapshot, Ref: node.Ref}, nil
}

// spellings are a text with the values of the task's variables, as they are and as an
// address has them; none for a text without a placeholder.
func (r *scene) spellings(text string) (out []string) {
	for _, spell := range []func(string) string{nil, url.PathEscape, url.QueryEscape} {
		if written := journal.WithValues(text, r.task.Variables, spell); written != text {
			out = append(out, written)
		}
	}
	return out
}

// identity is what a call does, whatever the refs are today. An element is named by
// its role, its name, and its place among those alike: twins in the rows of a table
// are different elements.
func (r *scene) identity(tool *Tool, call llm.ToolCall) string {
	text := string(call.Arguments)
	for _, ref := range refPattern.FindAllString(text, -1) {
		if node, ok := lookUp(r.view.snapshot, ref); ok {
			at := slices.Index(alike(r.view.snapshot, string(node.Role), node.Name, nil), node)
			text = strings.ReplaceAll(text, ref, fmt.Sprintf("%s %s %d", node.Role, node.Name, at))
		}
	}
	sum := sha256.Sum256([]byte(text))
	return tool.Name + " " + hex.EncodeToString(sum[:8])
}

// survey is one of what the model was shown last.
func (r *scene) survey() *survey {
	return &survey{snapshot: r.view.snapshot, instruction: r.task.Instruction, hide: r.session.Hide}
}
