package schema_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/schema"
)

// suiteFolder is where the public test suite is, or the test is skipped.
func suiteFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("WAYFINDER_VECTORS")
	if folder == "" {
		t.Skip("WAYFINDER_VECTORS is not set")
	}
	return filepath.Join(folder, "jsonschema")
}

// exceptions are tests of the suite that we answer otherwise: a line
// "reason: …" and below it the names of the tests.
func exceptions(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open("testdata/suite-exceptions.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	reasons := map[string]string{}
	reason := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if rest, ok := strings.CutPrefix(line, "reason: "); ok {
			reason = rest
		} else if line != "" && !strings.HasPrefix(line, "#") {
			if reason == "" {
				t.Fatalf("exception %q has no reason", line)
			}
			reasons[line] = reason
		}
	}
	return reasons
}

func TestPublicSuite(t *testing.T) {
	folder := suiteFolder(t)
	excused := exceptions(t)
	for _, draft := range []struct {
		folder string
		draft  schema.Draft
		tests  int
	}{
		{"draft2020-12", schema.Draft2020, 2225},
		{"draft7", schema.Draft7, 1721},
	} {
		ran := 0
		root := filepath.Join(folder, "tests", draft.folder)
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
				return err
			}
			name, err := filepath.Rel(filepath.Dir(root), path)
			if err != nil {
				return err
			}
			parser := &schema.Parser{Draft: draft.draft, Load: func(address string) ([]byte, error) {
				rest, ok := strings.CutPrefix(address, "http://localhost:1234/")
				if !ok {
					return nil, fmt.Errorf("no such remote")
				}
				return os.ReadFile(filepath.Join(folder, "remotes", filepath.FromSlash(rest)))
			}}
			ran += runSuiteFile(t, parser, path, strings.TrimSuffix(filepath.ToSlash(name), ".json"), excused)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if ran != draft.tests {
			t.Errorf("%s has %d tests, want %d", draft.folder, ran, draft.tests)
		}
	}
	for name := range excused {
		t.Errorf("exception %q names no test of the suite", name)
	}
}

// runSuiteFile runs the tests of a file and returns how many they are. It
// takes what it meets out of excused.
func runSuiteFile(t *testing.T, parser *schema.Parser, path, name string, excused map[string]string) int {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Description string
		Schema      json.RawMessage
		Tests       []struct {
			Description string
			Data        json.RawMessage
			Valid       bool
		}
	}
	if err := json.Unmarshal(raw, &groups); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, group := range groups {
		s, parseErr := parser.Parse(group.Schema)
		for _, test := range group.Tests {
			ran++
			full := name + ": " + group.Description + ": " + test.Description
			err := parseErr
			if err == nil {
				err = s.Validate(test.Data)
			}
			passed := parseErr == nil && (err == nil) == test.Valid
			reason, isExcused := excused[full]
			delete(excused, full)
			switch {
			case passed && isExcused:
				t.Errorf("%s passes, but is excused: %s", full, reason)
			case !passed && !isExcused:
				t.Errorf("%s\nValidate = %v, want valid %t", full, err, test.Valid)
			}
		}
	}
	return ran
}
