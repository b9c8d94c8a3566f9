package main

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
)

// measureNames finds the exported names that have no doc comment, counts the
// runnable examples, and finds the names that none of them mentions.
func measureNames(fset *token.FileSet, p *listed, files []*ast.File, r *room) error {
	var names []string
	add := func(name string, documented bool) {
		names = append(names, name)
		if !documented {
			r.Undocumented = append(r.Undocumented, name)
		}
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				receiver := ""
				if decl.Recv != nil {
					receiver = receiverName(decl.Recv.List[0].Type)
					if !ast.IsExported(receiver) {
						continue
					}
					receiver += "."
				}
				if decl.Name.IsExported() {
					add(receiver+decl.Name.Name, decl.Doc != nil)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if spec.Name.IsExported() {
							add(spec.Name.Name, decl.Doc != nil || spec.Doc != nil || spec.Comment != nil)
						}
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							if name.IsExported() {
								add(name.Name, decl.Doc != nil || spec.Doc != nil || spec.Comment != nil)
							}
						}
					}
				}
			}
		}
	}
	slices.Sort(r.Undocumented)
	if !r.Public {
		return nil
	}

	var tests []*ast.File
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		tests = append(tests, f)
	}
	shown := map[string]bool{}
	mention := func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			shown[id.Name] = true
		}
		return true
	}
	for _, e := range doc.Examples(tests...) {
		if e.Output != "" || e.EmptyOutput {
			r.Examples++
		}
		ast.Inspect(e.Code, mention)
		if e.Play != nil { // a whole file: what stands beside the example belongs to it
			ast.Inspect(e.Play, mention)
		}
	}
	for _, name := range names {
		if base := name[lastDot(name)+1:]; !shown[base] {
			r.Unshown = append(r.Unshown, name)
		}
	}
	slices.Sort(r.Unshown)
	return nil
}

func lastDot(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return i
		}
	}
	return -1
}

// receiverName is the type that a method belongs to.
func receiverName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiverName(t.X)
	case *ast.IndexExpr:
		return receiverName(t.X)
	case *ast.IndexListExpr:
		return receiverName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
