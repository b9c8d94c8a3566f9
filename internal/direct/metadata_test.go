package direct_test

import (
	"encoding/json"
	"testing"
)

// TestMetadata: JSON-LD and microdata name what a person sees, and say nothing by
// themselves.
func TestMetadata(t *testing.T) {
	const form = `{"type":"object","properties":{"name":{"type":"string"},"sku":{"type":"string"},"brand":{"type":"string"},"releaseDate":{"type":"string","format":"date"},"mpn":{"type":"string"}}}`
	const list = `{"type":"object","properties":{"events":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"startDate":{"type":"string","format":"date"},"location":{"type":"string"}}}}}}`
	const ld = `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Alba Desk Chair","sku":"ALB-1","mpn":"X-99","brand":{"@type":"Brand","name":"Harrow"},"releaseDate":"2026-05-03T00:00:00Z"}</script>`
	const body = `<main><h1>Alba Desk Chair</h1><p>Harrow</p><p><i>ALB-1</i> <i>ALB-7</i></p><p>3 May 2026</p><p>Last seen on 9 June 2026</p></main>`
	for _, c := range []struct{ name, html, form, want string }{
		{"none", body, form, `{}`},
		{"json-ld", ld + body, form, `{"brand":"Harrow","name":"Alba Desk Chair","releaseDate":"2026-05-03","sku":"ALB-1"}`},
		{"of another thing", ld + `<main><h1>Boro Stool</h1><p>Harrow</p><p><i>ALB-1</i></p></main>`, form, `{}`},
		{"that disagrees with a label", ld + `<main><h1>Alba Desk Chair</h1><dl><dt>SKU</dt><dd>ALB-2</dd><dt>Brand</dt><dd>Finch</dd></dl><p>Harrow, formerly</p><p>Harrow</p><i>ALB-1</i></main>`, form, `{"brand":"Finch","name":"Alba Desk Chair","sku":"ALB-2"}`},
		{"that nothing shows", ld + `<main><h1>Alba Desk Chair</h1></main>`, form, `{"name":"Alba Desk Chair"}`},
		{"broken", `<script type="application/ld+json">{"name":"Alba Desk Chair","sku":</script>` + body, form, `{}`},
		{"graph", `<script type="application/ld+json">{"@graph":[{"@type":"WebSite","name":"Shop"},{"@type":"Product","name":"Alba Desk Chair","brand":[{"name":"Harrow"}]}]}</script>` + body, form, `{"brand":"Harrow","name":"Alba Desk Chair"}`},
		{"opengraph is not read", `<meta property="og:title" content="Alba Desk Chair"><meta property="product:brand" content="Harrow">` + body, form, `{}`},
		{"microdata", `<main itemscope itemtype="https://schema.org/Product"><meta itemprop="mpn" content="X-1"><h1 itemprop=name>Alba Desk Chair</h1><p itemprop=brand itemscope><span itemprop=name>Finch</span></p><i itemprop=sku>ALB-1</i></main><p>Finch</p>`, form, `{"name":"Alba Desk Chair","sku":"ALB-1"}`},
		{"microdata of two things", `<main><div itemscope><b itemprop=sku>A-1</b></div><div itemscope><b itemprop=brand>Finch</b></div></main>`, form, `{}`},
		{"items of a list", `<script type="application/ld+json">[{"@type":"Event","name":"Choir evening","startDate":"2027-01-04","location":{"name":"Town hall"}},{"@type":"Event","name":"Flea market","startDate":"2027-02-06","location":{"name":"Square"}},{"@type":"Event","name":"Night run","startDate":"2027-03-08","location":{"name":"Harbour"}}]</script>
			<main><div class=x><h3>Choir evening</h3><p>4 January 2027</p><p>Town hall</p><p>Doors 19:00</p></div><div class=x><h3>Flea market</h3><p>6 February 2027</p><p>Square</p><p>all day</p></div><div class=x><h3>Night run</h3><p>8 March 2027</p><p>Harbour</p><p>10 km</p></div></main>`, list,
			`{"events":[{"location":"Town hall","name":"Choir evening","startDate":"2027-01-04"},{"location":"Square","name":"Flea market","startDate":"2027-02-06"},{"location":"Harbour","name":"Night run","startDate":"2027-03-08"}]}`},
	} {
		got := extract(t, read(t, map[string]string{"https://site.test/": c.html}, "https://site.test/"), json.RawMessage(c.form), "all of it")
		if string(got.Data) != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.Data, c.want)
		}
	}
}
