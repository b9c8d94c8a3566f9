package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// TestChecks: with checks of the caller's own success is theirs alone.
func TestChecks(t *testing.T) {
	for text, want := range map[string]agent.Verdict{
		"shown=Thank you":         agent.Verified,
		"shown=No thank you":      agent.Contradicted,
		"gone=Amount":             agent.Verified,
		"gone=Thank you":          agent.Contradicted,
		"address=*/order":         agent.Verified,
		"address=*/cart":          agent.Contradicted,
		"request=POST /order":     agent.Verified,
		"request=POST /order 201": agent.Contradicted,
		"request=DELETE /order":   agent.Contradicted,
		`{"request":{"method":"POST","fields":{"name":"Ada"}}}`:      agent.Verified,
		`{"request":{"method":"POST","fields":{"name":"Eve"}}}`:      agent.Contradicted,
		`{"request":{"method":"POST","fields":{"street":"Main 1"}}}`: agent.Contradicted, // there is none
		"download=*.pdf": agent.Contradicted,
		`{"control":{"name":"Amount","value":"1"}}`: agent.Contradicted, // it is not there any more
		`{"output":{"pointer":"/total","value":3}}`: agent.Contradicted, // there is none
	} {
		t.Run(text, func(t *testing.T) {
			check, err := agent.ParseCheck(text)
			if err != nil {
				t.Fatal(err)
			}
			orders := 0
			page := open(t, shop(&orders))
			// Without criteria, and in words that no step has: the check decides.
			claim := say("done", args{"success": true, "message": "done"})
			if want != agent.Verified {
				claim.Times = 2
			}
			a, _ := agent.New(agent.Config{Model: llmtest.NewScript(t,
				say("fill", args{"ref": "@textbox: Name", "text": "Ada"}), say("click", args{"ref": "@button: Order"}), claim)})
			result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "see to the 77 things of Zoe", Checks: []agent.Check{check}})
			if err != nil || result.Verdict != want || result.Success != (want == agent.Verified) || len(result.Checks) != 1 {
				t.Errorf("verdict %s, checks %+v, %v; want %s", result.Verdict, result.Checks, err, want)
			}
		})
	}
	for _, text := range []string{"", "shown", "sown=x", `{"shown":"x","gone":"y"}`, `{"show":"x"}`, `{"control":{"name":"x"}}`, "request="} {
		if _, err := agent.ParseCheck(text); !errors.Is(err, agent.ErrInvalid) {
			t.Errorf("ParseCheck(%q) = %v, want ErrInvalid", text, err)
		}
	}
}

// TestJudge: a judge may raise what the rules leave unproven, reads nothing that the
// first model says, and outvotes no contradiction.
func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		says    bool
		claim   args
		verdict agent.Verdict
	}{
		"yes":               {true, proof("action", args{"step": 2}), agent.Verified},
		"no":                {false, proof("action", args{"step": 2}), agent.Unproven},
		"yes to a conflict": {true, proof("text", args{"text": "it is Eve's"}), agent.Contradicted},
	} {
		t.Run(name, func(t *testing.T) {
			orders := 0
			page := open(t, shop(&orders))
			var asked []*llm.Request
			judge := llmtest.NewScript(t, llmtest.Step{Times: -1, Answer: func(req *llm.Request) any {
				asked = append(asked, req)
				return args{"done": c.says, "reason": "because"}
			}})
			end := say("done", args{"success": true, "message": "the model's own prose", "criteria": []args{{"criterion": "more of its prose", "evidence": []args{c.claim}}}})
			if c.verdict == agent.Contradicted {
				end.Times = 2
			}
			a, _ := agent.New(agent.Config{Judge: judge, Model: llmtest.NewScript(t,
				say("fill", args{"ref": "@textbox: Name", "text": "Ada"}), say("click", args{"ref": "@button: Order"}), end)})
			result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "order for Ada and Zoe"})
			if err != nil || result.Verdict != c.verdict {
				t.Fatalf("verdict %s, %+v, %v; want %s", result.Verdict, result.Open, err, c.verdict)
			}
			if want := c.verdict != agent.Contradicted; (len(asked) == 1) != want {
				t.Errorf("the judge was asked %d times", len(asked))
			}
			for _, req := range asked {
				if raw, _ := json.Marshal(req); strings.Contains(string(raw), "prose") {
					t.Errorf("the judge reads what the model says: %s", raw)
				}
			}
		})
	}
}

// TestOutcome: what a step came to counts, and not that it was done.
func TestOutcome(t *testing.T) {
	const page = `<title>Shop</title><label><input type="checkbox"> News</label><label>Note <input></label><form method="post" action="/order"><button>Order</button></form>`
	for name, c := range map[string]struct {
		calls []llmtest.Step
		step  int
		want  agent.Verdict
	}{
		"answered 500":      {[]llmtest.Step{say("click", args{"ref": "@button: Order"})}, 1, agent.Unproven},
		"undone":            {[]llmtest.Step{say("click", args{"ref": "@checkbox: News"}), say("click", args{"ref": "@checkbox: News"})}, 1, agent.Unproven},
		"only undoes":       {[]llmtest.Step{say("click", args{"ref": "@checkbox: News"}), say("click", args{"ref": "@checkbox: News"})}, 2, agent.Unproven},
		"replaced":          {[]llmtest.Step{say("fill", args{"ref": "@textbox: Note", "text": "one"}), say("fill", args{"ref": "@textbox: Note", "text": "two"})}, 1, agent.Unproven},
		"not known":         {[]llmtest.Step{say("send", args{})}, 1, agent.Unproven},
		"nothing was found": {[]llmtest.Step{say("find", args{"query": "unicorn"})}, 1, agent.Unproven},
		"reading":           {[]llmtest.Step{say("read", args{})}, 1, agent.Confirmed}, // and the order is open
	} {
		t.Run(name, func(t *testing.T) {
			on := open(t, refusing(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, _ = io.WriteString(w, page)
			})))
			claim := claims(proof("action", args{"step": c.step}))
			claim.Times = 2
			send := agent.Tool{Name: "send", Class: agent.ClassSend, Parameters: []byte(`{"type":"object"}`), Run: func(context.Context, *agent.Call) (*agent.Answer, error) {
				return nil, engine.ErrMayHaveHappened
			}}
			a, _ := agent.New(agent.Config{Model: llmtest.NewScript(t, append(c.calls, claim)...), Tools: []agent.Tool{send}})
			result, err := a.Execute(t.Context(), on, agent.Task{Instruction: "order the news"})
			if err != nil || result.Success || result.Criteria[0].Verdict != c.want {
				t.Errorf("success %v, criterion %+v, %v; want %s and no success", result.Success, result.Criteria, err, c.want)
			}
			if why := result.Criteria[0].Reason; name == "not known" && !strings.Contains(why, "not known what came of it") {
				t.Errorf("reason %q, want that it is not known", why)
			}
		})
	}
}
