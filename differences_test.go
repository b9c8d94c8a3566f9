package wayfinder_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// differing are the functions of driver/fake's conformance tests that list what
// the browser in memory does otherwise, with the words of docs/memory.md for where.
var differing = map[string]string{
	"differences":                "always",
	"TestConformance":            "with an `http.Handler`",
	"TestConformanceOverNetwork": "over the network",
}

// A difference is a case, or a topic, that the browser in memory differs in.
type difference struct{ name, where string }

// TestDocsListTheDifferences compares the table in docs/memory.md with what the
// conformance tests of driver/fake list: neither changes without the other.
func TestDocsListTheDifferences(t *testing.T) {
	listed, shown := conformanceDifferences(t), shownDifferences(t)
	for d, reason := range listed {
		switch said, ok := shown[d]; {
		case !ok:
			t.Errorf("docs/memory.md: the table of differences lacks %q (%s)", d.name, d.where)
		case said != reason:
			t.Errorf("docs/memory.md says of %q (%s): %q; the conformance tests say %q", d.name, d.where, said, reason)
		}
	}
	for d := range shown {
		if _, ok := listed[d]; !ok {
			t.Errorf("docs/memory.md: the table of differences has %q (%s), which the conformance tests do not list", d.name, d.where)
		}
	}
}

// conformanceDifferences reads the reasons out of driver/fake's conformance tests.
func conformanceDifferences(t *testing.T) map[difference]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "driver/fake/conformance_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all, found := map[difference]string{}, map[string]bool{}
	harnesses := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Harness" {
			harnesses++
		}
		return true
	})
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || differing[f.Name.Name] == "" {
			continue
		}
		found[f.Name.Name] = true
		ast.Inspect(f, func(n ast.Node) bool {
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, isText := kv.Key.(*ast.BasicLit)
			value, alsoText := kv.Value.(*ast.BasicLit)
			if isText && alsoText {
				name := must(strconv.Unquote(key.Value))(t)
				all[difference{name, differing[f.Name.Name]}] = must(strconv.Unquote(value.Value))(t)
			}
			return true
		})
	}
	if len(found) != len(differing) || harnesses != len(differing)-1 {
		t.Fatalf("driver/fake/conformance_test.go has %d harnesses, and of the functions %v only %v: this test reads them by their names",
			harnesses, slices.Sorted(maps.Keys(differing)), slices.Sorted(maps.Keys(found)))
	}
	return all
}

// shownDifferences reads the table of docs/memory.md.
func shownDifferences(t *testing.T) map[difference]string {
	t.Helper()
	_, table, ok := strings.Cut(string(must(os.ReadFile("docs/memory.md"))(t)), "| what | cases | where | how it differs |\n")
	if !ok {
		t.Fatal("docs/memory.md has no table of differences")
	}
	all := map[difference]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if !strings.HasPrefix(line, "|") {
			break
		}
		if len(cells) != 4 { // the rule below the head
			continue
		}
		for name := range strings.SplitSeq(cells[1], ", ") {
			all[difference{strings.Trim(name, "`"), cells[2]}] = strings.TrimSuffix(cells[3], " |")
		}
	}
	return all
}
