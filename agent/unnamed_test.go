package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// unnamed are names of buttons that change something, most of which no list of words
// knows.
var unnamed = []string{
	"Checkout", "Withdraw", "Charge card", "Authorize $820", "Place bet", "Confirm booking", "Kostenpflichtig buchen", "Passer la commande", "注文する", "提交订单", "Оформить заказ", "Pаy now",
	"P a y", "Empty trash", "Clear all", "Revoke", "Terminate", "Uninstall", "Konto schließen", "清空", "Submit", "Sign", "Deploy", "Merge pull request", "Absenden", "投稿する", "Join", "OK",
}

// TestAskedWithoutWords: a site does not decide by its words whether somebody is asked:
// what changes something is held, in the second step of a run as in the first.
func TestAskedWithoutWords(t *testing.T) {
	pages := map[string]struct {
		page   string
		script func(*fake.Document)
	}{
		"form": {page: `<button id=a>Look</button><form action=/do method=post><input type=hidden name=amount value=820><button id=b>NAME</button></form>`},
		"script": {page: `<button id=a>Look</button><button id=b>NAME</button>`, script: func(s *fake.Document) {
			s.On("click", "#b", func(*fake.Event) { s.Fetch("DELETE", "/do?amount=820", "", "", nil) })
		}},
	}
	for how, p := range pages {
		for _, name := range unnamed {
			t.Run(how+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					site := &bank{page: strings.Replace(p.page, "NAME", name, 1)}
					session, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: site, Scripts: map[string]func(*fake.Document){"http://bank.test/": p.script}}), nil)
					if err != nil {
						t.Fatal(err)
					}
					defer session.Close()
					if _, err := session.Page().Navigate(t.Context(), "http://bank.test/", nil); err != nil {
						t.Fatal(err)
					}
					click := func(ref string) llmtest.Step {
						return answer(func(req *llm.Request) []llm.ToolCall {
							return []llm.ToolCall{call(req, "click", args{"ref": ref})}
						})
					}
					var asked []agent.Approval
					a, err := agent.New(agent.Config{
						Model:        llmtest.NewScript(t, click("@button: Look"), click("@button: "+name), say("done", args{"success": false, "message": "x"})),
						NeedApproval: agent.Classes(),
						Approve: func(_ context.Context, q agent.Approval) error {
							asked = append(asked, q)
							return errors.New("no")
						},
					})
					if err != nil {
						t.Fatal(err)
					}
					result, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: "look"})
					if err != nil {
						t.Fatal(err)
					}
					if got := site.arrived(); len(got) > 0 || len(asked) != 1 || asked[0].Outgoing == nil {
						t.Errorf("arrived %q, asked %+v; want one question about what is sent%s", got, asked, steps(result))
					}
				})
			})
		}
	}
}
