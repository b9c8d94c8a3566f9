package cdp

import (
	"errors"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// What is withheld reaches nobody: not those either who listen at the window,
// and have done so from the beginning.
func TestWithheldFromTheWindow(t *testing.T) {
	const listening = `<script>
		var log = [];
		for (const type of ['pointermove', 'pointerdown', 'mousedown', 'mouseup', 'click', 'keydown', 'input', 'keyup'])
			window.addEventListener(type, (e) => log.push(type), true);
	</script><body style="margin:0">
		<button id=a style="position:absolute;left:0;top:0;width:50px;height:50px">Anna</button>
		<button id=b style="position:absolute;left:100px;top:0;width:50px;height:50px">Bob</button>
		<input id=t style="position:absolute;top:100px"><input id=u style="position:absolute;top:200px">`
	p := testPage(t)
	base := site{"/": listening, "/opened": `<script>
		document.open();
		document.write('<button id=a>Anna</button><button id=b style="position:absolute;left:100px;top:0;width:50px;height:50px">Bob</button>');
		document.close();
	</script>`}.serve(t)
	first := func(selector string) driver.NodeRef {
		nodes, err := p.Find(t.Context(), driver.NodeRef{}, driver.Selector{Text: selector})
		if err != nil || len(nodes) != 1 {
			t.Fatalf("Find(%s) = %v, %v", selector, nodes, err)
		}
		return nodes[0]
	}
	other := "Bob"
	goTo(t, p, base+"/")
	for _, c := range []struct {
		what   string
		aim    driver.Target
		events []driver.InputEvent
		want   error
		felt   string
	}{
		{"a press on another element", driver.Target{At: first("#a")}, clickAt(driver.Point{X: 120, Y: 20}), driver.ErrObscured, "pointermove"},
		{"a press on another item", driver.Target{At: first("#a"), Label: &other}, clickAt(driver.Point{X: 20, Y: 20}), driver.ErrChanged, ""},
		{"a key for another element", driver.Target{At: first("#t")}, []driver.InputEvent{driver.KeyDown{Key: "a"}, driver.KeyUp{Key: "a"}}, driver.ErrNotFocusable, ""},
	} {
		inMain(t, p, "log = [], document.querySelector('#u').focus(), ''")
		if err := p.Input(t.Context(), append([]driver.InputEvent{c.aim}, c.events...)...); !errors.Is(err, c.want) {
			t.Errorf("%s: Input = %v, want %v", c.what, err, c.want)
		}
		if got := inMain(t, p, "log.join()"); got != c.felt {
			t.Errorf("%s: the window felt %q, want %q", c.what, got, c.felt)
		}
	}
	// A document that is written anew has lost all listeners of its window.
	goTo(t, p, base+"/opened")
	err := p.Input(t.Context(), append([]driver.InputEvent{driver.Target{At: first("#a")}}, clickAt(driver.Point{X: 120, Y: 20})...)...)
	if !errors.Is(err, driver.ErrObscured) {
		t.Errorf("Input = %v, want %v", err, driver.ErrObscured)
	}
}
