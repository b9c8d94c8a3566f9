package grounding_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/grounding"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// TestRules has each rule of the check by itself, with what the rule guarantees: of two
// answers about a page the right one is not refused, and the wrong one is refused or
// marked at a pointer, or has a gap there.
func TestRules(t *testing.T) {
	const (
		gap    = grounding.Degree("gap")
		cards  = `<ul><li><h3>Mug</h3> <b>$15</b></li><li><h3>Cup</h3> <b>$8</b></li><li><h3>Jug</h3> <b>$31</b></li></ul>`
		towns  = `<table><tr><td>Mug<td>Delft<td>Ana<tr><td>Cup<td>Gouda<td>Bo<tr><td>Jug<td>Leiden<td>Cy<tr><td>Pot<td>Breda<td>Dee</table>`
		recipe = `<p>Prep time: 15 minutes</p><p>Cook time: 20 minutes</p><ol><li>Mix</li><li>Wait 18 minutes</li></ol>`
		sale   = `<ul><li>Mug <del>€20</del> <b>€15</b></li><li>Cup <del>€9</del> <b>€7</b></li></ul>`
		three  = `[{"name":"Mug","price":15},{"name":"Cup","price":8},{"name":"Jug","price":31}]`
		homes  = `[{"item":"Mug","town":"Delft"},{"item":"Cup","town":"Gouda"},{"item":"Jug","town":"Leiden"},{"item":"Pot","town":"Breda"}]`
	)
	for _, c := range []struct {
		rule, guarantees   string
		html, right, wrong string
		pointer            string
		degree             grounding.Degree
	}{
		{"quote", "what the page says in no way of writing it is refused", `<p>Price: 1.299,00 €</p>`, `{"price":1299}`, `{"price":1289}`, "/price", grounding.Contradicted},
		{"address", "an address is that of a link or picture, exactly", `<a href="/a">A</a>`, `{"link":"https://site.test/a"}`, `{"link":"https://site.test/b"}`, "/link", grounding.Contradicted},
		{"record", "the leaves of an object stand in one record", cards, three, `[{"name":"Mug","price":15},{"name":"Cup","price":31},{"name":"Jug","price":31}]`, "/1/price", grounding.Contradicted},
		{"once", "no two objects have one record", cards, three, `[{"name":"Mug","price":15},{"name":"Cup","price":8},{"name":"Jug","price":31},{"name":"Mug","price":15}]`, "/3/name", grounding.Contradicted},
		{"slot", "a value that stands elsewhere than in most records is refused, if that place says something", towns, homes, `[{"item":"Mug","town":"Delft"},{"item":"Cup","town":"Gouda"},{"item":"Jug","town":"Leiden"},{"item":"Pot","town":"Dee"}]`, "/3/town", grounding.Contradicted},
		{"label", "what the page calls by another member's name is refused", recipe, `{"prep_minutes":15,"cook_minutes":20}`, `{"prep_minutes":20,"cook_minutes":15}`, "/prep_minutes", grounding.Contradicted},
		{"own label", "where the page labels a value with the member's name, no other passes", recipe, `{"prep_minutes":15}`, `{"prep_minutes":18}`, "/prep_minutes", grounding.Contradicted},
		{"no label", "in a single object, a number without the member's words is marked", `<p>Rooms: 3</p><p>Built 1972</p>`, `{"rooms":3}`, `{"garages":1972}`, "/garages", grounding.Unproven},
		{"counted", "the word behind a number is its label", `<ul><li>Mug $15 (12 reviews)</li><li>Cup $8 (40 reviews)</li></ul>`, `[{"name":"Mug","price":15,"reviews":12},{"name":"Cup","price":8,"reviews":40}]`, `[{"name":"Mug","price":12,"reviews":15},{"name":"Cup","price":40,"reviews":8}]`, "/0/price", grounding.Contradicted},
		{"unit", "a unit in the member's name converts, and nothing else does", `<p>Weight: 1.5 kg</p>`, `{"weightGrams":1500}`, `{"weightGrams":150}`, "/weightGrams", grounding.Contradicted},
		{"currency", "a currency is that of an amount in the record", cards, `[{"name":"Mug","currency":"USD"},{"name":"Cup","currency":"USD"},{"name":"Jug","currency":"USD"}]`, `[{"name":"Mug","currency":"USD"},{"name":"Cup","currency":"EUR"},{"name":"Jug","currency":"USD"}]`, "/1/currency", grounding.Contradicted},
		{"struck", "an amount that is struck through is that of the longer name", sale, `[{"name":"Mug","oldPrice":20,"price":15},{"name":"Cup","oldPrice":9,"price":7}]`, `[{"name":"Mug","oldPrice":15,"price":20},{"name":"Cup","oldPrice":7,"price":9}]`, "/0/price", grounding.Contradicted},
		{"element", "a text that ends before its element is marked", `<p>Job: Senior Web Developer</p>`, `{"job":"Senior Web Developer"}`, `{"job":"Senior Web"}`, "/job", grounding.Unproven},
		{"one place", "one place proves one leaf", `<h1>Lamp</h1><p>Ana Marsh</p>`, `{"title":"Lamp","seller":"Ana Marsh"}`, `{"title":"Lamp","seller":"Ana Marsh","buyer":"Ana Marsh"}`, "/buyer", grounding.Unproven},
		{"code", "digits of a code are marked", `<p>Contains: E155</p>`, `{"contains":"E155"}`, `{"contains":155}`, "/contains", grounding.Unproven},
		{"state", "a yes or no is the state of the control of that name", `<label><input type=checkbox> Gift wrap</label>`, `{"giftWrap":false}`, `{"giftWrap":true}`, "/giftWrap", grounding.Contradicted},
		{"answer", "or the answer beside the label", `<dl><dt>Pets<dd>No</dl>`, `{"pets":false}`, `{"pets":true}`, "/pets", grounding.Contradicted},
		{"wording", "or the member's own words, unless a no stands beside them", `<p>Pets: no</p><p>Featured</p>`, `{"featured":true}`, `{"featured":false}`, "/featured", grounding.Contradicted},
		{"denied", "words among others may be denied: they are marked", `<p>This fare is not refundable</p>`, `{"fare":"This fare is not refundable"}`, `{"refundable":true}`, "/refundable", grounding.Unproven},
		{"sum", "a number that stands nowhere is a count or a sum of a list of the data", cards, `{"items":` + three + `,"total":54}`, `{"items":` + three + `,"total":55}`, "/total", grounding.Contradicted},
		{"nothing", "an empty text needs a page that says that there is none", `<dl><dt>Name<dd>–</dl>`, `{"name":""}`, `{"brand":""}`, "/brand", grounding.Contradicted},
		{"gap", "a record that a list leaves out is named", cards, three, `[{"name":"Mug","price":15},{"name":"Jug","price":31}]`, "", gap},
		{"empty list", "as are the records that an empty list could have", cards, `{"items":` + three + `}`, `{"items":[]}`, "/items", gap},
		{"entry", "and the text that a list of texts leaves out", `<h2>Authors</h2><ul><li>Ana Marsh<li>Bo Reed<li>Cy Holt</ul>`, `{"authors":["Ana Marsh","Bo Reed","Cy Holt"]}`, `{"authors":["Ana Marsh","Cy Holt"]}`, "/authors", gap},
		{"heading", "also where some of the texts are headings between", `<h4>Dough</h4><ul><li>Flour<li>Water<li>Salt</ul><h4>Top</h4><ul><li>Jam<li>Nuts</ul>`, `["Dough","Flour","Water","Salt","Top","Jam","Nuts"]`, `["Dough","Flour","Salt","Top","Jam","Nuts"]`, "", gap},
		{"lines", "or are lines of one element, between two others", `<p>350 g flour<br>2 eggs<br>A cup of milk</p>`, `["350 g flour","2 eggs","A cup of milk"]`, `["350 g flour","A cup of milk"]`, "", gap},
		{"record's text", "where most texts of a list are all that their records say, one that is less is marked", `<ul><li><b>2</b> <i>cups</i> <u>flour</u><li><b>1</b> <i>pinch</i> <u>salt</u><li><b>3</b> <i>large</i> <u>eggs</u></ul>`, `["2 cups flour","1 pinch salt","3 large eggs"]`, `["2 cups","1 pinch salt","3 large eggs"]`, "/0", grounding.Unproven},
		{"beyond", "a text that goes on behind a record is not in it", `<div><p><span>1</span> <span>medium</span> <span>pepper</span></p><p><span>2</span> <span>small</span> <span>eggs</span></p><p><span>3</span> <span>large</span> <span>figs</span></p></div>`, `["1 medium pepper","2 small eggs","3 large figs"]`, `["1 medium pepper","3 large figs"]`, "", gap},
		{"no value", "a label without a value behind it calls nothing", `<h1>Plum cake</h1><p>By Zoe</p><div>Author: <a href="/zoe"><img src="zoe.png"></a></div>`, `{"author":"Zoe"}`, `{"author":"Zoa"}`, "/author", grounding.Contradicted},
		{"twice", "a text that a list has twice stands there twice", `<ul><li>Ana Marsh<li>Bo Reed</ul>`, `["Ana Marsh","Bo Reed"]`, `["Ana Marsh","Ana Marsh"]`, "/1", grounding.Contradicted},
	} {
		d := json.NewDecoder(bytes.NewReader([]byte(c.right)))
		d.UseNumber()
		var right any
		if err := d.Decode(&right); err != nil {
			t.Fatal(err)
		}
		form, err := schema.Parse(marshal(formOf(right)))
		if err != nil {
			t.Fatal(err)
		}
		page := grounding.Read(snapshot(t, c.html), &grounding.Options{Now: now})
		got := map[string]*grounding.Report{}
		for _, data := range []string{c.right, c.wrong} {
			if got[data], err = page.Check(form, json.RawMessage(data), nil); err != nil {
				t.Fatal(err)
			}
		}
		if r := got[c.right]; contradicted(r) > 0 || len(r.Missing) > 0 {
			t.Errorf("%s: %s: the right answer: %v, missing %v", c.rule, c.guarantees, r.Ungrounded, r.Missing)
		}
		degree := grounding.Degree("accepted")
		for _, f := range got[c.wrong].Ungrounded {
			if f.Pointer == c.pointer {
				degree = f.Degree
			}
		}
		for _, g := range got[c.wrong].Missing {
			if g.Pointer == c.pointer && c.degree == gap {
				degree = gap
			}
		}
		if degree != c.degree {
			t.Errorf("%s: %s: the wrong answer is %s at %q, want %s; %v", c.rule, c.guarantees, degree, c.pointer, c.degree, got[c.wrong].Ungrounded)
		}
	}
}
