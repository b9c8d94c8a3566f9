package knowledge_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/knowledge"
	"github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// What one run has found out, the next is offered. The models here are scripted.
func ExampleUse() {
	web := fake.Web{"https://shop.test/": `<title>Shop</title><ul><li>Red lamp<li>Green lamp<li>Chair</ul>`}
	store := knowledge.Memory() // or knowledge.Dir
	ctx := context.Background()
	run := func(model *script) *agent.Result {
		session, err := engine.Open(ctx, web, nil)
		if err != nil {
			log.Fatal(err)
		}
		defer session.Close()
		if _, err := session.Page().Navigate(ctx, "https://shop.test/", nil); err != nil {
			log.Fatal(err)
		}
		a, err := agent.New(knowledge.Use(agent.Config{Model: model, Tools: []agent.Tool{program.Tool(program.Limits{})}}, store, &knowledge.Options{
			Fresh: func(ctx context.Context) (*engine.Session, error) { return engine.Open(ctx, web, nil) },
		}))
		if err != nil {
			log.Fatal(err)
		}
		result, err := a.Execute(ctx, session.Page(), agent.Task{Instruction: "count the lamps"})
		if err != nil {
			log.Fatal(err)
		}
		return result
	}

	run(&script{calls: []llm.ToolCall{
		call("run", args{"program": "what = \"lamp\"\nlog(len(find(\"listitem\", text=what)))"}),
		call("remember", args{"note": "Everything is on the first page."}),
		done(true),
	}})

	second := &script{calls: []llm.ToolCall{call("rerun", args{"id": "p1", "set": args{"what": "chair"}}), done(true)}}
	result := run(second)
	fmt.Print(offered(second.requests[0]))
	fmt.Println(result.Actions[0].Output)
	// Output:
	// n2 note: Everything is on the first page.
	// p1 program, written for the task "count the lamps"; constants: what = "lamp"
	// the program ran to its end
	// nothing was done on the page
	// log:
	// 1
}
