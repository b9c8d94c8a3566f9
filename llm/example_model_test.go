package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"regexp"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// first is a model of one's own: it takes the first button of the page, whatever
// it is asked for.
type first struct{}

func (first) Name() string { return "example/first" }

var button = regexp.MustCompile(`\[([0-9-]+)\] button: (.*)`)

// Generate answers in the form that req.Schema describes. What the page says is
// in parts of type llm.Page, and what the user says in an llm.Instruction.
func (first) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	answer := map[string]any{
		"found": false, "ref": "", "method": "click", "arguments": []string{},
		"description": "", "reason": "the page has no button", "more": false,
	}
	for _, part := range req.Messages[len(req.Messages)-1].Parts {
		if page, ok := part.(llm.Page); ok {
			if m := button.FindStringSubmatch(page.Text); m != nil {
				answer["found"], answer["ref"], answer["description"] = true, m[1], m[2]
			}
		}
	}
	text, err := json.Marshal(answer)
	return &llm.Response{Text: string(text), Stop: llm.StopEnd}, err
}

// A model in 30 lines: a name and one method.
func Example_model() {
	web := fake.Web{"https://shop.test/": `<h1>Tea</h1><button>Order</button><button>Cancel</button>`}
	ctx := context.Background()
	session, err := engine.Open(ctx, web, &engine.Options{Model: first{}})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}
	result, err := page.Act(ctx, "do what everybody does", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Message)
	// Output:
	// clicked button "Order": no change was noticed
}
