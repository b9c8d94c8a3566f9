package program_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// endless are programs that never end by themselves: they reckon, look, and act.
var endless = map[string]string{
	"reckons": "click('button: More')\nx = 'a'\nwhile True:\n\tx = ('a' * 1000 + x)[:2000]",
	"looks":   "click('button: More')\nwhile True:\n\tfind('row')\n\tread()",
	"acts":    "while True:\n\tclick('button: More')",
	"waits":   "click('button: More')\nwait(text='never', seconds=30)\nclick('button: More')",
}

// endlessSite has a button that changes something at every press, and rows to read.
func endlessSite() *fake.Driver {
	const address = "https://site.test/"
	rows := ""
	for range 200 {
		rows += "<tr><td>one<td>two"
	}
	return fake.New(fake.Options{
		Web: fake.Web{address: "<button>More</button><p id=p></p><table>" + rows + "</table>"},
		Scripts: map[string]func(*fake.Document){address: func(d *fake.Document) {
			d.After(24*time.Hour, func() {}) // what wait waits for could still come
			text := ""
			d.On("click", "button", func(*fake.Event) { text += "x"; d.Find("#p").SetText(text) })
		}},
	})
}

// once is a model that answers once.
type once struct{ said }

func (o *once) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if len(o.said) == 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		last, err := json.Marshal(req.Messages[len(req.Messages)-1])
		return nil, fmt.Errorf("asked again, with %s %v", last, err)
	}
	return o.said.Generate(ctx, req)
}

// runEndless has an agent run an endless program until ctx ends. began hears of
// each step.
func runEndless(t testing.TB, ctx context.Context, source string, began func(*agent.Step)) error {
	t.Helper()
	session, err := engine.Open(context.WithoutCancel(ctx), endlessSite(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(context.WithoutCancel(ctx), "https://site.test/", nil); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]string{"program": source})
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{
		Model: &once{said: said{call("run", string(raw))}}, Tools: []agent.Tool{program.Tool(program.Limits{Steps: 1 << 40, Memory: 1 << 50, Calls: 1 << 30})},
		Hooks: &agent.Hooks{StepBegan: func(ctx context.Context, s agent.Step) context.Context { began(&s); return ctx }},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Execute(ctx, session.Page(), agent.Task{Instruction: "more", MaxSteps: 1 << 30, ToolTimeout: time.Hour})
	return err
}

// TestCanceledRun: a run that is canceled within a program ends, with all that it
// has started, and no step of the program begins afterwards. The bubble holds it to
// that: a goroutine that is left fails it.
func TestCanceledRun(t *testing.T) {
	for name, source := range endless {
		for _, at := range []string{"click", "find", "wait"} { // the step that it is canceled in
			if !strings.Contains(source, at) {
				continue
			}
			t.Run(name+"/"+at, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					var late []string
					err := runEndless(t, ctx, source, func(s *agent.Step) {
						if ctx.Err() != nil {
							late = append(late, s.Action.Type)
						} else if s.Action.Type == at {
							cancel()
						}
					})
					if !errors.Is(err, context.Canceled) || len(late) > 0 {
						t.Errorf("Execute = %v; begun afterwards: %q", err, late)
					}
				})
			})
		}
	}
}

// BenchmarkCancel is how long a run goes on that is canceled while a program of it
// reckons, looks at the page, acts or waits: the middle and the longest of all.
//
//	go test ./agent/program -run '^$' -bench Cancel -benchtime 100x
func BenchmarkCancel(b *testing.B) {
	for name, source := range endless {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for i := range b.N {
				ctx, cancel := context.WithCancel(b.Context())
				over := make(chan time.Time, 1)
				ran := make(chan struct{})
				go func() {
					defer close(ran)
					if err := runEndless(b, ctx, source, func(s *agent.Step) {
						if s.Action.Type == "click" {
							select {
							case over <- time.Now():
							default:
							}
						}
					}); !errors.Is(err, context.Canceled) {
						b.Errorf("Execute = %v", err)
					}
				}()
				<-over // it has begun
				pause := time.NewTimer(time.Duration(i%20) * time.Millisecond)
				<-pause.C
				at := time.Now()
				cancel()
				<-ran
				took = append(took, time.Since(at))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
