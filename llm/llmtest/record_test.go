package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// recording records four exchanges.
func recording(t *testing.T) string {
	t.Helper()
	model := NewScript(t,
		Step{Text: "first"},
		Step{Calls: []llm.ToolCall{{ID: "1", Name: "look", Arguments: json.RawMessage(`{"a":1}`), Opaque: []byte("x")}}},
		Step{Err: &llm.Error{Provider: "script", Kind: llm.KindOverloaded, Status: 529, Message: "busy"}},
		Step{Text: "last"},
	)
	var file bytes.Buffer
	r := Record(model, &file, llm.NewSecret(`p"ssword`))
	for _, req := range requests() {
		r.Generate(context.Background(), req)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	r.Generate(canceled, requests()[0])
	if r.Err() != nil || r.Name() != "script/test" {
		t.Fatalf("Record: %v", r.Err())
	}
	return file.String()
}

func requests() []*llm.Request {
	withPicture := afterTools()
	withPicture.Messages[0].Parts = append(withPicture.Messages[0].Parts, llm.Image{MediaType: "image/png", Data: png})
	secret := ask("type p\"ssword and sk-abcdefghijklmnopqrstuvwx", "line 1\nline 2\nline 3\nline 4")
	return []*llm.Request{ask("one", "a page"), withPicture, withSchema(), secret}
}

func TestRecordAndReplay(t *testing.T) {
	file := recording(t)
	if got := strings.Count(file, "\n"); got != 4 {
		t.Errorf("the recording has %d lines, want 4:\n%s", got, file)
	}
	if strings.Contains(file, "ssword") || strings.Contains(file, "sk-abc") || !strings.Contains(file, "***") {
		t.Errorf("a secret is in the recording:\n%s", file)
	}
	r := Replay(t, strings.NewReader(file), Strict)
	first, err := r.Generate(context.Background(), requests()[0])
	if err != nil || first.Text != "first" {
		t.Errorf("first = %+v, %v", first, err)
	}
	second, err := r.Generate(context.Background(), requests()[1])
	want := []llm.ToolCall{{ID: "1", Name: "look", Arguments: json.RawMessage(`{"a":1}`), Opaque: []byte("x")}}
	if err != nil || second.Stop != llm.StopTools {
		t.Errorf("second = %+v, %v", second, err)
	} else if diff := cmp.Diff(want, second.ToolCalls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	_, err = r.Generate(context.Background(), requests()[2])
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindOverloaded || e.Status != 529 {
		t.Errorf("third = %v", err)
	}
	if r.Left() != 1 || r.Name() != "script/test" {
		t.Errorf("Left = %d, Name = %s", r.Left(), r.Name())
	}
}

func TestReplayShowsTheDifference(t *testing.T) {
	w := &witness{TB: t}
	_, err := Replay(w, strings.NewReader(recording(t)), Strict).Generate(context.Background(), ask("two", "a page"))
	var e *llm.Error
	if !errors.As(err, &e) || len(w.errors) != 1 || !strings.Contains(w.errors[0], `"one"`) || !strings.Contains(w.errors[0], `"two"`) || !strings.Contains(w.errors[0], "-recorded +asked") {
		t.Errorf("Generate = %v, complaints %q", err, w.errors)
	}
}

func TestReplayOfTheBest(t *testing.T) {
	w := &witness{TB: t}
	r := Replay(w, strings.NewReader(recording(t)), Best)
	changed := ask("type something else", "line 1\nline 2\nline 3\nline 4")
	if resp, err := r.Generate(context.Background(), changed); err != nil || resp.Text != "last" {
		t.Errorf("a changed request gets %+v, %v", resp, err)
	}
	if resp, err := r.Generate(context.Background(), requests()[0]); err != nil || resp.Text != "first" {
		t.Errorf("a request out of order gets %+v, %v", resp, err)
	}
	other := ask("x", "y")
	other.Purpose = llm.PurposeAgent
	if _, err := r.Generate(context.Background(), other); err == nil || len(w.errors) != 1 {
		t.Errorf("another purpose gets %v, complaints %q", err, w.errors)
	}
}

func TestReplayRefusesWhatIsNoRecording(t *testing.T) {
	for _, file := range []string{"{", "{}\n", `{"response":{},"error":{}}` + "\n"} {
		if _, err := readExchanges(strings.NewReader(file)); err == nil {
			t.Errorf("readExchanges(%q) = nil, want an error", file)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestRecordTellsOfItsWriter(t *testing.T) {
	r := Record(NewScript(t, Step{Text: "x"}), broken{})
	if resp, err := r.Generate(context.Background(), ask("a", "")); err != nil || resp.Text != "x" {
		t.Errorf("Generate = %+v, %v", resp, err)
	}
	if r.Err() == nil {
		t.Error("Err = nil")
	}
}
