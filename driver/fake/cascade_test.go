package fake_test

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// TestCascade: layers, and the keywords that take back what stronger rules say. What is
// shown is what Chromium 156 shows.
func TestCascade(t *testing.T) {
	const page = `<style>
@layer low, high;
@layer high { .later { display: none } .kept { display: block } .unlayered { display: none } .important { display: block !important } }
@layer low { .later { display: block } .kept { display: none } .unlayered { display: none } .important { display: none !important } }
@layer low { @layer inner { .nested { display: none } } .nested { display: block } }
.unlayered { display: block }
@layer low { .back { display: block } } @layer high { .back { display: none; display: revert-layer } }
.gone { display: none } .reverted { display: revert } .unset { display: unset } .initial { display: initial } .all { all: revert }
</style>
<p id=later class=later>x</p><p id=kept class=kept>x</p><p id=unlayered class=unlayered>x</p><p id=important class=important>x</p><p id=nested class=nested>x</p><p id=back class=back>x</p>
<p id=reverted class="gone reverted">x</p><p id=hint hidden class=reverted>x</p><dialog id=closed class="gone reverted">x</dialog><p id=unset class="gone unset">x</p>
<p id=initial class="gone initial">x</p><p id=all class="gone all">x</p><button id=button style="display: inline">x</button>`
	want := map[string]string{
		"later": "", "kept": "block", "unlayered": "block", "important": "", "nested": "block", "back": "block",
		"reverted": "block", "hint": "block", "closed": "", "unset": "inline", "initial": "inline", "all": "block", "button": "inline-block",
	}
	browser, err := fake.Web{"https://cascade.test/": page}.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	p := browser.Pages()[0]
	if _, err := p.Navigate(t.Context(), "https://cascade.test/", nil); err != nil {
		t.Fatal(err)
	}
	capture, err := p.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range capture.Documents[0].Nodes {
		n := &capture.Documents[0].Nodes[i]
		id, ok := n.Attr("id")
		if !ok {
			continue
		}
		got := ""
		if n.Style != nil {
			got = n.Style.Display
		}
		if got != want[id] {
			t.Errorf("display of %s = %q, want %q", id, got, want[id])
		}
		delete(want, id)
	}
	for id := range want {
		t.Errorf("%s is not on the page", id)
	}
}
