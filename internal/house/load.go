package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A room is a package of this module, measured.
type room struct {
	Folder string
	Public bool // other modules may import it
	Files  []file

	Arrows int      // how many
	Order  []string // files, callers first
	Up     []arrow

	Undocumented []string
	Examples     int
	Unshown      []string
}

// A file is one without tests.
type file struct {
	Name  string
	Lines int
}

func (r *room) median() int {
	if len(r.Files) == 0 {
		return 0
	}
	lines := make([]int, len(r.Files))
	for i, f := range r.Files {
		lines[i] = f.Lines
	}
	slices.Sort(lines)
	return lines[len(lines)/2]
}

func (r *room) longest() file {
	var long file
	for _, f := range r.Files {
		if f.Lines > long.Lines {
			long = f
		}
	}
	return long
}

// A listed package is what go list says of it.
type listed struct {
	ImportPath, Dir, Name, Export            string
	GoFiles, IgnoredGoFiles, CgoFiles        []string
	TestGoFiles, XTestGoFiles, Imports, Deps []string
	DepOnly                                  bool
	Module                                   *struct {
		Path, Dir string
		Main      bool
	}
}

// list asks the go command for packages.
func list(args ...string) ([]*listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Name,Export,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles,Imports,DepOnly,Module"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var packages []*listed
	for dec := json.NewDecoder(out); ; {
		p := new(listed)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, errors.Join(fmt.Errorf("go list: %w", err), cmd.Wait())
		}
		packages = append(packages, p)
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return packages, nil
}

// load measures packages. Those of this module are read from their sources;
// what they import of others, from what the compiler has left in its cache.
func load(patterns []string) ([]*room, error) {
	packages, err := list(append([]string{"-deps"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	own, foreign := map[string]*listed{}, map[string]bool{}
	var order []*listed // each after what it imports: go list -deps does so
	for _, p := range packages {
		if p.Module != nil && p.Module.Main {
			own[p.ImportPath] = p
			order = append(order, p)
		}
	}
	for _, p := range order {
		for _, path := range p.Imports {
			if own[path] == nil && path != "unsafe" {
				foreign[path] = true
			}
		}
	}
	c := &checker{fset: token.NewFileSet(), done: map[string]*checked{}, exports: map[string]string{}}
	args := []string{"-export"}
	for path := range foreign {
		args = append(args, path)
	}
	if len(foreign) > 0 {
		compiled, err := list(args...)
		if err != nil {
			return nil, err
		}
		for _, p := range compiled {
			c.exports[p.ImportPath] = p.Export
		}
	}
	c.foreign = importer.ForCompiler(c.fset, "gc", c.open)
	for _, p := range order {
		c.done[p.ImportPath] = &checked{ready: make(chan struct{})}
	}
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, p := range order {
		go func() {
			for _, path := range p.Imports {
				if d := c.done[path]; d != nil {
					<-d.ready
				}
			}
			places <- struct{}{}
			c.check(p)
			<-places
			close(c.done[p.ImportPath].ready)
		}()
	}
	var rooms []*room
	for _, p := range order {
		d := c.done[p.ImportPath]
		<-d.ready
		if d.err != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", p.ImportPath, d.err))
		} else if !p.DepOnly && len(p.GoFiles) > 0 {
			rooms = append(rooms, d.room)
		}
	}
	slices.SortFunc(rooms, func(a, b *room) int { return strings.Compare(a.Folder, b.Folder) })
	return rooms, err
}

// A checker checks the types of packages. A package waits for those that it
// imports.
type checker struct {
	fset    *token.FileSet
	done    map[string]*checked
	exports map[string]string // where the compiled form of a foreign package is

	mu      sync.Mutex // protects foreign
	foreign types.Importer
}

type checked struct {
	ready chan struct{} // closed once the rest is set
	types *types.Package
	room  *room
	err   error
}

// Import implements types.Importer.
func (c *checker) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if d := c.done[path]; d != nil {
		return d.types, d.err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.foreign.Import(path)
}

func (c *checker) open(path string) (io.ReadCloser, error) {
	export, ok := c.exports[path]
	if !ok {
		return nil, fmt.Errorf("nothing compiled of %s", path)
	}
	return os.Open(export)
}

// check measures one package.
func (c *checker) check(p *listed) {
	d := c.done[p.ImportPath]
	r := &room{Folder: folder(p.Module.Dir, p.Dir), Public: public(p)}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			d.err = err
			return
		}
		files = append(files, f)
		r.Files = append(r.Files, file{Name: name, Lines: c.fset.File(f.FileStart).LineCount() - 1})
	}
	for _, name := range p.IgnoredGoFiles {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			d.err = err
			return
		}
		r.Files = append(r.Files, file{Name: name, Lines: strings.Count(string(text), "\n")})
	}
	info := &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	config := types.Config{Importer: c}
	if d.types, d.err = config.Check(p.ImportPath, c.fset, files, info); d.err != nil {
		return
	}
	g := uses(c.fset, files, info)
	r.Arrows = g.count()
	r.Order, r.Up = g.layout()
	d.err = measureNames(c.fset, p, files, d.types, r)
	d.room = r
}

// public says that other modules may import a package.
func public(p *listed) bool {
	return p.Name != "main" && !slices.Contains(strings.Split(p.ImportPath, "/"), "internal")
}

// folder is a package's directory within the module, as the limits name it.
func folder(root, dir string) string {
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return dir
	}
	return filepath.ToSlash(rel)
}
