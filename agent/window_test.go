package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A wanderer does this and that, and looks at what every request holds.
type wanderer struct {
	t      *testing.T
	rnd    *rand.Rand
	window int
	turn   int
	before *llm.Request
}

func (*wanderer) Name() string { return "test/wanderer" }

func (m *wanderer) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := req.Check(); err != nil {
		m.t.Errorf("turn %d: no provider takes the request: %v", m.turn, err)
	}
	if size := llm.Estimate(req); size+min(8000, m.window/8) > m.window {
		m.t.Errorf("turn %d: %d tokens do not fit a window of %d with an answer", m.turn, size, m.window)
	}
	outlines, images := 0, 0
	for _, message := range req.Messages {
		for _, part := range message.Parts {
			switch p := part.(type) {
			case llm.Page:
				if p.Kind == "outline" {
					outlines++
				}
			case llm.Image:
				images++
			case llm.ToolResult:
				for _, inner := range p.Parts {
					if _, ok := inner.(llm.Image); ok {
						images++
					}
				}
			}
		}
	}
	if outlines > 1 || images > 2 {
		m.t.Errorf("turn %d: %d outlines and %d pictures, want one and two at most", m.turn, outlines, images)
	}
	if b := m.before; b != nil && len(req.Messages) == len(b.Messages)+2 && !showsWhole(req.Messages[len(b.Messages):]) {
		if !reflect.DeepEqual(b.Messages[:b.Stable], req.Messages[:b.Stable]) {
			m.t.Errorf("turn %d: the first %d messages were to stay, and have changed", m.turn, b.Stable)
		}
	}
	m.before = req
	m.turn++
	answer := &llm.Response{Stop: llm.StopTools, Text: strings.Repeat("So be it. ", m.rnd.IntN(200)), Usage: llm.Usage{Input: 1, Output: 1}}
	for i := range 1 + m.rnd.IntN(3) {
		c := m.choose(req)
		c.ID = fmt.Sprint(m.turn, "-", i)
		answer.ToolCalls = append(answer.ToolCalls, c)
	}
	return answer, nil
}

// showsWhole reports what could not be foreseen: that the page is shown whole
// again, or that two pictures come at once.
func showsWhole(messages []llm.Message) bool {
	shots := 0
	for _, m := range messages {
		for _, part := range m.Parts {
			if p, ok := part.(llm.Page); ok && p.Kind == "outline" {
				return true
			}
			if r, ok := part.(llm.ToolResult); ok && r.Name == "shot" {
				shots++
			}
		}
	}
	return shots > 1
}

func (m *wanderer) choose(req *llm.Request) llm.ToolCall {
	size := m.rnd.IntN(4000)
	switch n := m.rnd.IntN(7); {
	case len(req.Tools) == 1:
		return call(req, "done", args{"success": false, "message": "x"})
	case n == 0:
		return call(req, "navigate", args{"url": fmt.Sprintf("https://page.test/?n=%d", size)})
	case n == 1:
		return call(req, "big", args{"size": size})
	case n == 2:
		return call(req, "fails", args{"size": size})
	case n == 3:
		return call(req, "outline", args{})
	case n == 4:
		return call(req, "read", args{"from": m.rnd.IntN(10)})
	case n == 5:
		return call(req, "shot", args{"size": size})
	default:
		return call(req, "click", args{"ref": "@button: More"})
	}
}

// TestWindow: whatever pages and tools say, and however much of it, a request
// and its answer fit the window, and the run goes on.
func TestWindow(t *testing.T) {
	chrometest.Long(t)
	chrometest.NoRace(t)
	type sized struct {
		Size int `json:"size"`
	}
	for _, window := range []int{20_000, 40_000, 128_000} {
		seeds := uint64(2)
		if *sweepAll {
			seeds = 20
		}
		for seed := range seeds {
			t.Run(fmt.Sprintf("%d/%d", window, seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						n := 3
						fmt.Sscan(r.FormValue("n"), &n)
						w.Header().Set("Content-Type", "text/html; charset=utf-8")
						fmt.Fprint(w, "<!doctype html><title>Page</title><button id=more>More</button>")
						for i := range n {
							fmt.Fprintf(w, "<p id=p%d>Paragraph %d says what it says.</p>", i, i)
						}
					})
					more := 0
					d := fake.New(fake.Options{Handler: site, Scripts: map[string]func(*fake.Document){"*": func(d *fake.Document) {
						d.On("click", "#more", func(*fake.Event) { more++; d.Body().Append(fmt.Sprintf("<p>More of it: %d</p>", more)) })
					}}})
					session, err := engine.Open(context.Background(), d, nil)
					if err != nil {
						t.Fatal(err)
					}
					defer session.Close()
					if _, err := session.Page().Navigate(context.Background(), "https://page.test/", nil); err != nil {
						t.Fatal(err)
					}
					big, _ := agent.NewTool("big", "Says much.", func(_ context.Context, _ *agent.Call, in sized) (string, error) {
						return strings.Repeat("much text ", in.Size*10), nil
					})
					fails, _ := agent.NewTool("fails", "Fails at length.", func(_ context.Context, _ *agent.Call, in sized) (string, error) {
						return "", errors.New(strings.Repeat("much trouble ", in.Size*10))
					})
					shot, _ := agent.NewTool("shot", "A picture.", func(context.Context, *agent.Call, sized) (string, error) { return "", nil })
					shot.Run = func(context.Context, *agent.Call) (*agent.Answer, error) {
						return &agent.Answer{Text: "a picture", Image: []byte("\x89PNG")}, nil
					}
					a, err := agent.New(agent.Config{Model: &wanderer{t: t, rnd: rand.New(rand.NewPCG(seed, uint64(window))), window: window}, Window: window, Tools: []agent.Tool{big, fails, shot}})
					if err != nil {
						t.Fatal(err)
					}
					result, err := a.Execute(context.Background(), session.Page(), agent.Task{Instruction: "wander", MaxSteps: 60, MaxFailures: 60})
					if err != nil && !errors.Is(err, agent.ErrRepeated) && !errors.Is(err, agent.ErrStagnant) || len(result.Actions) < 10 {
						t.Errorf("Execute: %v%s", err, steps(result))
					}
				})
			})
		}
	}
}
