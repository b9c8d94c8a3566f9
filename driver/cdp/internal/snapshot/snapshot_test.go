package snapshot

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/cbor"
)

// recorded is a reply of Chromium's to testdata/snapshot.html.
func recorded(t testing.TB) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func decodeRecorded(t *testing.T) *Snapshot {
	t.Helper()
	snap, err := Decode(recorded(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// element returns the first element of that name for which has holds.
func element(t *testing.T, d *driver.Document, name string, has ...driver.Attr) int32 {
	t.Helper()
next:
	for i := range d.Nodes {
		if d.Nodes[i].Kind != driver.ElementNode || d.Nodes[i].Name != name {
			continue
		}
		for _, a := range has {
			if v, ok := d.Nodes[i].Attr(a.Name); !ok || v != a.Value {
				continue next
			}
		}
		return int32(i)
	}
	t.Fatalf("no element %s %v", name, has)
	return -1
}

// childrenOf returns the names of a node's children; texts are quoted.
func childrenOf(d *driver.Document, parent int32) string {
	var names []string
	for i := range d.Nodes {
		if n := &d.Nodes[i]; n.Parent == parent {
			if n.Kind == driver.TextNode {
				names = append(names, fmt.Sprintf("%q", n.Text))
			} else {
				names = append(names, n.Name)
			}
		}
	}
	return strings.Join(names, " ")
}

func TestDecodeSnapshotOrder(t *testing.T) {
	d := &decodeRecorded(t).Docs[0]
	for _, c := range []struct{ name, want string }{
		{"li", `::marker ::before "item 😀 \"quo\\te\"" ::after`},
		{"p", `::first-letter "Hello " b`},
		{"html", `head "\n" body`},
	} {
		if got := childrenOf(d, element(t, d, c.name)); got != c.want {
			t.Errorf("children of %s = %s, want %s", c.name, got, c.want)
		}
	}
	for i := range d.Nodes {
		if n := &d.Nodes[i]; int(n.Parent) >= i || i > 0 && n.Parent < 0 {
			t.Fatalf("node %d has parent %d", i, n.Parent)
		}
		if d.Nodes[i].Name == "#comment" {
			t.Error("a comment was captured")
		}
	}
}

func TestDecodeSnapshotText(t *testing.T) {
	d := &decodeRecorded(t).Docs[0]
	shown := map[string]string{}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		switch n.Kind {
		case driver.TextNode:
			shown[n.Text] = n.Shown
		case driver.PseudoNode:
			shown[d.Nodes[n.Parent].Name+n.Name] += n.Shown
		}
	}
	for text, want := range map[string]string{
		"Hello ":             "Hello ", // ::first-letter has a row of its own
		"upper":              "UPPER",
		"  a   b ":           "  a   b ",
		"content":            "", // in closed details
		"li::before":         "x0é",
		"li::after":          "zz",
		"li::marker":         "• ",
		"p::first-letter":    "",
		"closed in closed":   "closed in closed",
		"item 😀 \"quo\\te\"": "item 😀 \"quo\\te\"",
	} {
		if shown[text] != want {
			t.Errorf("Shown of %q = %q, want %q", text, shown[text], want)
		}
	}
}

func TestDecodeSnapshotControls(t *testing.T) {
	d := &decodeRecorded(t).Docs[0]
	kind := func(v string) driver.Attr { return driver.Attr{Name: "type", Value: v} }
	for _, c := range []struct {
		name  string
		has   []driver.Attr
		value string
		live  bool
	}{
		{"input", []driver.Attr{kind("checkbox")}, "on", true},
		{"input", []driver.Attr{kind("text")}, "", true},
		{"input", []driver.Attr{kind("password")}, "••••••", true},
		{"textarea", nil, "abc", true},
		{"select", nil, "b", true},
		{"option", nil, "A", true},
		{"div", nil, "", false},
	} {
		n := &d.Nodes[element(t, d, c.name, c.has...)]
		if n.Value != c.value || n.HasValue != c.live {
			t.Errorf("%s %v: value %q %v, want %q %v", c.name, c.has, n.Value, n.HasValue, c.value, c.live)
		}
	}
	if !d.Nodes[element(t, d, "input", kind("checkbox"))].Checked {
		t.Error("the checkbox is not checked")
	}
	password := &d.Nodes[element(t, d, "input", kind("password"))]
	if v, _ := password.Attr("value"); v != "••••••" {
		t.Errorf("the password stands in the attribute: %q", v)
	}
	if d.Nodes[element(t, d, "select")].Selected {
		t.Error("a select counts as selected")
	}
	if !d.Nodes[element(t, d, "ul")].Clickable || d.Nodes[element(t, d, "li")].Clickable {
		t.Error("want the list with its listener to be clickable, and its item not")
	}
	if d.Nodes[element(t, d, "button")].Clickable {
		t.Error("a disabled button is clickable")
	}
}

func TestDecodeSnapshotNames(t *testing.T) {
	d := &decodeRecorded(t).Docs[0]
	for name, want := range map[string]driver.Namespace{
		"svg": driver.SVG, "linearGradient": driver.SVG, "foreignObject": driver.SVG, "math": driver.MathML, "mi": driver.MathML,
		"body": driver.HTML, "my-x": driver.HTML,
	} {
		if got := d.Nodes[element(t, d, name)].Namespace; got != want {
			t.Errorf("namespace of %s = %v, want %v", name, got, want)
		}
	}
	inSVG := int32(-1)
	for i := range d.Nodes {
		if d.Nodes[i].Text == "in svg" {
			inSVG = d.Nodes[i].Parent
		}
	}
	if n := d.Nodes[inSVG]; n.Name != "p" || n.Namespace != driver.HTML {
		t.Errorf("in foreignObject: %s %v", n.Name, n.Namespace)
	}
	if d.Lang != "en" || d.Title != "T" {
		t.Errorf("lang %q, title %q", d.Lang, d.Title)
	}
}

func TestDecodeSnapshotFrames(t *testing.T) {
	snap := decodeRecorded(t)
	if len(snap.Docs) != 4 {
		t.Fatalf("%d documents, want 4", len(snap.Docs))
	}
	for i, want := range []string{"", "iframe", "iframe", "object"} {
		d := &snap.Docs[i]
		if i == 0 {
			if d.OwnerDocument != -1 || d.Owner != -1 {
				t.Errorf("owner of the main document: %d %d", d.OwnerDocument, d.Owner)
			}
			continue
		}
		if d.OwnerDocument != 0 || snap.Docs[0].Nodes[d.Owner].Name != want {
			t.Errorf("document %d: owner %d in %d, want %s in 0", i, d.Owner, d.OwnerDocument, want)
		}
	}
}

func TestDecodeSnapshotLayout(t *testing.T) {
	d := &decodeRecorded(t).Docs[0]
	list := &d.Nodes[element(t, d, "ul")]
	if want := (driver.Rect{X: 8, Y: 69, Width: 749, Height: 37}); list.Box != want || !list.Rendered {
		t.Errorf("box of ul = %v, want %v", list.Box, want)
	}
	if list.Style == nil || list.Style.Display != "block" || list.Style.Content != "normal" || list.Style.Position != "static" {
		t.Errorf("style of ul = %+v", list.Style)
	}
	if list.Style != d.Nodes[element(t, d, "body")].Style {
		t.Error("equal styles are not shared")
	}
	if n := d.Nodes[element(t, d, "template")]; n.Rendered || n.Style != nil {
		t.Errorf("template: %+v", n)
	}
	half, err := Decode(recorded(t), 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := half.Docs[0].Nodes[element(t, d, "ul")].Box; got.Width != 374.5 {
		t.Errorf("width at scale 2 = %v, want 374.5", got.Width)
	}
}

// The hash tells changes of content, and not the movement of boxes.
func TestSnapshotContentHash(t *testing.T) {
	raw := string(recorded(t))
	hash := func(s string) uint64 {
		t.Helper()
		snap, err := Decode([]byte(s), 1)
		if err != nil {
			t.Fatal(err)
		}
		return snap.Content
	}
	was := hash(raw)
	if moved := strings.ReplaceAll(raw, "[8,69,749,37]", "[9,68.5,749,37]"); moved == raw || hash(moved) != was {
		t.Error("the hash follows a box")
	}
	for _, c := range [][2]string{{`"world"`, `"welt"`}, {`"scrollOffsetY":0`, `"scrollOffsetY":5`}, {`"inputChecked":{"index":[45]}`, `"inputChecked":{"index":[]}`}} {
		if changed := strings.Replace(raw, c[0], c[1], 1); changed == raw || hash(changed) == was {
			t.Errorf("the hash does not tell %s from %s", c[0], c[1])
		}
	}
}

// inCBOR returns a reply as it comes over a binary pipe.
func inCBOR(t testing.TB, reply string) []byte {
	t.Helper()
	raw, err := cbor.Append(nil, []byte(reply))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A reply says the same in CBOR as in JSON.
func TestDecodeBinary(t *testing.T) {
	for _, scale := range []float64{1, 2} {
		want, err := Decode(recorded(t), scale)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(inCBOR(t, string(recorded(t))), scale)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Docs, want.Docs) {
			t.Errorf("scale %v: the documents differ from those of JSON", scale)
		}
	}
}

func TestBinaryContentHash(t *testing.T) {
	hash := func(s string) uint64 {
		t.Helper()
		snap, err := Decode(inCBOR(t, s), 1)
		if err != nil {
			t.Fatal(err)
		}
		return snap.Content
	}
	raw := string(recorded(t))
	was := hash(raw)
	// Another length, too: of a box, and of a list of lines.
	for _, c := range [][2]string{{"[8,69,749,37]", "[9.25,68.5,749,370000]"}, {`"textBoxes":{"layoutIndex":[`, `"textBoxes":{"more":[[1,2,3,4]],"layoutIndex":[`}} {
		if moved := strings.ReplaceAll(raw, c[0], c[1]); moved == raw || hash(moved) != was {
			t.Errorf("the hash follows %s", c[1])
		}
	}
	for _, c := range [][2]string{{`"world"`, `"welt"`}, {`"scrollOffsetY":0`, `"scrollOffsetY":5`}, {`"inputChecked":{"index":[45]}`, `"inputChecked":{"index":[]}`}} {
		if changed := strings.Replace(raw, c[0], c[1], 1); changed == raw || hash(changed) == was {
			t.Errorf("the hash does not tell %s from %s", c[0], c[1])
		}
	}
}

func TestBinaryErrors(t *testing.T) {
	raw := inCBOR(t, string(recorded(t)))
	for n := 0; n < len(raw); n += 97 {
		if _, err := Decode(raw[:n], 1); err == nil {
			t.Errorf("the first %d of %d bytes are taken for a reply", n, len(raw))
		}
	}
	if _, err := Decode(append(raw, 0), 1); err == nil {
		t.Error("something behind the end is taken for a reply")
	}
}

func TestScanTableErrors(t *testing.T) {
	raw := string(recorded(t))
	for _, bad := range []string{
		"", "{", "[]", `{"documents":[{}],"strings":[]}`, raw[:len(raw)/2], raw + "x",
		strings.Replace(raw, `"parentIndex":[-1,0,0`, `"parentIndex":[-1,0,5`, 1),
		strings.Replace(raw, `"parentIndex":[-1,0,0`, `"parentIndex":[-1,0`, 1),
		strings.Replace(raw, `"nodeType":[9,`, `"nodeType":[99999999999,`, 1),
		strings.Replace(raw, `"inputChecked":{"index":[45]`, `"inputChecked":{"index":[4500]`, 1),
	} {
		if _, err := Decode([]byte(bad), 1); err == nil {
			t.Errorf("no error for %.60q", bad)
		}
	}
}

func FuzzDecodeSnapshot(f *testing.F) {
	f.Add(recorded(f))
	f.Add([]byte(`{"documents":[],"strings":["\ud83d\ude00\ud83d","\\\""]}`))
	f.Add([]byte(`{"documents":[{"nodes":{"parentIndex":[-1,0,1,1],"nodeType":[9,1,1,3],"nodeName":[0,1,2,3],"nodeValue":[-1,-1,-1,0],` +
		`"backendNodeId":[1,2,3,4],"attributes":[[],[],[],[]],"pseudoType":{"index":[2],"value":[0]}},` +
		`"layout":{"nodeIndex":[1],"styles":[[]],"bounds":[[0,0.5,1e3,-2]],"text":[-1]}}],"strings":["#document","HTML","::after","#text"]}`))
	f.Add(inCBOR(f, string(recorded(f))))
	f.Fuzz(func(t *testing.T, raw []byte) {
		snap, err := Decode(raw, 1)
		if err != nil {
			return
		}
		for i := range snap.Docs {
			nodes := snap.Docs[i].Nodes
			if len(nodes) == 0 || nodes[0].Parent != -1 {
				t.Fatalf("document %d has no root", i)
			}
			for j := 1; j < len(nodes); j++ {
				if p := nodes[j].Parent; p < 0 || int(p) >= j {
					t.Fatalf("node %d has parent %d", j, p)
				}
			}
			if d := &snap.Docs[i]; d.OwnerDocument >= 0 && int(d.Owner) >= len(snap.Docs[d.OwnerDocument].Nodes) {
				t.Fatalf("document %d has owner %d", i, d.Owner)
			}
		}
	})
}

func BenchmarkDecodeSnapshot(b *testing.B) {
	path := os.Getenv("WAYFINDER_SNAPSHOT") // a larger reply, if there is one
	raw := recorded(b)
	if path != "" {
		var err error
		if raw, err = os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("scan", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		b.ReportAllocs()
		for b.Loop() {
			t, err := scanTable(raw)
			if err != nil {
				b.Fatal(err)
			}
			t.release()
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		// The columns alone, without making documents of them.
		b.SetBytes(int64(len(raw)))
		b.ReportAllocs()
		for b.Loop() {
			var v struct {
				Documents []struct{ Nodes, Layout, TextBoxes map[string]any }
				Strings   []string
			}
			if err := json.Unmarshal(raw, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Decode(raw, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
}
