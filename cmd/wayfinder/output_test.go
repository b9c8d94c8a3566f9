package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestFailureIsJSON: with --json the last line of standard output says what went
// wrong, whatever it is; and where a command has said so itself, only once.
func TestFailureIsJSON(t *testing.T) {
	site := pages(t).URL
	for _, c := range []struct {
		name  string
		args  []string
		code  int
		lines int
		says  string
	}{
		{"flag", []string{"snapshot", site, "--deep"}, exitUsage, 1, "unknown flag"},
		{"command", []string{"teleport"}, exitUsage, 1, "no command"},
		{"address", []string{"observe"}, exitUsage, 1, "is missing"},
		{"nothing there", []string{"snapshot", "http://127.0.0.1:1/", "--driver", "memory"}, exitEnvironment, 1, "REFUSED"},
		{"act", []string{"act", site, "click Purchase", "--driver", "memory"}, exitNotDone, 1, "Purchase"},
		{"second act", []string{"act", site, "type x into Word", "click Purchase", "--driver", "memory"}, exitNotDone, 2, "Purchase"},
		{"observe", []string{"observe", site, "the unicorns", "--driver", "memory"}, exitNotDone, 1, "nothing was found"},
		{"model", []string{"extract", site, "x", "--driver", "memory", "--model", "openai/x", "--base-url", "http://127.0.0.1:1/v1"}, exitEnvironment, 1, ""},
		{"bundle", []string{"replay", "none.wayfinder"}, exitUsage, 1, "none.wayfinder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := wayfinder(t, append(c.args, "--json")...)
			lines := strings.Split(strings.TrimSuffix(got.out, "\n"), "\n")
			var last struct{ Success *bool }
			err := json.Unmarshal([]byte(lines[len(lines)-1]), &last)
			if got.code != c.code || len(lines) != c.lines || err != nil || last.Success == nil || *last.Success || !strings.Contains(lines[len(lines)-1], c.says) {
				t.Errorf("wayfinder %q: exit %d, want %d with %d lines of JSON, the last with success false and %q (%v)\n%s%s",
					c.args, got.code, c.code, c.lines, c.says, err, got.out, got.err)
			}
		})
	}
}

// TestHelpFits: in a narrow terminal no line of help is broken by the terminal.
func TestHelpFits(t *testing.T) {
	root := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard})
	for _, cmd := range append(root.Commands(), root) {
		text := fill(cmd.Long+"\n\n"+cmd.UsageString(), 60)
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "  wayfinder ") {
				continue // to be copied
			}
			if n := utf8.RuneCountInString(line); n > 60 && strings.Count(strings.TrimSpace(line), " ") > 1 {
				t.Errorf("help of %s: a line of %d letters: %q", cmd.Name(), n, line)
			}
		}
	}
}

// TestShorten: progress that fits a narrow terminal keeps the time.
func TestShorten(t *testing.T) {
	for _, c := range []struct {
		what, want string
		width      int
	}{
		{"looking", "looking … 3 s", 60},
		{"click the second button", "click the… … 3 s", 17},
		{"click", "… … 3 s", 4},
	} {
		if got := shorten(c.what+" … 3 s", c.what, c.width); got != c.want {
			t.Errorf("shorten(%q, %d) = %q, want %q", c.what, c.width, got, c.want)
		}
	}
}

func TestVersion(t *testing.T) {
	got := wayfinder(t, "--version")
	if got.code != exitDone || !strings.HasPrefix(got.out, "wayfinder ") || !strings.Contains(got.out, "\ngo        go1.") {
		t.Errorf("--version: exit %d\n%s%s", got.code, got.out, got.err)
	}
	got = wayfinder(t, "--version", "--json")
	var b build
	if err := json.Unmarshal([]byte(got.out), &b); err != nil || b.Version == "" || b.Go == "" {
		t.Errorf("--version --json: %v\n%s", err, got.out)
	}
}

// TestCacheWords: what the cache did not keep is said.
func TestCacheWords(t *testing.T) {
	for want, use := range map[string]*engine.CacheUse{
		"": nil, " [cache: hit]": {Result: engine.CacheHit},
		" [cache: miss, absent]": {Result: engine.CacheMiss, Reason: engine.ReasonAbsent, Kept: true}, " [cache: miss, absent, not kept]": {Result: engine.CacheMiss, Reason: engine.ReasonAbsent},
	} {
		if got := cacheWords(use); got != want {
			t.Errorf("cacheWords(%+v) = %q, want %q", use, got, want)
		}
	}
}

// TestAdviseQuotes: who forgot the quotes around an instruction reads so.
func TestAdviseQuotes(t *testing.T) {
	none := fmt.Errorf("act: %w", engine.ErrNotFound)
	if got := advise(adviseQuotes([]string{"click", "Send"}, none)); !strings.Contains(got, `"click Send"`) {
		t.Errorf("two words: the advice is %q", got)
	}
	for _, instructions := range [][]string{{"Send"}, {"click Send", "click"}} {
		if got := advise(adviseQuotes(instructions, none)); got != "" {
			t.Errorf("%q: the advice is %q, want none", instructions, got)
		}
	}
}

// TestUnderTest: a test that is run outside of one ends where it fails for good, and
// cleans up.
func TestUnderTest(t *testing.T) {
	var order []string
	failures := underTest(t.Context(), func(t testing.TB) {
		t.Cleanup(func() { order = append(order, "cleaned") })
		t.Errorf("one")
		t.Fatalf("two")
		order = append(order, "went on")
	})
	if !slices.Equal(failures, []string{"one", "two"}) || !slices.Equal(order, []string{"cleaned"}) {
		t.Errorf("failures %q, then %q", failures, order)
	}
}
