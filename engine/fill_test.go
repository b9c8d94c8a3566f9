package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestTypingCutOff types on a page that leaves in the middle of it. What is told
// to be done was typed to its end.
func TestTypingCutOff(t *testing.T) {
	t.Parallel()
	for _, at := range []int{1, 20, 33, 52} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			told := make(chan string, 1)
			mux := http.NewServeMux()
			mux.HandleFunc("GET /", write(fmt.Sprintf(`<title>Search</title><input id=q><script>
				q.oninput = () => { if (q.value.length === %d) location = '/next' }
				onpagehide = () => navigator.sendBeacon('/felt?n=' + q.value.length)
			</script>`, at)).ServeHTTP)
			mux.HandleFunc("GET /next", write("<title>Next</title><input autofocus>").ServeHTTP)
			mux.HandleFunc("POST /felt", func(_ http.ResponseWriter, r *http.Request) {
				told <- r.FormValue("n")
			})
			page, address := openOnChrome(t, mux, nil)
			if _, err := page.Navigate(t.Context(), address, nil); err != nil {
				t.Fatal(err)
			}
			r, err := page.Do(t.Context(), engine.Action{Selector: "#q", Method: engine.Type, Arguments: []string{strings.Repeat("abcd", 13)}}, nil)
			if err != nil && !errors.Is(err, engine.ErrMayHaveHappened) || r.Sent == engine.SentNone {
				t.Errorf("Do = %+v, %v", r, err)
			}
			felt := <-told
			t.Logf("%s letters were felt, success %v: %s", felt, r.Success, r.Message)
			if r.Success && felt != "52" {
				t.Errorf("success is told, and %s of 52 letters arrived", felt)
			}
			if at == 52 && err != nil {
				t.Errorf("the last letter led away: %v, want it done", err)
			}
		})
	}
}

// TestTypingThroughADialog types into a field that the page empties, on a page
// that shows a dialog in the middle: what is told to be done was typed to its end.
func TestTypingThroughADialog(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]string{"short": strings.Repeat("a", 10), "long": strings.Repeat("a", 70), "variable": "%text%"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, address := openOnChrome(t, write(`<input id=q><pre id=out></pre><script>
				var felt = 0
				q.oninput = () => { felt += q.value.length; out.textContent += q.value; q.value = ''; if (felt === 3) alert('three') }
			</script>`), nil)
			if _, err := page.Navigate(t.Context(), address, nil); err != nil {
				t.Fatal(err)
			}
			long := strings.Repeat("a", 70)
			opts := &engine.ActOptions{Variables: map[string]engine.Variable{"text": {Value: long}}}
			r, err := page.Do(t.Context(), engine.Action{Selector: "#q", Method: engine.Type, Arguments: []string{given}}, opts)
			want := len(given)
			if name == "variable" {
				want = len(long)
			}
			felt := int(pageNumber(t, page, "felt"))
			t.Logf("%d of %d letters: %s", felt, want, r.Message)
			if r.Success && felt != want || len(r.Evidence.Dialogs) != 1 || err != nil && r.Sent == engine.SentNone {
				t.Errorf("Do = %+v, %v; %d of %d letters arrived", r, err, felt, want)
			}
		})
	}
}

// TestTextStaysInItsField types a text where the page moves the focus on: no letter of
// it goes elsewhere, except within the fields of a code.
func TestTextStaysInItsField(t *testing.T) {
	t.Parallel()
	form := func(limit string) string {
		return "<input id=a " + limit + "><input id=b " + limit + "><input id=c " + limit + "><textarea id=d></textarea>"
	}
	script := func(d *fake.Document) {
		for from, to := range map[string]string{"#a": "#b", "#b": "#c", "#c": "#d"} {
			d.On("input", from, func(*fake.Event) { d.Find(to).Focus() })
		}
	}
	handlers := "<script>a.oninput = () => b.focus(); b.oninput = () => c.focus(); c.oninput = () => d.focus()</script>"
	for _, test := range []struct {
		name, limit, given string
		success            bool
		values             string
	}{
		{"a variable stops", "", "%pin%", false, "1|||"},
		{"a plain text stops", "", "1234", false, "1|||"},
		{"a plain text in a code's fields", "maxlength=1", "123", true, "1|2|3|"},
		{"a variable in a code's fields", "maxlength=1", "%pin%", false, "1|2|3|"},
		{"a variable and a tab", "", "%pin%\tx", true, "1|2|3|4"},
	} {
		values := func(t *testing.T, page *engine.Page) string {
			var all []string
			for _, id := range []string{"a", "b", "c", "d"} {
				nodes, err := page.Driver().Find(t.Context(), driver.NodeRef{}, driver.Selector{Text: "#" + id})
				if err != nil || len(nodes) != 1 {
					t.Fatal(nodes, err)
				}
				state, err := page.Driver().State(t.Context(), nodes[0])
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, state.Value)
			}
			return strings.Join(all, "|")
		}
		judge := func(t *testing.T, page *engine.Page) {
			opts := &engine.ActOptions{Variables: map[string]engine.Variable{"pin": {Value: "1234"}}}
			r, err := page.Do(t.Context(), engine.Action{Selector: "#a", Method: engine.Type, Arguments: []string{test.given}}, opts)
			if got := values(t, page); r == nil || r.Success != test.success || got != test.values {
				t.Errorf("Do = %+v, %v; the fields hold %s, want %s", r, err, got, test.values)
			}
			if !test.success && !errors.Is(err, engine.ErrMayHaveHappened) {
				t.Errorf("error = %v", err)
			}
		}
		t.Run(test.name+"/memory", func(t *testing.T) {
			t.Parallel()
			d := fake.New(fake.Options{Web: fake.Web{shopAddress: form(test.limit)}, Scripts: map[string]func(*fake.Document){"*": script}})
			judge(t, openOn(t, d, nil))
		})
		t.Run(test.name+"/chrome", func(t *testing.T) {
			t.Parallel()
			page, address := openOnChrome(t, write(form(test.limit)+handlers), nil)
			if _, err := page.Navigate(t.Context(), address, nil); err != nil {
				t.Fatal(err)
			}
			judge(t, page)
		})
	}
}

// A field may answer that it is emptied with another text.
func TestClearedFieldHoldsAnother(t *testing.T) {
	p := lateOnChrome(t, `<input aria-label=Amount value=12 oninput="if (!value) value = '0'"><div contenteditable role=textbox aria-label=Note oninput="if (!textContent) textContent = 'empty'">old</div>`, nil)
	for _, label := range []string{"Amount", "Note"} {
		_, err := p.Do(t.Context(), engine.Action{Selector: "label=" + label, Method: engine.Clear}, nil)
		if !errors.Is(err, engine.ErrNoEffect) {
			t.Errorf("Clear of %s = %v, want %v", label, err, engine.ErrNoEffect)
		}
	}
}

// Clear waits until an editor with a selection of its own has taken the page's.
func TestClearInEditor(t *testing.T) {
	for range 5 {
		p := lateOnChrome(t, `<div contenteditable role=textbox aria-label=Note>Old text</div><script>
			const e = document.querySelector('div');
			let all = false;
			document.addEventListener('selectionchange', () => { all = !getSelection().isCollapsed });
			e.addEventListener('beforeinput', (x) => {
				x.preventDefault();
				e.textContent = (all ? '' : e.textContent.slice(1)) + (x.data ?? '');
			});</script>`, nil)
		_, err := p.Do(t.Context(), engine.Action{Selector: "label=Note", Method: engine.Clear}, nil)
		if holds := evaluate(t, p, "e.textContent"); holds != `""` || err != nil {
			t.Fatalf("it holds %s, %v", holds, err)
		}
	}
}

// Between the keys of a long text the page's own tasks have their turn, as they have between
// those of a person.
func TestKeysLeaveThePageItsTurn(t *testing.T) {
	p := lateOnChrome(t, `<textarea aria-label=Note></textarea><script>
		let waiting = 0, most = 0;
		const turn = new MessageChannel();
		turn.port1.onmessage = () => { waiting = 0 };
		document.querySelector('textarea').oninput = () => {
			if (!waiting++) turn.port2.postMessage(0);
			most = Math.max(most, waiting);
		};</script>`, nil)
	text := strings.Repeat("Some words and more. ", 10)
	_, err := p.Do(t.Context(), engine.Action{Selector: "label=Note", Method: engine.Type, Arguments: []string{text}}, nil)
	var most int
	if unread := json.Unmarshal([]byte(evaluate(t, p, "most")), &most); unread != nil || most > 10 || err != nil {
		t.Errorf("%d keys without a turn of the page's, %v, %v", most, err, unread)
	}
}

// A mask that makes another date, time or number of a text has not taken it.
func TestMaskMakesAnother(t *testing.T) {
	const mask = `<input aria-label=X oninput="let digits = value.replace(/[^0-9]/g, ''), out = ''; for (const c of '%s') { if (!digits) break; if (c == '0') { out += digits[0]; digits = digits.slice(1) } else out += c } value = out">`
	for _, c := range []struct {
		mask     string
		method   engine.Method
		text, is string
	}{
		{"00/00/0000", engine.Fill, "3/5/1988", ""}, {"00/00/0000", engine.Fill, "03/05/1988", "03/05/1988"}, {"00/00/0000", engine.Type, "03051988", "03/05/1988"},
		{"00:00", engine.Fill, "9:30", ""}, {"00:00", engine.Type, "9:30", ""}, {"000", engine.Type, "12.5", ""}, {"0 kg", engine.Fill, "-5", ""}, {"0 kg", engine.Fill, "5", "5"},
	} {
		p := lateOnChrome(t, fmt.Sprintf(mask, c.mask), nil)
		_, err := p.Do(t.Context(), engine.Action{Selector: "label=X", Method: c.method, Arguments: []string{c.text}}, nil)
		holds := evaluate(t, p, "document.querySelector('input').value")
		if c.is == "" && !errors.Is(err, engine.ErrNoEffect) || c.is != "" && (err != nil || holds != `"`+c.is+`"`) {
			t.Errorf("%s %q into %s: it holds %s, %v", c.method, c.text, c.mask, holds, err)
		}
	}
}

// A slider may listen to two of the four arrow keys alone, run from right to left, and add up
// fractions.
func TestSlidersOfTwoKeys(t *testing.T) {
	const page = `<!DOCTYPE html><title>Slider</title><div role=slider tabindex=0 aria-label=Hue aria-valuemin=0 aria-valuemax=9 aria-valuenow=0.1 style="width: 99px; height: 9px"></div><script>
		const s = document.querySelector('div');
		s.onkeydown = (e) => { const by = ({KEYS})[e.key]; if (by) s.setAttribute('aria-valuenow', +s.getAttribute('aria-valuenow') + by) }</script>`
	for name, keys := range map[string]string{
		"all":                "ArrowUp: .1, ArrowRight: .1, ArrowDown: -.1, ArrowLeft: -.1",
		"up and down":        "ArrowUp: .1, ArrowDown: -.1",
		"right and left":     "ArrowRight: .1, ArrowLeft: -.1",
		"from right to left": "ArrowRight: -.1, ArrowLeft: .1",
	} {
		t.Run(name, func(t *testing.T) {
			p := lateOnChrome(t, strings.Replace(page, "KEYS", keys, 1), nil)
			_, err := p.Do(t.Context(), engine.Action{Selector: "label=Hue", Method: engine.Fill, Arguments: []string{"0.8"}}, nil)
			if now := evaluate(t, p, "(+s.getAttribute('aria-valuenow')).toFixed(3)"); now != `"0.800"` || err != nil {
				t.Errorf("it is at %s, %v", now, err)
			}
		})
	}
	p := lateOnChrome(t, strings.Replace(page, "KEYS", "ArrowUp: -.1, ArrowDown: -.1", 1), nil)
	if _, err := p.Do(t.Context(), engine.Action{Selector: "label=Hue", Method: engine.Fill, Arguments: []string{"0.8"}}, nil); !errors.Is(err, engine.ErrNoEffect) {
		t.Errorf("a slider that runs away: %v, want %v", err, engine.ErrNoEffect)
	}
}

// An editor that fills a frame takes text and keys, whatever had the focus.
func TestEditableBodyOfAFrame(t *testing.T) {
	for _, c := range []struct {
		method   engine.Method
		text, is string
	}{
		{engine.Fill, "x", "x"}, {engine.Type, "x", ""}, {engine.Press, "x", ""}, {engine.Press, "Control+a", "Old text"}, {engine.Clear, "", ""},
	} {
		p := lateOnChrome(t, `<h2>Letter</h2><input aria-label=To><iframe srcdoc="<body contenteditable aria-label=Message><p>Old text</p></body>"></iframe>`, nil)
		if _, err := p.Do(t.Context(), engine.Action{Selector: "label=To", Method: engine.Fill, Arguments: []string{"Ann"}}, nil); err != nil {
			t.Fatal(err)
		}
		a := engine.Action{Selector: "label=Message", Method: c.method}
		if c.text != "" {
			a.Arguments = []string{c.text}
		}
		_, err := p.Do(t.Context(), a, nil)
		holds := strings.TrimSpace(strings.Trim(evaluate(t, p, "document.querySelector('iframe').contentDocument.body.innerText"), `"`))
		if err != nil || c.is != "" && holds != c.is || c.is == "" && c.text != "" && !strings.Contains(holds, c.text) {
			t.Errorf("%s %q: it holds %q, %v", c.method, c.text, holds, err)
		}
	}
}

// An editor may set its own selection when it has got the focus: a key comes after that.
func TestKeyAfterTheFocus(t *testing.T) {
	for name, later := range map[string]string{"a timer": "setTimeout(mine, 50)", "frames": "requestAnimationFrame(() => requestAnimationFrame(mine))"} {
		p := lateOnChrome(t, `<div contenteditable role=textbox aria-label=Note>Old text</div><script>
			const e = document.querySelector('div');
			const mine = () => getSelection().collapse(e, 0);
			e.onfocus = () => `+later+`</script>`, nil)
		for _, a := range []engine.Action{{Method: engine.Press, Arguments: []string{"Control+a"}}, {Method: engine.Type, Arguments: []string{"x"}}} {
			a.Selector = "label=Note"
			if _, err := p.Do(t.Context(), a, nil); err != nil {
				t.Fatal(err)
			}
		}
		if holds := evaluate(t, p, "e.textContent"); holds != `"x"` {
			t.Errorf("%s: it holds %s", name, holds)
		}
	}
}

// The cells of a table that is edited in place are found by what they say.
func TestEditableTable(t *testing.T) {
	for _, selector := range []string{`role=row[text="Rent"] >> column="Amount"`, `text="900"`} {
		p := lateOnChrome(t, `<table><thead><tr><th>Item<th>Amount<tbody><tr><td contenteditable>Food<td contenteditable>350<tr><td contenteditable>Rent<td contenteditable>900</table>`, nil)
		_, err := p.Do(t.Context(), engine.Action{Selector: selector, Method: engine.Fill, Arguments: []string{"950"}}, nil)
		if cells := evaluate(t, p, "[...document.querySelectorAll('td')].map((c) => c.innerText).join()"); cells != `"Food,350,Rent,950"` || err != nil {
			t.Errorf("%s: the cells are %s, %v", selector, cells, err)
		}
	}
}
