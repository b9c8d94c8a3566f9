package main

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A seen is what the events of one run told.
type seen struct {
	resumed time.Time // first; zero: never
	status  string
	message string
}

// A chaos is what came of runs that were disturbed.
type chaos struct {
	runs, succeeded, resumed, twice, missing int
	first, whole                             time.Duration // since the disturbance
	failures                                 []string
	answers                                  map[string]int // of clients meanwhile
}

func (r *chaos) String() string {
	if r == nil {
		return "nothing"
	}
	return fmt.Sprintf("%d runs, %d succeeded, %d gone on with; effects done twice %d, not done %d; the first went on after %v, all were over after %v; answers %v %s",
		r.runs, r.succeeded, r.resumed, r.twice, r.missing, r.first.Round(10*time.Millisecond), r.whole.Round(10*time.Millisecond), r.answers, strings.Join(r.failures, "; "))
}

// figures are the rows of a kill.
func (r *chaos) figures(what string, err error) []figure {
	if r == nil {
		return nil
	}
	return []figure{
		{what + ", runs under way", "every run ends, each effect once", r.String(), err == nil},
		{what + ": the first run goes on", "within 5 s", r.first.Round(10 * time.Millisecond).String(), r.first > 0 && r.first <= 5*time.Second},
	}
}

// firsts is the row of several kills.
func firsts(all []*chaos, err error) []figure {
	if len(all) == 0 {
		return nil
	}
	var first []time.Duration
	var each []string
	for _, r := range all {
		first = append(first, r.first)
	}
	worst := quantile(first, 1)
	for _, d := range first { // which are in order now
		each = append(each, d.Round(100*time.Millisecond).String())
	}
	return []figure{{fmt.Sprintf("the node killed that leads the records, %d times: the first run goes on", len(all)), "within 5 s",
		fmt.Sprintf("p50 %v, at most %v (%s); every run ended, each effect once: %v", quantile(first, 0.5).Round(10*time.Millisecond), worst.Round(10*time.Millisecond), strings.Join(each, " "), err == nil), err == nil && worst <= 5*time.Second}}
}

// wrong says what must not be.
func (r *chaos) wrong() error {
	if r.succeeded != r.runs || r.twice > 0 || r.missing > 0 {
		return errors.New("runs were lost, or done twice")
	}
	for what, n := range r.answers {
		if strings.HasPrefix(what, "5") && !strings.HasPrefix(what, "503 retry") && n > 0 {
			return fmt.Errorf("clients were answered %s", what)
		}
	}
	return nil
}
