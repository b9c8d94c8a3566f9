package accessibility_test

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// TestForm: the form of an element, where it goes, and its buttons.
func TestForm(t *testing.T) {
	const page = `<!doctype html>
<form id=f action="/order?x=1"><label>A <input></label><button>One</button><button type=button>Two</button><input type=submit value=Three formaction="https://b.test/"></form>
<label>B <input form=f></label><button form=f>Four</button><button form=none>Five</button><label>C <input></label>
<form><button>Six</button></form>`
	browser, err := fake.Web{"https://a.test/": page}.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	p := browser.Pages()[0]
	if _, err := p.Navigate(t.Context(), "https://a.test/", nil); err != nil {
		t.Fatal(err)
	}
	capture, err := p.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	snap := accessibility.Build(capture, nil)
	for name, want := range map[string]struct {
		action  string
		sends   bool
		buttons int
	}{
		"A":     {"https://a.test/order?x=1", false, 4},
		"B":     {"https://a.test/order?x=1", false, 4},
		"One":   {"https://a.test/order?x=1", true, 4},
		"Two":   {"https://a.test/order?x=1", false, 4},
		"Three": {"https://b.test/", true, 4},
		"Four":  {"https://a.test/order?x=1", true, 4},
		"Five":  {},
		"C":     {},
		"Six":   {"https://a.test/", true, 1},
	} {
		for i := range snap.Nodes {
			n := &snap.Nodes[i]
			if n.Name != name || n.Role != "button" && n.Role != "textbox" {
				continue
			}
			form := snap.Form(n)
			if form == nil {
				form = &accessibility.Form{}
			}
			if form.Action != want.action || form.Submits != want.sends || len(form.Buttons) != want.buttons {
				t.Errorf("Form(%s) = %q, %v, %d buttons; want %+v", name, form.Action, form.Submits, len(form.Buttons), want)
			}
		}
	}
}
