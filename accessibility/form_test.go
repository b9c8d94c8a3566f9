package accessibility_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// TestForm: the form of an element, where it goes, and its buttons.
func TestForm(t *testing.T) {
	const page = `<!doctype html>
<form id=f action="/order?x=1"><label>A <input></label><button>One</button><button type=button>Two</button><input type=submit value=Three formaction="https://b.test/"></form>
<label>B <input form=f></label><button form=f>Four</button><button form=none>Five</button><label>C <input></label>
<form><button>Six</button></form>`
	browser, err := fake.Web{"https://a.test/": page}.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	p := browser.Pages()[0]
	if _, err := p.Navigate(t.Context(), "https://a.test/", nil); err != nil {
		t.Fatal(err)
	}
	capture, err := p.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	snap := accessibility.Build(capture, nil)
	for name, want := range map[string]struct {
		action  string
		sends   bool
		buttons int
	}{
		"A":     {"https://a.test/order?x=1", false, 4},
		"B":     {"https://a.test/order?x=1", false, 4},
		"One":   {"https://a.test/order?x=1", true, 4},
		"Two":   {"https://a.test/order?x=1", false, 4},
		"Three": {"https://b.test/", true, 4},
		"Four":  {"https://a.test/order?x=1", true, 4},
		"Five":  {},
		"C":     {},
		"Six":   {"https://a.test/", true, 1},
	} {
		for i := range snap.Nodes {
			n := &snap.Nodes[i]
			if n.Name != name || n.Role != "button" && n.Role != "textbox" {
				continue
			}
			form := snap.Form(n)
			if form == nil {
				form = &accessibility.Form{}
			}
			if form.Action != want.action || form.Submits != want.sends || len(form.Buttons) != want.buttons {
				t.Errorf("Form(%s) = %q, %v, %d buttons; want %+v", name, form.Action, form.Submits, len(form.Buttons), want)
			}
		}
	}
}

// A field has all headers above it that count: those of several header rows, of a column
// beside a cell that reaches down, and of its own section of the table.
func TestFieldByHeaders(t *testing.T) {
	for page, want := range map[string][]string{
		`<table><thead><tr><th rowspan=2>Name<th colspan=2>2024<th colspan=2>2025<tr><th>Q1<th>Q2<th>Q1<th>Q2</thead>
			<tr><td>Ann<td><input><td><input><td><input><td><input></table>`: {"2024 Q1", "2024 Q2", "2025 Q1", "2025 Q2"},
		`<table><tr><th>Fruit<th>Price<tr><th colspan=2>Fresh<tr><td>Fig<td><input>
			<tr><th>Tool<th>Weight<tr><td>Saw<td><input></table>`: {"Price", "Weight"},
		`<table><tr><th>First name<th>Last name<tr><td><input><td><input>
			<tr><th>Street<th>Town<tr><td><input><td><input></table>`: {"First name", "Last name", "Street", "Town"},
		`<table><tr><th colspan=3>Your order<tr><th>Part<th>Size<th>Count
			<tr><td rowspan=2>Nut<td>M3<td><input><tr><td>M4<td><input></table>`: {"Count", "Count"},
		strings.ReplaceAll(fixedHeaders("", ""), "126", "<input>"):                                                          {"People"},
		strings.ReplaceAll(fixedHeaders("", "<h2>Others</h2>"), "126", "<input>"):                                           {"Ulm"},
		`<table><thead><tr><th>Name<th>Town<tr><th><input><th><input></thead><tr><td><input><td><input></table>`:            {"Name", "Town", "Name", "Town"},
		`<table><tr><th>Order<th>Note<tr><td><table><tr><th>Part<th>Count<tr><td>Nut<td><input></table><td><input></table>`: {"Count", "Note"},
	} {
		snap := accessibility.Build(htmlcapture.Of(t, page), nil)
		var got []string
		for i := range snap.Nodes {
			if n := &snap.Nodes[i]; n.Tag == "input" {
				got = append(got, n.Name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the fields are named %q, want %q\n%s", got, want, snap.Outline())
		}
	}
}

// A field of a table is called by its column's header, also where headers are buttons or
// links, or one of them marks all rows. The text of another column is no label.
func TestFieldByColumn(t *testing.T) {
	const row = `<tr><td><input type=checkbox><th><a href=c>Cats</a><td>Cleo Cox<td><input type=number><td>Draft<td><select><option>no</select>`
	for _, head := range []string{
		`<th><th>Title<th>Author<th>Price<th>Status<th>Featured`,
		`<th><th><a href=t>Title</a><th><a href=a>Author</a><th><a href=p>Price</a><th>Status<th><a href=f>Featured</a>`,
		`<th><th>Title<th>Author<th><button>Price</button><th>Status<th><button>Featured</button>`,
		`<th><input type=checkbox><th>Title<th>Author<th>Price<th>Status<th>Featured`,
		`<th><label><input type=checkbox>All</label><th>Title<th>Author<th>Price<th>Status<th>Featured`,
		`<th><select><option>mark<option>clear</select><th>Title<th>Author<th>Price<th>Status<th>Featured`,
	} {
		page := `<table><thead><tr>` + head + `</thead><tbody>` + row + `</table>`
		snap := accessibility.Build(htmlcapture.Of(t, page), nil)
		var got []string
		for i := range snap.Nodes {
			if n := &snap.Nodes[i]; n.Tag == "input" || n.Tag == "select" {
				got = append(got, n.Name)
			}
		}
		if got = got[max(0, len(got)-3):]; !slices.Equal(got, []string{"", "Price", "Featured"}) {
			t.Errorf("below %s the fields are named %q\n%s", head, got, snap.Outline())
		}
	}
}
