package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
)

// An arrow says that one file uses what another declares.
type arrow struct {
	From, To string
	Names    []string // what is used, sorted
}

// A graph is the files of a package with their arrows.
type graph struct {
	files []string
	to    []map[int]map[string]bool // file → file → names that are used
}

// uses draws the arrows between files.
func uses(fset *token.FileSet, files []*ast.File, info *types.Info) *graph {
	g := &graph{}
	index := map[string]int{}
	for _, f := range files {
		name := fset.File(f.FileStart).Name()
		index[name] = len(g.files)
		g.files = append(g.files, filepath.Base(name))
		g.to = append(g.to, map[int]map[string]bool{})
	}
	for i, f := range files {
		receivers := map[ast.Node]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					receivers[n.Recv] = true
				}
			case *ast.FieldList:
				if receivers[n] {
					return false
				}
			case *ast.Ident:
				obj := info.Uses[n]
				if obj == nil || !obj.Pos().IsValid() {
					return true
				}
				if j, ok := index[fset.File(obj.Pos()).Name()]; ok && i != j {
					if g.to[i][j] == nil {
						g.to[i][j] = map[string]bool{}
					}
					g.to[i][j][obj.Name()] = true
				}
			}
			return true
		})
	}
	return g
}

func (g *graph) count() (n int) {
	for _, to := range g.to {
		n += len(to)
	}
	return n
}

// layout returns the files in the order in which the fewest arrows run up, and
// the arrows that do.
func (g *graph) layout() (order []string, up []arrow) {
	var seq []int
	for _, component := range g.components() {
		seq = append(seq, g.sift(g.greedy(component))...)
	}
	at := make([]int, len(g.files))
	for i, f := range seq {
		at[f] = i
		order = append(order, g.files[f])
	}
	for _, f := range seq {
		for to, names := range g.to[f] {
			if at[to] < at[f] {
				a := arrow{From: g.files[f], To: g.files[to]}
				for name := range names {
					a.Names = append(a.Names, name)
				}
				slices.Sort(a.Names)
				up = append(up, a)
			}
		}
	}
	slices.SortFunc(up, func(a, b arrow) int { return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From)) })
	return order, up
}

// components returns the strongly connected components, each before those that
// it points to: Tarjan's algorithm, whose result comes the other way round.
func (g *graph) components() [][]int {
	const unseen = -1
	n := len(g.files)
	number, low, on := make([]int, n), make([]int, n), make([]bool, n)
	for i := range number {
		number[i] = unseen
	}
	var stack []int
	var found [][]int
	next := 0
	var visit func(int)
	visit = func(v int) {
		number[v], low[v] = next, next
		next++
		stack, on[v] = append(stack, v), true
		for w := range n {
			if g.to[v][w] == nil {
				continue
			}
			if number[w] == unseen {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], number[w])
			}
		}
		if low[v] != number[v] {
			return
		}
		i := slices.Index(stack, v)
		component := slices.Clone(stack[i:])
		stack = stack[:i]
		for _, w := range component {
			on[w] = false
		}
		slices.Sort(component)
		found = append(found, component)
	}
	for v := range n {
		if number[v] == unseen {
			visit(v)
		}
	}
	slices.Reverse(found)
	return found
}

// greedy orders the files of a component by the rule of Eades, Lin and Smyth:
// what nothing points to goes first, what points to nothing goes last, and
// otherwise the file first that points to most and is pointed to least.
func (g *graph) greedy(files []int) []int {
	left := slices.Clone(files)
	var top, bottom []int
	for len(left) > 0 {
		best, bestScore, sink := 0, -1<<31, false
		for i, f := range left {
			in, out := 0, 0
			for _, other := range left {
				if g.to[f][other] != nil {
					out++
				}
				if g.to[other][f] != nil {
					in++
				}
			}
			if out == 0 {
				best, sink = i, true
				break
			}
			if in == 0 {
				out += len(files)
			}
			if out-in > bestScore {
				best, bestScore = i, out-in
			}
		}
		if sink {
			bottom = append(bottom, left[best])
		} else {
			top = append(top, left[best])
		}
		left = slices.Delete(left, best, best+1)
	}
	slices.Reverse(bottom)
	return append(top, bottom...)
}

// sift moves one file after another to where the fewest arrows run up, until
// none can be moved to a better place.
func (g *graph) sift(seq []int) []int {
	for better := true; better; {
		better = false
		for _, f := range slices.Clone(seq) {
			from := slices.Index(seq, f)
			rest := slices.Delete(slices.Clone(seq), from, from+1)
			// cost of a place: arrows from f to files above it, and from files below it to f
			cost := 0
			for _, other := range rest {
				if g.to[other][f] != nil {
					cost++
				}
			}
			costs := []int{cost}
			for _, other := range rest {
				if g.to[f][other] != nil {
					cost++
				}
				if g.to[other][f] != nil {
					cost--
				}
				costs = append(costs, cost)
			}
			place := from
			for i, c := range costs {
				if c < costs[place] {
					place = i
				}
			}
			if place != from {
				seq, better = slices.Insert(rest, place, f), true
			}
		}
	}
	return seq
}
