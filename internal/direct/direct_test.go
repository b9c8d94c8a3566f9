package direct_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/direct"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// TestExtract holds what is filled, and what is left open, on small pages.
func TestExtract(t *testing.T) {
	const product = `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}`
	const products = `{"type":"array","items":` + product + `}`
	cards := `<h3>Mug</h3><dl><dt>Price<dd>$4.50</dl></article><article><h3>Jug</h3><dl><dt>Price<dd>$9.00</dl></article>`
	for _, c := range []struct {
		name, page, form, instruction, want string
		unfilled                            []string
	}{
		{"a term and its definition", `<main><h1>Mug</h1><dl><dt>Price<dd>$4.50</dl>`, product, "", `{"price":4.5}`, []string{"/name"}},
		// The next are true, and guesses: no markup says what they are.
		{"a label in running text is left open", `<main><h1>Mug</h1><p>Price: $4.50</p>`, product, "", `{}`, []string{"/name", "/price"}},
		{"an amount without a label is left open", `<main><h1>Mug</h1><p><del>$9.00</del> <ins>$4.50</ins></p>`, product, "", `{}`, []string{"/name", "/price"}},
		{"labels in bold are left open", `<main><p><b>Order ID:</b> 4F3S8J<br><b>Account:</b> 968-34<br><b>Due:</b> 2 May 2026</p>`,
			`{"type":"object","properties":{"orderId":{"type":"string"},"account":{"type":"string"}}}`, "", `{}`, []string{"/account", "/orderId"}},
		{"a page that says that there is none is left open", `<main><h1>Search</h1><p>No results for “mug”.</p>`, products, "", `[]`, []string{""}},
		{"a table without headers is left open", `<main><table><tr><td>Price<td>$4.50<tr><td>Name<td>Mug</table>`, product, "", `{}`, []string{"/name", "/price"}},

		{"a name with a badge beside it is left open", `<main><dl><dt>Name<dd>Mug <span>new</span><dt>Price<dd>$4.50</dl>`, product, "", `{"price":4.5}`, []string{"/name"}},
		{"a name with an emphasis", `<main><dl><dt>Name<dd>Mug of <b>tin</b><dt>Price<dd>$4.50</dl>`, product, "", `{"name":"Mug of tin","price":4.5}`, nil},

		{"a row's header below a row of headers", `<main><table><tr><th>What<th>Value<tr><th>Price<td>$4.50<tr><th>Name<td>Mug</table>`, product, "", `{"name":"Mug","price":4.5}`, nil},
		{"a header of two rows labels no single value", `<main><table><tr><th rowspan=2>Price<td>$4.50<tr><td>$5.50</table>`, product, "", `{}`, []string{"/name", "/price"}},
		{"a header of two values labels neither", `<main><table><tr><th>Price<td>$4.50<td>$5.50</table>`, product, "", `{}`, []string{"/name", "/price"}},
		{"what one of several things says is not the page's", `<main><h1>Sale</h1><ul><li><h3>Mug</h3><p>Tin</p><dl><dt>Price<dd>$4.50</dl><li><h3>Jug</h3><p>Clay</p></ul>`, product, "", `{}`, []string{"/name", "/price"}},
		{"two values, equally good", `<main><dl><dt>Price<dd>$4.50</dl><dl><dt>Price<dd>$5.50</dl>`, product, "", `{}`, []string{"/name", "/price"}},
		{"the same value twice", `<main><dl><dt>Price<dd>$4.50</dl><table><tr><th>Price<td>$4.50</table>`, product, "", `{"price":4.5}`, []string{"/name"}},
		{"two definitions of a term", `<main><dl><dt>Price<dd>$4.50<dd>$5.50</dl>`, product, "", `{}`, []string{"/name", "/price"}},
		{"a range is no number", `<main><dl><dt>Price<dd>$4 – $9</dl>`, product, "", `{}`, []string{"/name", "/price"}},
		{"a bound is no number", `<main><dl><dt>Price<dd>from $4</dl>`, product, "", `{}`, []string{"/name", "/price"}},
		{"cards", `<main><article>` + cards, products, "", `[{"name":"Mug","price":4.5},{"name":"Jug","price":9}]`, nil},
		{"two lists of cards, equally good", `<main><div><article>` + cards + `</div><div><article>` + cards + `</div>`, products, "", `[]`, []string{""}},
		{"what leaves something out is left open", `<main><article>` + cards, products, "without ads", `[]`, []string{""}},
		{"one of the cards is built otherwise", `<main><div class="card">` + div(cards) + `<div class="offer"><h3>Pot</h3><dl><dt>Price<dd>$3.00</dl></div><div class="card"><h3>Pan</h3><dl><dt>Price<dd>$7.00</dl></div>`, products, "", `[]`, []string{""}},
		{"one of the items is marked", `<main><ul><li><h3>Mug</h3><dl><dt>Price<dd>$4.50</dl><li class=featured><h3>Jug</h3><dl><dt>Price<dd>$9.00</dl></ul>`, products, "", `[{"name":"Mug","price":4.5},{"name":"Jug","price":9}]`, nil},
		{"a sum over two columns", `<main><table><tr><th>Name<th>Size<th>Price<tr><td>Mug<td>2<td>$4.50<tr><td>Jug<td>3<td>$9.00<tr><td colspan=2>All<td>$11.50</table>`, products, "", `[{"name":"Mug","price":4.5},{"name":"Jug","price":9}]`, nil},
		{"a row that only begins like a sum", `<main><table><tr><th>Name<th>Price<tr><td>Total Gym<td>$4.50<tr><td>Jug<td>$9.00<tr><th>Total<td>$13.50</table>`, products, "", `[{"name":"Total Gym","price":4.5},{"name":"Jug","price":9}]`, nil},
		{"a sum that says nothing else", `<main><table><tr><th>Name<th>Price<tr><td>Mug<td>$4.50<tr><td>Jug<td>$9.00<tr><td><td>$13.50</table>`, products, "", `[{"name":"Mug","price":4.5},{"name":"Jug","price":9}]`, nil},
		{"a last row may be a thing or a sum", `<main><table><tr><th>Name<th>Price<tr><td>Mug<td>$4.50<tr><td>Jug<td>$9.00<tr><td>Total<td>$13.50</table>`, products, "", `[]`, []string{""}},
		{"places 1, 2, 3 are no sum", `<main><table><tr><th>Place<th>Name<tr><td>1<td>Ana<tr><td>2<td>Bo<tr><td>3<td>Cy</table>`,
			`{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}`, "", `[]`, []string{""}},
		{"headers in a table of their own", `<main><table style="width:200px"><tr><th>Name<th>Price</table><table style="width:200px"><tr style="height:0"><td style="padding:0;height:0;line-height:0"><td style="padding:0;height:0"><tr><td>Mug<td>$4.50<tr><td>Jug<td>$9.00</table>`, products, "", `[{"name":"Mug","price":4.5},{"name":"Jug","price":9}]`, nil},
		{"a choice is not made", `<main><article>` + cards, products, "the cheapest product", `[]`, []string{""}},
		{"nothing of it on the page", `<main><h1>About us</h1><p>We are old.</p>`, products, "", `[]`, []string{""}},
		{"a menu is no list of pages", `<div><div><a href="/a">Home</a></div><div><a href="/b">News</a></div></div>`,
			`{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"},"link":{"type":"string","format":"uri"}}}}`, "", `[]`, []string{""}},
		{"replies below replies are no flat list", `<main><div class="c"><b>Ana</b><div class="r"><div class="c"><b>Bo</b></div><div class="c"><b>Cy</b></div></div></div>`,
			`{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}`, "", `[]`, []string{""}},
		{"a due date is no date", `<main><dl><dt>Due date</dt><dd>2 May 2026</dd></dl>`, `{"type":"object","properties":{"date":{"type":"string","format":"date"}}}`, "", `{}`, []string{"/date"}},
		{"a date that can be read in two ways", `<main lang=en><dl><dt>Date</dt><dd>5/2/2026</dd></dl>`, `{"type":"object","properties":{"date":{"type":"string","format":"date"}}}`, "", `{}`, []string{"/date"}},
		{"a name over a date in a cell", `<main><table><tr><th>Name<th>Status<tr><td><a>Harbour</a><br><small>begun 1 May</small><td>done<tr><td><a>Quay</a><br><small>begun 2 May</small><td>open</table>`,
			`{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"status":{"type":"string"}}}}`, "", `[{"status":"done"},{"status":"open"}]`, []string{"/0/name", "/1/name"}},
		{"pictures are no number", `<main><table><tr><th>Ship<th>Crew<tr><td>Alba<td><img alt="sailor 1"><img alt="sailor 2"><tr><td>Bora<td><img alt="sailor 3"></table>`,
			`{"type":"array","items":{"type":"object","properties":{"ship":{"type":"string"},"crew":{"type":"number"}}}}`, "", `[{"ship":"Alba"},{"ship":"Bora"}]`, []string{"/0/crew", "/1/crew"}},
		{"a list under another heading", `<main><h2>Sold items</h2><p>None was counted.</p><h2>Recent orders</h2><table><tr><th>Item<th>Units<tr><td>Mug<td>2<tr><td>Jug<td>3</table>`,
			`{"type":"object","properties":{"soldItems":{"type":"array","items":{"type":"object","properties":{"item":{"type":"string"},"units":{"type":"number"}}}}}}`, "", `{}`, []string{"/soldItems"}},
		{"a list that is called as another member", `<main><h4>Drawers</h4><ul><li><a href="/d/1">Seeds</a> <b>3</b><li><a href="/d/2">Bulbs</a> <b>4</b></ul>`,
			`{"type":"object","properties":{"drawers":{"type":"array","items":{"type":"object","properties":{"colour":{"type":"string"}}}},"notes":{"type":"array","items":{"type":"object","properties":{"subject":{"type":"string"},"link":{"type":"string","format":"uri"}}}}}}`, "", `{}`, []string{"/drawers", "/notes"}},
		{"a table that is called as another list", `<main><h2>Spares</h2><table><tr><th>Name<th>Price<tr><td>Mug<td>$4.50<tr><td>Jug<td>$9.00</table>`,
			`{"type":"object","properties":{"products":` + products + `,"spares":` + products + `}}`, "", `{"spares":[{"name":"Mug","price":4.5},{"name":"Jug","price":9}]}`, []string{"/products"}},
		{"an aside of the main part is a part of it", `<main><h1>Cart</h1><aside><dl><dt>Price<dd>$4.50</dl></aside></main><aside><dl><dt>Price<dd>$9.00</dl></aside>`, product, "", `{"price":4.5}`, []string{"/name"}},
		{"parts by their legends", `<main><form><fieldset><legend>Billing</legend><label>City <input value=Metz></label></fieldset><fieldset><legend>Shipping</legend><label>City <input value=Trier></label></fieldset></form>`,
			`{"type":"object","properties":{"shipping":{"type":"object","properties":{"city":{"type":"string"}}},"city":{"type":"string"}}}`, "", `{"shipping":{"city":"Trier"}}`, []string{"/city"}},
		{"cards of a shape that stands elsewhere, too", `<main><div><article>` + cards + `</div><aside><article><h3>Pot</h3></article></aside><p><article><h3>Pan</h3></article>`, products, "", `[]`, []string{""}},
		{"a cost is no shipping", `<main><h1>Mug</h1><dl><dt>Cost<dd>$4.50</dl>`, `{"type":"object","properties":{"shipping":{"type":"number","description":"Cost of shipping"}}}`, "", `{}`, []string{"/shipping"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := schema.Parse([]byte(c.form))
			if err != nil {
				t.Fatal(err)
			}
			page := read(t, map[string]string{"https://d.test/": `<!doctype html><html lang=en>` + c.page}, "https://d.test/")
			result, err := direct.Extract(page, s, c.instruction)
			if err != nil {
				t.Fatal(err)
			}
			if string(result.Data) != c.want || !slices.Equal(result.Unfilled, c.unfilled) {
				t.Errorf("Extract = %s, unfilled %q, want %s, unfilled %q", result.Data, result.Unfilled, c.want, c.unfilled)
			}
		})
	}
}

// div turns articles into cards of plain elements.
func div(cards string) string {
	return strings.NewReplacer("<article>", `<div class="card">`, "</article>", "</div>").Replace(cards)
}

// TestScope reads what the snapshot shows, and nothing else.
func TestScope(t *testing.T) {
	page := read(t, map[string]string{
		"https://d.test/":  `<div id=a><dl><dt>Price<dd>$1.00</dl></div><div id=b><dl><dt>Price<dd>$2.00</dl></div><iframe src="/f"></iframe>`,
		"https://d.test/f": `<dl><dt>Price<dd>$3.00</dl>`,
	}, "https://d.test/").Capture
	s, err := schema.Parse([]byte(`{"type":"object","properties":{"price":{"type":"number"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]driver.NodeRef{}
	for i, n := range page.Documents[0].Nodes {
		if id, ok := n.Attr("id"); ok {
			at[id] = page.Documents[0].Ref(int32(i))
		}
	}
	for _, c := range []struct {
		opts accessibility.Options
		want string
	}{
		{accessibility.Options{}, `{}`},
		{accessibility.Options{MainFrame: true}, `{}`},
		{accessibility.Options{Scope: []driver.NodeRef{at["b"]}}, `{"price":2}`},
		{accessibility.Options{Ignore: []driver.NodeRef{at["a"]}, MainFrame: true}, `{"price":2}`},
		{accessibility.Options{Ignore: []driver.NodeRef{at["a"], at["b"]}}, `{"price":3}`},
		{accessibility.Options{Scope: []driver.NodeRef{at["a"], at["b"]}, Ignore: []driver.NodeRef{at["b"]}}, `{"price":1}`},
	} {
		result, err := direct.Extract(accessibility.Build(page, &c.opts), s, "")
		if err != nil {
			t.Fatal(err)
		}
		if string(result.Data) != c.want {
			t.Errorf("Extract with %+v = %s, want %s", c.opts, result.Data, c.want)
		}
	}
}
