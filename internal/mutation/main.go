// Command mutation changes one place of the code after another to something wrong, and
// runs the tests that ought to notice. It prints what survives and fails if
// anything does. Nothing is written into the tree: each mutant is an overlay of
// the go command.
//
//	go run ./internal/mutation [-only REGEXP]
//
// The mutants are in mutants.txt:
//
//	== what is wrong in it
//	engine/do.go
//	./engine -run TestFaultSweep
//	-	the line, or lines, as they are
//	+	and as they are in the mutant
//
// A mutant whose lines are not there exactly once, or that does not compile,
// is an error: the table has to follow the code.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

//go:embed mutants.txt
var table string

// A mutant is one change, and the test that ought to fail on it.
type mutant struct {
	name     string
	file     string
	test     []string // arguments of go test
	old, new string
}

func main() {
	only := flag.String("only", "", "the mutants to try, by a `regexp` for their names or files")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	mutants, err := parse(table)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tried, survived, wrong := 0, 0, 0
	for _, m := range mutants {
		if !wanted.MatchString(m.name) && !wanted.MatchString(m.file) {
			continue
		}
		begun := time.Now()
		killed, err := m.try(ctx, dir)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			wrong++
			fmt.Printf("ERROR     %s: %v\n", m.name, err)
		case !killed:
			survived++
			fmt.Printf("SURVIVED  %s (%s): %v\n", m.name, m.file, m.test)
		default:
			fmt.Printf("killed    %s (%.0f s)\n", m.name, time.Since(begun).Seconds())
		}
		tried++
	}
	fmt.Printf("%d mutants, %d survived, %d errors\n", tried, survived, wrong)
	if survived+wrong > 0 {
		return errors.New("not every mutant was killed")
	}
	return nil
}

// parse reads the table.
func parse(text string) ([]mutant, error) {
	var mutants []mutant
	for i, block := range strings.Split("\n"+text, "\n== ") {
		lines := strings.Split(strings.TrimRight(block, "\n"), "\n")
		if i == 0 {
			continue // what stands before the first
		}
		if len(lines) < 4 {
			return nil, fmt.Errorf("mutant %q is not complete", lines[0])
		}
		m := mutant{name: lines[0], file: lines[1], test: strings.Fields(lines[2])}
		for _, line := range lines[3:] {
			switch {
			case strings.HasPrefix(line, "-"):
				m.old += line[1:] + "\n"
			case strings.HasPrefix(line, "+"):
				m.new += line[1:] + "\n"
			case line != "":
				return nil, fmt.Errorf("mutant %q: %q is neither - nor +", m.name, line)
			}
		}
		mutants = append(mutants, m)
	}
	return mutants, nil
}

// source returns the file of the mutant as it is in it. root is the tree's.
func (m *mutant) source(root string) ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(source), m.old); n != 1 || m.old == "" {
		return nil, fmt.Errorf("its lines are %d times in %s", n, m.file)
	}
	return []byte(strings.Replace(string(source), m.old, m.new, 1)), nil
}

// try reports whether the mutant's test fails.
func (m *mutant) try(ctx context.Context, dir string) (killed bool, _ error) {
	path, err := filepath.Abs(m.file)
	if err != nil {
		return false, err
	}
	source, err := m.source(".")
	if err != nil {
		return false, err
	}
	changed := filepath.Join(dir, filepath.Base(m.file))
	if err := os.WriteFile(changed, source, 0o600); err != nil {
		return false, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err != nil {
		return false, err
	}
	plan := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(plan, overlay, 0o600); err != nil {
		return false, err
	}
	args := append([]string{"test", "-overlay", plan, "-vet=off", "-failfast", "-timeout", "5m"}, m.test...)
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	switch {
	case strings.Contains(string(out), "[build failed]") || strings.Contains(string(out), "[setup failed]"):
		return false, fmt.Errorf("it does not compile: %s", out)
	case strings.Contains(string(out), "[no tests to run]"):
		return false, fmt.Errorf("no test of %v runs", m.test)
	}
	return err != nil, nil
}
