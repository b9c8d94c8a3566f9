package drivertest

import (
	"strings"
	"testing"
)

func TestCasesAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Cases() {
		topic, what, ok := strings.Cut(c.Name, "/")
		if !ok || topic == "" || what == "" {
			t.Errorf("name %q is not topic/what", c.Name)
		}
		if seen[c.Name] {
			t.Errorf("two cases have the name %q", c.Name)
		}
		seen[c.Name] = true
		if !strings.HasSuffix(c.Rule, ".") || c.Doc == "" || c.check == nil {
			t.Errorf("%s: rule %q, doc %q, or check is missing", c.Name, c.Rule, c.Doc)
		}
	}
	if len(seen) < 150 {
		t.Errorf("there are %d cases, want at least 150", len(seen))
	}
	t.Logf("%d cases", len(seen))
}
