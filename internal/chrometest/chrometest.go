// Package chrometest says for the tests of this project which of them run on Chrome.
//
// Where no Chrome is found its tests are skipped, and fail if WAYFINDER_REQUIRE_CHROME is
// 1. What repeats on Chrome, or in a sweep, what a faster test shows, is run only if
// WAYFINDER_TESTS is all, as in continuous integration, or where tests are named by -run:
// go test ./... is for the minutes between two changes.
//
// With the race detector a sweep in memory takes a part of its cases (see [Thin]): each
// case computes for itself, five to ten times as slowly, and a few show what races there
// are. All of them are run without it, by make browserless, which make check begins with.
package chrometest

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"testing"
)

// Need ends the test where err, of looking for Chrome or starting one, is not nil. It
// skips the test if there is no Chrome and none is required, and else fails it.
func Need(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, fs.ErrNotExist) && !Required():
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
}

// Required reports whether a missing Chrome is a failure.
func Required() bool { return os.Getenv("WAYFINDER_REQUIRE_CHROME") == "1" }

// All reports whether every test is wanted, however long it takes: in continuous
// integration, and where tests are named by -run.
func All() bool {
	return os.Getenv("WAYFINDER_TESTS") == "all" || flag.Lookup("test.run").Value.String() != ""
}

// Long skips a test that is not for the minutes between two changes.
func Long(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("takes long: run it by its name, or all of them with WAYFINDER_TESTS=all")
	}
}

// Thin returns n with the race detector, and else 1: a sweep takes one case of as many.
func Thin(n int) int {
	if RaceDetector {
		return n
	}
	return 1
}

// NoRace skips a test with the race detector: it measures, or goes through much, and its
// figures need all cases.
func NoRace(t testing.TB) {
	t.Helper()
	if RaceDetector {
		t.Skip("it computes much, and is run without the race detector")
	}
}
