// Command checkout has an agent order something, and asks before it pays. What is
// asked about is what would leave the browser, and exactly that is sent, once.
//
//	go run ./examples/checkout           # in Chrome
//	go run ./examples/checkout -memory   # in the browser in memory
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

const page = `<!doctype html><title>Checkout</title><h1>Checkout</h1>
<form action="/pay" method="post">
	<p>Two teapots: <b>48.00</b></p><input type="hidden" name="amount" value="48.00">
	<label>Card number <input name="card"></label> <button>Pay now</button>
</form>`

// A shop answers with the checkout, and keeps what was paid.
type shop struct{ paid []string }

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	if r.Method != http.MethodPost {
		fmt.Fprint(w, page)
		return
	}
	s.paid = append(s.paid, r.FormValue("amount")+" with "+r.FormValue("card"))
	fmt.Fprint(w, `<!doctype html><title>Thank you</title><h1 role="status">Thank you for your order</h1>`)
}

func main() {
	memory := flag.Bool("memory", false, "use the browser in memory")
	flag.Parse()
	var d engine.Driver = cdp.Launch{}
	if *memory {
		d = fake.Network()
	}
	for _, answer := range []error{errors.New("not today"), nil} {
		if err := order(context.Background(), d, answer); err != nil {
			log.Fatal(err)
		}
	}
}

// order runs the agent once. answer is what the person says who is asked.
func order(ctx context.Context, d engine.Driver, answer error) error {
	seller := &shop{}
	site := httptest.NewServer(seller)
	defer site.Close()
	session, err := engine.Open(ctx, d, &engine.Options{Model: offline.New()})
	if err != nil {
		return err
	}
	defer session.Close()
	if _, err := session.Page().Navigate(ctx, site.URL, nil); err != nil {
		return err
	}
	a, err := agent.New(agent.Config{
		NeedApproval: []agent.Class{agent.ClassPay},
		Approve: func(_ context.Context, a agent.Approval) error {
			fmt.Printf("asked about %v", a.Classes)
			if a.Outgoing != nil {
				fmt.Printf(": %s with %d fields", a.Outgoing.Method, len(a.Outgoing.Fields))
			}
			fmt.Println(" →", answer)
			return answer
		},
	})
	if err != nil {
		return err
	}
	result, err := a.Execute(ctx, session.Page(), agent.Task{
		Instruction: "type %card% into Card number, then click Pay now",
		Variables:   map[string]engine.Variable{"card": {Value: "4000 0566 5566 5556"}}, // no model sees it
		Checks:      []agent.Check{{Shown: "Thank you for your order"}},
	})
	if result == nil {
		return err // it never began; a refused step is a result
	}
	fmt.Println("success:", result.Success, "paid:", seller.paid)
	return nil
}
