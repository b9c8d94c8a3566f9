package grounding

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A place is where a leaf may stand.
type place struct {
	elem, last int32 // the first and the last element
	line       int32
	at, end    int32 // in the line's text; end -1 where it reaches into another line
	number     int32 // index in numbers, -1
	kind       Kind
	option     bool
	scaled     bool // a unit was converted
	coded      bool // the digits of a code
}

// span is the part of a list of places that stands between two elements.
func span(list []place, lo, hi int32) []place {
	if len(list) == 0 || lo <= list[0].elem && list[len(list)-1].elem < hi { // as all of the page does
		return list
	}
	from := behind(list, lo)
	return list[from : from+behind(list[from:], hi)]
}

// behind is the index of the first place at or behind an element.
func behind(list []place, e int32) int {
	at, _ := slices.BinarySearchFunc(list, e, func(pl place, e int32) int { return cmp.Compare(pl.elem, e) })
	return at
}

func inOrder(list []place) []place {
	slices.SortStableFunc(list, func(a, b place) int { return int(a.elem - b.elem) })
	return list
}

// A finder finds where values stand.
type finder struct{ p *pagedata.Page }

// places returns where a leaf may stand, in page order.
func (f *finder) places(v *value) []place {
	if v.given {
		return v.places
	}
	v.given = true
	switch raw := v.raw.(type) {
	case string:
		v.places = f.once(v.member, raw, func() []place { return f.findText(raw, v.member) })
	case json.Number:
		v.places = f.once(v.member, raw, func() []place { return f.findNumber(raw, v.member) })
	}
	return v.places
}

// A phrase is words that are looked for as they are.
type phrase string

// once looks for a text, a number or a phrase of a member, in page order.
func (f *finder) once(m *member, raw any, look func() []place) []place {
	list, ok := m.found[raw]
	if !ok {
		list = inOrder(look())
		m.found[raw] = list
	}
	return list
}

// findText finds a text word by word, or else what it means: an address, a moment, an
// amount, a telephone number, the words of a constant ("FULL_TIME").
func (f *finder) findText(s string, m *member) []place {
	var out []place
	whole := strings.Contains(s, "://")
	if whole || strings.ContainsAny(s, "@") || slices.Contains([]string{"uri", "uri-reference", "url", "iri"}, m.format) || slices.ContainsFunc([]string{"/", "#", "data:", "mailto:", "tel:"}, func(p string) bool { return strings.HasPrefix(s, p) }) {
		out = f.address(s)
	}
	text := f.text(s)
	if len(out) > 0 || whole {
		return append(out, text...)
	}
	if out = text; !slices.ContainsFunc(out, func(pl place) bool { return pl.kind == Text }) {
		out = append(out, f.moment(s)...)
	}
	if len(out) == 0 {
		out = f.quantity(s)
	}
	if len(out) == 0 && strings.ContainsFunc(s, unicode.IsDigit) && len(pagedata.Phone(s)) > 9 {
		out = f.address(pagedata.Phone(s))
	}
	if words := pagedata.SplitName(s); len(out) == 0 && len(words) > 1 && len(s) < 60 && !strings.Contains(s, " ") {
		out = f.text(strings.Join(words, " "))
	}
	return out
}

// address finds the elements of an address.
func (f *finder) address(s string) (out []place) {
	for _, e := range f.p.Addresses[pagedata.SameAddress(s)] {
		out = append(out, place{elem: e, last: e, line: -1, number: -1, kind: Address})
	}
	return inOrder(out)
}

// text finds a text, whole words of it, across the ends of elements.
func (f *finder) text(s string) (out []place) {
	for _, at := range f.p.Find(s) {
		l := &f.p.Lines[at.Line]
		pl := place{elem: l.ElemAt(at.Start), last: f.p.Lines[at.LastLine].ElemAt(at.End - 1), line: at.Line, at: at.Start, end: -1, number: -1, kind: Text, option: l.Option}
		if at.Line == at.LastLine {
			pl.end = at.End
		}
		if l.Hidden {
			pl.kind = Attribute
		}
		out = append(out, pl)
	}
	return inOrder(out)
}

// joiners are the words that a date with its time may have besides.
var joiners = pagedata.SetOfWords("t z utc uhr at um")

// moment finds a date, a time or a length of time in another spelling. A time that is
// written with a date stands in the date's record.
func (f *finder) moment(s string) []place {
	p := f.p
	s = pagedata.Normalize(pagedata.Collapse(s))
	toks := pagedata.Tokenize(s, nil)
	if len(toks) > 16 {
		return nil
	}
	covered := make([]bool, len(toks))
	var dates, times, lengths []place
	dated, clock := false, (*pagedata.Moment)(nil)
	ms := pagedata.MomentsIn(s, toks, p.Now)
	for i := range ms {
		m := &ms[i]
		for k := m.First; k <= m.Last; k++ {
			covered[k] = true
		}
		switch m.Kind {
		case pagedata.DateMoment:
			dated, dates = true, append(dates, f.dates(m)...)
		case pagedata.TimeMoment:
			clock, times = m, f.momentPlaces(p.ByTime[m.Seconds%86400], nil)
		case pagedata.LengthMoment:
			lengths = f.momentPlaces(p.ByLength[m.Seconds], nil)
		}
	}
	for k := range toks {
		if !covered[k] && !joiners[s[toks[k].Start:toks[k].End]] && (clock == nil || int32(k) <= clock.Last) { // behind it is its zone
			return nil
		}
	}
	switch {
	case dated && (clock == nil || clock.Seconds == 0 && len(times) == 0): // a date as the beginning of its day
		return inOrder(dates)
	case dated:
		return slices.DeleteFunc(inOrder(dates), func(d place) bool {
			return !slices.ContainsFunc(times, func(t place) bool { return t.line == d.line || p.Within(t.elem, p.Elems[d.elem].Record) })
		})
	case clock != nil:
		return times
	}
	return lengths
}

// dates finds a date; the year may be left out on the page if it can only be this one.
func (f *finder) dates(d *pagedata.Moment) []place {
	p := f.p
	return f.momentPlaces(p.ByDay[d.Month*32+d.Day], func(m *pagedata.Moment) bool {
		switch now := p.Now; {
		case m.Year != 0 || d.Year == 0:
			return m.Year == d.Year || d.Year == 0
		case p.Years[d.Year]:
			return true
		case !now.IsZero():
			return d.Year == now.Year() || d.Year == now.Year()+1 && d.Month < int(now.Month()) || d.Year == now.Year()-1 && d.Month > int(now.Month())
		}
		return false
	})
}

func (f *finder) momentPlaces(list []int32, fits func(*pagedata.Moment) bool) (out []place) {
	p := f.p
	for _, i := range list {
		fm := &p.Moments[i]
		if fits != nil && !fits(&fm.What) {
			continue
		}
		l := &p.Lines[fm.Line]
		kind := Date
		if fm.What.Relative {
			kind = Derived
		}
		out = append(out, place{elem: fm.Elem, last: l.ElemAt(fm.What.To - 1), line: fm.Line, at: fm.What.From, end: fm.What.To, number: -1, kind: kind, option: l.Option})
	}
	return out
}

// quantity finds a currency, or a number with nothing but its currency and unit.
func (f *finder) quantity(s string) (out []place) {
	p := f.p
	n := pagedata.Normalize(pagedata.Collapse(s))
	codes := pagedata.Signs[n]
	if pagedata.IsCurrency(s) {
		codes = s
	}
	for code := range strings.FieldsSeq(codes) {
		out = append(out, f.numberPlaces(p.ByCurrency[code], Text)...)
	}
	toks := pagedata.Tokenize(n, nil)
	nums := pagedata.NumbersIn(n, toks, pagedata.Decimals{Dot: true, Comma: true})
	if codes != "" || len(nums) != 1 {
		return inOrder(out)
	}
	w := nums[0]
	for _, t := range toks {
		if text := n[t.Start:t.End]; !t.Digits && pagedata.Signs[text] == "" && text != "-" && text != w.After && text != "%" {
			return nil
		}
	}
	for _, r := range w.Readings {
		for _, i := range p.ByValue[r.Key] {
			o := &p.Numbers[i].What
			if (w.Currency == "" || shareWord(o.Currency, w.Currency)) && (w.After == "" || pagedata.Multiples[w.After] > 0 || pagedata.Stem(o.After) == pagedata.Stem(w.After)) && w.Percent == o.Percent {
				out = append(out, f.numberPlace(i, Number))
			}
		}
	}
	return inOrder(out)
}

// shareWord reports whether two lists of currencies have one in common.
func shareWord(a, b string) bool {
	return slices.ContainsFunc(strings.Fields(a), func(w string) bool { return slices.Contains(strings.Fields(b), w) })
}

func (f *finder) numberPlaces(list []int32, kind Kind) []place {
	out := make([]place, 0, len(list))
	for _, i := range list {
		out = append(out, f.numberPlace(i, kind))
	}
	return out
}

func (f *finder) numberPlace(i int32, kind Kind) place {
	n := &f.p.Numbers[i]
	return place{elem: n.Elem, last: n.Elem, line: n.Line, at: n.What.Start, end: n.What.End, number: i, kind: kind, option: f.p.Lines[n.Line].Option}
}

// findNumber finds a number as it is, in another unit than the member's, in thousands or
// millions that the description names, as a length of time, or as
// the digits of a code ("155" of "E155").
func (f *finder) findNumber(raw json.Number, m *member) []place {
	p := f.p
	key, ok := pagedata.CanonicalText(string(raw))
	v, err := raw.Float64()
	if !ok || err != nil {
		return nil
	}
	out := f.numberPlaces(p.ByValue[key], Number)
	says := func(w string) bool { return pagedata.HasWord(m.words, w) || pagedata.HasWord(m.about, w) }
	if v > 0 && says("discount") { // "-20 %"
		out = append(out, f.numberPlaces(p.ByValue["-"+key], Number)...)
	}
	scaled := func(list []place) {
		for _, pl := range list {
			pl.scaled = true
			out = append(out, pl)
		}
	}
	behind := func(v float64, word string) (list []place) {
		for _, i := range p.ByValue[pagedata.Canonical(v)] {
			if p.Numbers[i].What.After == word {
				list = append(list, f.numberPlace(i, Number))
			}
		}
		return list
	}
	for word, factor := range pagedata.Multiples { // "in 万元", "in Mio. €"
		if len(word) > 2 && says(word) {
			out = append(out, behind(v*factor, word)...)
		}
	}
	if m.target.base == "amount" {
		scaled(f.numberPlaces(p.ByValue[pagedata.Canonical(v*m.target.factor)], Number))
	}
	for word, u := range units {
		if u.base == m.target.base && u != m.target {
			scaled(behind(v*m.target.factor/u.factor, word))
		}
	}
	for _, word := range []string{"seconds", "minutes", "hours", "days"} {
		lasts := pagedata.HasWord(m.words, "duration") || m.target.base == "s"
		s := v * units[word].factor
		if (units[word] == m.target || m.target.base == "" && word == "minutes" && lasts || pagedata.HasWord(m.about, pagedata.Stem(word))) && v >= 0 && v < 1e8 && s == math.Trunc(s) {
			scaled(f.momentPlaces(p.ByLength[int(s)], nil))
			if lasts { // as a clock has it
				scaled(f.momentPlaces(p.ByTime[int(s)], nil))
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, pl := range f.text(string(raw)) {
		if l := &p.Lines[pl.line]; pl.at > 0 && pl.end > 0 && pagedata.LetterAt(l.Text[pl.at-1:]) && !strings.HasPrefix(l.Text[pl.end:], "-") {
			pl.coded = true
			out = append(out, pl)
		}
	}
	return out
}
