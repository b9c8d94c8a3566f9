package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// A row is one line of the table: what was measured, and what it is held to.
type row struct {
	name string
	unit string    // "ms", "/s" for a rate, or "MB"
	ours []float64 // each time
	bare []float64 // the bare protocol in the same run, by turns; empty where it has no such thing
	goal goal
	note string // why there is nothing to show, or what the figure leaves out
}

// A goal is what a row is to reach; what is 0 is not asked.
type goal struct {
	ratio float64 // ours by the bare protocol's, at most
	least float64 // the same of a rate, at least
	ms    float64 // at most
	rate  float64 // a second, at least
	mb    float64 // at most
	more  string  // what else is asked, in words
}

func (g goal) String() string {
	var parts []string
	if g.ratio > 0 {
		parts = append(parts, fmt.Sprintf("ratio ≤ %g", g.ratio))
	}
	if g.least > 0 {
		parts = append(parts, fmt.Sprintf("ratio ≥ %g", g.least))
	}
	if g.ms > 0 {
		parts = append(parts, fmt.Sprintf("≤ %g ms", g.ms))
	}
	if g.rate > 0 {
		parts = append(parts, fmt.Sprintf("≥ %g/s", g.rate))
	}
	if g.mb > 0 {
		parts = append(parts, fmt.Sprintf("≤ %g MB", g.mb))
	}
	if g.more != "" {
		parts = append(parts, g.more)
	}
	return strings.Join(parts, ", ")
}

// reached reports whether a row is what it is held to.
func (r *row) reached() bool {
	at := quantile(r.ours, 0.5)
	return (r.goal.ratio == 0 || r.ratio() <= r.goal.ratio) &&
		(r.goal.least == 0 || r.ratio() >= r.goal.least) &&
		(r.goal.ms == 0 || at <= r.goal.ms) &&
		(r.goal.rate == 0 || at >= r.goal.rate) &&
		(r.goal.mb == 0 || at <= r.goal.mb)
}

func (r *row) ratio() float64 { return quantile(r.ours, 0.5) / quantile(r.bare, 0.5) }

// quantile returns what a share of all that was measured lies below, between two of
// them in proportion; 0 if nothing was measured.
func quantile(all []float64, share float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	at := share * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// writeTable writes the rows for people, as Markdown.
func writeTable(to io.Writer, rows []*row) {
	w := tabwriter.NewWriter(to, 0, 0, 1, ' ', tabwriter.Debug)
	fmt.Fprint(w, "\t row\t ours (p10–p90)\t bare (p10–p90)\t ratio\t goal\t reached\t\n\t---\t---\t---\t---\t---\t---\t\n")
	for _, r := range rows {
		ours, bare, ratio, reached := "–", "–", "–", "no"
		if len(r.ours) > 0 {
			ours = spread(r.ours, r.unit)
			switch {
			case r.goal == goal{}:
				reached = "–"
			case r.reached():
				reached = "yes"
			}
		} else {
			reached = cmp.Or(r.note, "not measured")
		}
		if len(r.bare) > 0 && len(r.ours) > 0 {
			bare, ratio = spread(r.bare, r.unit), fmt.Sprintf("%.2f", r.ratio())
		}
		name := r.name
		if len(r.ours) > 0 && r.note != "" {
			name += " (" + r.note + ")"
		}
		fmt.Fprintf(w, "\t %s\t %s\t %s\t %s\t %s\t %s\t\n", name, ours, bare, ratio, r.goal, reached)
	}
	w.Flush()
}

// spread is the middle of what was measured, with what a tenth of it lies below and above.
func spread(all []float64, unit string) string {
	form := "%.3g"
	if unit != "ms" {
		form = "%.0f"
	}
	figure := func(share float64) string { return fmt.Sprintf(form, quantile(all, share)) }
	space := " "
	if unit == "/s" {
		space = ""
	}
	return fmt.Sprintf("%s%s%s (%s–%s)", figure(0.5), space, unit, figure(0.1), figure(0.9))
}

// writeSamples writes the rows as benchstat reads them, a line for each time.
func writeSamples(to io.Writer, rows []*row) {
	for _, r := range rows {
		name := "Benchmark/" + strings.NewReplacer(" ", "_", ",", "").Replace(r.name)
		for _, v := range r.ours {
			switch r.unit {
			case "/s":
				fmt.Fprintf(to, "%s 1 %.1f ops/s\n", name, v)
			case "MB":
				fmt.Fprintf(to, "%s 1 %.0f peak-bytes\n", name, v*(1<<20))
			default:
				fmt.Fprintf(to, "%s 1 %.0f ns/op\n", name, v*1e6)
			}
		}
		for _, v := range r.bare {
			if r.unit == "ms" {
				fmt.Fprintf(to, "%s/bare 1 %.0f ns/op\n", name, v*1e6)
			}
		}
	}
}
