package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// chatty wraps what it says in words, and is wrong the first time.
type chatty struct{}

func (chatty) Name() string { return "example/chatty" }

func (chatty) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	if len(req.Messages) == 1 {
		return &llm.Response{Text: `It costs {"price": "89 francs"}.`}, nil
	}
	return &llm.Response{Text: `Sorry: {"price": 89}`}, nil
}

// An answer that does not pass is repaired once.
func ExampleAsk() {
	question := &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: "the price"}}}}}
	resp, err := llm.Ask(context.Background(), chatty{}, question, func(text []byte) error {
		var v struct{ Price float64 }
		if err := json.Unmarshal(text, &v); err != nil {
			return errors.New("price must be a number")
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Text)
	// Output: {"price": 89}
}

// However a key is printed, it does not show.
func ExampleSecret() {
	key := llm.NewSecret("sk-very-secret")
	fmt.Printf("%v %+v\n", key, struct{ Key llm.Secret }{key})
	fmt.Println(key.Scrub("the key sk-very-secret, also as c2stdmVyeS1zZWNyZXQ=, was refused"))
	// Output:
	// *** {Key:***}
	// the key ***, also as ***, was refused
}
