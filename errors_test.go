package wayfinder_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// troubleshooting is the page of errors. What an error means is its doc comment;
// what to do stands in the page itself, by the error's name.
const troubleshooting = "docs/troubleshooting.md"

// A sentinel is an error to branch on, of a package that programs import.
type sentinel struct{ name, text, means string }

// TestTroubleshooting: the page has each sentinel with its text and its meaning, and
// says what to do. WAYFINDER_UPDATE=1 rewrites all but the latter.
func TestTroubleshooting(t *testing.T) {
	page := string(must(os.ReadFile(troubleshooting))(t))
	head, rows, ok := strings.Cut(page, "|---|---|---|\n")
	if !ok {
		t.Fatalf("%s has no table of errors", troubleshooting)
	}
	advice := map[string]string{}
	for line := range strings.Lines(rows) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if m := regexp.MustCompile("`([^`]+)`$").FindStringSubmatch(cells[0]); m != nil && len(cells) == 3 {
			advice[m[1]] = strings.TrimSpace(cells[2])
		}
	}
	var want strings.Builder
	want.WriteString(head + "|---|---|---|\n")
	all := sentinels(t)
	for _, s := range all {
		if advice[s.name] == "" {
			t.Errorf("%s does not say what to do about %s (%s)", troubleshooting, s.name, s.text)
		}
		fmt.Fprintf(&want, "| %s<br>`%s` | %s | %s |\n", s.text, s.name, s.means, advice[s.name])
	}
	if len(all) < 50 {
		t.Errorf("%d sentinels are found, which are too few to be all", len(all))
	}
	update(t, troubleshooting, page, want.String())
}

// update compares a generated file, and rewrites it with WAYFINDER_UPDATE=1.
func update(t *testing.T, name, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	if os.Getenv("WAYFINDER_UPDATE") == "" {
		t.Errorf("%s is out of date: WAYFINDER_UPDATE=1 go test . -run %s, and read the diff", name, t.Name())
	} else if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestErrorTexts holds the texts of errors against a list, so that a change of one
// is seen in a diff: of each package that programs import, and of the command.
func TestErrorTexts(t *testing.T) {
	const list = "testdata/errors.txt"
	texts := map[string]bool{}
	eachFile(t, func(folder string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			name := callee(call)
			if text, err := literal(call.Args[0]); err == nil && (name == "errors.New" || name == "fmt.Errorf" || folder == "cmd/wayfinder" && name == "usage") {
				texts[folder+": "+text] = true
			}
			return true
		})
	})
	want := strings.Join(slices.Sorted(maps.Keys(texts)), "\n") + "\n"
	got, err := os.ReadFile(list)
	if err != nil && os.Getenv("WAYFINDER_UPDATE") == "" {
		t.Fatal(err)
	}
	update(t, list, string(got), want)
}

// sentinels are those of all packages outside of internal folders, by package and name.
func sentinels(t *testing.T) []sentinel {
	t.Helper()
	var all []sentinel
	eachFile(t, func(folder string, file *ast.File) {
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.VAR {
				continue
			}
			for _, spec := range group.Specs {
				value := spec.(*ast.ValueSpec)
				if len(value.Values) != 1 || !strings.HasPrefix(value.Names[0].Name, "Err") {
					continue
				}
				call, ok := value.Values[0].(*ast.CallExpr)
				if !ok || callee(call) != "errors.New" {
					continue // another package's, under a second name
				}
				text, err := literal(call.Args[0])
				if err != nil {
					continue
				}
				name := value.Names[0].Name
				means := value.Doc.Text() + value.Comment.Text()
				if means == "" {
					means = group.Doc.Text()
				}
				all = append(all, sentinel{file.Name.Name + "." + name, cell(text), meaning(name, means)})
			}
		}
	})
	slices.SortFunc(all, func(a, b sentinel) int { return strings.Compare(a.text+a.name, b.text+b.name) })
	return all
}

// meaning is a doc comment without the name that it begins with.
func meaning(name, doc string) string {
	doc = strings.Join(strings.Fields(doc), " ")
	if rest, ok := strings.CutPrefix(doc, name+": "); ok {
		doc = strings.ToUpper(rest[:1]) + rest[1:]
	}
	return cell(regexp.MustCompile(`\[([A-Za-z.]+)\](\.[A-Za-z]+)?`).ReplaceAllString(doc, "`$1$2`"))
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func callee(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
	}
	return ""
}

// literal is the text of a string, of parts joined by + as well.
func literal(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.Unquote(e.Value)
	case *ast.BinaryExpr:
		x, err := literal(e.X)
		if err != nil {
			return "", err
		}
		y, err := literal(e.Y)
		return x + y, err
	}
	return "", fmt.Errorf("%T is no text", e)
}

// eachFile visits the files of the packages that programs import, and of the
// command, without their tests.
func eachFile(t *testing.T, visit func(folder string, file *ast.File)) {
	t.Helper()
	skipped := []string{"testdata", "bench", "examples", "drivertest", "demo", "llmtest"}
	reached := []string{"internal", "internal/fleet", "internal/outgoing"} // by what programs import
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			below := path.Dir(name) == "internal" || d.Name() == "internal"
			if name != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(skipped, d.Name()) || below && !slices.Contains(reached, name)) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err == nil {
			visit(path.Dir(name), file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
