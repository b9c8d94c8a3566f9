package recording_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
)

// The tools of pages, and what came of their calls, are recorded through other
// wrappers and played again, without values.
func TestToolsAreRecorded(t *testing.T) {
	web := fake.New(fake.Options{
		Web: fake.Web{"https://shop.test/": "<p>x"},
		Scripts: map[string]func(*fake.Document){"*": func(d *fake.Document) {
			_ = d.RegisterTool(fake.Tool{Name: "echo", Description: "d", Run: func(c *fake.ToolCall) { c.Answer(c.Arguments) }})
		}},
	})
	use := func(d driver.Driver) ([]driver.Tool, *driver.ToolResult) {
		t.Helper()
		b, err := d.Open(t.Context(), &driver.BrowserOptions{PageTools: true})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if h, ok := driver.BrowserAs[driver.Hider](b); ok {
			h.Hide("pw", "hunter222")
		}
		p := b.Pages()[0]
		if _, err := p.Navigate(t.Context(), "https://shop.test/", nil); err != nil {
			t.Fatal(err)
		}
		provider, ok := driver.PageAs[driver.ToolProvider](p)
		if !ok {
			t.Fatal("no ToolProvider")
		}
		tools, err := provider.Tools(t.Context())
		if err != nil || len(tools) != 1 {
			t.Fatal(tools, err)
		}
		r, err := provider.CallTool(t.Context(), tools[0].ToolRef, `{"a":"hunter222"}`)
		if err != nil {
			t.Fatal(err)
		}
		return tools, r
	}
	recorder := recording.New(faults.Wrap(web), nil)
	tools, result := use(faults.Wrap(recorder))
	var bundle bytes.Buffer
	if _, err := recorder.WriteTo(&bundle); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(bundle.String(), "hunter222") {
		t.Errorf("the bundle has the value")
	}
	played, err := recording.Read(&bundle)
	if err != nil {
		t.Fatal(err)
	}
	again, same := use(played.Driver())
	if diff := cmp.Diff(tools, again) + cmp.Diff(result, same); diff != "" {
		t.Errorf("(-recorded +played):\n%s", diff)
	}
}
