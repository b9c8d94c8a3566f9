package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// newFlags gives flags of the kinds that commands have.
func newFlags(t *testing.T, args ...string) *pflag.FlagSet {
	t.Helper()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags.String("addr", "127.0.0.1:8080", "")
	flags.Int("max-sessions", 10, "")
	flags.Duration("idle", time.Minute, "")
	flags.Bool("allow-private", false, "")
	flags.StringArray("deny-host", nil, "")
	flags.String("config", "", "")
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return flags
}

func configFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wayfinder.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestConfigurePrecedence: the command line before the environment before the
// file before the default.
func TestConfigurePrecedence(t *testing.T) {
	file := configFile(t, "addr: 127.0.0.1:1\nmax-sessions: 20\nidle: 5m\nallow-private: true\ndeny-host: [a.test, '*.b.test']\n")
	environment := map[string]string{"WAYFINDER_ADDR": "127.0.0.1:2", "WAYFINDER_MAX_SESSIONS": "30", "WAYFINDER_IDLE": ""}
	flags := newFlags(t, "--addr", "127.0.0.1:3")
	err := configure(flags, file, func(name string) (string, bool) { v, ok := environment[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"addr": "127.0.0.1:3", "max-sessions": "30", "idle": "5m0s", "allow-private": "true", "deny-host": "[a.test,*.b.test]",
	} {
		if got := flags.Lookup(name).Value.String(); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
}

func TestConfigureRefuses(t *testing.T) {
	for _, c := range []struct{ name, file, variable, value, want string }{
		{name: "unknown setting", file: "adr: x\n", want: `there is no setting "adr"`},
		{name: "itself", file: "config: other.yaml\n", want: `there is no setting "config"`},
		{name: "wrong type in the file", file: "max-sessions: many\n", want: "max-sessions"},
		{name: "wrong type in the environment", variable: "WAYFINDER_IDLE", value: "soon", want: "WAYFINDER_IDLE"},
		{name: "nested", file: "addr:\n  host: x\n", want: "addr: write a value"},
		{name: "nested list", file: "deny-host:\n  - [x]\n", want: "a list holds single values"},
		{name: "twice", file: "addr: x\naddr: y\n", want: "addr"},
		{name: "no YAML", file: "addr: [x\n", want: "line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := ""
			if c.file != "" {
				file = configFile(t, c.file)
			}
			err := configure(newFlags(t), file, func(name string) (string, bool) { return c.value, name == c.variable })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
			if code := exitCode(err); code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
		})
	}
	err := configure(newFlags(t), filepath.Join(t.TempDir(), "none.yaml"), os.LookupEnv)
	if err == nil || exitCode(err) != exitEnvironment {
		t.Errorf("a missing file gives %v", err)
	}
}
