package fake_test

import (
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// generated are the pseudo-elements of a page in order, as they are shown.
func generated(t *testing.T, page string) []string {
	t.Helper()
	_, p := open(t, fake.Web{"https://a.test/": page}, "https://a.test/")
	c, err := p.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range c.Documents[0].Nodes {
		if n := &c.Documents[0].Nodes[i]; n.Kind == driver.PseudoNode {
			out = append(out, n.Shown)
		}
	}
	return out
}

// TestGeneratedByDefault checks what a browser puts before and behind elements
// without being asked: bullets, numbers, quotation marks.
func TestGeneratedByDefault(t *testing.T) {
	for page, want := range map[string][]string{
		`<ul><li>a<ul><li>b<ul><li>c`:                        {"• ", "◦ ", "■ "},
		`<ol><li>a<ul><li>b</ul><li>c`:                       {"1. ", "◦ ", "2. "},
		`<ol start=3 type=a><li>a<li value=28>b`:             {"c. ", "ab. "},
		`<ol reversed type=I><li>a<li>b<li>c<li>d`:           {"IV. ", "III. ", "II. ", "I. "},
		`<ol style="list-style: lower-roman inside"><li>a`:   {"i. "},
		`<ol style="list-style-type: '– '"><li>a`:            {"– "},
		`<ol><li style="list-style: square">a<li>b`:          {"■ ", "2. "},
		`<ul style="list-style: none"><li>a`:                 nil,
		`<details open><summary>a</summary></details>`:       {"▾ "},
		`<details><summary>a</summary></details>`:            {"▸ "},
		`<q>a <q>b</q> c</q> <q>d</q>`:                       {"“", "‘", "’", "”", "“", "”"},
		`<style>q::before { content: none }</style><q>a</q>`: {"”"},
	} {
		if got := generated(t, page); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}

// TestChoiceIsMirrored checks that a select's own button shows what is chosen,
// however that came about.
func TestChoiceIsMirrored(t *testing.T) {
	_, p := open(t, fake.Web{"https://a.test/": `<form><select><button><selectedcontent></selectedcontent></button>
		<option>one</option><option><b>two</b></option></select><button type=reset>reset</button></form>`}, "https://a.test/")
	shown := func() string {
		t.Helper()
		c, err := p.Capture(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d := &c.Documents[0]
		for i := range d.Nodes {
			for at := d.Nodes[i].Parent; d.Nodes[i].Kind == driver.TextNode && at >= 0; at = d.Nodes[at].Parent {
				if d.Nodes[at].Name == "selectedcontent" {
					return d.Nodes[d.Nodes[i].Parent].Name + " " + d.Nodes[i].Text
				}
			}
		}
		return ""
	}
	if got := shown(); got != "selectedcontent one" {
		t.Errorf("at first: %q", got)
	}
	if _, err := p.SetValue(t.Context(), driver.Target{At: find(t, p, "select")}, "two"); err != nil {
		t.Fatal(err)
	}
	if got := shown(); got != "b two" {
		t.Errorf("after a choice: %q", got)
	}
	click(t, p, "button[type=reset]")
	if got := shown(); got != "selectedcontent one" {
		t.Errorf("after a reset: %q", got)
	}
}

// TestReferenceTarget checks what stands for a shadow host in references.
func TestReferenceTarget(t *testing.T) {
	for declared, want := range map[string]string{
		`shadowrootreferencetarget="b"`:    "b",
		`shadowrootreferencetarget="none"`: "nothing",
		`shadowrootreferencetarget=""`:     "nothing",
		``:                                 "itself",
	} {
		_, p := open(t, fake.Web{"https://a.test/": `<x-a><template shadowrootmode="open" ` + declared +
			`><i id="a"></i><i id="b"></i></template></x-a>`}, "https://a.test/")
		c, err := p.Capture(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var target driver.NodeID
		ids := map[driver.NodeID]string{0: "itself", -1: "nothing"}
		for i := range c.Documents[0].Nodes {
			n := &c.Documents[0].Nodes[i]
			if id, ok := n.Attr("id"); ok {
				ids[n.ID] = id
			}
			if n.Rare != nil {
				target = n.Rare.ReferenceTarget
			}
		}
		if got := ids[target]; got != want {
			t.Errorf("%q: %s stands for the host, want %s", declared, got, want)
		}
	}
}

// TestDirection checks the pseudo-class that asks for the direction of writing.
func TestDirection(t *testing.T) {
	_, p := open(t, fake.Web{"https://a.test/": `<div dir="RTL"><p id="a"></p><div dir="ltr"><p id="b"></p></div></div><p id="c"></p>`}, "https://a.test/")
	for sel, want := range map[string]int{"p:dir(rtl)": 1, "p:dir(ltr)": 2, "p:dir( rtl )": 1, "p:dir(up)": 0, "p:not(:dir(rtl))": 2} {
		refs, err := p.Find(t.Context(), driver.NodeRef{}, driver.Selector{Text: sel})
		if err != nil || len(refs) != want {
			t.Errorf("%s finds %d, %v; want %d", sel, len(refs), err, want)
		}
	}
}
