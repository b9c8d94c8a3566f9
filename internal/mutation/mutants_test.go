package main

import "testing"

// TestMutants: the lines that each mutant changes are there, once. Code moves, and a
// mutant that is left behind tries nothing.
func TestMutants(t *testing.T) {
	mutants, err := parse(table)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		if _, err := m.source("../.."); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}
