package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// What a direct extraction found, where, and what it did not find.
func TestExtractSources(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("<title>Shop</title><h1>Teapot</h1><dl><dt>Price<dd>€19.50<dt>Brand<dd>Harrow</dl>")) //nolint:errcheck // a recorder
	}))
	defer site.Close()
	const form = `{"type":"object","properties":{"price":{"type":"number"},"brand":{"type":"string"},"weight":{"type":"string"}}}`
	args := []string{"extract", site.URL, "--driver", "memory", "--schema", form, "--direct", "--sources"}
	got := wayfinder(t, args...)
	if got.code != 0 {
		t.Fatalf("%v ended with %d: %s", args, got.code, got.err)
	}
	for _, want := range []string{`"brand"`, "2 of 2 values stand on the page:", "\n  /price\n", ` number "€19.50"`} {
		if !strings.Contains(got.out, want) {
			t.Errorf("the output lacks %q:\n%s", want, got.out)
		}
	}
	if !strings.Contains(got.err, "not found: /weight") {
		t.Errorf("standard error does not say what was not found: %s", got.err)
	}
	got = wayfinder(t, append(args, "--json")...)
	var out engine.Extraction
	if err := json.Unmarshal([]byte(got.out), &out); err != nil || out.Sources["/brand"].Text != "Harrow" {
		t.Errorf("--json gives %s, %v", got.out, err)
	}
	if got := wayfinder(t, "extract", site.URL, "x", "--direct"); got.code == 0 || !strings.Contains(got.err, "--schema") {
		t.Errorf("--direct without a schema gives %d: %s", got.code, got.err)
	}
}

// A text shows where its sentences stand, and which quote what does not.
func TestSourcesOfSentences(t *testing.T) {
	out := &engine.Extraction{
		Sentences: []engine.Sentence{
			{Text: "The lamp costs $12.", Sources: []engine.Source{{Ref: "0-9", Kind: engine.SourceNumber, Text: "$12"}}},
			{Text: "It is by Ann.", Doubts: []string{"\"Ann\" stands nowhere on the page"}},
		},
		Sources:    map[string]engine.Source{},
		Ungrounded: []engine.Ungrounded{{Pointer: "/extraction", Reason: "\"It is by Ann.\": \"Ann\" stands nowhere on the page"}},
	}
	var b bytes.Buffer
	writeSources(&b, out, 80)
	writeDoubts(&b, out, 80)
	const want = "\n1 of 2 values stand on the page:\n  The lamp costs $12.\n      0-9 number \"$12\"\n  It is by Ann.\nnot as the page has it: /extraction: \"It is by Ann.\": \"Ann\" stands nowhere on\nthe page\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// Without a real model, what the page structures is read as it is, under the words of
// the schema's names and titles.
func TestExtractOffline(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("<html lang=de><meta charset=utf-8><title>Preise</title><main><h1>Preise</h1><table><tr><th>Artikel<th>Preis<th>Lieferbar ab</tr><tr><td>Tisch<td>1.299,00 €<td>3. Mai 2026</tr><tr><td>Stuhl<td>99,50 €<td>9. Juni 2026</tr></table></main>")) //nolint:errcheck // a recorder
	}))
	defer site.Close()
	const form = `{"type":"object","properties":{"articles":{"type":"array","items":{"type":"object","properties":{"artikel":{"type":"string"},"price":{"type":"number","title":"Preis"}},"required":["artikel","price"]}}},"required":["articles"]}`
	got := wayfinder(t, "extract", site.URL, "the articles", "--driver", "memory", "--model", "offline", "--schema", form, "--json")
	var buf bytes.Buffer
	if err := json.Compact(&buf, []byte(got.out)); err != nil || got.code != 0 || buf.String() != `{"articles":[{"artikel":"Tisch","price":1299},{"artikel":"Stuhl","price":99.5}]}` {
		t.Errorf("offline: %d, %s%s", got.code, got.out, got.err)
	}
	// A script must not take what nothing was found for as done.
	const other = `{"type":"array","items":{"type":"object","properties":{"captain":{"type":"string"}},"required":["captain"]}}`
	for _, more := range []string{"--json", "--sources"} {
		got := wayfinder(t, "extract", site.URL, "the boats", "--driver", "memory", "--model", "offline", "--schema", other, more)
		if got.code != 1 || !strings.Contains(got.err, "nothing of the schema was found") {
			t.Errorf("nothing found, with %s: %d, %s%s", more, got.code, got.out, got.err)
		}
	}
}

// Lines stay within the terminal's width, in the order of the data.
func TestSourcesWidth(t *testing.T) {
	out := &engine.Extraction{
		Sources: map[string]engine.Source{
			"/products/10/name": {Ref: "0-512", Kind: engine.SourceText, Text: strings.Repeat("Kettle with a long name ", 5)},
			"/products/2/name":  {Ref: "0-88:3", Kind: engine.SourceText, Text: "Cup"},
			"/total":            {Kind: engine.SourceDerived, How: "sum", Parts: []string{"/a"}},
		},
		Ungrounded: []engine.Ungrounded{{Pointer: "/products/3/price", Reason: strings.Repeat("stands in another row or part, ", 4)}},
		Omitted:    []engine.Omission{{Cause: engine.OmittedByPage, Refs: []accessibility.Ref{"0-14"}, Count: 4970, Noun: "rows"}},
	}
	for _, width := range []int{60, 100} {
		var b bytes.Buffer
		writeSources(&b, out, width)
		writeDoubts(&b, out, width)
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("%d columns at a width of %d: %q", n, width, line)
			}
		}
		if strings.Index(b.String(), "/products/2/") > strings.Index(b.String(), "/products/10/") {
			t.Errorf("the order is not that of the data:\n%s", b.String())
		}
		if !strings.Contains(b.String(), "3 of 4 values") || !strings.Contains(b.String(), "not in the data: 4970 rows at 0-14") {
			t.Errorf("at a width of %d:\n%s", width, b.String())
		}
	}
}

// TestDoubts: what the page contradicts is told apart from what it does not prove.
func TestDoubts(t *testing.T) {
	var out strings.Builder
	writeDoubts(&out, &engine.Extraction{Unfilled: []string{"/c"}, Ungrounded: []engine.Ungrounded{
		{Pointer: "/a", Degree: engine.Unproven, Reason: "not there"}, {Pointer: "/b", Degree: engine.Contradicted, Reason: "it says 7"},
	}}, 0)
	if want := "not proven: /a: not there\nnot as the page has it: /b: it says 7\nnot found: /c\n"; out.String() != want {
		t.Errorf("it says %q, want %q", out.String(), want)
	}
}
