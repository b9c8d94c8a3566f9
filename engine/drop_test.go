package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// dropPage is a board; each column has a place to drop on, which looks the same in all.
func dropPage(columns ...string) string {
	page := `<title>Board</title><div role=button draggable=true>Card</div>`
	for _, c := range columns {
		page += fmt.Sprintf(`<div class=column><p>%s</p><div role=button class=here>Drop here</div></div>`, c)
	}
	return page
}

// What is dragged is dropped on the element that was meant, wherever that stands by now, or
// nothing is dragged: by a stored action, by one of Observe, and where the page changes while
// the model chooses.
func TestDropGoesWhereItWasMeant(t *testing.T) {
	const address = "https://board.test/"
	before := []string{"Open", "Doing", "Done"}
	choose := func(snap *engine.Snapshot) map[string]any {
		refs := []accessibility.Ref{}
		for i := range snap.Nodes {
			if snap.Nodes[i].Role == "button" {
				refs = append(refs, snap.Nodes[i].Ref)
			}
		}
		return map[string]any{"ref": refs[0], "method": "dragAndDrop", "arguments": []string{string(refs[2])}, "description": ""}
	}
	for _, c := range []struct {
		after   []string
		dropped []string // in the column "Doing", if at all
	}{
		{before, []string{"Doing"}},
		{[]string{"Ideas", "Open", "Doing", "Done"}, []string{"Doing"}},
		{[]string{"Doing", "Open", "Done"}, []string{"Doing"}},
		{[]string{"Open", "Review", "Done"}, nil},
		{[]string{"Open", "Done"}, nil},
	} {
		for _, way := range []string{"stored", "observed", "bare", "by words"} {
			t.Run(way+" "+strings.Join(c.after, ", "), func(t *testing.T) {
				var dropped []string
				web := fake.Web{address: dropPage(before...)}
				scripts := map[string]func(*fake.Document){address: func(d *fake.Document) {
					d.On("dragover", ".here", func(e *fake.Event) { e.PreventDefault() })
					d.On("drop", ".here", func(e *fake.Event) {
						d.SetTitle("Dropped")
						dropped = append(dropped, strings.TrimSuffix(e.Target.Closest(".column").Text(), "Drop here"))
					})
				}}
				var page *engine.Page
				change := func() {
					if err := fake.Change(t.Context(), page.Driver(), func(d *fake.Document) { d.Body().SetHTML(dropPage(c.after...)) }); err != nil {
						t.Error(err)
					}
				}
				look := func() *engine.Snapshot {
					snap, err := page.Snapshot(t.Context(), nil)
					if err != nil {
						t.Fatal(err)
					}
					return snap
				}
				var answer map[string]any
				step := llmtest.Step{Purpose: llm.PurposeAct, Answer: func(*llm.Request) any {
					answer["found"], answer["reason"], answer["more"] = true, "", false
					change()
					return answer
				}}
				if way == "observed" {
					step = llmtest.Step{Purpose: llm.PurposeObserve, Answer: func(*llm.Request) any { return map[string]any{"actions": []any{answer}} }}
				}
				model := llmtest.NewScript(t)
				if way == "observed" || way == "by words" {
					model = llmtest.NewScript(t, step)
				}
				session, err := engine.Open(t.Context(), fake.New(fake.Options{Web: web, Scripts: scripts}), &engine.Options{Model: model, NoHeal: true})
				if err != nil {
					t.Fatal(err)
				}
				defer session.Close()
				page = session.Page()
				if _, err := page.Navigate(t.Context(), address, nil); err != nil {
					t.Fatal(err)
				}
				snap := look()
				answer = choose(snap)
				var action engine.Action
				switch way {
				case "by words":
					_, err = page.Act(t.Context(), "drag the card to Doing", nil)
				case "observed":
					found, failed := page.Observe(t.Context(), "drag the card to Doing", nil)
					if failed != nil || len(found.Actions) != 1 {
						t.Fatalf("Observe = %+v, %v", found, failed)
					}
					action = found.Actions[0]
				case "stored", "bare":
					drop := engine.Target{Snapshot: snap, Ref: accessibility.Ref(answer["arguments"].([]string)[0])}
					result, failed := page.DoTo(t.Context(), engine.Target{Snapshot: snap, Ref: answer["ref"].(accessibility.Ref)}, engine.Command{Method: engine.DragAndDrop, Drop: &drop}, nil)
					if failed != nil || !slices.Equal(dropped, []string{"Doing"}) {
						t.Fatalf("DoTo = %v, dropped in %q", failed, dropped)
					}
					action, dropped = result.Actions[0], nil
				}
				if way != "by words" {
					text, failed := json.Marshal(action)
					var again engine.Action
					if failed != nil || json.Unmarshal(text, &again) != nil {
						t.Fatal(failed)
					}
					if way == "bare" { // as over HTTP: without what tells the element from others
						again.Fingerprint, again.Surroundings, again.Onto = nil, nil, nil
					}
					change()
					_, err = page.Do(t.Context(), again, nil)
				}
				// What is chosen on a page that changed meanwhile may be refused.
				refused := way == "by words" && err != nil && !slices.Equal(c.after, before)
				if !slices.Equal(dropped, c.dropped) && !(refused && dropped == nil) || (err == nil) != (dropped != nil) {
					t.Errorf("dropped in %q, want %q; %v", dropped, c.dropped, err)
				}
			})
		}
	}
}

// A page may move what something is dropped on because of the drag: a bar appears as it
// begins, a column makes room. The drop reaches the element all the same. If a list
// makes room under the pointer, the drop goes there.
func TestDropFollowsThePage(t *testing.T) {
	const page = `<!DOCTYPE html><title>Board</title><style>.column { height: 50px; border: 1px solid; width: 300px } #card { width: 80px; height: 30px }</style>
		<div id=bar></div><main id=list>CARD<div class=column id=a>A</div><div class=column id=b>B</div><div class=column id=c>C</div></main><script>
		let said = '', held = false;
		const shift = () => { bar.style.height = '52px' };
		const under = (e) => document.elementsFromPoint(e.clientX, e.clientY);
		const drop = (e) => { said += under(e).find((o) => o.matches('.column:not(#card)'))?.id; document.title = said; };
		const ghost = (e) => {
			if (!window.g) { g = card.cloneNode(true); g.id = ''; g.className = ''; document.body.append(g); }
			g.style = 'position: fixed; width: 80px; height: 30px; left: ' + (e.clientX - 20) + 'px; top: ' + (e.clientY - 20) + 'px';
		};
		const sort = (e) => {
			const o = under(e).find((o) => o.matches('.column:not(#card)'));
			if (o) o[card.compareDocumentPosition(o) & Node.DOCUMENT_POSITION_FOLLOWING ? 'after' : 'before'](card);
		};
		const halves = (e) => {
			const o = under(e).find((o) => o.matches('.column:not(#card)')), box = o?.getBoundingClientRect();
			if (e.clientY < box?.top + box?.height / 2) o.before(card);
			if (e.clientY > box?.top + box?.height / 2) o.after(card);
		};
		HANDLERS</script>`
	const native = `for (const c of document.querySelectorAll('.column')) { c.ondragover = (e) => e.preventDefault(); c.ondrop = (e) => { e.preventDefault(); drop(e) } }
		card.ondragstart = (e) => { e.dataTransfer.setData('text', 'x'); BEGIN }`
	const byPointer = `card.onmousedown = (e) => { held = true; e.preventDefault(); BEGIN };
		onmousemove = (e) => { if (held) { MOVE } };
		onmouseup = (e) => { if (held) { held = false; END } };`
	for name, c := range map[string]struct{ handlers, begin, move, end, want string }{
		"native, at the start":       {native, "shift()", "", "", "b"},
		"native, a task later":       {native, "setTimeout(shift)", "", "", "b"},
		"native, a frame later":      {native, "requestAnimationFrame(shift)", "", "", "b"},
		"native, over an element":    {native, "document.addEventListener('dragenter', shift)", "", "", "b"},
		"pointer, at the press":      {byPointer, "shift()", "", "drop(e)", "b"},
		"pointer, as it moves":       {byPointer, "", "shift()", "drop(e)", "b"},
		"pointer, over the element":  {byPointer, "", "if (e.target.id == 'b') shift()", "drop(e)", "b"},
		"pointer, a ghost under it":  {byPointer, "ghost(e)", "ghost(e); if (under(e).includes(b)) shift()", "drop(e)", "b"},
		"pointer, nothing moves":     {byPointer, "", "", "drop(e)", "b"},
		"replaced under it":          {byPointer, "", "if (e.target.id == 'b') b.replaceWith(b.cloneNode(true))", "drop(e)", "b"},
		"sorted by halves":           {byPointer, "", "halves(e)", "said = [...list.children].map((o) => o.id).join('')", "abcardc"},
		"sorted":                     {byPointer, "", "sort(e)", "said = [...list.children].map((o) => o.id).join('')", "abcardc"},
		"sorted, with a ghost of it": {byPointer, "ghost(e)", "ghost(e); sort(e)", "said = [...list.children].map((o) => o.id).join('')", "abcardc"},
	} {
		t.Run(name, func(t *testing.T) {
			card := "<div id=card draggable=true>Card</div>"
			if c.handlers == byPointer {
				card = "<div id=card class=column>Card</div>"
			}
			handlers := strings.NewReplacer("BEGIN", c.begin, "MOVE", c.move, "END", c.end).Replace(c.handlers)
			p := lateOnChrome(t, strings.NewReplacer("CARD", card, "HANDLERS", handlers).Replace(page), nil)
			_, err := p.Do(t.Context(), engine.Action{Selector: "#card", Method: engine.DragAndDrop, Arguments: []string{"#b"}}, nil)
			if said := evaluate(t, p, "said"); said != `"`+c.want+`"` || err != nil {
				t.Errorf("dropped on %s, %v, want %q", said, err, c.want)
			}
		})
	}
}
