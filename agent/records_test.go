package agent_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// A task about one of several records is done by the control of that one, and not by that of
// another, in whichever way the page shows them.
func TestRecordOfTheTask(t *testing.T) {
	for layout, l := range sites.RecordLayouts {
		for task, names := range map[string][]string{
			"Delete order 1002": {"Order 1001", "Order 1002", "Order 1003"},
			"Delete the Teapot": {"Kettle", "Teapot", "Mug"},
		} {
			for _, before := range []string{"", "<button>Edit</button> ", "<a href=/note>Delete note</a> "} {
				for pressed := range names {
					page := "<!DOCTYPE html><title>Records</title><h1>All of them</h1>" + l.Before
					for i, name := range names {
						controls := fmt.Sprintf("%s<button form=f%d>Delete</button>", before, i)
						page += strings.NewReplacer("N", name, "S", fmt.Sprint(i*5+5, " €"), "A", controls).Replace(l.Record)
					}
					page += l.Behind
					for i := range names {
						page += fmt.Sprintf("<form id=f%d method=post action=/delete/%d></form>", i, i+100)
					}
					press := pressing("Delete", pressed)
					done := claims(proof("text", args{"text": "It is deleted"}))
					done.Times = -1                                  // it is questioned where something is open
					want := pressed == 1 && layout != "names behind" // between two names it may be either's
					result, err := runRecords(t, page, task, press, done)
					if err != nil || result.Success != want {
						t.Errorf("%s, %q, %q is pressed: success %v, %v, want %v", layout, task, names[pressed], result.Success, err, want)
					}
				}
			}
		}
	}
}

// A control of the right record that does another thing is not the task, where one beside it
// says more of that.
func TestNearerControl(t *testing.T) {
	for layout, l := range sites.RecordLayouts {
		for _, c := range []struct {
			name, task, pressed string
			success             bool
		}{
			{"Number", "Delete order 1002", "Delete note", false},
			{"Number", "Delete order 1002", "Delete order", true},
			{"Number", "Delete the note of order 1002", "Delete note", true},
			{"Order", "Delete order 1002", "Delete note", false},
			{"Order", "Delete order 1002", "Delete order", true},
			{"Order", "Delete the note of order 1002", "Delete note", true},
			{"Order", "Delete the note of order 1002", "Delete order", false},
		} {
			page := "<!DOCTYPE html><title>Records</title><h1>All of them</h1>" + l.Before
			for i := range 3 {
				controls := "<button form=f>Delete order</button> <button form=f>Delete note</button>"
				page += strings.NewReplacer("N", fmt.Sprint(c.name, " ", i+1001), "S", "5 €", "A", controls).Replace(l.Record)
			}
			page += l.Behind + "<form id=f method=post action=/delete></form>"
			press := pressing(c.pressed, 1)
			done := claims(proof("text", args{"text": "It is deleted"}))
			done.Times = -1
			result, err := runRecords(t, page, c.task, press, done)
			if err != nil || result.Success != (c.success && layout != "names behind") {
				t.Errorf("%s, %s, %q, %q is pressed: success %v, %v, want %v", layout, c.name, c.task, c.pressed, result.Success, err, c.success)
			}
		}
	}
}

// pressing presses the nth of the buttons with a name.
func pressing(name string, n int) llmtest.Step {
	return answer(func(req *llm.Request) []llm.ToolCall {
		text := ""
		for _, m := range req.Messages {
			for _, part := range m.Parts {
				if p, ok := part.(llm.Page); ok {
					text += p.Text
				}
			}
		}
		refs := regexp.MustCompile(`\[([0-9]+-[0-9]+)\] button: `+name).FindAllStringSubmatch(text, -1)
		return []llm.ToolCall{call(req, "click", args{"ref": refs[n][1]})}
	})
}

// runRecords runs a task on a page of records, whose forms all answer that it is deleted.
func runRecords(t *testing.T, page, task string, steps ...llmtest.Step) (*agent.Result, error) {
	a, err := agent.New(agent.Config{Model: llmtest.NewScript(t, steps...)})
	if err != nil {
		t.Fatal(err)
	}
	return a.Execute(t.Context(), open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.Method == http.MethodPost {
			fmt.Fprint(w, "<title>Records</title>It is deleted.")
			return
		}
		fmt.Fprint(w, page)
	})), agent.Task{Instruction: task})
}
