package offline

import (
	"regexp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// A fact is something that a part of a page says under a label.
type fact struct {
	label string
	value string
	at    int   // index of the item
	state *bool // of a checkbox or a toggle
	rank  int   // how surely the label is one: higher is surer
}

// Ranks of facts.
const (
	guessed  = 1 // by its form alone: a price, a date
	beside   = 2 // two texts in a row
	inline   = 3 // "Label: value"
	labelled = 4 // a definition, a control, a table's cell
)

var (
	colon  = regexp.MustCompile(`^([^:.!?]{1,40}):\s+(\S.*)$`)
	money  = regexp.MustCompile(`(?:^|\s)(?:[A-Z]{3}|[$€£¥]|Fr\.)\s?\d[\d'’.,\x{a0}\x{202f} ]*|\d[\d'’.,\x{a0}\x{202f} ]*\s?(?:[A-Z]{3}\b|[$€£¥]|Fr\.)`)
	isoDay = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\.\s?\d{1,2}\.\s?\d{4}\b|\b\d{1,2}/\d{1,2}/\d{4}\b`)
	leads  = regexp.MustCompile(`^(\p{L}[\p{L} -]{0,30}?) (-?\d[\d'.,]*.*)$`)
	counts = regexp.MustCompile(`^(\d[\d'.,]*) (\p{L}[\p{L} ]{0,40})$`)
)

// facts lists what the items from index from to index to say.
func (p *page) facts(from, to int) []fact {
	var out []fact
	var header []string
	for i := from; i < to; i++ {
		it := &p.items[i]
		switch {
		case it.Omitted != nil:
		case it.Role == "row":
			if it.Header {
				header = cells(it)
			} else {
				out = append(out, p.rowFacts(i, p.headerOf(i, header))...)
			}
		case it.Role == "term" && i+1 < to:
			for j := p.end[i]; j < to && p.items[j].Role == "definition"; j = p.end[j] {
				out = append(out, fact{it.Name, strings.ReplaceAll(p.below(j), "\n", " "), j, nil, labelled})
			}
		case checkable(it) || it.States.Pressed != accessibility.Unset:
			on := it.States.Checked == accessibility.On || it.States.Pressed == accessibility.On
			out = append(out, fact{it.Name, map[bool]string{true: "yes", false: "no"}[on], i, &on, labelled})
			if on && it.Role == "radio" {
				if g := it.Parent; g >= 0 && p.items[g].Name != "" {
					out = append(out, fact{p.items[g].Name, it.Name, i, nil, labelled})
				}
			}
		case field(it) || it.Role == "meter" || it.Role == "progressbar":
			label := it.Name
			if label == "" {
				label = p.before(i)
			}
			out = append(out, fact{label, it.Value, i, nil, labelled})
		case it.Role == "definition" || it.Role == "term":
		default:
			out = append(out, p.textFacts(i, to)...)
		}
	}
	return out
}

// below is what an item says: its own name, or the text under it.
func (p *page) below(i int) string {
	if t := text(&p.items[i]); t != "" {
		return t
	}
	return p.allText(i)
}

func cells(it *accessibility.Item) []string {
	var out []string
	for _, c := range it.Cells {
		out = append(out, c.Text)
	}
	if len(out) == 0 && it.Name != "" {
		out = []string{it.Name}
	}
	return out
}

// headerOf returns the header of the table that a row stands in, which may be
// outside of what is looked at.
func (p *page) headerOf(row int, known []string) []string {
	if known != nil {
		return known
	}
	for parent := p.items[row].Parent; parent >= 0; parent = p.items[parent].Parent {
		for j := parent + 1; j < row; j++ {
			if p.items[j].Role == "row" && p.items[j].Header {
				return cells(&p.items[j])
			}
		}
		if p.items[parent].Role == "table" || p.items[parent].Role == "grid" {
			break
		}
	}
	return nil
}

// rowFacts are the cells of a row under their headers. A row of two cells
// without a header is a label with its value.
func (p *page) rowFacts(i int, header []string) []fact {
	it := &p.items[i]
	var out []fact
	if header == nil {
		if c := cells(it); len(c) == 2 {
			out = append(out, fact{c[0], c[1], i, nil, labelled})
		}
		return out
	}
	below := p.children(i)
	for n, c := range it.Cells {
		if n >= len(header) {
			break
		}
		switch {
		case !c.Below:
			out = append(out, fact{header[n], c.Text, i, nil, labelled})
		case len(below) > 0:
			at := below[0]
			if last := lastBelow(it); n < last {
				below = below[1:]
			}
			out = append(out, p.cellFact(header[n], at))
		}
	}
	return out
}

// lastBelow is the index of the last cell whose content has lines of its own.
func lastBelow(it *accessibility.Item) int {
	last := -1
	for n, c := range it.Cells {
		if c.Below {
			last = n
		}
	}
	return last
}

// cellFact is what a cell with lines of its own says: its control's value, its link's name.
func (p *page) cellFact(label string, i int) fact {
	for j := i; j < p.end[i]; j++ {
		if it := &p.items[j]; field(it) {
			return fact{label, it.Value, j, nil, labelled}
		}
	}
	for j := i; j < p.end[i]; j++ {
		if t := text(&p.items[j]); t != "" {
			return fact{label, t, j, nil, labelled}
		}
	}
	return fact{label, "", i, nil, labelled}
}

// textFacts reads labels out of running text.
func (p *page) textFacts(i, to int) []fact {
	it := &p.items[i]
	t := strings.TrimSpace(text(it))
	if t == "" {
		return nil
	}
	var out []fact
	if _, ok := tallyOf(t); ok {
		// see counted
	} else if m := colon.FindStringSubmatch(t); m != nil {
		out = append(out, fact{m[1], m[2], i, nil, inline})
	} else if m := leads.FindStringSubmatch(t); m != nil && len(words(m[1])) <= 3 {
		out = append(out, fact{m[1], m[2], i, nil, inline})
	} else if m := counts.FindStringSubmatch(t); m != nil {
		out = append(out, fact{m[2], m[1], i, nil, inline})
	}
	if m := money.FindString(t); m != "" && len([]rune(t)) < 40 {
		out = append(out, fact{"price", strings.TrimSpace(m), i, nil, guessed})
	}
	if m := isoDay.FindString(t); m != "" {
		out = append(out, fact{"date", m, i, nil, guessed})
	}
	if n := p.end[i]; it.Role == "text" && n < to && p.items[n].Role == "text" && p.items[n].Depth == it.Depth && len(words(t)) <= 4 {
		out = append(out, fact{strings.TrimSuffix(t, ":"), p.items[n].Name, n, nil, beside})
	}
	if it.Role == "status" || it.Role == "alert" {
		out = append(out, fact{string(it.Role) + " message", t, i, nil, inline})
	}
	return out
}
