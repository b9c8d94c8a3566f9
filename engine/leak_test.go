package engine_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// leaked is a value that every kind of escaping changes.
const leaked = `p@ss w+rd&"<ü>\n'%41/~*`

// A gossip is a site that shows what it is sent wherever it can: in titles,
// names, values, links, addresses, redirects and files, in every encoding.
func gossip(w http.ResponseWriter, r *http.Request) {
	said := r.FormValue("word")
	inJSON, _ := json.Marshal(said)
	spellings := []string{said, url.QueryEscape(said), url.PathEscape(said), strings.ReplaceAll(url.QueryEscape(said), "+", "%20"), html.EscapeString(said), string(inJSON)}
	for lead := range 3 {
		text := []byte("xyz"[:lead] + said + "!")
		spellings = append(spellings, base64.StdEncoding.EncodeToString(text), base64.URLEncoding.EncodeToString(text))
	}
	switch r.URL.Path {
	case "/file":
		w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(said)+".txt")
		fmt.Fprint(w, said)
		return
	case "/again":
		http.Redirect(w, r, "/?word="+url.QueryEscape(said)+"#"+url.PathEscape(said), http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!DOCTYPE html><title>%s</title><form><label>Word <input name=word></label><button>Send</button></form>`, html.EscapeString("You said "+said))
	for i, s := range spellings {
		s = html.EscapeString(s)
		fmt.Fprintf(w, `<p>%s</p><button title="%s" aria-description="%s">Say %d %s</button><input value="%s" placeholder="%s"><a href="/again?word=%s">link %s</a>`,
			s, s, s, i, s, s, s, url.QueryEscape(said), s)
	}
	fmt.Fprintf(w, `<select><option>%[1]s</option></select><table><tr><td>%[1]s</td></tr></table><p>%[1]s%[1]s</p>
<a id=file href="/file?word=%[2]s">File</a><a id=again href="/again?word=%[2]s">Again</a>
<button id=ask onclick="alert(document.title)">Ask</button><button id=open onclick="window.open('/?word=%[2]s')">Open</button>
<button id=covered style="position:absolute;left:600px;top:0;width:90px;height:20px">Covered</button><div role=dialog aria-label="%[1]s" style="position:absolute;left:600px;top:0;width:100px;height:30px;background:white"></div>`,
		html.EscapeString(said), url.QueryEscape(said))
}

// A witness collects all that the engine tells anybody.
type witness struct {
	log      bytes.Buffer
	recorded bytes.Buffer
	hooks    strings.Builder
	said     strings.Builder
}

func (w *witness) options(model engine.LLM) *engine.Options {
	tell := func(v any) { fmt.Fprintf(&w.hooks, "%+v\n%s\n", v, jsonOf(v)) }
	return &engine.Options{
		Model:  llmtest.Record(model, &w.recorded),
		Logger: slog.New(slog.NewJSONHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Hooks: &engine.Hooks{
			Began:  func(ctx context.Context, e engine.Entry) context.Context { tell(e); return ctx },
			Ended:  func(_ context.Context, e engine.Entry, err error) { tell(e); tell(err) },
			Looked: func(_ context.Context, l engine.Look) { tell(l) },
			Asked:  func(_ context.Context, a engine.Ask) { tell(a); tell(a.Err) },
			Cached: func(_ context.Context, u engine.CacheUse) { tell(u) },
			Acted:  func(_ context.Context, r engine.ActResult) { tell(r) },
		},
		Patience: 1, // what is covered here stays so
	}
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// hear notes what a call gave its caller.
func (w *witness) hear(result any, err error) {
	fmt.Fprintf(&w.said, "%+v\n%s\n%v\n%+v\n", result, jsonOf(result), err, err)
}

// The value of a variable reaches the page and nothing else: not a model, a
// record, the log, a hook, a result, the history, an error or a stored action,
// however the page and the addresses spell it.
func TestNothingLeaks(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			testNothingLeaks(t, fake.New(fake.Options{Handler: http.HandlerFunc(gossip)}), "http://gossip.test")
		})
	})
	t.Run("chrome", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(gossip))
		defer server.Close()
		testNothingLeaks(t, chrome(t), server.URL)
	})
}

func testNothingLeaks(t *testing.T, d driver.Driver, base string) {
	w := &witness{}
	model := &chooser{}
	cache, err := engine.NewDirCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	options := w.options(model)
	options.Cache = cache
	options.Downloads = &engine.Downloads{Dir: t.TempDir()}
	session, err := engine.Open(t.Context(), d, options)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	ctx := t.Context()
	if _, err := page.Navigate(ctx, base+"/", nil); err != nil {
		t.Fatal(err)
	}
	opts := &engine.ActOptions{Variables: map[string]engine.Variable{"word": {Value: leaked, Description: "the word"}}}
	act := func(instruction string, choices ...string) {
		model.choices = choices
		w.hear(page.Act(ctx, instruction, opts))
	}
	do := func(a engine.Action) { w.hear(page.Do(ctx, a, opts)) }

	act("say %word%", `textbox Word fill %word%`)
	act("send it", `button Send click`)
	if address, err := url.Parse(page.URL()); err != nil || address.Query().Get("word") != leaked {
		t.Fatalf("the page did not get the value: %s, %v\n%s", page.URL(), err, w.said.String())
	}
	act("what is not there", `none "nothing fits"`)
	act("what is covered", `button Covered click`, `button Covered click`)
	act("what does not go", `button Send selectOption %word%`)
	act("choose what is not there", `combobox "%word%" selectOption "no %word%"`, `none "it is not there"`)
	act("a wrong answer, twice", `raw {"found":true}`, `raw {}`)
	act("say "+leaked+" without a name", `textbox Word fill %word%`)
	do(engine.Action{Selector: "p"})
	do(engine.Action{Selector: "#none", Method: engine.Fill, Arguments: []string{"%word%"}})
	do(engine.Action{Selector: "#file", Fingerprint: &engine.Fingerprint{Role: "link", Name: leaked, Tag: "a"}})
	do(engine.Action{Selector: "button[title]", Method: engine.Fill, Arguments: []string{"%word%"}})
	do(engine.Action{Selector: "select", Method: engine.SelectOption, Arguments: []string{"no %word%"}})
	do(engine.Action{Selector: "#ask"})
	do(engine.Action{Selector: "#open"})
	do(engine.Action{Selector: "#file"})
	empty := engine.Action{Selector: "input[name=word]", Method: engine.Clear}
	do(empty)
	act("say it again", `textbox Word fill %word%`)
	do(empty)
	act("say it again") // from the cache
	act("follow what is said", `link "link %word%" click`)
	w.hear(page.Observe(ctx, "", nil))
	model.choices = []string{`raw {"actions":[]}`}
	w.hear(page.Observe(ctx, "find what says "+leaked, nil))
	w.hear(page.Extract(ctx, "", nil))
	model.choices = []string{`raw {"extraction":"%word%"}`}
	w.hear(page.Extract(ctx, "the word", nil))
	do(engine.Action{Selector: "#again"})
	w.hear(page.Reload(ctx, nil))
	if snap, err := page.Snapshot(ctx, nil); err != nil || !strings.Contains(snap.Text(), leaked) {
		t.Errorf("the page does not show the value, and proves nothing: %v", err)
	} else {
		w.said.WriteString(snap.Outline())
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	w.hear(page.Act(gone, "say %word%", opts))
	w.hear(page.Extract(ctx, "the word", &engine.ExtractOptions{Selector: "#none " + "b"}))
	var files strings.Builder
	for _, text := range filesOf(t, cache) {
		files.WriteString(text)
	}
	search(t, map[string]string{"cache": files.String(),
		"log": w.log.String(), "recording": w.recorded.String(), "hooks": w.hooks.String(), "results": w.said.String(),
		"history": fmt.Sprintf("%+v\n", session.History()) + jsonOf(session.History()), "metrics": fmt.Sprintf("%+v", session.Metrics()),
	})
	if m := session.Metrics().Cache; m.Hits == 0 || m.Kept < 3 || !strings.Contains(files.String(), "%word%") {
		t.Errorf("cache: %+v, so that the files prove nothing:\n%s", m, files.String())
	}
	if !strings.Contains(w.recorded.String(), "the word") || !strings.Contains(w.said.String(), "%word%") {
		t.Error("the placeholder and its description are not told, so that the test proves nothing")
	}
}

// search looks for the value in texts, in all its spellings and in parts of it
// that no spelling changes.
func search(t *testing.T, places map[string]string) {
	t.Helper()
	parts := []string{"p@ss", "p%40ss", "w+rd", "w%2Brd", "w%2brd", "w\\u002brd", "rd&", "rd%26"}
	for lead := range 3 {
		whole := base64.StdEncoding.EncodeToString([]byte("xyz"[:lead] + leaked))
		parts = append(parts, whole[4:len(whole)-8], whole[8:20])
	}
	for where, text := range places {
		for _, part := range parts {
			if i := strings.Index(text, part); i >= 0 {
				t.Errorf("the %s hold %q: …%s…", where, part, text[max(0, i-120):min(len(text), i+120)])
			}
		}
	}
}

// What sites make of a value that they show is as secret as the value: a card
// number in groups, an address in small letters, marks where a line may break.
func TestNothingLeaksInOtherForms(t *testing.T) { synctest.Test(t, testNothingLeaksInOtherForms) }

// It runs in a bubble: the digits of a real clock may be those of the card.
func testNothingLeaksInOtherForms(t *testing.T) {
	const page = `<!DOCTYPE html><title>Pay with 4111-1111-1111-1111</title><form onsubmit="return false">
<label>Card <input name=card></label><label>Mail <input name=mail></label><button>Pay</button></form>
<p>Your card 4111&nbsp;1111&nbsp;1111&nbsp;1111, 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1</p><p>ann.miller@example.com, ANN.MILLER@EXAMPLE.COM</p>
<p>Ann.&shy;Miller@&#8203;Example.com</p><a href="/pay?card=4111+1111+1111+1111&amp;pin=%207Q9">pay</a><p>PIN7Q9</p>
<button title="ann.miller@example&#46;com">Forget 4111 1111 1111 1111</button>`
	w := &witness{}
	model := &chooser{}
	session, err := engine.Open(t.Context(), fake.Web{"https://shop.test/": page}, w.options(model))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	p := session.Page()
	ctx := t.Context()
	if _, err := p.Navigate(ctx, "https://shop.test/", nil); err != nil {
		t.Fatal(err)
	}
	opts := &engine.ActOptions{Variables: map[string]engine.Variable{"card": {Value: "4111111111111111"}, "mail": {Value: "Ann.Miller@Example.com"}, "pin": {Value: "7Q9"}}}
	model.choices = []string{`textbox Card fill %card%`}
	w.hear(p.Act(ctx, "fill in %card%", opts))
	model.choices = []string{`textbox Mail fill %mail%`}
	w.hear(p.Act(ctx, "fill in %mail%", opts))
	model.choices = []string{`none "nothing fits"`}
	w.hear(p.Act(ctx, "what is not there", opts))
	w.hear(p.Do(ctx, engine.Action{Selector: "a"}, opts))
	w.hear(p.Back(ctx, nil))
	w.hear(p.Do(ctx, engine.Action{Selector: "button"}, opts))
	w.hear(p.Observe(ctx, "", nil))
	w.hear(p.Extract(ctx, "", nil))
	if !strings.Contains(w.said.String(), "%card%") || !strings.Contains(w.recorded.String(), "Your card %card%, %card%") {
		t.Errorf("the placeholder does not stand there, so that the test proves nothing:\n%s", w.recorded.String())
	}
	for where, text := range map[string]string{"log": w.log.String(), "recording": w.recorded.String(), "hooks": w.hooks.String(), "results": w.said.String()} {
		text = drawn.ReplaceAllString(text, "")
		for _, part := range []string{"4111", "1 1 1", "1111", "7q9", "miller", "example.com"} {
			if i := strings.Index(strings.ToLower(text), part); i >= 0 {
				t.Errorf("the %s hold %q: …%s…", where, part, text[max(0, i-120):min(len(text), i+120)])
			}
		}
	}
}

// drawn are ids and addresses in memory, whose digits are nobody's secret.
var drawn = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]+`)

var _ llm.Model = (*chooser)(nil)
