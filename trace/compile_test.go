package trace

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
)

// What a tool of the page did shows in nothing that a script could do again.
func TestNoScriptOfPageTools(t *testing.T) {
	run := &Trace{Whole: true, Steps: []*Step{
		{Number: 1, Tool: "navigate", Status: agent.Done, Arguments: `{"url":"https://till.test/"}`},
		{Number: 2, Tool: "pageTool", Status: agent.Done, Address: "https://till.test/"},
	}}
	if s, err := run.Compile(nil); !errors.Is(err, ErrNoScript) || !strings.Contains(err.Error(), "a tool of the page") {
		t.Errorf("Compile = %+v, %v, want %v", s, err, ErrNoScript)
	}
	var page strings.Builder
	if err := run.WriteHTML(&page, nil); err != nil {
		t.Fatal(err)
	}
	if html := page.String(); strings.Contains(html, `data-copy="script"`) || !strings.Contains(html, "no script can be made of the run") {
		t.Error("the page offers a script that there is not, or does not say why")
	}
}
