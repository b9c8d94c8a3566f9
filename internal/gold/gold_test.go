package gold

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// TestGoldIsValid holds every case's gold data against its own schema.
func TestGoldIsValid(t *testing.T) {
	if n := len(Cases()); n < 60 {
		t.Errorf("%d cases, want at least 60", n)
	}
	for _, c := range Cases() {
		form, err := schema.Parse(c.Schema)
		if err != nil {
			t.Errorf("%s: schema: %v", c.Name, err)
			continue
		}
		if err := form.Validate(c.Gold); err != nil {
			t.Errorf("%s: gold: %v", c.Name, err)
		}
		if c.Kind == "" || c.Instruction == "" {
			t.Errorf("%s: kind %q and instruction %q must not be empty", c.Name, c.Kind, c.Instruction)
		}
	}
}

// TestPagesOpen opens every page, and each of its frames, in the in-memory browser.
func TestPagesOpen(t *testing.T) {
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			ctx := t.Context()
			browser, err := fake.Web(c.Web).Open(ctx, &driver.BrowserOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer browser.Close()
			page, err := browser.NewPage(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := page.Navigate(ctx, c.URL, nil); err != nil {
				t.Fatal(err)
			}
			capture, err := page.Capture(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := len(capture.Documents), len(c.Web); got != want {
				t.Errorf("%d documents captured, want %d", got, want)
			}
			elements := 0
			for _, d := range capture.Documents {
				for _, n := range d.Nodes {
					if n.Kind == driver.ElementNode {
						elements++
					}
				}
			}
			if elements < 20 {
				t.Errorf("%d elements, want at least 20", elements)
			}
		})
	}
}

func TestLeaves(t *testing.T) {
	got, err := Leaves([]byte(`{"b":[{"x/y":1.50},"t"],"a":true,"c":{},"d":null}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/a", "/b/0/x~1y", "/b/1", "/d"}
	if len(got) != len(want) {
		t.Fatalf("Leaves = %v, want %v", got, want)
	}
	for i := range want {
		if got[i].Pointer != want[i] {
			t.Errorf("Leaves[%d] = %v, want %s", i, got[i].Pointer, want[i])
		}
	}
}
