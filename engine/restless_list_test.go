package engine_test

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// Restless lists never keep still: a person clicks in them all the same. Where
// an action gives up, nothing was pressed.
var restlessLists = map[string]string{
	"rendered anew every 37 ms": `setInterval(() => { list.innerHTML = list.innerHTML }, 37)`,
	"moved every 53 ms":         `let up = false; setInterval(() => { up = !up; list.style.marginTop = up ? '6px' : '0px' }, 53)`,
	"grown every 53 ms":         `setInterval(() => { list.insertAdjacentHTML('beforeend', '<li>news</li>') }, 53)`,
}

func TestClickInRestlessList(t *testing.T) {
	for name, script := range restlessLists {
		t.Run(name, func(t *testing.T) {
			page := lateOnChrome(t, `<!DOCTYPE html><title>List</title><p id="said"></p><ul id="list"><li>Kettle <button id="k">Buy kettle</button></li><li>Teapot <button id="t">Buy teapot</button></li></ul>
				<script>list.onclick = (e) => { if (e.target.id) said.textContent += e.target.id }; `+script+`</script>`, nil)
			found, err := page.Observe(t.Context(), "", nil)
			if err != nil {
				t.Fatal(err)
			}
			var kettle engine.Action
			for _, a := range found.Actions {
				if a.Fingerprint.Name == "Buy kettle" {
					kettle = a
				}
			}
			done := 0
			const tries = 5
			for i := range tries {
				action := kettle
				if i%2 == 1 {
					action = engine.Action{Selector: "#k"}
				}
				_, err := page.Do(t.Context(), action, nil)
				switch {
				case err == nil:
					done++
				case !strings.HasPrefix(name, "rendered anew"):
					t.Errorf("Do = %v", err)
				default: // each node lives for less than it may take to read it
					t.Logf("Do = %v", err)
				}
			}
			if got, want := evaluate(t, page, "said.textContent"), strings.Repeat("k", done); got != `"`+want+`"` {
				t.Errorf("the page had the clicks %s, and %d were told", got, done)
			}
		})
	}
}
