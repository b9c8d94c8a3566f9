package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent"
)

// A person answers what an agent asks, on a terminal. One question is put at a
// time.
type person struct {
	in    io.Reader
	out   io.Writer
	quiet func() // takes away what else stands on the terminal

	lines chan answered // from the one reader; nil before the first question
}

type answered struct {
	line string
	err  error
}

// ask puts a question of the model's.
func (p *person) ask(ctx context.Context, question string) (string, error) {
	p.quiet()
	fmt.Fprintf(p.out, "? %s\n> ", printable(question))
	line, err := p.line(ctx)
	if err == nil && line == "" {
		err = errors.New("the person gave no answer")
	}
	return line, err
}

// approve asks about an action. Anything but a yes is a no.
func (p *person) approve(ctx context.Context, a agent.Approval) error {
	p.quiet()
	what := cmp.Or(a.Action.Description, a.Tool)
	for _, arg := range a.Action.Arguments {
		what += fmt.Sprintf(" %q", arg)
	}
	fmt.Fprintf(p.out, "? to be approved (%s): %s\n  on %s\n", classNames(a.Classes), printable(what), printable(a.PageURL))
	if a.Target != "" {
		fmt.Fprintf(p.out, "  leads to %s\n", printable(a.Target))
	}
	for _, f := range a.Flows {
		fmt.Fprintf(p.out, "  takes %s from %s to %s\n", printable(strconv.Quote(f.Value)), printable(f.From), printable(f.To))
	}
	p.outgoing(a)
	p.known("with", string(a.Arguments))
	p.known("the page says of it", a.Described)
	p.known("the model says", a.Reason)
	fmt.Fprint(p.out, "  do it? [y/N] ")
	line, err := p.line(ctx)
	if err != nil {
		return err
	}
	switch strings.ToLower(line) {
	case "y", "yes":
		return nil
	}
	return errors.New("the person said no")
}

// known writes a line about an action, unless nothing is known.
func (p *person) known(what, text string) {
	if text != "" {
		fmt.Fprintf(p.out, "  %s: %s\n", what, printable(text))
	}
}

// outgoing writes what leaves the browser by an action.
func (p *person) outgoing(a agent.Approval) {
	r := a.Outgoing
	if r == nil {
		return
	}
	verb := "would send"
	if r.Held {
		verb = "is held, and sends"
	}
	fmt.Fprintf(p.out, "  %s %s %s\n", verb, printable(r.Method), printable(r.URL))
	for _, f := range r.Fields {
		hidden := ""
		if f.Ref == "" && !r.Held {
			hidden = " (not shown on the page)"
		}
		fmt.Fprintf(p.out, "    %s = %s%s\n", printable(f.Name), printable(f.Value), hidden)
	}
	if r.Opaque != "" {
		fmt.Fprintf(p.out, "    %s %s\n", printable(r.Opaque), printable(r.Text))
	}
	for _, l := range r.Page {
		fmt.Fprintf(p.out, "  the page says: %s\n", printable(l.Text))
	}
	for _, d := range a.Differences {
		fmt.Fprintf(p.out, "  not as approved: %s\n", printable(d))
	}
	if a.Unbound {
		fmt.Fprint(p.out, "  this browser cannot hold requests: what leaves it may differ\n")
	}
}

// line reads a line, or returns when ctx ends.
func (p *person) line(ctx context.Context) (string, error) {
	if p.lines == nil {
		p.lines = make(chan answered)
		go func() { // ends with the program: a terminal's input cannot be given up
			in := bufio.NewReader(p.in)
			for {
				line, err := in.ReadString('\n')
				p.lines <- answered{strings.TrimSpace(line), err}
				if err != nil {
					return
				}
			}
		}()
	}
	select {
	case got := <-p.lines:
		if got.err != nil && got.line == "" {
			return "", fmt.Errorf("no answer: %w", got.err)
		}
		return got.line, nil
	case <-ctx.Done():
		fmt.Fprintln(p.out)
		return "", ctx.Err()
	}
}

// printable is a page's or a model's text for a terminal: on one line, and
// without what a terminal would obey.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(text), " "))
}
