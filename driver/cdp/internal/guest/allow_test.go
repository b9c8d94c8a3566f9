package guest

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the lists of commands into docs/attach.md")

// TestListedCommands: docs/attach.md lists what a client may send, and no more.
func TestListedCommands(t *testing.T) {
	const file = "../../../../docs/attach.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, set := range map[string]map[string]bool{"browser": ofBrowser, "page": ofTarget} {
		begin, end := []byte("<!-- commands: "+name+" -->\n"), []byte("<!-- end -->\n")
		before, rest, found := bytes.Cut(text, begin)
		got, after, ended := bytes.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("%s has no list of commands named %s", file, name)
		}
		want := listed(set)
		if *update {
			text = slices.Concat(before, begin, []byte(want), end, after)
		} else if string(got) != want {
			t.Errorf("the list of commands named %s is another than allow.go's; run go test ./driver/cdp/internal/guest -update\n%s", name, want)
		}
	}
	if *update {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// listed is a set of commands as Markdown, a domain a line.
func listed(set map[string]bool) string {
	domains := map[string][]string{}
	for method := range set {
		domain, command, _ := strings.Cut(method, ".")
		domains[domain] = append(domains[domain], command)
	}
	var b strings.Builder
	for _, domain := range slices.Sorted(maps.Keys(domains)) {
		fmt.Fprintf(&b, "- **%s** %s\n", domain, strings.Join(slices.Sorted(slices.Values(domains[domain])), " "))
	}
	return b.String()
}
