// Resume continues a run whose process was killed. It starts itself as the process
// that dies; browser and model are in memory.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

var shop = fake.Web{
	"https://shop.test/":           `<title>Shop</title><form action="/order" method="post"><label>Name <input name="name"></label><button>Order</button></form>`,
	"POST https://shop.test/order": `<title>Thank you</title><p role="status">The order was placed</p>`,
}

// No log holds the values of variables: each process is given them.
var values = map[string]engine.Variable{"name": {Value: "Ada"}}

func main() {
	var err error
	if len(os.Args) == 3 && os.Args[1] == "die" {
		err = begin(context.Background(), os.Args[2])
	} else {
		err = goOn(context.Background())
	}
	if err != nil {
		log.Fatal(err)
	}
}

// begin does a task, and is killed once its first step is over.
func begin(ctx context.Context, dir string) error {
	store, err := runs.NewDir(dir)
	if err != nil {
		return err
	}
	session, err := engine.Open(ctx, shop, &engine.Options{Model: offline.New()})
	if err != nil {
		return err
	}
	if _, err := session.Page().Navigate(ctx, "https://shop.test/", nil); err != nil {
		return err
	}
	a, err := agent.New(agent.Config{Store: store, Hooks: &agent.Hooks{StepEnded: func(_ context.Context, s agent.Step) {
		fmt.Println("killed after:", s.Action.Message)
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill() // there is nobody left to hear of an error
		}
		select {}
	}}})
	if err != nil {
		return err
	}
	_, err = a.Execute(ctx, session.Page(), agent.Task{Instruction: "fill Name with %name%, then click Order", Variables: values})
	return err
}

// goOn finds the run of the process that died, and takes it to its end.
func goOn(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	child := exec.CommandContext(ctx, os.Args[0], "die", dir)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if child.Run() == nil {
		return fmt.Errorf("the first process was not killed")
	}

	store, err := runs.NewDir(dir)
	if err != nil {
		return err
	}
	names, err := store.Runs(ctx)
	if err != nil || len(names) != 1 {
		return fmt.Errorf("%d runs are kept: %w", len(names), err)
	}
	saved, err := agent.Load(ctx, store, names[0])
	if err != nil {
		return err
	}
	task, opts := saved.Task, &engine.Options{Model: offline.New()}
	task.Variables = values
	if err := saved.Prepare(opts, values); err != nil { // cookies and storage
		return err
	}
	session, err := engine.Open(ctx, shop, opts)
	if err != nil {
		return err
	}
	defer session.Close()
	a, err := agent.New(agent.Config{Store: store})
	if err != nil {
		return err
	}
	result, err := agent.ResultOf(a.Recover(ctx, session.Page(), task, saved))
	if err != nil {
		return err
	}
	for _, step := range result.Actions {
		fmt.Println(step.Step, step.Status, step.Message)
	}
	return nil
}
