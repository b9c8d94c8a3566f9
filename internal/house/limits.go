package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A limit is what a package may come to. Examples is what it needs at least.
type limit struct {
	Files    int
	Longest  int // lines of its longest file
	Up       int // arrows that run up
	Undoc    int // exported names without a doc comment, of a package that others may import
	Examples int
	Why      string // of an exception: why it is allowed
}

// usual holds for every package that no exception is made for.
var usual = limit{Files: 30, Longest: 500, Up: 5, Undoc: 0, Examples: 1}

// exceptions are the packages that may be larger than usual, each with the
// reason. A figure of zero stands for the usual one. What has become smaller is
// lowered here: a limit only ever goes down.
var exceptions = map[string]limit{
	"driver/drivertest": {Files: 32, Why: "its files are groups of cases, one for each topic of the contract"},
	"engine":            {Examples: 10, Why: "its examples are the manual of the whole module"},
}

// exampleless are the public packages that need no example.
var exampleless = []string{
	".",           // the module's page, without code
	"server/wire", // plain data, which the examples of server/client show
	"driver/cdp",  // its examples need a Chrome, and are compiled
}

// limitOf is what holds for a package.
func limitOf(r *room) limit {
	l := exceptions[r.Folder]
	l.Files = orUsual(l.Files, usual.Files)
	l.Longest = orUsual(l.Longest, usual.Longest)
	l.Up = orUsual(l.Up, usual.Up)
	l.Undoc = orUsual(l.Undoc, usual.Undoc)
	l.Examples = orUsual(l.Examples, usual.Examples)
	if !r.Public || slices.Contains(exampleless, r.Folder) {
		l.Examples = 0
	}
	return l
}

func orUsual(n, usual int) int {
	if n == 0 {
		return usual
	}
	return n
}

// judge returns which limits are broken, and which exceptions allow more than
// is there. whole says that these are all packages of the module.
func judge(rooms []*room, whole bool) (broken, loose []string) {
	seen := map[string]bool{}
	for _, r := range rooms {
		seen[r.Folder] = true
		l := limitOf(r)
		undocumented := len(r.Undocumented)
		if !r.Public {
			undocumented = 0
		}
		exception, excepted := exceptions[r.Folder]
		for _, c := range []struct {
			what                  string
			have, most, exception int
		}{
			{"files", len(r.Files), l.Files, exception.Files},
			{"lines in " + r.longest().Name, r.longest().Lines, l.Longest, exception.Longest},
			{"arrows that run up", len(r.Up), l.Up, exception.Up},
			{"exported names without a doc comment", undocumented, l.Undoc, exception.Undoc},
		} {
			if c.have > c.most {
				broken = append(broken, fmt.Sprintf("%s has %d %s, and may have %d", r.Folder, c.have, c.what, c.most))
			} else if c.exception > c.have {
				loose = append(loose, fmt.Sprintf("%s has %d %s, and may have %d", r.Folder, c.have, c.what, c.most))
			}
		}
		if r.Examples < l.Examples {
			broken = append(broken, fmt.Sprintf("%s has %d runnable examples, and needs %d", r.Folder, r.Examples, l.Examples))
		}
		if excepted && strings.TrimSpace(exception.Why) == "" {
			broken = append(broken, fmt.Sprintf("%s is an exception without a reason", r.Folder))
		}
	}
	if whole {
		for _, folder := range slices.Sorted(maps.Keys(exceptions)) {
			if !seen[folder] {
				broken = append(broken, fmt.Sprintf("%s is an exception, and no package", folder))
			}
		}
	}
	return broken, loose
}
