package wayfinder_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// snippetImports are the packages that a snippet of the documentation may name.
var snippetImports = map[string]string{
	"agent": module + "/agent", "runs": module + "/agent/runs", "cdp": module + "/driver/cdp", "driver": module + "/driver", "engine": module + "/engine",
	"fake": module + "/driver/fake", "offline": module + "/llm/offline", "llm": module + "/llm", "middleware": module + "/llm/middleware", "openai": module + "/llm/openai",
	"context": "context", "errors": "errors", "fmt": "fmt", "json": "encoding/json", "os": "os", "strings": "strings", "time": "time", "trace": module + "/trace",
	"script": module + "/agent/script", "testing": "testing", "wayfindertest": module + "/wayfindertest",
}

// TestDocsCompile has the compiler read every Go snippet of docs/ and README.md. A snippet is
// the body of a function that is given a context, a model, a session and its page,
// or declarations. Those that link a vendor's SDK, which takes minutes to compile, are left
// out of a newcomer's go test ./...
func TestDocsCompile(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("docs/*.md: %v, %v", pages, err)
	}
	pages = append(pages, "README.md")
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	build := []string{"build", "-overlay"}
	folder, root := t.TempDir(), must(os.Getwd())(t)
	var packages []string
	for _, page := range pages {
		text := string(must(os.ReadFile(page))(t))
		most := 80 // a screen
		if page == "README.md" {
			most = 150
		}
		if n := strings.Count(text, "\n"); n > most && !strings.Contains(text, "<!-- generated") {
			t.Errorf("%s has %d lines, and should have %d at most", page, n, most)
		}
		for i, block := range strings.Split(text, "```") {
			code, isGo := strings.CutPrefix(block, "go\n")
			if i%2 == 0 || !isGo {
				continue
			}
			source, err := snippet(code, fmt.Sprintf("//line %s:%d\n", filepath.Join(root, page), 2+strings.Count(strings.Join(strings.Split(text, "```")[:i], "```"), "\n")))
			if err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			if strings.Contains(source, strconv.Quote(snippetImports["openai"])) && !chrometest.All() {
				continue
			}
			name := fmt.Sprintf("%s%d", strings.ReplaceAll(strings.TrimSuffix(filepath.Base(page), ".md"), "-", ""), i)
			file := filepath.Join(folder, name+".go")
			if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			overlay.Replace[filepath.Join(root, "docs", name, "snippet.go")] = file
			packages = append(packages, "./docs/"+name)
		}
	}
	data := must(json.Marshal(overlay))(t)
	list := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(list, data, 0o600); err != nil {
		t.Fatal(err)
	}
	readAll(t) // for the test cache, as the compiler reads all of it
	if out, err := exec.CommandContext(t.Context(), "go", slices.Concat(build, []string{list}, packages)...).CombinedOutput(); err != nil {
		t.Errorf("go build: %v\n%s", err, out)
	}
}

// snippet makes a file of a snippet. line says where it comes from.
func snippet(code, line string) (string, error) {
	body := line + code
	if _, err := parser.ParseFile(token.NewFileSet(), "snippet.go", "package snippet\n"+code, 0); err != nil { // no declarations
		body = "func _(ctx context.Context, model engine.LLM, session *engine.Session, page *engine.Page) error {\n{\n" + body + "}\nreturn nil\n}\n"
	}
	file, err := parser.ParseFile(token.NewFileSet(), "snippet.go", "package snippet\n"+body, 0)
	if err != nil {
		return "", err
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && snippetImports[id.Name] != "" {
				used[id.Name] = true
			}
		}
		return true
	})
	var b strings.Builder
	b.WriteString("package snippet\n")
	for name := range used {
		fmt.Fprintf(&b, "import %s %q\n", name, snippetImports[name])
	}
	b.WriteString(body)
	return b.String(), nil
}

// must returns a function that gives a value, or fails the test.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
