package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/demo"
	"github.com/wayfinder-engine/wayfinder/internal/demo/tour"
)

// program is the path of the command: this binary, which is the program itself
// where the variable asProgram is set. To link it a second time takes longer
// than most of the tests.
var program string

const asProgram = "WAYFINDER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	var err error
	if program, err = os.Executable(); err == nil {
		err = os.Setenv(asProgram, "1") // for each process that the tests start
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if shared.chrome != nil {
		shared.chrome.Close()
	}
	return code
}

// needChrome skips where no Chrome is, unless one is demanded.
func needChrome(t *testing.T) {
	t.Helper()
	_, err := cdp.Find()
	chrometest.Need(t, err)
}

// An ending is what a run of the program left.
type ending struct {
	out, err string
	code     int
}

// wayfinder runs the program as a process, without keys in its environment.
func wayfinder(t *testing.T, args ...string) ending {
	t.Helper()
	return wayfinderIn(t, nil, args...)
}

// wayfinderIn runs it with more variables in its environment.
func wayfinderIn(t *testing.T, variables []string, args ...string) ending {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = environment(variables...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("wayfinder %s: %v", strings.Join(args, " "), err)
	}
	return ending{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func environment(more ...string) []string {
	known := []string{"WAYFINDER_MODEL"}
	for _, v := range vendors {
		known = append(known, slices.Concat(v.keys, v.addresses, v.extra)...)
		for _, n := range v.needs {
			for _, names := range n {
				known = append(known, names...)
			}
		}
	}
	var env []string
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !slices.Contains(known, name) {
			env = append(env, v)
		}
	}
	return append(env, more...)
}

func shop(t *testing.T) (*demo.Shop, string) {
	s := demo.New()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

// lines decodes output of one JSON value a line.
func lines(t *testing.T, out string) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(out) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%q is no JSON: %v", line, err)
		}
		list = append(list, v)
	}
	return list
}

// unused is an address on which nobody listens.
func unused(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String() + "/"
}

func TestExitCodes(t *testing.T) {
	_, site := shop(t)
	memory := func(args ...string) []string { return append(args, "--driver", "memory") }
	cases := []struct {
		name string
		args []string
		code int
		says string // on standard error
	}{
		{"done", memory("act", site, "click Cart"), 0, ""},
		{"several in turn", memory("act", site, "search for lantern", "click Ember lantern", "Add to cart"), 0, ""},
		{"nothing of that name", memory("act", site, "click Sign in"), 1, `nothing on the page is named "Sign in"`},
		{"ambiguous", memory("act", site+"/search?q=e", "click CHF"), 1, "act:"},
		{"nothing found", memory("observe", site, "the unicorns"), 1, "nothing was found"},
		{"not on the page", memory("extract", site, "the launch codes"), 1, "word matcher and no language model"},
		{"no instruction", memory("act", site), 2, "say what to do"},
		{"no address", memory("act"), 2, "the address of a page is missing"},
		{"empty address", memory("snapshot", ""), 2, "the address is empty"},
		{"no such command", []string{"fly"}, 2, "there is no command"},
		{"no such flag", []string{"act", site, "--fast"}, 2, "unknown flag"},
		{"no such driver", []string{"snapshot", site, "--driver", "lynx"}, 2, "it is chrome or memory"},
		{"no such provider", memory("act", site, "click Cart", "--model", "gpt-5"), 2, "write provider/name"},
		{"no schema", memory("extract", site, "--schema", "{"), 2, "--schema"},
		{"no schema file", memory("extract", site, "--schema", "nowhere.json"), 2, "nowhere.json"},
		{"no variable", memory("act", site, "type %q%", "--var", "q"), 2, "NAME=VALUE"},
		{"no key", memory("act", site, "click Cart", "--model", "openai/gpt-5"), 3, "OPENAI_API_KEY is not set"},
		{"nobody listens", memory("snapshot", unused(t)), 3, "refused"},
		{"no Chrome there", []string{"snapshot", site, "--cdp", unused(t)}, 3, "wayfinder:"},
		{"no model server", memory("act", site, "click Cart", "--model", "local/x", "--base-url", unused(t), "--timeout", "3s"), 3, "wayfinder:"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := wayfinder(t, c.args...)
			if got.code != c.code || !strings.Contains(got.err, c.says) {
				t.Errorf("wayfinder %s: exit %d, want %d with %q\n%s%s", strings.Join(c.args, " "), got.code, c.code, c.says, got.out, got.err)
			}
		})
	}
}

// TestJSON holds the output of each command against what it promises.
func TestJSON(t *testing.T) {
	_, site := shop(t)
	product := site + "/products/meridian-compass"
	drivers := []string{"memory"}
	if _, err := cdp.Find(); err == nil || chrometest.Required() {
		drivers = append(drivers, "chrome")
	}
	for _, d := range drivers {
		t.Run(d, func(t *testing.T) {
			run := func(args ...string) []map[string]any {
				t.Helper()
				got := wayfinder(t, append(args, "--json", "--driver", d)...)
				if got.code != 0 {
					t.Fatalf("wayfinder %s: exit %d\n%s", strings.Join(args, " "), got.code, got.err)
				}
				return lines(t, got.out)
			}
			snapshot := run("snapshot", product)[0]
			if outline, _ := snapshot["outline"].(string); !strings.Contains(outline, "heading: Meridian compass") {
				t.Errorf("snapshot lacks the heading: %v", snapshot)
			}
			links := run("observe", product, "the links in Categories")
			if len(links) != 5 || links[0]["method"] != "click" {
				t.Errorf("observe = %v, want five links", links)
			}
			acts := run("act", product, "choose Graphite in Color", "Add to cart")
			if len(acts) != 2 || acts[1]["success"] != true {
				t.Errorf("act = %v, want two successes", acts)
			}
			facts := run("extract", product, "the specification", "--schema",
				`{"type":"object","properties":{"weight":{"type":"string"},"diameter":{"type":"string"}},"required":["weight","diameter"]}`)
			if facts[0]["weight"] != "112 g" || facts[0]["diameter"] != "58 mm" {
				t.Errorf("extract = %v, want 112 g and 58 mm", facts)
			}
		})
	}
}

// An observed action is done again without a model.
func TestActionAgain(t *testing.T) {
	_, site := shop(t)
	found := wayfinder(t, "observe", site, "Optics", "--json", "--driver", "memory")
	action, _, _ := strings.Cut(found.out, "\n")
	got := wayfinder(t, "act", site, "--action", action, "--driver", "memory", "--model", "none/at-all")
	if got.code != 0 || !strings.Contains(got.out, "category=Optics") {
		t.Errorf("act --action %s: exit %d\n%s%s", action, got.code, got.out, got.err)
	}
}

// A variable's value is typed, and never shown.
func TestVariable(t *testing.T) {
	var query string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sent" {
			query = r.FormValue("q")
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<form action="/sent"><label>Word <input name=q></label><button>Send</button></form>`)
	}))
	t.Cleanup(server.Close)
	got := wayfinder(t, "act", server.URL, "type %secret% into Word", "click Send", "--var", "secret=xyzzy-42", "--driver", "memory", "--json")
	if got.code != 0 || query != "xyzzy-42" {
		t.Errorf("exit %d, the server got %q\n%s", got.code, query, got.err)
	}
	if first, _, _ := strings.Cut(got.out, "\n"); strings.Contains(first, "xyzzy") || strings.Contains(got.err, "xyzzy") {
		t.Errorf("the value is shown: %s%s", got.out, got.err)
	}
}

func TestDemo(t *testing.T) {
	for _, d := range []string{"memory", "chrome"} {
		t.Run(d, func(t *testing.T) {
			if d == "chrome" {
				needChrome(t)
			}
			got := wayfinder(t, "demo", "--driver", d)
			if got.code != 0 || !strings.Contains(got.out, "All that was ordered arrived.") {
				t.Fatalf("wayfinder demo: exit %d\n%s%s", got.code, got.out, got.err)
			}
			if strings.Contains(got.out, "\x1b") {
				t.Error("colors where no terminal is")
			}
			if strings.Contains(got.out, tour.Password) || strings.Contains(got.out, "4000 0566") {
				t.Error("a secret is shown")
			}
		})
	}
}

func TestDemoJSON(t *testing.T) {
	got := wayfinder(t, "demo", "--driver", "memory", "--json")
	list := lines(t, got.out)
	last := list[len(list)-1]
	if got.code != 0 || last["kind"] != "order" || last["success"] != true {
		t.Errorf("wayfinder demo --json: exit %d, ends with %v", got.code, last)
	}
}

func TestDoctor(t *testing.T) {
	needChrome(t)
	got := wayfinder(t, "doctor", "--json")
	if got.code != 0 {
		t.Errorf("wayfinder doctor: exit %d\n%s%s", got.code, got.out, got.err)
	}
	checks := map[any]bool{}
	for _, l := range lines(t, got.out) {
		checks[l["check"]] = true
	}
	for _, want := range []string{"browser", "start", "sandbox", "model"} {
		if !checks[want] {
			t.Errorf("doctor does not check %q: %s", want, got.out)
		}
	}
}

// Keys are named, never shown.
func TestDoctorShowsNoKey(t *testing.T) {
	cmd := exec.CommandContext(context.Background(), program, "doctor")
	cmd.Env = environment("OPENAI_API_KEY=sk-not-to-be-seen", "WAYFINDER_CHROME="+filepath.Join(t.TempDir(), "none"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitEnvironment {
		t.Errorf("doctor without a browser: %v, want exit %d\n%s", err, exitEnvironment, out)
	}
	if !bytes.Contains(out, []byte("OPENAI_API_KEY")) || bytes.Contains(out, []byte("sk-not-to-be-seen")) {
		t.Errorf("the key's variable is not named, or the key is shown:\n%s", out)
	}
}

func TestCompletion(t *testing.T) {
	if got := wayfinder(t, "completion", "bash"); got.code != 0 || !strings.Contains(got.out, "wayfinder") {
		t.Errorf("completion bash: exit %d", got.code)
	}
	if got := wayfinder(t, "__complete", "act", "--driver", ""); !strings.Contains(got.out, "memory") {
		t.Errorf("completion of --driver = %q, want memory among them", got.out)
	}
}
