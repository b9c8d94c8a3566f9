package anthropicbrowser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/agent/anthropicbrowser"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// site has a form, a file, and a link into a tab of its own.
func site(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/file":
		w.Header().Set("Content-Disposition", `attachment; filename="a.csv"`)
		fmt.Fprint(w, "a,b")
	case "/sent":
		fmt.Fprintf(w, "<title>Sent</title><p>%s, %s, %s</p>", r.FormValue("name"), r.FormValue("city"), r.FormValue("news"))
	default:
		fmt.Fprint(w, `<title>Site</title><form action="/sent"><label>Name <input name="name"></label>
<label>City <select name="city"><option>Bern<option>Basel</select></label><label><input type="checkbox" name="news"> News</label><button>Send</button></form>
<a href="/file">File</a> <a href="/" target="_blank">Again</a> <div style="height:3000px"></div><button>Below</button>`)
	}
}

func open(t *testing.T, opts *anthropicbrowser.Options) (*anthropicbrowser.Executor, *engine.Session) {
	session, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: http.HandlerFunc(site)}), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return anthropicbrowser.New(session, opts), session
}

var shownPicture = regexp.MustCompile(`"data":"[^"]+"`)

// TestResults: what each member answers, as it goes over the wire. The file is
// written anew by WAYFINDER_UPDATE=1.
func TestResults(t *testing.T) {
	x, _ := open(t, nil)
	var got bytes.Buffer
	for _, call := range []string{
		`navigate {"url": "https://site.test/"}`,
		`read_page {}`,
		`read_page {"filter": "interactive"}`,
		`find {"query": "city"}`,
		`find {"query": "unicorn"}`,
		`form_input {"target": {"type": "ref", "ref": "ref_0-10"}, "value": "Ada"}`,
		`form_input {"target": {"type": "ref", "ref": "ref_0-14"}, "value": "Basel"}`,
		`form_input {"target": {"type": "ref", "ref": "ref_0-20"}, "value": true}`,
		`left_click {"target": {"type": "coordinate", "x": 5, "y": 5}}`,
		`screenshot {}`,
		`zoom {"region": [0, 0, 100, 50]}`,
		`zoom {"region": [0, 0, 0, 0]}`,
		`scroll_to {"target": {"type": "ref", "ref": "ref_0-32"}}`,
		`left_click {"target": {"type": "ref", "ref": "ref_0-25"}}`,
		`left_click {"target": {"type": "ref", "ref": "ref_0-28"}}`,
		`list_tabs {}`,
		`switch_tab {"tab_id": "tab_1"}`,
		`close_tab {"tab_id": "tab_2"}`,
		`key {"text": "ctrl+a"}`,
		`wait {"duration": 0.01}`,
		`get_page_text {}`,
		`navigate {"url": "reload"}`,
		`left_click {"target": {"type": "ref", "ref": "ref_9-9"}}`,
		`left_click {"target": {"type": "ref"}}`,
		`javascript_exec {"text": "1"}`,
		`switch_tab {"tab_id": "tab_9"}`,
		`new_tab {}`,
	} {
		name, input, _ := strings.Cut(call, " ")
		result := x.Call(t.Context(), name, json.RawMessage(input))
		raw, err := json.MarshalIndent(result, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "-- %s %s\n%s\n", name, input, shownPicture.ReplaceAll(raw, []byte(`"data":"…"`)))
	}
	text := regexp.MustCompile(`"data": "[^"]+"`).ReplaceAllString(got.String(), `"data": "…"`)
	const file = "testdata/results.txt"
	if os.Getenv("WAYFINDER_UPDATE") == "1" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("results differ (-as written +now):\n%s", diff)
	}
}

// TestOptions: navigation can be refused, and values of variables are never told.
func TestOptions(t *testing.T) {
	refused := errors.New("not there")
	x, session := open(t, &anthropicbrowser.Options{
		Act: &engine.ActOptions{Variables: map[string]engine.Variable{"name": {Value: "Augusta Byron"}}},
		Navigate: func(_ context.Context, address string) error {
			if strings.Contains(address, "forbidden") {
				return refused
			}
			return nil
		},
	})
	if r := x.Call(t.Context(), "navigate", json.RawMessage(`{"url": "https://forbidden.test/"}`)); !r.IsError || !errors.Is(r.Err, refused) {
		t.Errorf("navigate to what is forbidden = %+v", r)
	}
	results := x.Calls(t.Context(), []anthropicbrowser.Call{
		{Name: "navigate", Input: json.RawMessage(`{"url": "https://site.test/"}`)},
		{Name: "find", Input: json.RawMessage(`{"query": "name"}`)},
	})
	ref := regexp.MustCompile(`ref_[0-9-]+`).FindString(results[1].Content[0].Text)
	if r := x.Call(t.Context(), "form_input", json.RawMessage(`{"target": {"type": "ref", "ref": "`+ref+`"}, "value": "%name%"}`)); r.IsError {
		t.Fatalf("form_input = %+v", r)
	}
	r := x.Call(t.Context(), "read_page", nil)
	if text := r.Content[0].Text; strings.Contains(text, "Augusta") || !strings.Contains(text, "%name%") {
		t.Errorf("read_page tells the value of a variable:\n%s", text)
	}
	session.Close()
	if r := x.Call(t.Context(), "read_page", nil); !r.IsError {
		t.Errorf("read_page after the end = %+v", r)
	}
}
