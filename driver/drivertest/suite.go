package drivertest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
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

// Check runs the case once and returns what went against its rule, nil if
// nothing did. Differences are not looked at.
func (c *Case) Check(ctx context.Context, h Harness) error {
	ctx, cancel := context.WithTimeout(ctx, caseLimit)
	defer cancel()
	t := newTrial(ctx, c, &h)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer t.cleanUp()
		t.start()
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
