package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// Component libraries put a field, or a switch, that nobody sees into a box that takes
// the clicks.
const boxed = `<!doctype html><title>Boxed</title>
<style>#list, #card { cursor: pointer }</style>
<div id=list style="position: relative; width: 200px; height: 30px"><div><input id=field role=combobox aria-label=Color readonly style="width: 100%"></div>
	<div style="position: absolute; inset: 0"><span>Pick color</span></div></div>
<div id=turn><input id=switch type=checkbox role=switch aria-label=Dark style="position: absolute; width: 0; height: 0; opacity: 0; margin: 0">
	<span style="display: block; width: 40px; height: 20px; cursor: pointer"><b style="display: block; width: 20px; height: 20px"></b></span></div>
<div id=card><input id=lone type=checkbox aria-label=Lone style="position: absolute; width: 0; height: 0; opacity: 0; margin: 0"><button>Other</button></div>
<script>for (const id of ['list', 'turn', 'card']) document.getElementById(id).onclick = () => {};</script>`

// TestErrorNamesTheBoxAround: the error about an element that cannot be pressed names the
// box around it that can, unless that box holds other controls too.
func TestErrorNamesTheBoxAround(t *testing.T) {
	page, address := openOnChrome(t, write(boxed), nil)
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	look, err := page.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		selector, around string
		method           engine.Method
		is               error
	}{
		{"#field", "#list", engine.Click, driver.ErrObscured},
		{"#switch", "#turn", engine.Check, driver.ErrNotVisible},
		{"#lone", "", engine.Check, driver.ErrNotVisible},
	} {
		_, err := page.DoTo(t.Context(), engine.Target{Selector: c.selector}, engine.Command{Method: c.method}, nil)
		if !errors.Is(err, c.is) {
			t.Errorf("%s: %v, want %v", c.selector, err, c.is)
			continue
		}
		if c.around == "" {
			if strings.Contains(err.Error(), "takes clicks") {
				t.Errorf("%s: %v, want no box with another control in it", c.selector, err)
			}
			continue
		}
		refs, findErr := page.Driver().Find(t.Context(), driver.NodeRef{}, driver.Selector{Kind: driver.CSS, Text: c.around})
		if findErr != nil || len(refs) != 1 {
			t.Fatal(refs, findErr)
		}
		n, ok := look.Find(refs[0])
		if !ok || !strings.Contains(err.Error(), "["+string(n.Ref)+"] around") {
			t.Errorf("%s: %v, want the box %s in it (%v)", c.selector, err, c.around, ok)
		}
	}
}
