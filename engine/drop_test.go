package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// What a page shows while something is dragged, and takes back, is no success: where nothing
// takes it, it was not dropped.
func TestDropOnNothing(t *testing.T) {
	const page = `<!DOCTYPE html><title>Board</title><style>div { height: 50px; width: 200px } #wall { margin-top: 50px }</style><body class=dark>
		<div id=card>Card</div><div id=wall>Wall</div><ul id=list><li>One<li id=two>Two</ul><p id=said aria-live=polite style="position: absolute; width: 1px; height: 1px; overflow: hidden"></p><script>
		let held = false, ghost;
		const begin = () => { BEGIN }, move = () => { MOVE }, end = () => { END };
		HANDLERS</script>`
	const native = `card.draggable = true; card.ondragstart = (e) => { e.dataTransfer.setData('text', 'x'); begin() }; card.ondrag = move; card.ondragend = end;`
	const byPointer = `card.onmousedown = (e) => { held = true; e.preventDefault(); begin() };
		onmousemove = () => { if (held) move() };
		onmouseup = () => { if (held) end(); held = false };`
	for name, c := range map[string]struct {
		begin, move, end string
		lasts            bool
	}{
		"a class":              {"card.className = 'dragging'", "", "card.classList.remove('dragging')", false},
		"a class more":         {"document.body.className = 'dark dragging'", "", "document.body.className = 'dark'", false},
		"a style":              {"card.style.opacity = .5", "", "card.style.opacity = ''", false},
		"a ghost":              {"ghost = card.cloneNode(true); ghost.style = 'position: fixed; pointer-events: none'; document.body.append(ghost)", "ghost.style.left = Math.random() + 'px'", "ghost.remove()", false},
		"moved and back":       {"", "card.style.transform = 'translate(9px)'", "card.style.transform = 'translate(0px)'", false},
		"moved, and goes back": {"", "card.style.transition = ''; card.style.transform = 'translate(90px)'", "card.style.transition = 'transform .3s'; card.style.transform = ''", false},
		"it is announced":      {"said.textContent = 'Taken up'", "", "said.textContent = 'Not dropped'", false},
		"a refusal is said":    {"", "", "document.body.append('Not there')", true},
		"a list was sorted":    {"", "list.prepend(two)", "", true},
	} {
		for kind, handlers := range map[string]string{"native": native, "pointer": byPointer} {
			t.Run(kind+", "+name, func(t *testing.T) {
				p := lateOnChrome(t, strings.NewReplacer("HANDLERS", handlers, "BEGIN", c.begin, "MOVE", c.move, "END", c.end).Replace(page), nil)
				r, err := p.Do(t.Context(), engine.Action{Selector: "#card", Method: engine.DragAndDrop, Arguments: []string{"#wall"}}, nil)
				switch {
				case c.lasts && err != nil:
					t.Errorf("Do = %v", err)
				case !c.lasts && !errors.Is(err, engine.ErrNoEffect):
					t.Errorf("Do = %q, %v, want %v", r.Message, err, engine.ErrNoEffect)
				}
			})
		}
	}
}

// A drop that a page takes is one, though it shows what it showed before.
func TestDropTaken(t *testing.T) {
	p := lateOnChrome(t, `<!DOCTYPE html><title>Board</title><style>div { height: 50px }</style><div id=card draggable=true>Card</div><div id=bin>Bin</div><script>
		let taken = 0;
		bin.ondragover = (e) => e.preventDefault();
		bin.ondrop = (e) => { e.preventDefault(); taken++; bin.textContent = 'Full' };</script>`, nil)
	for n := range 2 {
		_, err := p.Do(t.Context(), engine.Action{Selector: "#card", Method: engine.DragAndDrop, Arguments: []string{"#bin"}}, nil)
		if taken := evaluate(t, p, "taken"); taken != strconv.Itoa(n+1) || err != nil {
			t.Errorf("taken %s times, %v", taken, err)
		}
	}
}

// What is dropped on a line of text is dropped on its element.
func TestDropOnText(t *testing.T) {
	p := lateOnChrome(t, `<!DOCTYPE html><title>List</title><style>li { height: 40px; width: 200px; list-style: none }</style>
		<ul id=list><li>Anna <button>Call</button><li>Berta <button>Call</button><li>Clara <button>Call</button></ul><script>
		let held = null;
		onmousedown = (e) => { held = e.target.closest('li'); e.preventDefault() };
		onmousemove = (e) => {
			const o = held && document.elementFromPoint(e.clientX, e.clientY)?.closest('li');
			if (o && o !== held) o[held.compareDocumentPosition(o) & Node.DOCUMENT_POSITION_FOLLOWING ? 'after' : 'before'](held);
		};
		onmouseup = () => { held = null };</script>`, nil)
	snap, err := p.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]engine.Target{}
	for i := range snap.Nodes {
		at[snap.Nodes[i].Name] = engine.Target{Snapshot: snap, Ref: snap.Nodes[i].Ref}
	}
	drop := at["Clara"]
	_, err = p.DoTo(t.Context(), at["Anna"], engine.Command{Method: engine.DragAndDrop, Drop: &drop}, nil)
	if order := evaluate(t, p, "list.innerText.split(/\\W+/).filter((word) => word != 'Call').join()"); order != `"Berta,Clara,Anna"` || err != nil {
		t.Errorf("the list is %s, %v", order, err)
	}
}

// What a canvas shows is not known, nor what a map consists of.
func TestDragOfPicture(t *testing.T) {
	p := lateOnChrome(t, `<!DOCTYPE html><title>Map</title><div id=map style="width: 300px; height: 200px"><p><canvas id=c width=300 height=200></canvas></p></div><script>
		let from = null, x = 0;
		const draw = () => c.getContext('2d').fillRect(x, 50, 20, 20);
		map.onpointerdown = (e) => { from = e.clientX - x };
		onpointermove = (e) => { if (from !== null) { x = e.clientX - from; draw() } };
		onpointerup = () => { from = null };</script>`, nil)
	r, err := p.Do(t.Context(), engine.Action{Selector: "#map", Method: engine.DragByPixelOffset, Arguments: []string{"60", "0"}}, nil)
	if x := evaluate(t, p, "x"); x != "60" || err != nil {
		t.Errorf("moved by %s, %q, %v", x, r.Message, err)
	}
}

// No button is down while the pointer goes to where a drag begins.
func TestDragBeginsWithoutAButton(t *testing.T) {
	p := lateOnChrome(t, `<!DOCTYPE html><title>Week</title><table><tr><td id=a>9<td id=b>10<td id=c>11</table><script>
		for (const c of document.querySelectorAll('td')) {
			c.onmousedown = (e) => { e.preventDefault(); c.classList.toggle('on') };
			c.onmouseenter = (e) => { if (e.buttons) c.classList.toggle('on') };
		}</script>`, nil)
	_, err := p.Do(t.Context(), engine.Action{Selector: "#a", Method: engine.DragAndDrop, Arguments: []string{"#c"}}, nil)
	if on := evaluate(t, p, "[...document.querySelectorAll('.on')].map((e) => e.id).join()"); on != `"a,b,c"` || err != nil {
		t.Errorf("marked are %s, %v", on, err)
	}
}

// The pointer enters all that lies on its way.
func TestDragEntersWhatIsOnItsWay(t *testing.T) {
	p := lateOnChrome(t, `<!DOCTYPE html><title>Hours</title><table cellspacing=0><tr></tr></table><script>
		const row = document.querySelector('tr');
		for (let i = 0; i < 20; i++) {
			const c = row.insertCell();
			c.style = 'min-width: 24px; height: 24px';
			c.onmousedown = (e) => { e.preventDefault(); c.className = 'on' };
			c.onmouseenter = (e) => { if (e.buttons) c.className = 'on' };
		}</script>`, nil)
	_, err := p.Do(t.Context(), engine.Action{Selector: "td:first-child", Method: engine.DragAndDrop, Arguments: []string{"td:last-child"}}, nil)
	if on := evaluate(t, p, "row.querySelectorAll('.on').length"); on != "20" || err != nil {
		t.Errorf("%s of 20 are marked, %v", on, err)
	}
}
