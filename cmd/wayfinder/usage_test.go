package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestWrongUsage reads the errors as somebody does who uses the program for the
// first time: each says what to write, and where there is more to read.
func TestWrongUsage(t *testing.T) {
	site := pages(t).URL
	memory := func(args ...string) []string { return append(args, "--driver", "memory") }
	cases := []struct {
		name string
		args []string
		says string
		help string // the command whose help is named
	}{
		{"no address", []string{"observe"}, "the address of a page is missing: wayfinder observe URL [INSTRUCTION]", "wayfinder observe"},
		{"two addresses", []string{"snapshot", site, "b"}, `snapshot takes one address, and got "b" too`, "wayfinder snapshot"},
		{"words without quotes", []string{"extract", site, "the", "heading"}, `write it in quotes, as "the heading"`, "wayfinder extract"},
		{"argument of doctor", []string{"doctor", "all"}, `doctor takes no arguments, and got "all"`, "wayfinder doctor"},
		{"mistyped command", []string{"obserev"}, "did you mean observe?", "wayfinder"},
		{"unknown command", []string{"teleport"}, `there is no command "teleport"`, "wayfinder"},
		{"unknown flag", []string{"snapshot", site, "--deep"}, "unknown flag: --deep", "wayfinder snapshot"},
		{"flag without value", []string{"snapshot", site, "--driver"}, "flag needs an argument: --driver", "wayfinder snapshot"},
		{"unknown driver", []string{"snapshot", site, "--driver", "firefox"}, `--driver "firefox": it is chrome or memory`, "wayfinder snapshot"},
		{"two browsers", memory("snapshot", site, "--cdp", "http://127.0.0.1:9222"), "--cdp does not go with --driver memory", "wayfinder snapshot"},
		{"no address of a browser", []string{"snapshot", site, "--cdp", "9222"}, "as http://127.0.0.1:9222", "wayfinder snapshot"},
		{"no time", []string{"snapshot", site, "--timeout", "soon"}, "invalid duration", "wayfinder snapshot"},
		{"negative time", []string{"snapshot", site, "--timeout=-1s"}, "a time above zero, as 30s or 2m", "wayfinder snapshot"},
		{"host that is an address", memory("snapshot", site, "--allow-host", "https://example.com/"), "write the host alone", "wayfinder snapshot"},
		{"no host", memory("snapshot", "http://"), "has no host", "wayfinder snapshot"},
		{"no such scheme", memory("snapshot", "gopher://old.test/"), "not an address that a browser can open", "wayfinder snapshot"},
		{"space in the host", memory("snapshot", "my shop"), "is no address", "wayfinder snapshot"},
		{"selector", memory("snapshot", site, "--selector", "((("), "a quote or a bracket is not closed", "wayfinder snapshot"},
		{"selector of act", memory("act", site, "click Send", "--selector", "((("), "a quote or a bracket is not closed", "wayfinder act"},
		{"schema is no schema", memory("extract", site, "x", "--schema", `{"type":"text"}`), "no valid JSON Schema", "wayfinder extract"},
		{"schema file", memory("extract", site, "x", "--schema", "none.json"), "give a file, or the schema itself", "wayfinder extract"},
		{"model without provider", memory("act", site, "click Send", "--model", "gpt-5"), "write provider/name, as openai/gpt-5, or offline", "wayfinder act"},
		{"unknown provider", memory("act", site, "click Send", "--model", "acme/x"), "--base-url", "wayfinder act"},
		{"server without model", memory("act", site, "click Send", "--base-url", "http://127.0.0.1:1/v1"), "--base-url needs --model", "wayfinder act"},
		{"server is no address", memory("act", site, "click Send", "--model", "openai/x", "--base-url", "here"), `"here" is no address of a server`, "wayfinder act"},
		{"instruction and action", memory("act", site, "click Send", "--action", `{"selector":"a"}`), "not both", "wayfinder act"},
		{"action is no JSON", memory("act", site, "--action", "click"), "wayfinder observe --json", "wayfinder act"},
		{"action with an unknown member", memory("act", site, "--action", `{"selector":"a","verb":"click"}`), `unknown field "verb"`, "wayfinder act"},
		{"action without selector", memory("act", site, "--action", `{"method":"click"}`), "it has no selector", "wayfinder act"},
		{"action with an unknown method", memory("act", site, "--action", `{"selector":"a","method":"fly"}`), "the methods are click, ", "wayfinder act"},
		{"placeholder without value", memory("act", site, "type %pw% into Word"), "%pw% has no value; give --var pw=VALUE", "wayfinder act"},
		{"placeholder in an action", memory("act", site, "--action", `{"selector":"input","method":"fill","arguments":["%pw%"]}`), "%pw% has no value", "wayfinder act"},
		{"variable without value", memory("act", site, "type %pw%", "--var", "pw"), "write NAME=VALUE", "wayfinder act"},
		{"name of a variable", memory("act", site, "type x", "--var", "1pw=x"), "a name is letters, digits and _", "wayfinder act"},
		{"file that is not there", memory("act", site, "type %pw%", "--var-file", "pw=none.txt"), "none.txt", "wayfinder act"},
		{"key that is none", memory("act", site, "type %c%", "--totp-env", "c=PATH"), "the key is not base32", "wayfinder act"},
		{"host of nothing", memory("act", site, "click Send", "--var-host", "pw=shop.example"), "pw has no value", "wayfinder act"},
		{"host that is none", memory("act", site, "type %pw%", "--var", "pw=x", "--var-host", "pw=https://x/"), "is no host", "wayfinder act"},
		{"unset variable", memory("act", site, "type %pw%", "--var-env", "pw=WAYFINDER_NOT_SET"), "the environment has no WAYFINDER_NOT_SET", "wayfinder act"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := wayfinder(t, c.args...)
			if got.code != exitUsage || got.out != "" || !strings.Contains(got.err, c.says) {
				t.Errorf("wayfinder %q: exit %d, want 2 with %q on standard error alone\n%s%s", c.args, got.code, c.says, got.out, got.err)
			}
			if help := "\nRun '" + c.help + " --help' for how it is used.\n"; !strings.HasSuffix(got.err, help) {
				t.Errorf("wayfinder %q: standard error does not end with %q:\n%s", c.args, help, got.err)
			}
		})
	}
}

// A value that was written in the wrong place is not repeated: it may be secret.
func TestWrongVariableIsNotRepeated(t *testing.T) {
	got := wayfinder(t, "act", "https://shop.test/", "type %pw%", "--var", "xyzzy-42")
	if got.code != exitUsage || strings.Contains(got.out+got.err, "xyzzy-42") {
		t.Errorf("act --var xyzzy-42: exit %d, want 2 without the value\n%s%s", got.code, got.out, got.err)
	}
}

// Every command and flag explains itself, and the commands show how they are used.
func TestHelp(t *testing.T) {
	root := newRoot(streams{})
	for _, cmd := range append([]*cobra.Command{root}, root.Commands()...) {
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		got := wayfinder(t, args...)
		if got.code != exitDone || got.err != "" || !strings.Contains(got.out, "Usage:\n  "+cmd.CommandPath()) {
			t.Errorf("wayfinder %q: exit %d, want 0 and the usage\n%s%s", args, got.code, got.out, got.err)
		}
		if takes := strings.Contains(cmd.Use, " URL"); takes && !strings.Contains(cmd.Example, cmd.CommandPath()+" https://") {
			t.Errorf("the help of %s has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(got.out) {
			if width := len([]rune(line)); width > 160 {
				t.Errorf("wayfinder %q: a line has %d letters: %s", args, width, line)
			}
		}
	}
	if got := wayfinder(t); got.code != exitDone || !strings.Contains(got.out, "wayfinder demo") {
		t.Errorf("wayfinder: exit %d, want 0 and the help, with the demo\n%s%s", got.code, got.out, got.err)
	}
}

func TestCompletions(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := wayfinder(t, "completion", shell); got.code != exitDone || !strings.Contains(got.out, "wayfinder") {
			t.Errorf("completion %s: exit %d\n%s", shell, got.code, got.err)
		}
	}
	models := []string{"offline"}
	for _, v := range vendors {
		models = append(models, string(v.name)+"/")
	}
	cases := []struct {
		args []string
		want []string
	}{
		{[]string{"--driver", ""}, []string{"chrome", "memory"}},
		{[]string{"act", "--driver", "m"}, []string{"chrome", "memory"}},
		{[]string{"act", "--model", ""}, models},
		{[]string{"snap"}, []string{"snapshot\tPrint the outline that a model would get"}},
	}
	for _, c := range cases {
		got := wayfinder(t, append([]string{"__complete"}, c.args...)...)
		words, _, _ := strings.Cut(got.out, "\n:")
		if got.code != exitDone || words != strings.Join(c.want, "\n") {
			t.Errorf("completion of %q = %q, want %q", c.args, words, c.want)
		}
	}
}
