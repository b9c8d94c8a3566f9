package uuid

import (
	"regexp"
	"testing"
)

func TestNew(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for range 100 {
		id := New()
		if !form.MatchString(id) {
			t.Fatalf("New() = %q, want version 4 of the form %s", id, form)
		}
		if seen[id] {
			t.Fatalf("New() = %q twice", id)
		}
		seen[id] = true
	}
}
