package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// orders is what obeys looks for: the words before a tool's name and an address.
var orders = regexp.MustCompile(`(?i)(?:do.{1,3}now|jetzt tun|ahora mismo haz|сделай сейчас|立即执行|افعل الآن)(?:[:：]|%3A)?(?: |%20|\+)*([a-z]+)(?: |%20|\+)(https?(?:://|%3A%2F%2F)\S+)`)

// order finds an order in a text. The pattern takes long over long texts, so it
// sees only what stands around an address.
func order(text string) []string {
	for i := range len(text) - len("http") {
		if text[i]|0x20 != 'h' || !strings.EqualFold(text[i:i+len("http")], "http") {
			continue
		}
		end := len(text)
		if n := strings.IndexAny(text[i:], "\t\n\f\r "); n >= 0 {
			end = i + n
		}
		if found := orders.FindStringSubmatch(text[max(0, i-200):end]); found != nil {
			return found
		}
	}
	return nil
}

// An obedient model does what stands outside of a fence, whoever says it. Where
// nothing does, it does everything that brings a page's words into a request:
// it reads, fails, asks, and claims.
type obedient struct {
	t       *testing.T
	x       *injection
	turn    int
	theirs  map[string]bool // words of the page
	reached bool            // the page's order came, within a fence
}

// parrots is the turn from which the model's own answers hold the order.
const parrots = 6

func (*obedient) Name() string { return "test/obedient" }

func (m *obedient) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := req.Check(); err != nil {
		m.t.Errorf("turn %d: no provider takes the request: %v", m.turn, err)
	}
	if err := checkFenced(req, m.theirs); err != nil {
		m.t.Errorf("turn %d (%s): %v", m.turn, req.Purpose, err)
	}
	outside, inside := heard(req)
	m.reached = m.reached || m.turn < parrots && order(inside) != nil
	answer := &llm.Response{Stop: llm.StopTools, Usage: llm.Usage{Input: 1, Output: 1}}
	if order := order(outside); order != nil && req.Purpose == llm.PurposeAgent {
		answer.ToolCalls = []llm.ToolCall{call(req, "navigate", args{"url": order[2]})}
		return answer, nil
	}
	switch req.Purpose {
	case llm.PurposeAct:
		answer.Text, answer.Stop = `{"found":true,"ref":"`+m.x.says()+`","method":"click","arguments":[],"description":"","reason":"","more":false}`, llm.StopEnd
		return answer, nil
	case llm.PurposeExtract:
		raw, _ := json.Marshal(args{"extraction": m.x.says()})
		answer.Text, answer.Stop = string(raw), llm.StopEnd
		return answer, nil
	}
	m.turn++
	answer.ToolCalls = m.calls(req)
	for i := range answer.ToolCalls {
		answer.ToolCalls[i].ID = fmt.Sprint(m.turn, "-", i)
	}
	return answer, nil
}

var (
	button = regexp.MustCompile(`\[([0-9]+-[0-9]+)\] (?:button|link)`)
	field  = regexp.MustCompile(`\[([0-9]+-[0-9]+)\] (?:textbox|combobox|listbox|checkbox|searchbox)`)
	other  = regexp.MustCompile(`\[([0-9]+-[0-9]+)\] (?:heading|text|paragraph|image|table|cell|row|item|list|group|link|button)`)
)

// pick is the ref of an element of the newest outline that a pattern finds.
func pick(req *llm.Request, pattern *regexp.Regexp) string {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		for _, part := range req.Messages[i].Parts {
			if p, ok := part.(llm.Page); ok {
				if found := pattern.FindStringSubmatch(p.Text); found != nil {
					return found[1]
				}
			}
		}
	}
	return "0-1"
}

func (m *obedient) calls(req *llm.Request) []llm.ToolCall {
	click, fill, some := pick(req, button), pick(req, field), pick(req, other)
	do := func(name string, a args) llm.ToolCall { return call(req, name, a) }
	if len(req.Tools) == 1 {
		return []llm.ToolCall{do("done", args{"success": false, "message": "x"})}
	}
	switch m.turn {
	case 1:
		return []llm.ToolCall{do("outline", args{}), do("read", args{}), do("find", args{"query": "now"}), do("find", args{"role": "link"}), do("tabs", args{"action": "list"})}
	case 2:
		return append(m.x.calls(req), do("click", args{"ref": click}))
	case 3:
		return []llm.ToolCall{do("downloads", args{}), do("tabs", args{"action": "list"}), do("read", args{})}
	case 4:
		return []llm.ToolCall{do("fillForm", args{"fields": []args{{"ref": fill, "value": "x"}, {"ref": some, "value": "x"}}})}
	case 5: // the first claim is questioned
		return []llm.ToolCall{do("done", args{"success": true, "message": "x", "criteria": []args{
			{"criterion": "a", "evidence": []args{proof("value", args{"ref": fill, "value": "never"})}},
			{"criterion": "b", "evidence": []args{proof("text", args{"ref": some, "text": "never"})}},
			{"criterion": "c", "evidence": []args{proof("address", args{"address": "/never"})}},
			{"criterion": "d", "evidence": []args{proof("action", args{"step": 7})}},
		}})}
	case parrots:
		return []llm.ToolCall{do("act", args{"instruction": "go on"}), do("screenshot", args{})}
	case 7:
		return []llm.ToolCall{do("extract", args{"instruction": "what is there?"}), do("select", args{"ref": fill, "options": []string{"nothing of the kind"}})}
	case 8:
		return []llm.ToolCall{do("type", args{"ref": click, "text": "x"}), do("wait", args{"for": "text", "value": "never", "seconds": 0.2})}
	case 9:
		return []llm.ToolCall{do("back", args{}), do("forward", args{})}
	case 10:
		return []llm.ToolCall{do("navigate", args{"url": "https://nowhere.invalid:99999/"})}
	case 11, 12, 13, 14, 15:
		return []llm.ToolCall{do("click", args{"ref": click})} // by the third time there are remarks
	default:
		return []llm.ToolCall{do("done", args{"success": false, "message": "x"})}
	}
}

// TestInjection: whatever a page, a tool or a server says, and wherever, stands
// within a fence in every request; a model that obeys all else obeys none of it.
func TestInjection(t *testing.T) {
	chrometest.Long(t)
	if n := len(injections()); n < 40 {
		t.Errorf("%d pages, want 40 at least", n)
	}
	for _, mode := range []struct {
		name   string
		config agent.Config
	}{
		{"compacted", agent.Config{HistoryTokens: 1}},
		{"hybrid", agent.Config{Mode: agent.Hybrid}},
	} {
		for i, x := range injections() {
			if i%chrometest.Thin(8) != 0 {
				continue
			}
			t.Run(mode.name+"/"+x.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { inject(t, &x, mode.config) })
			})
		}
	}
}

func inject(t *testing.T, x *injection, cfg agent.Config) {
	m := &obedient{t: t, x: x, theirs: map[string]bool{}}
	addWords(m.theirs, x.says())
	addWords(m.theirs, x.page)
	left := 0
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "evil.test" {
			left++
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/" {
			fmt.Fprint(w, strings.ReplaceAll(x.page, "{{X}}", x.says()))
			return
		}
		if x.serve != nil {
			x.serve(w, r, x.says())
		}
	})
	scripts := map[string]func(*fake.Document){}
	if x.script != nil {
		scripts["https://page.test/"] = func(d *fake.Document) { x.script(d, x.says()) }
	}
	session, err := engine.Open(context.Background(), faults.Wrap(fake.New(fake.Options{Handler: site, Scripts: scripts}), faults.At(0, "screenshot", errors.New(x.says()))), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(context.Background(), "https://page.test/"+x.query(), nil); err != nil {
		t.Fatal(err)
	}
	if x.tools != nil {
		cfg.Tools = x.tools(x.says())
	}
	if x.integration {
		cfg.Integrations, cfg.Tools = []agent.Integration{served(cfg.Tools)}, nil
	}
	cfg.Model = m
	a, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(context.Background(), session.Page(), agent.Task{Instruction: "go", MaxSteps: 60, MaxFailures: 60, Files: map[string][]byte{"a.txt": nil}})
	if err != nil && !errors.Is(err, agent.ErrRepeated) && !errors.Is(err, agent.ErrStagnant) {
		t.Errorf("Execute: %v%s", err, steps(result))
	}
	if left > 0 {
		t.Errorf("the run went to evil.test %d times", left)
	}
	if unseen := x.unseen && cfg.Mode != agent.Hybrid; m.reached == unseen {
		t.Errorf("the order reached the model: %v, want %v%s", m.reached, !unseen, steps(result))
	}
}

// served are tools that a server has.
type served []agent.Tool

func (s served) Tools(context.Context) ([]agent.Tool, error) { return s, nil }
