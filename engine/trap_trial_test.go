package engine_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A trial makes an attempt in one way on one browser.
type trial struct {
	*testing.T
	*attempt
	site   *site
	driver driver.Driver
	room   *room
	page   *engine.Page
}

// do makes the attempt by Do.
func (tr *trial) do() {
	tr.enter()
	tr.first()
	result, err := tr.page.Do(tr.Context(), tr.action, tr.actOptions())
	tr.judge("do", result, err)
	tr.leaveRoom()
}

// act makes it by Act, and what that returned by Do on a fresh page. The model
// says the same again if it is asked again.
func (tr *trial) act() {
	tr.enter()
	tr.first()
	tr.room.model.choices = slices.Repeat(tr.choices, 2)
	result, err := tr.page.Act(tr.Context(), tr.instruction, tr.actOptions())
	tr.judge("act", result, err)
	if tr.name == "trap" && len(tr.meanwhile) == 0 {
		tr.again(result.Actions)
	}
	tr.leaveRoom()
}

// again does what Act returned once more, on a fresh page.
func (tr *trial) again(actions []engine.Action) {
	if !tr.alive() {
		tr.Fatal("the page is gone")
	}
	if _, err := tr.page.Navigate(tr.Context(), tr.site.base+tr.start, nil); err != nil {
		tr.Fatal(err)
	}
	tr.first()
	for _, action := range actions {
		if _, err := tr.page.Do(tr.Context(), action, tr.actOptions()); err != nil {
			tr.Fatalf("Do(%+v) = %v", action, err)
		}
	}
	tr.judgeHits(slices.Repeat(tr.hits, 2))
}

// first does what comes before the act.
func (tr *trial) first() {
	for _, action := range tr.before {
		if _, err := tr.page.Do(tr.Context(), action, nil); err != nil {
			tr.Fatalf("before: Do(%+v) = %v", action, err)
		}
	}
	for _, path := range tr.leave {
		if _, err := tr.page.Navigate(tr.Context(), tr.site.base+path, nil); err != nil {
			tr.Fatal(err)
		}
	}
}

func (tr *trial) actOptions() *engine.ActOptions { return &engine.ActOptions{Timeout: tr.limit} }

// fault reads a line "meanwhile".
func (tr *trial) fault(line string) *faults.Fault {
	words := strings.SplitN(line, " ", 5)
	var n int
	if _, err := fmt.Sscan(words[1], &n); err != nil || len(words) < 3 {
		tr.Fatalf("meanwhile %s: want OP N CHANGE", line)
	}
	rest := strings.Join(words[3:], " ")
	var f *faults.Fault
	switch words[2] {
	case "rerender":
		f = faults.Rerender(rest)
	case "remove":
		f = faults.Remove(rest)
	case "obscure":
		f = faults.Obscure(rest)
	case "crash":
		f = faults.Crash()
	case "run":
		f = faults.Run(rest)
	default:
		tr.Fatalf("meanwhile %s: unknown change", line)
	}
	tr.Cleanup(func() {
		if f.Count() == 0 {
			tr.Errorf("meanwhile %s: it did not happen", line)
		}
	})
	return f.On(n, words[0])
}

// judge holds the result against what the attempt wants.
func (tr *trial) judge(way string, result *engine.ActResult, err error) {
	if want := cmp.Or(tr.errs[way], tr.errs[""]); !errors.Is(err, want) && (tr.mayFail == nil || !errors.Is(err, tr.mayFail)) {
		tr.Errorf("error = %v, want %v", err, want)
	}
	if result == nil {
		tr.Fatalf("no result beside the error %v", err)
	}
	if result.Success != (err == nil) {
		tr.Errorf("success = %t beside the error %v", result.Success, err)
	}
	for _, key := range []string{"", way} {
		if text := tr.expand(tr.says[key]); !strings.Contains(result.Message, text) {
			tr.Errorf("message = %q, want %q in it", result.Message, text)
		}
	}
	for _, want := range tr.evidence {
		if got := asJSON(tr, result.Evidence); !includes(got, want, tr.expand) {
			tr.Errorf("evidence = %v, want %v in it", got, want)
		}
	}
	tr.judgeHits(tr.hits)
	for selector, want := range tr.states {
		if got := asJSON(tr, tr.state(selector)); !includes(got, want, tr.expand) {
			tr.Errorf("state of %s = %v, want %v in it", selector, got, want)
		}
	}
}

func (tr *trial) expand(s string) string {
	return strings.NewReplacer("{site}", tr.site.base, "{other}", tr.site.other).Replace(s)
}

// readHits is the expression that tells what a document noted.
const readHits = `localStorage.getItem("hits") ?? ""`

// judgeHits holds what the pages felt against what they must.
func (tr *trial) judgeHits(want []string) {
	tr.Helper()
	if diff := gocmp.Diff(want, tr.felt(), cmpopts.EquateEmpty()); diff != "" {
		tr.Errorf("events (-want +got):\n%s", diff)
	}
}

// felt collects what the documents of all pages noted, each store of theirs
// once. Of a page that is gone a new one of its site knows.
func (tr *trial) felt() []string {
	tr.Helper()
	session := tr.page.Session()
	if !slices.Contains(session.Pages(), tr.page) || !tr.alive() {
		fresh, err := session.NewPage(tr.Context())
		if err == nil {
			_, err = fresh.Navigate(tr.Context(), tr.site.base+"/blank", nil)
		}
		if err != nil {
			tr.Fatal(err)
		}
	}
	var stores, hits []string
	for _, page := range session.Pages() {
		for _, frame := range page.Driver().Frames() {
			raw, err := page.Driver().Evaluate(tr.Context(), readHits, &driver.EvaluateOptions{Frame: frame.ID})
			var text string
			if err != nil || json.Unmarshal(raw, &text) != nil || text == "" || slices.Contains(stores, text) {
				continue // gone, or of no origin
			}
			stores = append(stores, text)
			hits = append(hits, strings.Split(strings.TrimSpace(text), "\n")...)
		}
	}
	return hits
}

// alive waits until the page shows a document that can be asked, and reports
// false if it never will.
func (tr *trial) alive() bool {
	_, err := tr.page.Snapshot(tr.Context(), nil)
	if err != nil {
		tr.Logf("Snapshot: %v", err)
	}
	return err == nil
}

// state reads the live state of the element that a selector matches.
func (tr *trial) state(selector string) *driver.State {
	ctx := tr.Context()
	d := tr.page.Driver()
	nodes, err := d.Find(ctx, driver.NodeRef{}, driver.Selector{Text: selector})
	if err != nil || len(nodes) != 1 {
		tr.Fatalf("Find(%s) = %v, %v, want one element", selector, nodes, err)
	}
	state, err := d.State(ctx, nodes[0])
	if err != nil {
		tr.Fatal(err)
	}
	return state
}

func asJSON(tr *trial, v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		tr.Fatal(err)
	}
	return mustDecode(tr.T, string(text))
}

// includes reports whether got has all that want says. Lists have to be of the
// same length.
func includes(got, want any, expand func(string) string) bool {
	switch want := want.(type) {
	case map[string]any:
		members, ok := got.(map[string]any)
		for name, value := range want {
			ok = ok && includes(members[name], value, expand)
		}
		return ok
	case []any:
		items, ok := got.([]any)
		ok = ok && len(items) == len(want)
		for i := range want {
			ok = ok && includes(items[i], want[i], expand)
		}
		return ok
	case string:
		return got == expand(want)
	}
	return got == want
}

// noted are the kinds of events that recorder.js notes, too.
var noted = []string{"click", "dblclick", "input", "change", "drop"}

// recordInMemory does in memory what recorder.js does.
func recordInMemory(d *fake.Document) {
	for _, kind := range noted {
		d.On(kind, "", func(e *fake.Event) {
			at := e.Target
			for at.Attr("id") == "" && at.Parent() != nil {
				at = at.Parent()
			}
			name := at.Attr("id")
			if name == "" {
				if name = e.Target.Attr("name"); name == "" {
					name = e.Target.Name()
				}
			}
			hits, _ := d.Stored("hits")
			d.Store("hits", hits+kind+" "+name+"\n")
		})
	}
}

func hitsInMemory(d *fake.Document, _ []any) (any, error) {
	hits, _ := d.Stored("hits")
	return hits, nil
}
