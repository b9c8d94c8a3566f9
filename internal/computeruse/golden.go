package computeruse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/sites"
)

var (
	fenceKey = regexp.MustCompile(`key=\\"[a-z2-7]+\\"`)
	longText = regexp.MustCompile(`"(instructions|text|description)": "(?:[^"\\]|\\.){400,}"`)
)

// Golden has one task done, and holds the last request, which has the whole
// conversation in the vendor's form, against a file of the adapter's testdata.
// WAYFINDER_UPDATE=1 writes it anew.
func Golden(t *testing.T, v func() *Vendor, newModel NewModel) {
	for _, task := range sites.Tasks() {
		if task.Name != "shop/review" {
			continue
		}
		server := perform(t, v(), newModel, inMemory, task)
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, server.Requests[len(server.Requests)-1], "", " "); err != nil {
			t.Fatal(err)
		}
		got := picture.ReplaceAllString(pretty.String(), `"(a picture)"`)
		got = fenceKey.ReplaceAllString(got, `key=\"K\"`)
		got = longText.ReplaceAllString(got, `"$1": "…"`)
		compare(t, filepath.Join("testdata", "wire", strings.ReplaceAll(server.Vendor.Name, " ", "-")+".json"), got)
	}
}

func compare(t *testing.T, file, got string) {
	if os.Getenv("WAYFINDER_UPDATE") == "1" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == got {
		return
	}
	old, now := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range min(len(old), len(now)) {
		if old[i] != now[i] {
			t.Errorf("%s, line %d: the wire says %s, want %s", file, i+1, strings.TrimSpace(now[i]), strings.TrimSpace(old[i]))
			return
		}
	}
	t.Errorf("%s: the wire has %s, want %s", file, fmt.Sprint(len(now), " lines"), fmt.Sprint(len(old)))
}
