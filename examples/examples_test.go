package examples

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// A program is an example and what it prints.
type program struct {
	name   string   // of its folder, and, where it runs several times, of the case: /memory is its flag
	chrome bool     // whether it opens Chrome
	says   []string // lines of its output, as they begin
}

var programs = []program{
	{"extract", true, []string{
		"Meridian compass         89.00  http://127.0.0.1:",
		"Alpine map set           64.50  http://127.0.0.1:",
		"Horizon telescope      1249.00  http://127.0.0.1:",
	}},
	{"act", true, []string{
		`by words: clicked link "Meridian compass": went to http://127.0.0.1:`,
		`replayed: clicked link "Meridian compass": went to http://127.0.0.1:`,
	}},
	{"owntool", false, []string{
		`step 1 asks for [pay]: transfer {"to": "Ada", "amount": 400}; the model says: The invoice is due.`,
		"1 transfer failed not approved: more than 50.00 is not for you to decide",
		"2 transfer done 40.00 went to Ada, while at https://bank.test/",
	}},
	{"resume", false, []string{`killed after: filled textbox "Name"`, "2 done clicked button \"Order\": went to https://shop.test/order (200)"}},
	{"scraper", true, []string{
		`{"title":"Knots","price":12.5,"link":"http://127.0.0.1:`,
		`{"title":"Winds","price":9.95,"link":"http://127.0.0.1:`,
	}},
	{"scraper/memory", false, []string{
		`{"title":"Knots","price":12.5,"link":"http://127.0.0.1:`,
		`{"title":"Winds","price":9.95,"link":"http://127.0.0.1:`,
	}},
	{"checkout", true, []string{
		"asked about [pay]", "success: false paid: []", "success: true paid: [48.00 with 4000 0566 5566 5556]",
	}},
	{"checkout/memory", false, []string{
		"asked about [pay]", "success: false paid: []", "success: true paid: [48.00 with 4000 0566 5566 5556]",
	}},
	{"owndriver", true, []string{`filled textbox "Name"; inputs that were timed: true`}},
	{"owndriver/memory", false, []string{`filled textbox "Name"; inputs that were timed: true`}},
	{"mcpclient", false, []string{"snapshot: ", "act: filled textbox \"Name\""}},
	{"tenants", false, []string{"acme: clicked", "acme again: 429 too_many_sessions", "birch in acme's session: 403 forbidden", "a stranger: 401 unauthorized"}},
	{"memory", false, []string{"ordered: T-417"}},
	{"ownmodel", false, []string{`example/exact: clicked link "Weather": went to https://news.test/weather`}},
	{"vendor/google", false, []string{`google/gemini-2.5-flash: clicked link "Weather": went to https://news.test/weather`, "700 tokens in, 0 of them cached, 25 out, 5 of them thoughts"}},
	{"vendor/vertex", false, []string{`vertex/gemini-2.5-flash: clicked link "Weather": went to https://news.test/weather`}},
	{"vendor/openai", false, []string{`openai/gpt-5-mini: clicked link "Weather": went to https://news.test/weather`, "700 tokens in, 500 of them cached, 20 out, 0 of them thoughts, for $0.0001"}},
	{"vendor/anthropic", false, []string{`anthropic/claude-haiku-4-5: clicked link "Weather": went to https://news.test/weather`}},
	{"vendor/azure", false, []string{`azure/gpt-5-mini: clicked link "Weather": went to https://news.test/weather`}},
	{"vendor/bedrock", false, []string{`bedrock/anthropic.claude-haiku-4-5-20251001-v1:0: clicked link "Weather": went to https://news.test/weather`}},
	{"vendor/microsoft", false, []string{`microsoft/Phi-4: clicked link "Weather": went to https://news.test/weather`}},
	{"vendor/compatible", false, []string{`openai/qwen3: clicked link "Weather": went to https://news.test/weather`}},
}

func TestExamples(t *testing.T) {
	folder := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-w", "-o", folder+string(filepath.Separator), "./...")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			if p.chrome {
				needChrome(t)
			}
			name, run, _ := strings.Cut(p.name, "/")
			if runtime.GOOS == "windows" {
				name += ".exe"
			}
			var stderr strings.Builder
			cmd := exec.CommandContext(t.Context(), filepath.Join(folder, name))
			if run == "memory" {
				cmd.Args = append(cmd.Args, "-memory")
			}
			if serve := vendors[run]; serve != nil {
				args, env := serve(t)
				cmd.Args, cmd.Env = append(cmd.Args, args...), append(os.Environ(), env...)
			}
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("it ended with %v and said\n%s%s", err, out, stderr.String())
			}
			for _, line := range p.says {
				if !strings.Contains("\n"+string(out), "\n"+line) {
					t.Errorf("its output has no line that begins with %q:\n%s", line, out)
				}
			}
		})
	}
}

// TestEveryExampleIsRun keeps the list whole.
func TestEveryExampleIsRun(t *testing.T) {
	folders, err := filepath.Glob("*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, p := range programs {
		name, _, _ := strings.Cut(p.name, "/")
		listed[name] = true
	}
	for _, f := range folders {
		if name := filepath.Dir(f); !listed[name] {
			t.Errorf("the example %s is run by no test", name)
		}
	}
	if len(folders) != len(listed) {
		t.Errorf("%d examples are listed, and there are %d", len(listed), len(folders))
	}
}

// TestExamplesCanBeCopied keeps them to what another module may import.
func TestExamplesCanBeCopied(t *testing.T) {
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if strings.Contains(spec.Path.Value, "/internal/") {
				t.Errorf("%s imports %s, which no other module may", name, spec.Path.Value)
			}
		}
	}
}

// needChrome skips the test where no Chrome is, unless there must be one.
func needChrome(t *testing.T) {
	t.Helper()
	_, err := cdp.Find()
	chrometest.Need(t, err)
}
