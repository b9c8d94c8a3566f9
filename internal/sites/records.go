package sites

// A RecordLayout is a way to show records: with N for a record's name, S for a sum and A for
// its controls.
type RecordLayout struct{ Before, Record, Behind string }

// RecordLayouts are common ways to show records: some give each record a role, some only an
// element, and in some only the order says what belongs together.
var RecordLayouts = map[string]RecordLayout{
	"table":           {"<table><tr><th>Name<th>Sum<th>", "<tr><td>N<td>S<td>A", "</table>"},
	"list":            {"<ul>", "<li>N S A", "</ul>"},
	"list, controls":  {"<ul>", "<li>A N S", "</ul>"},
	"list, headings":  {"<ul>", "<li><h3>N</h3><p>S</p>A", "</ul>"},
	"boxes":           {"", "<div><div>N</div><div>S</div><div>A</div></div>", ""},
	"boxes, controls": {"", "<div>A <b>N</b> <i>S</i></div>", ""},
	"boxes, a foot":   {"", "<div><h3>N</h3><div>in stock A</div></div>", ""},
	"boxes, a sum":    {"", "<h3>N</h3><div>S A</div>", ""},
	"two to a row":    {"<div>", "<div><a href=/about>N</a> S A</div>", "</div>"},
	"side by side":    {"", "<p>N S</p>A", ""},
	"names behind":    {"", "A<p>N S</p>", ""},
	"lines":           {"<p>", "<a href=/about>N</a> A<br>", "</p>"},
	"terms":           {"<dl>", "<dt>N<dd>S<dd>A", "</dl>"},
	"shadow trees":    {"", "<div><template shadowrootmode=open><b><slot name=n></slot></b> <slot></slot></template><i slot=n>N</i> S A</div>", ""},
	"articles":        {"", "<article><h3>N</h3>S A</article>", ""},
}
