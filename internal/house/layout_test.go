package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// parse makes a graph of "a>b c>d": a uses b, c uses d.
func parse(text string) *graph {
	g := &graph{}
	node := func(name string) int {
		if i := slices.Index(g.files, name); i >= 0 {
			return i
		}
		g.files = append(g.files, name)
		g.to = append(g.to, map[int]map[string]bool{})
		return len(g.files) - 1
	}
	for _, pair := range strings.Fields(text) {
		from, to, _ := strings.Cut(pair, ">")
		i, j := node(from), node(to)
		g.to[i][j] = map[string]bool{"x": true}
	}
	return g
}

func TestLayout(t *testing.T) {
	for _, tc := range []struct {
		name, graph, order, up string
	}{
		{"a chain has one order", "b>c a>b", "a b c", ""},
		{"what is used by two stands below both", "a>c b>c a>b", "a b c", ""},
		{"a cycle of two costs one", "a>b b>a", "", "1"},
		{"a cycle of three costs one", "a>b b>c c>a", "", "1"},
		{"one arrow up, and not the four down", "a>b b>c c>d a>d d>a", "a b c d", "d>a"},
		{"two cycles cost two", "a>b b>a b>c c>d d>c", "", "2"},
		{"two cycles through one arrow cost one", "a>b b>c c>a b>d d>a", "", "1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := parse(tc.graph)
			order, up := g.layout()
			var arrows []string
			for _, a := range up {
				arrows = append(arrows, a.From+">"+a.To)
			}
			if len(order) != len(g.files) {
				t.Errorf("layout(%s) orders %v of %v", tc.graph, order, g.files)
			}
			if got := strings.Join(order, " "); tc.order != "" && got != tc.order {
				t.Errorf("layout(%s) = %s, want %s", tc.graph, got, tc.order)
			}
			if got := strings.Join(arrows, " "); got != tc.up && fmt.Sprint(len(arrows)) != tc.up {
				t.Errorf("layout(%s) has %s running up, want %s", tc.graph, got, tc.up)
			}
		})
	}
}

// TestExceptionsHaveReasons: what is allowed more than usual says why.
func TestExceptionsHaveReasons(t *testing.T) {
	for folder, l := range exceptions {
		if l.Why == "" {
			t.Errorf("%s: no reason", folder)
		}
	}
}
