package program_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// An agent with the tool run does in one call what would take a question for each
// row. The model here is scripted.
func ExampleTool() {
	web := fake.Web{"https://list.test/": `<title>List</title><table><thead><tr><th>Task<th>Done</tr></thead><tbody>
		<tr><td>Water the plants<td><input type="checkbox" aria-label="Done"></tr>
		<tr><td>Write to Ada<td><input type="checkbox" aria-label="Done" checked></tr>
		<tr><td>Buy tea<td><input type="checkbox" aria-label="Done"></tr></tbody></table>`}
	model := &said{
		call("run", `{"program": "for row in find('row'):\n\tbox = find('checkbox', within=row)[0]\n\tif not box.checked:\n\t\tfill(box, True)\n\t\tlog('done:', row['Task'])"}`),
		call("done", `{"success": true, "message": "all are done", "criteria": [{"criterion": "two were open", "evidence": [{"kind": "action", "step": 1}]}]}`),
	}

	ctx := context.Background()
	session, err := engine.Open(ctx, web, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(ctx, "https://list.test/", nil); err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(agent.Config{Model: model, Tools: []agent.Tool{program.Tool(program.Limits{})}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := a.Execute(ctx, session.Page(), agent.Task{Instruction: "tick what is not done"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Actions[0].Output)
	for _, step := range result.Actions {
		fmt.Println(step.Step, step.Type, step.Parent, step.Status)
	}
	fmt.Println("verified:", result.Success)
	// Output:
	// the program ran to its end
	// what it did on the page: 2 steps, from 4 to 7
	// log:
	// done: Water the plants
	// done: Buy tea
	// 1 run 0 done
	// 2 find 1 done
	// 3 find 1 done
	// 4 fillForm 1 done
	// 5 find 1 done
	// 6 find 1 done
	// 7 fillForm 1 done
	// 8 done 0 done
	// verified: true
}

// said is a model that answers with calls in turn.
type said []llm.ToolCall

func call(tool, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: tool, Name: tool, Arguments: json.RawMessage(arguments)}
}

func (s *said) Name() string { return "scripted/said" }

func (s *said) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	next := (*s)[0]
	*s = (*s)[1:]
	return &llm.Response{ToolCalls: []llm.ToolCall{next}, Stop: llm.StopTools}, nil
}
