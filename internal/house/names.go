package main

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// measureNames finds the exported names that have no doc comment, counts the
// runnable examples, and finds the names that none of them mentions.
//
// A method needs no comment of its own where an interface has it that its type
// implements, of this package or of one that it imports: the interface's comment
// holds. Nor do Error, Unwrap and String.
func measureNames(fset *token.FileSet, p *listed, files []*ast.File, pkg *types.Package, r *room) error {
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
					method := decl.Name.Name
					add(receiver+method, decl.Doc != nil || receiver != "" && promised(pkg, strings.TrimSuffix(receiver, "."), method))
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

// promised says that a method is one of an interface.
func promised(pkg *types.Package, typeName, method string) bool {
	switch method {
	case "Error", "Unwrap", "String":
		return true
	}
	obj := pkg.Scope().Lookup(typeName)
	if obj == nil {
		return false
	}
	for _, in := range append([]*types.Package{pkg}, pkg.Imports()...) {
		for _, name := range in.Scope().Names() {
			named, ok := in.Scope().Lookup(name).(*types.TypeName)
			if !ok || !named.Exported() {
				continue
			}
			iface, ok := named.Type().Underlying().(*types.Interface)
			if !ok || generic(named.Type()) || generic(obj.Type()) {
				continue
			}
			if m, _, _ := types.LookupFieldOrMethod(iface, false, in, method); m != nil &&
				(types.Implements(obj.Type(), iface) || types.Implements(types.NewPointer(obj.Type()), iface)) {
				return true
			}
		}
	}
	return false
}

func generic(t types.Type) bool {
	named, ok := t.(*types.Named)
	return ok && named.TypeParams().Len() > 0
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
