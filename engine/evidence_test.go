package engine_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

const basket = `<title>Basket</title>
<details><summary>Account</summary><a href="/leave">Sign out</a></details>
<label>Count <input id="n" value="1"></label>
<a href="/else">Elsewhere</a>`

// The changes of the outline are told to who asks, and cost who does not
// nothing: no reading of the page.
func TestChanges(t *testing.T) {
	counted := func(changes bool) (*engine.ActResult, int) {
		page := openShop(t, basket, nil)
		ctx := t.Context()
		if _, err := page.Do(ctx, engine.Action{Selector: "#n", Method: engine.Fill, Arguments: []string{"2"}}, nil); err != nil {
			t.Fatal(err)
		}
		r, err := page.Do(ctx, engine.Action{Selector: "summary"}, &engine.ActOptions{Changes: changes})
		if err != nil {
			t.Fatal(err)
		}
		return r, page.Session().Metrics().Captures
	}
	if r, captures := counted(false); r.Evidence.Changes != "" || captures != 0 {
		t.Errorf("unasked, Changes = %q after %d readings, want none", r.Evidence.Changes, captures)
	}
	r, _ := counted(true)
	for _, want := range []string{"~ ", "button: Account (expanded)", "+ ", "link: Sign out"} {
		if !strings.Contains(r.Evidence.Changes, want) {
			t.Errorf("Changes = %q, want %q in it", r.Evidence.Changes, want)
		}
	}
	if strings.Contains(r.Evidence.Changes, "Elsewhere") {
		t.Errorf("Changes = %q, want nothing of what stayed", r.Evidence.Changes)
	}
	if rev := r.Evidence.Revision; rev == nil || rev.Before == rev.After {
		t.Errorf("Revision = %+v, want two", rev)
	}
}

// The changes are bounded, and hold no value of a variable.
func TestChangesBoundedAndHidden(t *testing.T) {
	const secret = "correct horse battery"
	page := openShop(t, `<title>Long</title><details><summary>All</summary><ul>`+strings.Repeat("<li>an item of a long list</li>", 3000)+`</ul></details>
<label>Note <input id="note"></label>`, nil)
	ctx := t.Context()
	r, err := page.Do(ctx, engine.Action{Selector: "summary"}, &engine.ActOptions{Changes: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Evidence.Changes); n == 0 || n > 20_000 || !strings.Contains(r.Evidence.Changes, "more changes") {
		t.Errorf("Changes has %d bytes and ends %q, want a bound that is told", n, r.Evidence.Changes[max(0, n-60):])
	}
	r, err = page.Do(ctx, engine.Action{Selector: "#note", Method: engine.Fill, Arguments: []string{"%pass%"}},
		&engine.ActOptions{Changes: true, Variables: map[string]engine.Variable{"pass": {Value: secret}}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(r.Evidence.Changes, secret) || !strings.Contains(r.Evidence.Changes, "%pass%") {
		t.Errorf("Changes = %q, want the placeholder", r.Evidence.Changes)
	}
}

// What a field makes of a variable's value, in groups or cut off, is as secret
// as the value: no result shows it, and no model afterwards.
func TestFormattedSecret(t *testing.T) {
	script := llmtest.NewScript(t, llmtest.Step{Purpose: llm.PurposeAct, Answer: func(*llm.Request) any {
		return map[string]any{"found": false, "ref": "", "method": "", "arguments": []string{}, "description": "", "reason": "no", "more": false}
	}})
	d := fake.New(fake.Options{
		Web: fake.Web{shopAddress: `<!DOCTYPE html><title>Pay</title><input id="card" aria-label="Card"><input id="short" aria-label="Short" maxlength="6">`},
		Scripts: map[string]func(*fake.Document){"*": func(d *fake.Document) {
			d.On("input", "#card", func(e *fake.Event) {
				v := strings.ReplaceAll(e.Target.Value(), " ", "")
				if len(v) == 8 {
					e.Target.SetValue(v[:4] + " " + v[4:])
				}
			})
		}},
	})
	page := openOn(t, d, &engine.Options{Model: script})
	ctx := t.Context()
	opts := &engine.ActOptions{Variables: map[string]engine.Variable{"card": {Value: "98765432"}}}
	fill := func(selector string) (*engine.ActResult, error) {
		return page.Do(ctx, engine.Action{Selector: selector, Method: engine.Fill, Arguments: []string{"%card%"}}, opts)
	}
	r, err := fill("#card")
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Evidence.Value; v == nil || v.After != "%card%" {
		t.Errorf("value = %+v, want the placeholder", v)
	}
	cut, err := fill("#short")
	if !errors.Is(err, engine.ErrNoEffect) {
		t.Errorf("fill of a field that cuts off = %v, want %v", err, engine.ErrNoEffect)
	}
	if _, err := page.Act(ctx, "pay", nil); !errors.Is(err, engine.ErrNotFound) {
		t.Fatal(err)
	}
	seen := fmt.Sprintf("%+v %+v %v %+v\n%s", r.Evidence, cut.Evidence, err, page.Session().History(), requestText(script.Requests()[0]))
	for _, part := range []string{"98765432", "9876 5432", "987654"} {
		if strings.Contains(seen, part) {
			t.Errorf("%q is shown in\n%s", part, seen)
		}
	}
}

const upload = `<title>Upload</title><form action="/in" method="post" enctype="multipart/form-data">
<input type="file" name="doc" id="doc" aria-label="Document" multiple accept=".txt, application/pdf"></form>`

// Contents are given by name, on both browsers, and nothing of them stays
// behind when the session is closed.
func TestFilesByContent(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	session, err := engine.Open(t.Context(), fake.Web{shopAddress: "<!DOCTYPE html>" + upload}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	ctx := t.Context()
	if _, err := page.Navigate(ctx, shopAddress, nil); err != nil {
		t.Fatal(err)
	}
	give := func(name string, args ...string) error {
		r, err := page.Do(ctx, engine.Action{Selector: "#doc", Method: engine.SetInputFiles, Arguments: args},
			&engine.ActOptions{Files: map[string][]byte{name: []byte("hello")}})
		if err == nil && r.Evidence.Value.After != strings.Join(args, ", ") {
			t.Errorf("value = %+v, want the names", r.Evidence.Value)
		}
		return err
	}
	if err := give("letter.txt", "letter.txt"); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "wayfinder-files-*", "*", "letter.txt"))
	if err != nil || len(left) != 1 {
		t.Fatalf("files on disk: %q, %v, want one", left, err)
	}
	if text, err := os.ReadFile(left[0]); string(text) != "hello" || err != nil {
		t.Errorf("content = %q, %v", text, err)
	}
	for name, args := range map[string][]string{
		"photo.png":         {"photo.png"}, // not accepted
		"../letter.txt":     {"../letter.txt"},
		"/etc/letter.txt":   {"/etc/letter.txt"},
		`dir\letter.txt`:    {`dir\letter.txt`},
		"..":                {".."},
		"letter.txt":        {"other.txt"},
		"another":           {"."},
		"letter\x00pdf.txt": {"letter\x00pdf.txt"},
	} {
		if err := give(name, args...); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("files %q for %q = %v, want %v", name, args, err, engine.ErrInvalid)
		}
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(left[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Close the file is there: %v", err)
	}
}

// A page that talks a model into giving away a file gets none.
func TestModelNamesNoFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.txt")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	page := openShop(t, upload, &engine.Options{Model: llmtest.NewScript(t,
		choose(t, "button", "Document", "setInputFiles", path), choose(t, "button", "Document", "setInputFiles", path),
		choose(t, "button", "Document", "setInputFiles", path), choose(t, "button", "Document: mine.txt", "setInputFiles", "given.txt"))})
	ctx := t.Context()
	r, err := page.Act(ctx, "upload the document", nil)
	if err == nil || len(r.Actions) != 0 {
		t.Errorf("Act with a path of the model's own = %+v, %v, want it refused", r, err)
	}
	if _, err := page.Act(ctx, "upload "+path, nil); err != nil {
		t.Errorf("Act with a path that the person named = %v", err)
	}
	given := &engine.ActOptions{Files: map[string][]byte{"given.txt": []byte("x")}}
	if _, err := page.Act(ctx, "upload what I gave", given); err != nil {
		t.Errorf("Act with a content that was given = %v", err)
	}
}

// A page that does something all the time, on a machine that needs longer for a
// look than the page for its next move: evidence ends all the same.
func TestEvidenceEndsOnABusyMachine(t *testing.T) {
	frames := func(d *fake.Document) {
		var next func()
		next = func() {
			d.Find("#ads").SetHTML(`<iframe src="/ad"></iframe>`)
			d.After(150*time.Millisecond, next)
		}
		next()
	}
	synctest.Test(t, func(t *testing.T) {
		d := fake.New(fake.Options{
			Web: fake.Web{
				shopAddress:        `<title>Ads</title><button id=save>Save</button><div id=ads></div>`,
				shopAddress + "ad": `<p>Ad`,
			},
			Scripts: map[string]func(*fake.Document){shopAddress: frames},
		})
		page := openOn(t, faults.Wrap(d, faults.Delay(0, "state", 400*time.Millisecond), faults.Delay(0, "activity", 400*time.Millisecond)), nil)
		began := time.Now() // of the bubble, where time is made
		result, err := page.Do(t.Context(), engine.Action{Selector: "#save"}, nil)
		if err != nil || !result.Success {
			t.Errorf("Do = %+v, %v", result, err)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// A call that is refused before it begins repeats what it was given: a value that the
// session knows is hidden there as well, however Go quotes it.
func TestRejectedCallsHideValues(t *testing.T) {
	for _, value := range []string{"line1 xQ\nline2 yZ", "pa\u00adss w\u200bord", "tab\there\r\nbelow", `back\slash and "quote"`, "p\x01w\x7fabc"} {
		page := openShop(t, basket, nil)
		if err := page.Session().Remember(map[string]engine.Variable{"pass": {Value: value}}); err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		_, address := page.Navigate(ctx, "htp:/"+value+"\x00", nil)
		_, scheme := page.Navigate(ctx, value, nil)
		_, until := page.Navigate(ctx, shopAddress, &engine.NavigateOptions{WaitUntil: driver.WaitUntil(value)})
		_, method := page.Do(ctx, engine.Action{Selector: "#n", Method: engine.Method(value)}, nil)
		_, command := page.DoTo(ctx, engine.Target{Selector: "#n"}, engine.Command{Method: engine.Method(value)}, nil)
		_, gesture := page.Do(ctx, engine.Action{Selector: "#n", Method: engine.Click, Arguments: []string{value}}, nil)
		_, file := page.Act(ctx, "go", &engine.ActOptions{Files: map[string][]byte{"/" + value: nil}})
		_, tool := page.CallTool(ctx, engine.PageTool{Name: value}, []byte("["), nil)
		_, variable := page.Observe(ctx, "", &engine.ObserveOptions{Variables: map[string]engine.Variable{value: {}}})
		wait := page.WaitFor(ctx, engine.ElementShown("["+value))
		again := page.Session().Remember(map[string]engine.Variable{value: {}})
		for name, err := range map[string]error{
			"address": address, "scheme": scheme, "until": until, "method": method, "command": command, "gesture": gesture,
			"file": file, "tool": tool, "variable": variable, "wait": wait, "remember": again,
		} {
			if err == nil || !strings.Contains(err.Error(), "%pass%") && name != "wait" || strings.Contains(err.Error(), value[:4]) {
				t.Errorf("%s with %q = %v, want the placeholder", name, value, err)
			}
		}
	}
}
