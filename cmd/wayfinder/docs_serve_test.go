package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// TestDocsServe: the lines of docs/serve.md start a session, act, stream and end it,
// without a key and without a browser, as they stand there.
func TestDocsServe(t *testing.T) {
	page, err := os.ReadFile("../../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines string
	for block := range strings.SplitSeq(string(page), "```") {
		if code, ok := strings.CutPrefix(block, "sh\n"); ok && strings.Contains(code, "curl ") {
			lines = code
			break
		}
	}
	if lines == "" {
		t.Fatal("docs/serve.md shows no use of curl")
	}
	for _, tool := range []string{"sh", "curl", "sed"} {
		if _, err := exec.LookPath(tool); err != nil {
			if chrometest.Required() {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	v := serveProcess(t, nil, "--driver", "memory")
	script := "set -e\n" + strings.ReplaceAll(lines, "http://127.0.0.1:8080", v.address)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", script).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		`"message":"filled textbox \"Name\"`, "event: starting\n", "event: finished\n", `"pageText"`, `"pages":[`, `{"success":true}`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the answers lack %s", want)
		}
	}
	if t.Failed() {
		t.Logf("the answers:\n%s", out)
	}
}
