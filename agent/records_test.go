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
			for _, before := range []string{"", "<button>Edit</button> "} {
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
					press := answer(func(req *llm.Request) []llm.ToolCall {
						text := ""
						for _, m := range req.Messages {
							for _, part := range m.Parts {
								if p, ok := part.(llm.Page); ok {
									text += p.Text
								}
							}
						}
						refs := regexp.MustCompile(`\[([0-9]+-[0-9]+)\] button: Delete`).FindAllStringSubmatch(text, -1)
						return []llm.ToolCall{call(req, "click", args{"ref": refs[pressed][1]})}
					})
					done := claims(proof("text", args{"text": "It is deleted"}))
					done.Times = -1                                  // it is questioned where something is open
					want := pressed == 1 && layout != "names behind" // between two names it may be either's
					a, err := agent.New(agent.Config{Model: llmtest.NewScript(t, press, done)})
					if err != nil {
						t.Fatal(err)
					}
					result, err := a.Execute(t.Context(), open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Content-Type", "text/html")
						if r.Method == http.MethodPost {
							fmt.Fprint(w, "<title>Records</title>It is deleted.")
							return
						}
						fmt.Fprint(w, page)
					})), agent.Task{Instruction: task})
					if err != nil || result.Success != want {
						t.Errorf("%s, %q, %q is pressed: success %v, %v, want %v", layout, task, names[pressed], result.Success, err, want)
					}
				}
			}
		}
	}
}
