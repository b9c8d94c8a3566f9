//go:build ignore

// Command acts times our actions on a page: acts CHROME PAGE TIMES. See README.md.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, chrome, address, count string) error {
	times, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	session, err := engine.Open(ctx, &cdp.Launch{ExecutablePath: chrome}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, address, nil); err != nil {
		return err
	}
	if _, err := page.Snapshot(ctx, nil); err != nil {
		return err
	}
	took := map[string][]float64{}
	for _, act := range []struct {
		name   string
		action func(i int) engine.Action
	}{
		{"click", func(int) engine.Action { return engine.Action{Selector: "#go"} }},
		{"fill", func(i int) engine.Action {
			return engine.Action{Method: engine.Fill, Selector: "#field", Arguments: []string{fmt.Sprint("text ", i)}}
		}},
		{"select", func(i int) engine.Action {
			return engine.Action{Method: engine.SelectOption, Selector: "#list", Arguments: []string{[]string{"one", "two", "three"}[i%3]}}
		}},
		{"check", func(i int) engine.Action {
			return engine.Action{Method: []engine.Method{engine.Check, engine.Uncheck}[i%2], Selector: "#box"}
		}},
		{"press", func(int) engine.Action {
			return engine.Action{Method: engine.Press, Selector: "#field", Arguments: []string{"a"}}
		}},
		{"hover", func(i int) engine.Action {
			return engine.Action{Method: engine.Hover, Selector: []string{"#go", "#hint"}[i%2]}
		}},
	} {
		for i := range times + 1 {
			time.Sleep(250 * time.Millisecond) // the page comes to rest, as with the others
			begun := time.Now()
			if _, err := page.Do(ctx, act.action(i), nil); err != nil {
				return fmt.Errorf("%s: %w", act.name, err)
			}
			if i > 0 {
				took[act.name] = append(took[act.name], float64(time.Since(begun).Microseconds())/1000)
			}
		}
	}
	return json.NewEncoder(os.Stdout).Encode(took)
}
