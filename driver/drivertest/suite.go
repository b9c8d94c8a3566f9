package drivertest

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Cases returns all cases, topic by topic. The caller owns the slice.
func Cases() []Case {
	return slices.Concat(
		navigateCases, failureCases, allowCases, handlerCases, waitCases, historyCases,
		frameCases, frameActCases, shadowCases,
		captureCases, contentCases, boxCases, rareCases, styleCases,
		findCases, staleCases, locateCases, obstacleCases, hitTestCases,
		keyboardCases, editCases, pointerCases, aimCases, formCases, validationCases,
		selectCases, valueCases, stateCases, fileCases,
		dialogCases, downloadCases, cookieCases, popupCases,
		revisionCases, eventCases, requestCases, activityCases,
		scrollCases, emulateCases, evaluateCases, screenshotCases,
		toolCases, closeCases, cancelCases,
	)
}

// Run runs every case as a subtest, in parallel.
func Run(t *testing.T, h Harness) {
	cases := Cases()
	checkDifferences(t, &h, cases)
	if h.Reuse {
		h.pool = &pool{}
		t.Cleanup(func() {
			if err := h.pool.close(); err != nil {
				t.Errorf("Browser.Close: %v", err)
			}
		})
	}
	for i := range cases {
		c := &cases[i]
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			err := c.Check(t.Context(), h)
			reason, differs := h.difference(c.Name)
			var missing lack
			switch {
			case errors.As(err, &missing):
				t.Skip(err)
			case differs && err == nil:
				t.Errorf("the harness lists this case as a difference (%q), and it passes: take it off the list", reason)
			case differs:
				t.Skipf("difference: %s", reason)
			case err != nil:
				t.Errorf("rule (driver.%s): %s\n%v", c.Doc, c.Rule, err)
			}
		})
	}
}

// A Case is one rule of the contract with its check.
type Case struct {
	Name string // "topic/what", unique
	Rule string // a sentence, which is printed when the check fails
	Doc  string // where the contract says it: "Navigator.Navigate"

	pages   pages
	does    []Behavior
	tools   []Tool
	options func(*trial, *driver.BrowserOptions)
	fresh   bool // needs a browser that nothing else has used
	check   func(*trial)
	opened  func(*trial) // in check's place: begins with the page "/" open
}

// rows fills in what the cases of a table share and do not say themselves: the
// place in the contract, the options, and the page with what it does.
func rows(shared Case, cases ...Case) []Case {
	for i := range cases {
		c := &cases[i]
		c.Doc = cmp.Or(c.Doc, shared.Doc)
		c.fresh = c.fresh || shared.fresh
		if c.pages == nil {
			c.pages = shared.pages
			if c.does == nil {
				c.does = shared.does
			}
		}
		if c.options == nil {
			c.options = shared.options
		}
	}
	return cases
}

// rule begins a case. Where its rule is written, what it needs and its check follow.
func rule(name, sentence string) Case { return Case{Name: name, Rule: sentence} }

// at says where the contract has the rule.
func (c Case) at(doc string) Case {
	c.Doc = doc
	return c
}

// alone says that the case needs a browser that nothing else has used.
func (c Case) alone() Case {
	c.fresh = true
	return c
}

// on gives the site one page, at "/".
func (c Case) on(content any) Case { return c.with(pages{"/": content}) }

// with gives the site its pages.
func (c Case) with(pages pages) Case {
	c.pages = pages
	return c
}

// doing says what the pages do.
func (c Case) doing(behaviors ...Behavior) Case {
	c.does = behaviors
	return c
}

// offering says which tools the pages offer.
func (c Case) offering(tools ...Tool) Case {
	c.tools = tools
	return c
}

// under sets the options of the case's browser.
func (c Case) under(options func(*trial, *driver.BrowserOptions)) Case {
	c.options = options
	return c
}

// checks gives the check, which begins with no page of the site open.
func (c Case) checks(check func(*trial)) Case {
	c.check = check
	return c
}

// opens gives a check that begins with the page "/" open.
func (c Case) opens(check func(*trial)) Case {
	c.opened = check
	return c
}

// Check runs the case once and returns what went against its rule, nil if
// nothing did. Differences are not looked at.
func (c *Case) Check(ctx context.Context, h Harness) error {
	ctx, cancel := context.WithTimeout(ctx, caseLimit)
	defer cancel()
	t := &trial{ctx: ctx, c: c, h: &h}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer t.cleanUp()
		t.start()
		if c.opened != nil {
			t.events.mark()
			t.open("/")
			c.opened(t)
			return
		}
		c.check(t)
	}()
	limit := time.NewTimer(caseLimit + caseMargin)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		t.errorf("the check still runs %v after its context ended; goroutines:\n%s", caseMargin, stacks())
	}
	return t.err()
}

// A Harness says how the suite reaches a driver.
type Harness struct {
	// Driver returns the driver whose browsers can open the pages of site.
	// It is called once for each case, from several goroutines. It may return
	// the same driver each time.
	Driver func(site *Site) driver.Driver

	// Loopback has every site served over HTTP on a loopback port of its
	// own. Without it the harness gives Site.Handler to its driver.
	Loopback bool

	// Scripts says that the driver runs scripts: the suite then writes
	// Site.Behaviors into the pages as a script. Without it the harness
	// registers them.
	Scripts bool

	// Reuse has a browser that a case leaves as it found it serve further
	// cases, which saves opening most of them. Driver must then return the
	// same driver each time.
	Reuse bool

	// Differences names what the driver does not do as the rule says, each
	// with the reason: a case ("screenshot/clip") or all of a topic
	// ("screenshot"). Each of those cases must fail.
	Differences map[string]string

	// Lacks says what a browser has not got that refused a call as unsupported,
	// where the browser is at fault and not the driver, as one that is older than a
	// part of the contract; empty is the driver's fault. Such cases are skipped.
	// nil: none is.
	Lacks func(b driver.Browser, refused error) string

	pool *pool // nil without Reuse, and where cases run alone
}

// difference returns why the harness does not expect the case to pass.
func (h *Harness) difference(name string) (string, bool) {
	if reason, ok := h.Differences[name]; ok {
		return reason, true
	}
	topic, _, _ := strings.Cut(name, "/")
	reason, ok := h.Differences[topic]
	return reason, ok
}

// checkDifferences finds entries that name nothing or give no reason.
func checkDifferences(t *testing.T, h *Harness, cases []Case) {
	t.Helper()
	for key, reason := range h.Differences {
		known := slices.ContainsFunc(cases, func(c Case) bool {
			return c.Name == key || strings.HasPrefix(c.Name, key+"/")
		})
		if !known {
			t.Errorf("Harness.Differences[%q] names no case and no topic", key)
		}
		if reason == "" {
			t.Errorf("Harness.Differences[%q] gives no reason", key)
		}
	}
}

func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}
