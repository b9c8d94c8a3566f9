package engine_test

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
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

// Live rows show other records at the same nodes, and have controls that all say the same.
// What is pressed is the control of the record that was meant, or nothing.
var liveRows = map[string]string{
	"at each movement of the pointer":      `addEventListener('mouseover', next)`,
	"at the first movement of the pointer": `addEventListener('mousemove', next, { once: true })`,
	"every 31 ms":                          `setInterval(next, 31)`,
}

func TestClickInLiveRows(t *testing.T) {
	table := func(row string) string { return "<table>" + strings.Repeat(row, 6) + "</table>" }
	layouts := map[string]string{
		"table":    table(`<tr><td class=name><td>open<td><button>Cancel</button>`),
		"states":   table(`<tr><td>open<td class=name><td><button>Cancel</button>`),
		"cells":    table(`<tr><th class=name><td>due<td class=cell>open`),
		"cards":    strings.Repeat(`<section><div><b class=name></b><p>due</p></div><div><i>open</i><button>Cancel</button></div></section>`, 6),
		"headings": strings.Repeat(`<h3 class=name></h3><p>open <button>Cancel</button></p>`, 6),
		"lines":    strings.Repeat(`<i class=name></i> open <button>Cancel</button><br>`, 6),
	}
	for layout, html := range layouts {
		for name, script := range liveRows {
			t.Run(layout+" "+name, func(t *testing.T) {
				page := lateOnChrome(t, `<!DOCTYPE html><title>Orders</title><main>`+html+`</main><p id=said></p><script>
					let first = 100;
					const names = [...document.querySelectorAll('.name')], controls = [...document.querySelectorAll('button, .cell')];
					const next = () => { first--; names.forEach((n, i) => n.textContent = 'Order ' + (first + i)); };
					document.querySelector('main').onclick = (e) => { if (controls.includes(e.target)) said.textContent += names[controls.indexOf(e.target)].textContent + ', '; };
					next();
					`+script+`</script>`, nil)
				methods := []engine.Method{engine.Click}
				if strings.HasPrefix(name, "every") {
					methods = []engine.Method{engine.Click, engine.Click, engine.LongPress, engine.DoubleClick}
				}
				for _, method := range methods {
					snap, err := page.Snapshot(t.Context(), nil)
					if err != nil {
						t.Fatal(err)
					}
					meant, ref := cancelOfFourth(snap)
					if ref == "" {
						t.Fatalf("no control in\n%s", snap.Outline())
					}
					_, err = page.DoTo(t.Context(), engine.Target{Snapshot: snap, Ref: ref}, engine.Command{Method: method}, nil)
					for _, got := range strings.Split(strings.Trim(evaluate(t, page, "said.textContent"), `", `), ", ") {
						if got != meant && (got != "" || err == nil) {
							t.Errorf("%s: meant %q, pressed %q, error %v", method, meant, got, err)
						}
					}
					evaluate(t, page, "said.textContent = ''")
				}
			})
		}
	}
}

// cancelOfFourth returns the name of the fourth record, and the ref of what cancels it.
func cancelOfFourth(snap *engine.Snapshot) (name string, _ accessibility.Ref) {
	var names []string
	for line := range strings.Lines(snap.Text()) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "Order" {
			names = append(names, words[0]+" "+words[1])
		}
	}
	n := 0
	for i := range snap.Nodes {
		node := &snap.Nodes[i]
		if node.Role == "button" {
			n++
		} else if node.Role == "row" && strings.HasSuffix(node.Name, "open") {
			if n++; n == 4 {
				return names[3], node.Ref.Cell(len(node.Cells))
			}
		}
		if n == 4 {
			return names[3], node.Ref
		}
	}
	return "", ""
}
