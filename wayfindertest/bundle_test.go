package wayfindertest_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

const secret = "correct horse & battery"

// scripted is a site whose pages are nothing without their scripts.
func scripted() http.Handler {
	mux := http.NewServeMux()
	page := func(path, html string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("content-type", "text/html; charset=utf-8")
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "cookie-of-a-session"})
			fmt.Fprint(w, "<!doctype html><html lang=en>"+html)
		})
	}
	page("/{$}", `<title>Rows</title><h1>Rows</h1><button id=add>Add a row</button><ul id=rows></ul><div id=host></div>
		<iframe src=/frame title=Inner></iframe><button id=ask>Delete all</button><p id=answer></p>
		<form action=/found><label>Password <input type=password name=p></label><label>Note <input name=q></label><button>Search</button></form><a href=/later>Later</a>
		<script>
		let n = 0;
		document.querySelector("#add").onclick = () => setTimeout(() => {
			document.querySelector("#rows").insertAdjacentHTML("beforeend", "<li>Row " + ++n + "</li>") }, 60);
		document.querySelector("#ask").onclick = () => {
			document.querySelector("#answer").textContent = confirm("Really?") ? "gone" : "kept" };
		document.querySelector("[name=p]").oninput = e => { document.querySelector("#answer").textContent = btoa("x" + e.target.value) + " " + encodeURIComponent(e.target.value) };
		const root = document.querySelector("#host").attachShadow({mode: "closed"});
		root.innerHTML = "<button>In the shadow</button><p></p>";
		root.querySelector("button").onclick = () => { root.querySelector("p").textContent = "reached" };
		</script>`)
	page("/frame", `<button onclick="this.textContent = 'Framed twice'">Framed</button>`)
	page("/found", `<title>Found</title><p id=where></p><script>document.querySelector("#where").textContent = location.search</script>`)
	page("/later", `<title>Later</title><script>location.replace("/arrived")</script>`)
	page("/arrived", `<title>Arrived</title><h1>Here</h1>`)
	return mux
}

// run does the same on any driver, and returns all that it saw.
func run(t *testing.T, session *engine.Session, address, value string) string {
	t.Helper()
	ctx, page := t.Context(), session.Page()
	var seen strings.Builder
	look := func() {
		t.Helper()
		snap, err := page.Snapshot(ctx, nil)
		if err != nil {
			t.Fatalf("Snapshot: %v", err)
		}
		seen.WriteString(snap.Outline())
	}
	act := func(instruction string) {
		t.Helper()
		r, err := page.Act(ctx, instruction, &engine.ActOptions{Variables: map[string]engine.Variable{"pw": {Value: value}}})
		fmt.Fprintln(&seen, r.Message, err)
		look()
	}
	if _, err := page.Navigate(ctx, address, nil); err != nil {
		t.Fatal(err)
	}
	look()
	act("add a row")
	act("add a row")
	act("reach into the shadow")
	act("press the framed one")
	act("delete all")
	act("type the password")
	act("type the note")
	act("search")
	if _, err := page.Back(ctx, nil); err != nil {
		t.Fatal(err)
	}
	look()
	act("go later")
	_, err := page.Do(ctx, engine.Action{Selector: "#none"}, nil)
	fmt.Fprintln(&seen, err)
	return seen.String() + wayfindertest.TrajectoryText(session)
}

func answers(t *testing.T) *llmtest.Script {
	return llmtest.NewScript(t,
		choice("add a row", "button: Add a row", "click"), choice("add a row", "button: Add a row", "click"),
		choice("reach into the shadow", "button: In the shadow", "click"),
		choice("press the framed one", "button: Framed", "click"),
		choice("delete all", "button: Delete all", "click"),
		choice("type the password", "textbox: Password", "fill", "%pw%"),
		choice("type the note", "textbox: Note", "type", "it is %pw%"),
		choice("search", "button: Search", "click"),
		choice("go later", "link: Later", "click"))
}

func accept(engine.Dialog) engine.DialogAnswer { return engine.DialogAnswer{Accept: true} }

func needChrome(t *testing.T) {
	t.Helper()
	chrometest.Long(t)
	_, err := cdp.Find()
	chrometest.Need(t, err)
}

// record runs on Chrome and returns the bundle and what was seen.
func record(t *testing.T) (bundle []byte, saw, address string) {
	t.Helper()
	needChrome(t)
	server := httptest.NewServer(scripted())
	defer server.Close()
	recorder := recording.New(cdp.Launch{}, &recording.Options{Secrets: []string{"key-of-the-vendor"}})
	session, err := engine.Open(t.Context(), recorder, &engine.Options{Model: llmtest.Record(answers(t), recorder.Exchanges()), Dialog: accept})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	saw = run(t, session, server.URL, secret)
	if err := recorder.Note("remark", "made with key-of-the-vendor"); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := recorder.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), saw, server.URL
}

// What was recorded on Chrome, on pages that live by their scripts, is played
// without it: every outline, message and piece of evidence is the same, at
// whatever speed, and whatever value stands for the secret.
func TestRecordOnChromeReplayOffline(t *testing.T) {
	bundle, saw, address := record(t)
	for _, want := range []string{"Row 2", "reached", "Framed twice", "gone", "Here"} {
		if !strings.Contains(saw, want) {
			t.Errorf("Chrome did not show %q:\n%s", want, saw)
		}
	}
	path := filepath.Join(t.TempDir(), "failed.wayfinder")
	if err := os.WriteFile(path, bundle, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"the same value": secret, "another value": "a value made up for a test"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := wayfindertest.OpenBundle(t, path, map[string]engine.Variable{"pw": {Value: value}})
				session, err := engine.Open(t.Context(), b.Driver, &engine.Options{Model: b.Model, Dialog: accept})
				if err != nil {
					t.Fatal(err)
				}
				got := run(t, session, address, value)
				session.Close()
				want := saw
				if value != secret {
					got, want = plainSecret(got, value), plainSecret(want, secret)
				}
				if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
					t.Errorf("replayed (-recorded +now):\n%s", diff)
				}
			})
		})
	}
}

// plainSecret takes a value and the length of it out of what was seen.
func plainSecret(text, value string) string {
	raw := base64.StdEncoding.EncodeToString([]byte("x" + value))
	text = strings.NewReplacer(raw, "B64", value, "VALUE", url.QueryEscape(value), "VALUE", strings.ReplaceAll(url.QueryEscape(value), "+", "%20"), "VALUE").Replace(text)
	for strings.Contains(text, "••") {
		text = strings.ReplaceAll(text, "••", "•")
	}
	return text
}

// Nothing of a secret is in a bundle, however it was spelled.
func TestBundleHoldsNoSecrets(t *testing.T) {
	bundle, saw, _ := record(t)
	// The Base64 of x and the value begins with e; the engine hides the rest.
	if !strings.Contains(saw, "text: e%pw% %pw%") {
		t.Errorf("the page did not show the value in Base64 and as an address has it, so that this shows nothing:\n%s", saw)
	}
	for _, part := range []string{
		secret, "correct horse", "battery", url.QueryEscape(secret), url.PathEscape(secret), "correct%20horse",
		base64.StdEncoding.EncodeToString([]byte(secret))[:24], base64.StdEncoding.EncodeToString([]byte("x" + secret))[4:24],
		"cookie-of-a-session", "key-of-the-vendor",
	} {
		if i := bytes.Index(bundle, []byte(part)); i >= 0 {
			t.Errorf("the bundle holds %q: …%s…", part, bundle[max(0, i-200):min(len(bundle), i+100)])
		}
	}
}
