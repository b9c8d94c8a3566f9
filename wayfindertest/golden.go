package wayfindertest

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// updateVariable, if it is true, has files written instead of compared.
const updateVariable = "WAYFINDER_UPDATE"

// UpdateFlag defines the flag -update, unless there is one, and returns
// whether files are to be written. It is called while a package of tests is
// initialized:
//
//	var _ = wayfindertest.UpdateFlag()
func UpdateFlag() func() bool {
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "rewrite the golden files of package wayfindertest")
	}
	return updating
}

// updating reports whether files are to be written: by the environment, or by
// a flag -update, no matter which package defined it.
func updating() bool {
	if on, err := strconv.ParseBool(os.Getenv(updateVariable)); err == nil && on {
		return true
	}
	f := flag.Lookup("update")
	if f == nil {
		return false
	}
	on, err := strconv.ParseBool(f.Value.String())
	return err == nil && on
}

// golden compares a text with a file, or writes it there.
func golden(t testing.TB, path, got string) {
	t.Helper()
	if updating() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatalf("wayfindertest: %v", err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatalf("wayfindertest: %v", err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Errorf("wayfindertest: there is no %s yet; write it with %s=1. It would hold:\n%s", path, updateVariable, got)
		return
	}
	if err != nil {
		t.Fatalf("wayfindertest: %v", err)
	}
	if diff := unified(path, string(want), "now", got); diff != "" {
		t.Errorf("%s differs; if it is right now, write it with %s=1:\n%s", path, updateVariable, diff)
	}
}
