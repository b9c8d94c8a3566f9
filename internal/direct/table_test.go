package direct_test

import (
	"encoding/json"
	"testing"
)

// TestTurnedTable: where each row begins with its header, the columns may be the
// records; which it is the schema decides.
func TestTurnedTable(t *testing.T) {
	const form = `{"type":"object","properties":{"phones":{"type":"array","items":{"type":"object","properties":{"model":{"type":"string"},"weight":{"type":"number"},"battery":{"type":"number"},"releaseDate":{"type":"string","format":"date"}},"required":["model"]}}}}`
	const rows = `<tr><th>Weight<td>182 g<td>199 g<td>171 g</tr><tr><th>Battery<td>4000 mAh<td>4500 mAh<td>3900 mAh</tr><tr><th>Release date<td>3 May 2026<td>9 June 2026<td>1 July 2026</tr>`
	const want = `{"phones":[{"battery":4000,"model":"Alba","releaseDate":"2026-05-03","weight":182},{"battery":4500,"model":"Boro","releaseDate":"2026-06-09","weight":199},{"battery":3900,"model":"Cleo","releaseDate":"2026-07-01","weight":171}]}`
	const straight = `<table><tr><th>Model<th>Weight<th>Battery<th>Release date</tr><tr><th>Alba<td>182 g<td>4000 mAh<td>3 May 2026</tr><tr><th>Boro<td>199 g<td>4500 mAh<td>9 June 2026</tr><tr><th>Cleo<td>171 g<td>3900 mAh<td>1 July 2026</tr></table>`
	for _, c := range []struct{ name, html, want string }{
		{"headers in the first column", `<main><h1>Phones</h1><table><tr><th>Model<td>Alba<td>Boro<td>Cleo</tr>` + rows + `</table></main>`, want},
		{"and a row of headers", `<main><h1>Phones</h1><table><thead><tr><th>Model<th>Alba<th>Boro<th>Cleo</tr></thead>` + rows + `</table></main>`, want},
		{"row headers of a straight table", `<main><h1>Phones</h1>` + straight + `</main>`, want},
		{"a heading over all columns", `<main><h1>Phones</h1><table><tr><th colspan=4>2026</tr><tr><th>Model<td>Alba<td>Boro<td>Cleo</tr>` + rows + `</table></main>`, `{}`},
		{"one column is no list", `<main><h1>Phones</h1><table><tr><th>Model<td>Alba</tr><tr><th>Weight<td>182 g</tr></table></main>`, `{}`},
	} {
		got := extract(t, read(t, map[string]string{"https://site.test/": c.html}, "https://site.test/"), json.RawMessage(form), "the phones")
		if string(got.Data) != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.Data, c.want)
		}
	}
}
