package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

var (
	oneLibrary   = flag.String("library", "", "the chores of the libraries that this expression matches alone")
	showOutlines = flag.Bool("outlines", false, "print the outline before each chore, and after one that failed")
)

// A chore is what a person does with a widget of a library. The widget's own state says
// whether it was done.
type chore struct {
	library, words string
	steps          []string          // method and locator, and behind " := " the argument
	is             string            // an expression on the state s of the page
	not            map[string]string // the ways that are refused, and why
}

// readChores reads testdata/libraries/chores.txt.
func readChores(t *testing.T) (chores []*chore) {
	data, err := os.ReadFile("testdata/libraries/chores.txt")
	if err != nil {
		t.Fatal(err)
	}
	library := ""
	for n, line := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(line)
		switch name, isLibrary := strings.CutPrefix(text, "== "); {
		case text == "" || text[0] == '#':
		case isLibrary:
			library = name
		case line[0] != ' ':
			chores = append(chores, &chore{library: library, words: text, not: map[string]string{}})
		case strings.HasPrefix(text, "is "):
			chores[len(chores)-1].is = text[len("is "):]
		case strings.HasPrefix(text, "not "):
			way, why, _ := strings.Cut(text[len("not "):], ": ")
			chores[len(chores)-1].not[way] = why
		case len(chores) == 0:
			t.Fatalf("chores.txt:%d: a step before its chore", n+1)
		default:
			chores[len(chores)-1].steps = append(chores[len(chores)-1].steps, text)
		}
	}
	return chores
}

// bundleLibraries installs the pinned libraries outside of the tree and bundles our pages
// with them. It skips the test with the reason where that cannot be done.
func bundleLibraries(t *testing.T) string {
	if os.Getenv("WAYFINDER_NPM") == "" {
		t.Skip("component libraries come from npm: make libraries runs this")
	}
	script := exec.Command("sh", "testdata/libraries/fetch")
	var said strings.Builder
	script.Stderr = &said
	dir, err := script.Output()
	if err != nil {
		t.Skipf("the component libraries cannot be fetched: %v: %s", err, said.String())
	}
	return strings.TrimSpace(string(dir))
}

// The ways in which a chore is done.
var choreWays = []string{"ref", "locator", "stored", "words"}

// TestPublishedLibraries does the chores of component libraries by ref, by locator, by
// stored action on a page where other things stand around the widgets, and by words with
// the word matcher. By ref and by locator all is to be done; a stored action does what it
// did or is refused; and no way may report a chore as done that was not.
func TestPublishedLibraries(t *testing.T) {
	dir := bundleLibraries(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.Trim(r.URL.Path, "/")
		if strings.Contains(name, "/") {
			http.ServeFile(w, r, filepath.Join(dir, filepath.Base(name)))
			return
		}
		base := name
		w.Header().Set("content-type", "text/html; charset=utf-8")
		before, after := "", ""
		if r.URL.Query().Has("changed") {
			before, after = `<div>News <button>Read</button></div><section><div>`, `</div></section>`
		}
		fmt.Fprintf(w, `<!doctype html><html lang=en><title>%s</title><link rel=icon href=data:,><link rel=stylesheet href="/out/%s.css"><body>%s<div id=app></div>%s<script src="/out/%s.js"></script>
			<script>document.addEventListener("ask", () => document.documentElement.lang = JSON.stringify(state()))</script>`,
			base, base, before, after, base)
	}))
	defer server.Close()
	session, err := engine.Open(t.Context(), cdp.Launch{}, &engine.Options{Model: offline.New(), ActTimeout: 8 * time.Second, Timeout: 8 * time.Second, SettleTimeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	l := &libraries{T: t, page: session.Page(), base: server.URL}
	table := map[string][3]int{} // by way: done, refused, wrong
	count := 0
	for _, c := range readChores(t) {
		if !regexp.MustCompile(*oneLibrary).MatchString(c.library) {
			continue
		}
		if deadline, ok := t.Deadline(); ok && time.Until(deadline) < time.Minute {
			t.Logf("the time is over after %d chores", count)
			break
		}
		count++
		var stored []engine.Action
		for _, way := range choreWays {
			err, done := l.do(c, way, &stored)
			got := table[way]
			at := 0
			switch {
			case done && err != nil:
				t.Errorf("%s: %s, by %s: done, and reported as: %v", c.library, c.words, way, err)
			case done:
			case err != nil:
				at = 1
			default:
				at = 2
				t.Errorf("%s: %s, by %s: reported as done, and %s", c.library, c.words, way, l.state())
			}
			got[at]++
			table[way] = got
			if !done && err != nil {
				t.Logf("%s: %s, by %s: %v", c.library, c.words, way, err)
				if c.not[way] == "" {
					t.Errorf("%s: %s cannot be done by %s", c.library, c.words, way)
				}
			} else if done && c.not[way] != "" {
				t.Logf("%s: %s is done by %s now; chores.txt says not", c.library, c.words, way)
			}
		}
	}
	for _, way := range choreWays {
		t.Logf("%-8s %3d done, %d refused, %d wrong", way, table[way][0], table[way][1], table[way][2])
	}
}

type libraries struct {
	*testing.T
	page *engine.Page
	base string
}

// do does a chore on a fresh page and reports whether the widget's state says so.
func (l *libraries) do(c *chore, way string, stored *[]engine.Action) (err error, done bool) {
	address := l.base + "/" + c.library
	if way == "stored" {
		address += "?changed"
	}
	ctx, cancel := context.WithTimeout(l.Context(), 90*time.Second)
	defer cancel()
	if _, err := l.page.Navigate(ctx, address, nil); err != nil {
		return err, false
	}
	if *showOutlines && way == "ref" {
		l.outline()
	}
	switch way {
	case "words":
		for part := range strings.SplitSeq(c.words, "; ") {
			if _, err = l.page.Act(ctx, part, &engine.ActOptions{Files: map[string][]byte{"a.txt": []byte("a")}}); err != nil {
				break
			}
		}
	case "stored":
		if len(*stored) != len(c.steps) {
			return errors.New("there is no stored action for it"), false
		}
		for _, a := range *stored {
			if _, err = l.page.Do(ctx, a, &engine.ActOptions{Files: map[string][]byte{"a.txt": []byte("a")}}); err != nil {
				break
			}
		}
	default:
		for _, step := range c.steps {
			var result *engine.ActResult
			if result, err = l.step(ctx, step, way); err != nil {
				break
			}
			if way == "ref" {
				raw, _ := json.Marshal(result.Actions[0]) // as a store has it
				var a engine.Action
				if err := json.Unmarshal(raw, &a); err != nil {
					l.Fatal(err)
				}
				a.BackendNodeID = 0
				*stored = append(*stored, a)
			}
		}
	}
	for until := time.Now().Add(2 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var is bool
		raw, evalErr := l.page.Driver().Evaluate(ctx, askState+"return !!("+c.is+") })()", nil)
		if evalErr == nil && json.Unmarshal(raw, &is) == nil && is {
			return err, true
		}
		if time.Now().After(until) {
			if *showOutlines {
				l.outline()
			}
			return err, false
		}
	}
}

// askState begins a function with the widgets' state s. Scripts of ours have a world of
// their own, so that the page has to write its state where both worlds see it.
const askState = `(() => { document.dispatchEvent(new Event("ask")); const s = JSON.parse(document.documentElement.lang); `

func (l *libraries) state() string {
	raw, err := l.page.Driver().Evaluate(l.Context(), askState+"return JSON.stringify(s) })()", nil)
	return fmt.Sprintf("the state is %s %v", raw, err)
}

func (l *libraries) outline() {
	if snap, err := l.page.Snapshot(l.Context(), nil); err == nil {
		l.Log(snap.Outline())
	}
}

// step does one step by the ref of a reading or by the locator itself.
func (l *libraries) step(ctx context.Context, step, way string) (*engine.ActResult, error) {
	method, rest, _ := strings.Cut(step, " ")
	locator, argument, has := strings.Cut(rest, " := ")
	command := engine.Command{Method: engine.Method(method)}
	if has {
		command.Arguments = []string{argument}
	}
	switch command.Method {
	case engine.DragAndDrop:
		command.Arguments, command.Drop = nil, &engine.Target{Selector: argument}
	case engine.DragByPixelOffset:
		command.Arguments = strings.Split(argument, ", ")
	}
	target := engine.Locator(locator).Target()
	if way == "ref" {
		parsed, err := accessibility.ParseLocator(locator)
		if err != nil {
			l.Fatal(err)
		}
		var found []*accessibility.Node
		if err := l.page.WaitFor(ctx, engine.Until(func(s *engine.Snapshot) bool {
			found = s.Locate(parsed)
			return len(found) > 0
		})); err != nil {
			return nil, fmt.Errorf("%s: %w", locator, err)
		}
		snap, err := l.page.Snapshot(ctx, nil)
		if err != nil {
			return nil, err
		}
		if found = snap.Locate(parsed); len(found) != 1 {
			return nil, fmt.Errorf("%s: %d elements", locator, len(found))
		}
		target = engine.Target{Snapshot: snap, Ref: found[0].Ref}
	}
	return l.page.DoTo(ctx, target, command, &engine.ActOptions{Files: map[string][]byte{"a.txt": []byte("a")}})
}
