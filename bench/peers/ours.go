//go:build ignore

// Command ours does a task with package agent on Chrome, with a model at an
// address: ours MODEL PAGE TASK. See README.md.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/openai"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address, page, task string) error {
	model, err := openai.New(openai.Options{Model: "oracle", BaseURL: address})
	if err != nil {
		return err
	}
	session, err := engine.Open(ctx, &cdp.Launch{ExecutablePath: os.Getenv("CHROME")}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	if _, err := session.Page().Navigate(ctx, page, nil); err != nil {
		return err
	}
	a, err := agent.New(agent.Config{Model: model})
	if err != nil {
		return err
	}
	result, err := a.Execute(ctx, session.Page(), agent.Task{Instruction: task})
	if err == nil && !result.Success {
		err = fmt.Errorf("%s: %+v", result.Message, result.Criteria)
	}
	return err
}
