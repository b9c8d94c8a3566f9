package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A finding is the outcome of one check.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
	// Optional findings do not make the machine unfit.
	Optional bool `json:"optional,omitempty"`
}

func newDoctorCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check what is missing on this machine",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), s) },
	}
}

func runDoctor(ctx context.Context, s *settings) error {
	var findings []finding
	own := s.cdp == "" && s.driver == inChrome // whether a Chrome is started here
	if own {
		findings = append(findings, findChrome())
	}
	if !own || findings[0].OK {
		findings = append(findings, findBrowser(ctx, s))
	}
	if own {
		findings = append(findings, checkSandbox())
		findings = append(findings, checkSharedMemory()...)
	}
	findings = append(findings, checkKeys()...)
	fit := true
	for _, f := range findings {
		fit = fit && (f.OK || f.Optional)
		if s.json {
			if err := s.writeJSON(f); err != nil {
				return err
			}
			continue
		}
		printFinding(s, f)
	}
	if !fit {
		return missing(errors.New("something is missing, see above"))
	}
	return nil
}

func printFinding(s *settings, f finding) {
	mark := "ok     "
	switch {
	case !f.OK && f.Optional:
		mark = "-      "
	case !f.OK:
		mark = "MISSING"
	}
	fmt.Fprintf(s.out, "%s  %-10s %s\n", mark, f.Check, f.Detail)
	if f.Fix != "" {
		fmt.Fprintf(s.out, "         %-10s → %s\n", "", f.Fix)
	}
}

func findChrome() finding {
	path, err := cdp.Find()
	if err != nil {
		return finding{Check: "browser", Detail: err.Error(), Fix: "or use --driver memory, which needs no browser and runs no scripts"}
	}
	return finding{Check: "browser", OK: true, Detail: path}
}

// findBrowser opens the browser as every command does, and loads a page.
func findBrowser(ctx context.Context, s *settings) finding {
	f := finding{Check: "start"}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	begin := time.Now()
	page, err := s.openPage(ctx, "data:text/html,<button>works</button>", false)
	if err != nil {
		f.Detail = explain(err)
		f.Fix = advise(err)
		if f.Fix == "" && s.driver == inChrome {
			f.Fix = "run the browser by hand with --headless=new --dump-dom about:blank, and see what it says"
		}
		return f
	}
	session := page.Session()
	defer session.Close()
	found, err := page.Observe(ctx, "", nil)
	f.OK, f.Detail = readAsExpected(found, err)
	if f.OK {
		f.Detail = fmt.Sprintf("%s: started and read a page in %d ms", session.Browser().Version(), time.Since(begin).Milliseconds())
	}
	return f
}

// readAsExpected judges the reading of a page with one button, and says what is
// wrong with it.
func readAsExpected(found *engine.Observation, err error) (ok bool, wrong string) {
	switch {
	case err != nil:
		return false, "it started, and its page could not be read: " + explain(err)
	case len(found.Actions) != 1:
		return false, fmt.Sprintf("a page with one button was read as %d actions", len(found.Actions))
	}
	return true, ""
}

// checkSandbox says how pages are kept from the machine.
func checkSandbox() finding {
	f := finding{Check: "sandbox", OK: true, Optional: true, Detail: "Chrome's own sandbox is used where the system allows it"}
	if runtime.GOOS == "linux" && os.Geteuid() == 0 {
		f.OK = false
		f.Detail = "this is root, so Chrome runs without its sandbox"
		f.Fix = "run as an ordinary user to open pages that you do not trust"
	}
	return f
}

// checkKeys names the variables that hold a key, never what they hold.
func checkKeys() []finding {
	findings := []finding{{Check: "model", OK: true, Optional: true, Detail: wordMatcher + ": a word matcher, always there"}}
	var others []string
	for _, v := range vendors {
		if len(v.missing(os.Getenv)) > 0 {
			others = append(others, string(v.name))
			continue
		}
		findings = append(findings, finding{Check: "model", OK: true, Optional: true, Detail: fmt.Sprintf("%s: %s", v.name, v.setIn(os.Getenv))})
	}
	if len(others) > 0 {
		findings = append(findings, finding{Check: "model", Optional: true, Detail: "no key for " + strings.Join(others, ", "),
			Fix: "'wayfinder models' says which variables to set; --base-url names a server of your own"})
	}
	return findings
}
