package drivertest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

func TestCasesAreNamed(t *testing.T) {
	names := contract(t)
	seen := map[string]bool{}
	for _, c := range Cases() {
		topic, what, ok := strings.Cut(c.Name, "/")
		if !ok || topic == "" || what == "" {
			t.Errorf("name %q is not topic/what", c.Name)
		}
		if seen[c.Name] {
			t.Errorf("two cases have the name %q", c.Name)
		}
		seen[c.Name] = true
		if !strings.HasSuffix(c.Rule, ".") || !names[c.Doc] || (c.check == nil) == (c.opened == nil) {
			t.Errorf("%s: rule %q is no sentence, package driver has no %q, or check is missing", c.Name, c.Rule, c.Doc)
		}
	}
	if len(seen) < 150 {
		t.Errorf("there are %d cases, want at least 150", len(seen))
	}
	t.Logf("%d cases", len(seen))
}

// contract is what package driver declares: types, members and constants, as "Node" and
// "Node.Box".
func contract(t *testing.T) map[string]bool {
	files, err := filepath.Glob("../*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no package driver: %v", err)
	}
	names := map[string]bool{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for _, name := range n.Names {
					names[name.Name] = true
				}
			case *ast.TypeSpec:
				names[n.Name.Name] = true
				ast.Inspect(n.Type, func(of ast.Node) bool {
					if field, ok := of.(*ast.Field); ok {
						for _, name := range field.Names {
							names[n.Name.Name+"."+name.Name] = true
						}
					}
					return true
				})
			}
			return true
		})
	}
	return names
}
