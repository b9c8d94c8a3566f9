package tour

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/demo"
)

// A demonstration is one tour.
type demonstration struct {
	Options
	shop    *demo.Shop
	site    string // its address
	session *engine.Session
	look    look
	steps   int
	file    string // that is uploaded
}

// A look is how text is set apart. The zero value is plain.
type look struct{ strong, quiet, good, bad, off string }

// A line is what is written for each step as JSON.
type line struct {
	Step    int    `json:"step,omitempty"`
	Kind    string `json:"kind"` // start, chapter, act, observe, extract, check, order
	Asked   string `json:"asked,omitempty"`
	Success bool   `json:"success"`
	Message string `json:"message,omitempty"`
	Result  any    `json:"result,omitempty"`
	Millis  int64  `json:"timeMs,omitempty"`
}

var colors = look{strong: "\x1b[1m", quiet: "\x1b[2m", good: "\x1b[32m", bad: "\x1b[31m", off: "\x1b[0m"}

// write writes a step as JSON; the demo has no better place for an error of the
// output than its end, where the exit code reports the order.
func (d *demonstration) write(l line) {
	encoder := json.NewEncoder(d.Out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(l)
}

// tell writes what happened: as JSON, or in words.
func (d *demonstration) tell(l line, inWords func()) {
	if d.JSON {
		d.write(l)
		return
	}
	inWords()
}

func (d *demonstration) printf(format string, args ...any) { fmt.Fprintf(d.Out, format, args...) }

func (d *demonstration) opening(took time.Duration) {
	browser := d.session.Browser().Version()
	if d.JSON {
		d.write(line{Kind: "start", Success: true, Millis: took.Milliseconds(),
			Result: map[string]string{"site": d.site, "browser": browser, "model": d.Model}})
		return
	}
	d.printf("\n%sWayfinder%s  a small shop, on this machine alone\n\n", d.look.strong, d.look.off)
	model := d.Model
	if model == "offline" {
		model += ", which matches words and is no language model"
	}
	for _, row := range [][2]string{{"shop", d.site}, {"browser", browser}, {"model", model}} {
		d.printf("  %s%-9s%s%s\n", d.look.quiet, row[0], d.look.off, row[1])
	}
}

func (d *demonstration) chapter(title string) {
	d.tell(line{Kind: "chapter", Success: true, Message: title}, func() {
		d.printf("\n%s%s%s\n\n", d.look.strong, title, d.look.off)
	})
}

// asked writes what was asked; the answer follows on lines of its own.
func (d *demonstration) asked(kind, asked string) {
	d.steps++
	asked = strings.ReplaceAll(asked, d.file, attachmentName)
	if !d.JSON {
		d.printf("  %s%-9s%s%s\n", d.look.quiet, kind, d.look.off, asked)
	}
}

func (d *demonstration) answer(mark, color, text string, took time.Duration) {
	ms := ""
	if took > 0 {
		ms = fmt.Sprintf(", %d ms", took.Milliseconds())
	}
	d.printf("           %s%s%s %s%s%s%s\n", color, mark, d.look.off, d.look.quiet, strings.ReplaceAll(text, d.site, ""), ms, d.look.off)
}

func (d *demonstration) acted(asked string, r *engine.ActResult) {
	d.asked("act", asked)
	d.tell(line{d.steps, "act", asked, r.Success, r.Message, r, r.Duration.Milliseconds()}, func() {
		d.answer("✓", d.look.good, r.Message, r.Duration)
	})
}

func (d *demonstration) observed(asked string, o *engine.Observation) {
	d.asked("observe", asked)
	found := fmt.Sprintf("%d actions", len(o.Actions))
	d.tell(line{d.steps, "observe", asked, true, found, o, o.Duration.Milliseconds()}, func() {
		d.answer("✓", d.look.good, found, o.Duration)
		for _, a := range o.Actions {
			d.answer(" ", "", describe(a), 0)
		}
	})
}

func (d *demonstration) extracted(asked string, value any, lines []string, took time.Duration) {
	d.asked("extract", asked)
	d.tell(line{d.steps, "extract", asked, true, "", value, took.Milliseconds()}, func() {
		mark := "✓"
		for _, l := range lines {
			d.answer(mark, d.look.good, l, took)
			mark, took = " ", 0
		}
	})
}

func (d *demonstration) failure(kind, asked string, err error) {
	d.asked(kind, asked)
	d.tell(line{d.steps, kind, asked, false, err.Error(), nil, 0}, func() {
		d.answer("✗", d.look.bad, "not done", 0)
	})
}

func (d *demonstration) verdict(checks []fieldCheck, right bool, took time.Duration) {
	if d.JSON {
		d.write(line{Kind: "order", Success: right, Result: checks, Millis: took.Milliseconds()})
		return
	}
	for _, c := range checks {
		mark, color := "✓", d.look.good
		if !c.OK {
			mark, color = "✗", d.look.bad
		}
		d.printf("  %s%s%s %s%-12s%s%s\n", color, mark, d.look.off, d.look.quiet, c.Field, d.look.off, c.Got)
		if !c.OK {
			d.printf("    %swanted%s      %s\n", d.look.quiet, d.look.off, c.Want)
		}
	}
	if right {
		d.printf("\n%s%d steps in %.1f s. All that was ordered arrived.%s\n\n", d.look.strong, d.steps, took.Seconds(), d.look.off)
	}
}

// describe is one action on a line.
func describe(a engine.Action) string {
	line := cmp.Or(a.Description, fmt.Sprintf("%s %s", a.Method, a.Fingerprint))
	for _, arg := range a.Arguments {
		line += fmt.Sprintf(" %q", arg)
	}
	return line
}

// arrived asks the shop what arrived, and ends the demo.
func (d *demonstration) arrived(took time.Duration) error {
	d.chapter("Ask the shop what arrived")
	orders := d.shop.Orders()
	if len(orders) != 1 {
		err := fmt.Errorf("the shop has %d orders, where one was made", len(orders))
		d.failure("check", "what arrived", err)
		return err
	}
	checks, right := compare(wanted(), orders[0])
	d.verdict(checks, right, took)
	if !right {
		return errors.New("what arrived at the shop is not what was ordered")
	}
	return nil
}
