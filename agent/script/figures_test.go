package script_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A change is what happened to a site since its script was made.
type change struct {
	name  string
	site  func(*script.Script) func(http.Handler) http.Handler
	model func() llm.Model // nil: none
	allow bool             // a person allows what pays, sends or deletes to be healed
}

func (c *change) allowing() func(context.Context, *script.Step, *script.Step) error {
	if !c.allow {
		return nil
	}
	return func(context.Context, *script.Step, *script.Step) error { return nil }
}

func always(f func(http.Handler) http.Handler) func(*script.Script) func(http.Handler) http.Handler {
	return func(*script.Script) func(http.Handler) http.Handler { return f }
}

func knowing(words func(string) string) func() llm.Model {
	return func() llm.Model { return &mender{words: words} }
}

func same(text string) string { return text }

// changes are all of them. The first replays on the site as it was.
func changes() []change {
	lying := func() llm.Model { return &mender{liar: true} }
	as := always(func(h http.Handler) http.Handler { return h })
	return []change{
		{"as it was", as, nil, false},
		{"other labels", always(reword(renamed)), nil, false},
		{"other labels, with a model", always(reword(renamed)), knowing(renamed), false},
		{"other labels, with a model and a person", always(reword(renamed)), knowing(renamed), true},
		{"other labels, a model that guesses", always(reword(renamed)), lying, false},
		{"another order", always(reordered), nil, false},
		{"another order, with a model", always(reordered), knowing(same), false},
		{"another language", always(reword(translated)), nil, false},
		{"another language, with a model", always(reword(translated)), knowing(translated), false},
		{"another language, with a model and a person", always(reword(translated)), knowing(translated), true},
		{"another language, a model that guesses", always(reword(translated)), lying, false},
		{"a dialog in the way", always(asking), nil, false},
		{"a dialog in the way, with a model", always(asking), knowing(same), false},
		{"every button twice, a model that guesses", always(doubled), lying, false},
		{"the row is gone, a model that guesses", without, lying, false},
	}
}

// A figure is what replays of scripts came to.
type figure struct {
	name                       string
	unchanged, healed, refused int
	wrong                      []string // what was done that should not be
}

// count adds a replay. The site tells what was done to it.
func (f *figure) count(task sites.Task, r *script.Result, journal []string, err error) {
	switch {
	case err == nil && r.Healed == 0:
		f.unchanged++
	case err == nil:
		f.healed++
	default:
		f.refused++
		var refused *script.RefusedError
		if !errors.As(err, &refused) {
			f.wrong = append(f.wrong, fmt.Sprintf("%s: %v", task.Name, err))
		}
	}
	left := slices.Clone(task.Want) // in another order lists are sent in another order
	done := true
	for _, line := range journal {
		i := slices.Index(left, line)
		if done = done && i >= 0; i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	if !done || err == nil && len(left) > 0 {
		f.wrong = append(f.wrong, fmt.Sprintf("%s: the site says %q, want %q; %v", task.Name, journal, task.Want, err))
	}
}

// TestReplaysOfTheSuite replays the scripts of all tasks that need no script of
// the page's, on sites that have changed. What is refused is not done; nothing
// is done wrong. docs/script.md has the figures.
func TestReplaysOfTheSuite(t *testing.T) {
	chrometest.Long(t)
	figures := make([]figure, len(changes()))
	tasks := 0
	for i, task := range sites.Tasks() {
		if task.Script || i%chrometest.Thin(6) != 0 {
			continue
		}
		tasks++
		s := recorded(t, inMemory, task)
		for i, c := range changes() {
			var model llm.Model
			if c.model != nil {
				model = c.model()
			}
			r, journal, err := replayed(t, inMemory, task, c.site(s), s, &script.Options{Model: model, Allow: c.allowing()})
			figures[i].name = c.name
			figures[i].count(task, r, journal, err)
			if testing.Verbose() && err != nil {
				t.Logf("%s, %s: %v", c.name, task.Name, err)
			}
			if healed := script.Diff("was", "is", s, r.Script) != ""; healed != slices.ContainsFunc(r.Steps, func(s script.StepResult) bool { return s.Heal != "" }) {
				t.Errorf("%s, %s: healed in silence, or a diff of nothing", c.name, task.Name)
			}
		}
	}
	var table strings.Builder
	for _, f := range figures {
		fmt.Fprintf(&table, "| %s | %d | %d | %d |\n", f.name, f.unchanged, f.healed, f.refused)
		for _, w := range f.wrong {
			t.Errorf("%s: %s", f.name, w)
		}
	}
	t.Logf("%d tasks\n| the site | unchanged | healed | refused |\n|---|---|---|---|\n%s", tasks, table.String())
	if first := figures[0]; first.unchanged != tasks {
		t.Errorf("on the site as it was, %d of %d replays are unchanged", first.unchanged, tasks)
	}
}

// TestReplaysOnChrome: a slice of the same, in a real browser.
func TestReplaysOnChrome(t *testing.T) {
	t.Parallel()
	chrome := onChrome(t)
	all := changes()
	for i, task := range sites.Tasks() {
		if i%18 != 0 && !task.Script {
			continue
		}
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			s := recorded(t, chrome, task)
			for n, c := range all {
				if n > 0 && (task.Script || n%len(all) != i%len(all)) {
					continue
				}
				var model llm.Model
				if c.model != nil {
					model = c.model()
				}
				r, journal, err := replayed(t, chrome, task, c.site(s), s, &script.Options{Model: model, Allow: c.allowing()})
				f := figure{}
				f.count(task, r, journal, err)
				t.Logf("%s: %d healed, %v", c.name, r.Healed, err)
				if len(f.wrong) > 0 || n == 0 && f.unchanged != 1 {
					t.Errorf("%s: %+v: %v\n%s", c.name, f, err, s)
				}
			}
		})
	}
}
