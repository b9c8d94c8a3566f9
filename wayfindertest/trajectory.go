package wayfindertest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// Trajectory holds what a session has done so far against a file: every call
// with its instruction, the actions that were done, their evidence, the
// message, the tokens; and below, if they are given, the requests that a model
// got, each with its words and a hash of the whole.
func Trajectory(t testing.TB, session *engine.Session, path string, requests ...*llm.Request) {
	t.Helper()
	golden(t, path, TrajectoryText(session, requests...))
}

// TrajectoryText is what [Trajectory] writes. The same run gives the same bytes.
func TrajectoryText(session *engine.Session, requests ...*llm.Request) string {
	w := &trajectory{pages: map[string]string{}}
	for i, entry := range session.History() {
		w.entry(i+1, entry)
	}
	for i, req := range requests {
		w.request(i+1, req)
	}
	return w.String()
}

// A trajectory is one being written.
type trajectory struct {
	strings.Builder
	pages map[string]string // identifiers of pages that were opened, and their names here
}

func (w *trajectory) say(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *trajectory) entry(number int, e engine.Entry) {
	w.say("%s", strings.TrimSpace(fmt.Sprintf("%d %s %s", number, e.Operation, plain(cmp.Or(e.Instruction, e.Address)))))
	if e.PageURL != "" {
		w.say("  on %s", plain(e.PageURL))
	}
	for _, a := range e.Actions {
		w.action(a)
	}
	outcome := "done"
	switch {
	case e.End.IsZero():
		outcome = "under way"
	case !e.Success:
		outcome = "failed"
	}
	w.say("  %s", strings.TrimSuffix(outcome+": "+plain(cmp.Or(e.Message, e.Arrived)), ": "))
	if e.Evidence.Effect != "" {
		w.say("  evidence %s", w.evidence(e.Evidence))
	}
	if e.Usage != (engine.Usage{}) {
		w.say("  tokens %d in, %d out", e.Usage.Input, e.Usage.Output)
	}
}

func (w *trajectory) action(a engine.Action) {
	w.say("  %s %s", a.Method, plain(a.Named()))
	for _, arg := range a.Arguments {
		w.say("    %q", plain(arg))
	}
	if a.Fingerprint != nil {
		w.say("    which is %s", a.Fingerprint)
	}
}

// evidence is JSON without what differs from run to run.
func (w *trajectory) evidence(e engine.Evidence) string {
	e.Revision = nil // counts what browsers count in their own ways
	e.NewPages = slices.Clone(e.NewPages)
	for i, p := range e.NewPages {
		if w.pages[p.ID] == "" {
			w.pages[p.ID] = fmt.Sprintf("page %d", len(w.pages)+2)
		}
		e.NewPages[i].ID = w.pages[p.ID]
	}
	e.Downloads = slices.Clone(e.Downloads)
	for i, d := range e.Downloads {
		if d.Path != "" {
			e.Downloads[i].Path = "…" + filepath.Ext(d.Path)
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return err.Error() // NaN alone, which no browser scrolls to
	}
	return plain(strings.TrimSpace(b.String()))
}

// request writes the words of a request, and a hash of all that the model got.
func (w *trajectory) request(number int, req *llm.Request) {
	sum := sha256.Sum256([]byte(withoutRefs(llmtest.Show(req))))
	w.say("request %d %s sha256:%s", number, req.Purpose, hex.EncodeToString(sum[:8]))
	for _, m := range req.Messages {
		for _, part := range m.Parts {
			switch part := part.(type) {
			case llm.Instruction:
				w.say("  instruction %s", plain(part.Text))
			case llm.Page:
				w.say("  %s of %d lines", part.Kind, strings.Count(part.Text, "\n"))
			}
		}
	}
}
