package llmtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// witness is a test that only notes what is said to it.
type witness struct {
	testing.TB
	errors  []string
	cleanup []func()
	skipped bool
}

func (w *witness) Errorf(format string, args ...any) {
	w.errors = append(w.errors, fmt.Sprintf(format, args...))
}
func (w *witness) Cleanup(f func()) { w.cleanup = append(w.cleanup, f) }
func (w *witness) Failed() bool     { return len(w.errors) > 0 }
func (w *witness) Skipped() bool    { return w.skipped }
func (w *witness) Helper()          {}

func (w *witness) end() []string {
	for _, f := range w.cleanup {
		f()
	}
	return w.errors
}

func ask(instruction, page string) *llm.Request {
	return &llm.Request{
		Purpose:  llm.PurposeAct,
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: instruction}, llm.Page{Kind: "outline", Text: page}}}},
	}
}

func TestScriptAnswersInOrder(t *testing.T) {
	boom := errors.New("boom")
	s := NewScript(t,
		Step{Purpose: llm.PurposeAct, Instruction: "Sign in", Page: "button", Answer: func(req *llm.Request) any {
			return map[string]any{"ref": Ref(req, "button: Sign in")}
		}},
		Step{Text: "two"},
		Step{Err: boom},
		Step{Calls: []llm.ToolCall{{ID: "1", Name: "look"}}},
		Step{Answer: func(*llm.Request) any { return boom }},
	)
	ctx := context.Background()
	req := ask("click Sign in", "[0-1] main\n  [0-12] button: Sign in (disabled)")
	resp, err := s.Generate(ctx, req)
	if err != nil || resp.Text != `{"ref":"0-12"}` || resp.Stop != llm.StopEnd || resp.Usage.Input == 0 {
		t.Errorf("first answer = %+v, %v", resp, err)
	}
	if resp, err = s.Generate(ctx, req); err != nil || resp.Text != "two" {
		t.Errorf("second answer = %+v, %v", resp, err)
	}
	if _, err = s.Generate(ctx, req); !errors.Is(err, boom) {
		t.Errorf("third answer = %v, want %v", err, boom)
	}
	if resp, err = s.Generate(ctx, req); err != nil || resp.Stop != llm.StopTools || len(resp.ToolCalls) != 1 {
		t.Errorf("fourth answer = %+v, %v", resp, err)
	}
	if _, err = s.Generate(ctx, req); !errors.Is(err, boom) {
		t.Errorf("fifth answer = %v, want %v", err, boom)
	}
	if got := len(s.Requests()); got != 5 {
		t.Errorf("Requests has %d, want 5", got)
	}
}

func TestScriptFailsTheTest(t *testing.T) {
	ctx := context.Background()
	for _, test := range []struct {
		name string
		run  func(t *witness)
		want string
	}{
		{"left over", func(w *witness) { NewScript(w, Step{Instruction: "x"}) }, "step 1 served 0 requests, want 1"},
		{"too many", func(w *witness) { NewScript(w).Generate(ctx, ask("a", "")) }, "no step is left"},
		{"another purpose", func(w *witness) { NewScript(w, Step{Purpose: llm.PurposeExtract}).Generate(ctx, ask("a", "")) }, `purpose is "act", want "extract"`},
		{"another instruction", func(w *witness) { NewScript(w, Step{Instruction: "b"}).Generate(ctx, ask("a", "")) }, `no instruction contains "b"`},
		{"another page", func(w *witness) { NewScript(w, Step{Page: "b"}).Generate(ctx, ask("a", "c")) }, `no page text contains "b"`},
		{"check", func(w *witness) {
			NewScript(w, Step{Check: func(*llm.Request) error { return errors.New("no tools") }}).Generate(ctx, ask("a", ""))
		}, "no tools"},
		{"out of order", func(w *witness) {
			NewScript(w, Step{Instruction: "a"}, Step{Instruction: "b"}).Generate(ctx, ask("b", ""))
		}, `no instruction contains "a"`},
		{"table", func(w *witness) {
			s := NewTable(w, Step{Instruction: "a"})
			s.Generate(ctx, ask("a", ""))
			s.Generate(ctx, ask("a", ""))
		}, "no step is left"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &witness{TB: t}
			test.run(w)
			if got := w.end(); len(got) != 1 || !strings.Contains(got[0], test.want) {
				t.Errorf("complaints = %q, want one with %q", got, test.want)
			}
		})
	}
}

// A test that was skipped asked nothing, and one that has failed stopped early:
// neither has to use up its script.
func TestScriptLetsUnfinishedTestsBe(t *testing.T) {
	skipped := &witness{TB: t, skipped: true}
	NewScript(skipped, Step{})
	NewTable(skipped, Step{})
	if got := skipped.end(); len(got) != 0 {
		t.Errorf("complaints about a skipped test = %q, want none", got)
	}
	failed := &witness{TB: t, errors: []string{"no browser"}}
	NewScript(failed, Step{})
	if got := failed.end(); len(got) != 1 {
		t.Errorf("complaints of a failed test = %q, want its own alone", got)
	}
}

func TestTableTakesAnyOrder(t *testing.T) {
	s := NewTable(t,
		Step{Instruction: "a", Text: "A", Times: 2},
		Step{Instruction: "b", Text: "B"},
		Step{Text: "any", Times: -1},
	)
	var got []string
	for _, instruction := range []string{"b", "a", "c", "a", "a"} {
		resp, err := s.Generate(context.Background(), ask(instruction, ""))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, resp.Text)
	}
	if diff := cmp.Diff([]string{"B", "A", "any", "A", "any"}, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestScriptObeysTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		s := NewScript(t, Step{Hang: true})
		done := make(chan error)
		go func() {
			_, err := s.Generate(ctx, ask("a", ""))
			done <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Generate = %v, want %v", err, context.Canceled)
		}
		if _, err := s.Generate(ctx, ask("a", "")); !errors.Is(err, context.Canceled) {
			t.Errorf("Generate after the end = %v, want %v", err, context.Canceled)
		}
	})
}

func TestScriptStreams(t *testing.T) {
	s := NewScript(t, Step{Text: "one two"}, Step{Err: errors.New("boom")})
	var text string
	var last *llm.Response
	for delta, err := range s.Stream(context.Background(), ask("a", "")) {
		if err != nil {
			t.Fatal(err)
		}
		text += delta.Text
		last = delta.Response
	}
	if text != "one two" || last == nil || last.Text != text {
		t.Errorf("Stream = %q and %+v", text, last)
	}
	for _, err := range s.Stream(context.Background(), ask("a", "")) {
		if err == nil || err.Error() != "boom" {
			t.Errorf("Stream error = %v, want boom", err)
		}
	}
}
