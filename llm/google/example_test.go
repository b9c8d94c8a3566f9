package google_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/google"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

func ExampleNew() {
	// In place of Google, a server that says the same always.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello."}]},"finishReason":"STOP"}],
			"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":2,"thoughtsTokenCount":30}}`)
	}))
	defer server.Close()

	model, err := google.New(google.Options{Model: "gemini-2.5-flash", APIKey: llm.NewSecret("AIza…"), BaseURL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := middleware.Wrap(model, middleware.Retry(nil)).Generate(context.Background(), &llm.Request{
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "Say hello."}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Name(), resp.Text)
	fmt.Println(resp.Usage.Output, "tokens out,", resp.Usage.Reasoning, "of them thoughts")
	// Output:
	// google/gemini-2.5-flash Hello.
	// 32 tokens out, 30 of them thoughts
}
