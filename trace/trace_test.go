package trace_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/trace"
)

func written(t testing.TB, c *trace.Collector) (*trace.Trace, []byte) {
	t.Helper()
	tr, err := c.Trace()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := tr.WriteHTML(&out, nil); err != nil {
		t.Fatal(err)
	}
	if path := os.Getenv("WAYFINDER_TRACE_OUT"); path != "" {
		if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return tr, out.Bytes()
}

// TestSteps: a trace has the steps of a run in order, with what was not run, and
// what each took.
func TestSteps(t *testing.T) {
	tr, _ := written(t, inMemory(t))
	var got []string
	for _, s := range tr.Steps {
		got = append(got, s.ID()+" "+s.Tool+" "+string(s.Status))
	}
	want := []string{"before-1 navigate done", "step-1 fillForm done", "step-2 click done", "step-3 click failed", "step-4 press notRun", "step-5 click done", "step-6 done done"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("steps:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if tr.Verdict() != "verified" || tr.Usage.Input != 6000 || tr.Usage.Cached != 4000 || tr.Usage.Output != 300 || tr.Version != "v1.2.3" {
		t.Errorf("the verdict is %s, usage %+v, version %s", tr.Verdict(), tr.Usage, tr.Version)
	}
	byID := map[string]*trace.Step{}
	for _, s := range tr.Steps {
		byID[s.ID()] = s
	}
	if q := byID["step-2"].Questions; len(q) != 1 || q[0].Known == 0 || len(q[0].Prompt) == 0 || len(q[0].Answer) != 2 {
		t.Errorf("the questions of step 2 are %+v", q)
	}
	if s := byID["step-1"]; !strings.Contains(s.Outline, "textbox: Name") || !strings.Contains(s.Change, "%pass%") || !strings.Contains(s.Arguments, "%pass%") {
		t.Errorf("step 1 has outline\n%s\nchange\n%s\narguments %s", s.Outline, s.Change, s.Arguments)
	}
	if s := byID["step-2"]; s.Evidence == nil || s.Evidence.Navigation == nil || !strings.Contains(s.Seen, "2 teapots are on their way") {
		t.Errorf("step 2 is %+v", s)
	}
	if s := byID["step-4"]; s.Status != agent.NotRun || !strings.Contains(s.Message, "not run") {
		t.Errorf("step 4 is %+v", s)
	}
}

// TestNoValue: the value of a variable is in none of its spellings in a trace,
// nor in the bundle that it holds.
func TestNoValue(t *testing.T) {
	_, page := written(t, inMemory(t))
	noValue(t, page)
}

func noValue(t *testing.T, page []byte) {
	t.Helper()
	bundle, err := trace.Bundle(page)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"page": page, "bundle": bundle} {
		for _, spelling := range spellings() {
			if i := bytes.Index(data, []byte(spelling)); i >= 0 {
				t.Errorf("the %s holds %q: %q", name, spelling, data[max(0, i-100):min(len(data), i+100)])
			}
		}
	}
	if !bytes.Contains(page, []byte("%pass%")) {
		t.Error("the page does not name the variable")
	}
}

// TestReadBack: the file is a trace again, and a bundle is one.
func TestReadBack(t *testing.T) {
	tr, page := written(t, inMemory(t))
	again, err := trace.Read(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	if again.Task == "" || len(again.Steps) != len(tr.Steps) || again.Verdict() != tr.Verdict() || again.Usage != tr.Usage {
		t.Errorf("read back: %q, %d steps, %s, %+v", again.Task, len(again.Steps), again.Verdict(), again.Usage)
	}
	if _, err := trace.Read(strings.NewReader("<!doctype html><p>no trace")); err == nil {
		t.Error("a page without a bundle is read")
	}
	if _, err := trace.Read(strings.NewReader("")); err == nil {
		t.Error("nothing is read")
	}
}
