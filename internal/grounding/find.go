package grounding

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// places returns where a leaf may stand, in page order.
func (f *finder) places(v *value) []place {
	if !v.given {
		v.given = true
		switch raw := v.raw.(type) {
		case string:
			key := textKey{'s', v.member.format, v.member.target, raw}
			list, ok := f.texts[key]
			if !ok {
				list = f.findText(raw, v.member)
				f.texts[key] = list
			}
			v.places = list
		case json.Number:
			key := textKey{'n', "", v.member.target, string(raw)}
			list, ok := f.texts[key]
			if !ok {
				list = f.findNumber(raw, v.member)
				f.texts[key] = list
			}
			v.places = list
		}
	}
	return v.places
}

func (f *finder) findText(s string, m *member) []place {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	var out []place
	addressed := m.format == "uri" || m.format == "uri-reference" || m.format == "url" || m.format == "iri" || strings.Contains(s, "://") || strings.HasPrefix(s, "mailto:") || strings.HasPrefix(s, "tel:")
	if addressed || strings.HasPrefix(s, "/") || strings.Contains(s, "@") || strings.HasPrefix(s, "data:") || strings.HasPrefix(s, "#") {
		out = f.address(s)
		if len(out) > 0 || addressed && strings.Contains(s, "://") {
			return append(out, f.text(s)...)
		}
	}
	out = f.text(s)
	if len(out) == 0 || !slices.ContainsFunc(out, func(pl place) bool { return pl.kind == Text }) {
		out = append(out, f.moment(s, m)...)
		slices.SortStableFunc(out, func(a, b place) int { return int(a.elem - b.elem) })
	}
	if len(out) == 0 {
		out = f.quantity(s)
	}
	if len(out) == 0 && strings.ContainsFunc(s, unicode.IsDigit) && len(pagedata.Phone(s)) > 9 {
		out = f.address(pagedata.Phone(s))
	}
	if len(out) == 0 && !strings.ContainsAny(s, " ") && len(s) < 60 {
		if words := pagedata.SplitName(s); len(words) > 1 { // FULL_TIME, inStock
			out = f.text(strings.Join(words, " "))
		}
	}
	return out
}

// address finds the elements of an address.
func (f *finder) address(s string) []place {
	var out []place
	for _, e := range f.p.Addresses[pagedata.SameAddress(s)] {
		out = append(out, place{elem: e, last: e, line: -1, number: -1, kind: Address})
	}
	slices.SortStableFunc(out, func(a, b place) int { return int(a.elem - b.elem) })
	return out
}

// moment finds a date, a time or a length of time in another spelling.
func (f *finder) moment(s string, m *member) []place {
	s = pagedata.Normalize(pagedata.Collapse(s))
	toks := pagedata.Tokenize(s, nil)
	if len(toks) == 0 || len(toks) > 16 {
		return nil
	}
	p := f.p
	ms := pagedata.MomentsIn(s, toks, p.Now)
	if len(ms) == 0 {
		return nil
	}
	covered := make([]bool, len(toks))
	var date, clock, length *pagedata.Moment
	var other *pagedata.Moment
	for i := range ms {
		for k := ms[i].First; k <= ms[i].Last; k++ {
			covered[k] = true
		}
		switch ms[i].Kind {
		case pagedata.DateMoment:
			if date == nil {
				date = &ms[i]
			} else if other == nil {
				other = &ms[i]
			}
		case pagedata.TimeMoment:
			clock = &ms[i]
		case pagedata.LengthMoment:
			length = &ms[i]
		}
	}
	for k := range toks {
		w := s[toks[k].Start:toks[k].End]
		if !covered[k] && w != "t" && w != "z" && w != "utc" && w != "uhr" && w != "at" && w != "um" && w != "+" && !(k > 0 && s[toks[k-1].Start:toks[k-1].End] == "+") && !(clock != nil && int32(k) > clock.Last) {
			return nil
		}
	}
	var dates, times []place
	if date != nil {
		dates = f.dates(date)
		if other != nil {
			dates = append(dates, f.dates(other)...)
			slices.SortStableFunc(dates, func(a, b place) int { return int(a.elem - b.elem) })
		}
		if len(dates) == 0 {
			return nil
		}
	}
	if clock != nil {
		times = f.momentPlaces(p.ByTime[clock.Seconds%86400], nil)
		if date != nil && clock.Seconds == 0 && len(times) == 0 {
			return dates // a date as the beginning of its day
		}
		if len(times) == 0 {
			return nil
		}
		if date != nil { // both stand in one record
			return slices.DeleteFunc(dates, func(d place) bool {
				return !slices.ContainsFunc(times, func(t place) bool { return t.line == d.line || p.Within(t.elem, p.Elems[d.elem].Record) })
			})
		}
		return times
	}
	if date != nil {
		return dates
	}
	if length != nil {
		return f.momentPlaces(p.ByLength[length.Seconds], nil)
	}
	return nil
}

// dates finds a date; the year may be left out on the page if it can only be this one.
func (f *finder) dates(d *pagedata.Moment) []place {
	p := f.p
	list := p.ByDay[d.Month*32+d.Day]
	return f.momentPlaces(list, func(m *pagedata.Moment) bool {
		switch {
		case m.Year == d.Year || d.Year == 0:
			return true
		case m.Year != 0:
			return false
		case len(p.Years) > 0 && p.Years[d.Year]:
			return true
		case !p.Now.IsZero():
			return d.Year == p.Now.Year() || d.Year == p.Now.Year()+1 && d.Month < int(p.Now.Month()) || d.Year == p.Now.Year()-1 && d.Month > int(p.Now.Month())
		}
		return false
	})
}

func (f *finder) momentPlaces(list []int32, fits func(*pagedata.Moment) bool) []place {
	var out []place
	p := f.p
	for _, i := range list {
		fm := &p.Moments[i]
		if fits != nil && !fits(&fm.What) {
			continue
		}
		l := &p.Lines[fm.Line]
		a, b := &p.Words[l.First+fm.What.First], &p.Words[l.First+fm.What.Last]
		kind := Date
		if fm.What.Relative {
			kind = Derived
		}
		out = append(out, place{elem: fm.Elem, last: l.ElemAt(b.Token.Start), line: fm.Line, at: a.Token.Start, end: b.Token.End, number: -1, kind: kind, option: l.Option})
	}
	return out
}

// quantity finds a number with or without its currency, or a currency.
func (f *finder) quantity(s string) []place {
	p := f.p
	if pagedata.IsCurrency(s) {
		return f.numberPlaces(p.ByCurrency[s], Text)
	}
	n := pagedata.Normalize(pagedata.Collapse(s))
	if codes := pagedata.Signs[n]; codes != "" {
		var out []place
		for code := range strings.FieldsSeq(codes) {
			out = append(out, f.numberPlaces(p.ByCurrency[code], Text)...)
		}
		slices.SortStableFunc(out, func(a, b place) int { return int(a.elem - b.elem) })
		return out
	}
	toks := pagedata.Tokenize(n, nil)
	nums := pagedata.NumbersIn(n, toks, pagedata.Decimals{Dot: true, Comma: true})
	if len(nums) != 1 {
		return nil
	}
	// Nothing but the number, its currency and its unit.
	w := nums[0]
	rest := 0
	for _, t := range toks {
		if text := n[t.Start:t.End]; !t.Digits && pagedata.Signs[text] == "" && text != "-" && text != w.After && text != "%" {
			rest++
		}
	}
	if rest > 0 {
		return nil
	}
	var out []place
	for _, r := range w.Readings {
		for _, i := range p.ByValue[r.Key] {
			o := &p.Numbers[i].What
			if w.Currency != "" && !shareWord(o.Currency, w.Currency) || w.After != "" && pagedata.Multiples[w.After] == 0 && pagedata.Stem(o.After) != pagedata.Stem(w.After) || w.Percent != o.Percent {
				continue
			}
			out = append(out, f.numberPlace(i, Number))
		}
	}
	slices.SortStableFunc(out, func(a, b place) int { return int(a.elem - b.elem) })
	return out
}

func shareWord(a, b string) bool {
	for w := range strings.FieldsSeq(a) {
		for x := range strings.FieldsSeq(b) {
			if w == x {
				return true
			}
		}
	}
	return false
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

// times are the units of time, in seconds, that a member may be counted in: that of its
// name, or else those that its description names, or minutes for a duration.
func (f *finder) times(m *member) (out []float64) {
	if m.target.base == "s" {
		out = append(out, m.target.factor)
	}
	for _, word := range []string{"seconds", "minutes", "hours", "days"} {
		if pagedata.HasWord(m.about, pagedata.Stem(word)) || word == "minutes" && m.target.base == "" && pagedata.HasWord(m.words, "duration") {
			out = append(out, units[word].factor)
		}
	}
	return out
}

// findNumber finds a number, in its unit or in another.
func (f *finder) findNumber(raw json.Number, m *member) []place {
	key, ok := pagedata.CanonicalText(string(raw))
	if !ok {
		return nil
	}
	p := f.p
	out := f.numberPlaces(p.ByValue[key], Number)
	v, err := raw.Float64()
	if err != nil {
		return out
	}
	if v > 0 && pagedata.HasWord(append(m.words, m.about...), "discount") { // "-20 %"
		out = append(out, f.numberPlaces(p.ByValue["-"+key], Number)...)
	}
	scaled := func(list []place) {
		for _, pl := range list {
			pl.scaled = true
			out = append(out, pl)
		}
	}
	for word, factor := range pagedata.Multiples { // "in 万元", "in Mio. €"
		if len(word) < 3 || !pagedata.HasWord(m.about, word) && !pagedata.HasWord(m.words, word) {
			continue
		}
		for _, i := range p.ByValue[pagedata.Canonical(v*factor)] {
			if p.Numbers[i].What.After == word {
				out = append(out, f.numberPlace(i, Number))
			}
		}
	}
	if m.target.base == "amount" {
		scaled(f.numberPlaces(p.ByValue[pagedata.Canonical(v*m.target.factor)], Number))
	}
	for word, u := range units {
		if u.base != m.target.base || u == m.target {
			continue
		}
		for _, i := range p.ByValue[pagedata.Canonical(v*m.target.factor/u.factor)] {
			if p.Numbers[i].What.After == word {
				scaled([]place{f.numberPlace(i, Number)})
			}
		}
	}
	for _, u := range f.times(m) { // a length of time, or as a clock has it
		if s := v * u; v >= 0 && v < 1e8 && s == math.Trunc(s) {
			scaled(f.momentPlaces(p.ByLength[int(s)], nil))
			if pagedata.HasWord(m.words, "duration") || m.target.base == "s" {
				scaled(f.momentPlaces(p.ByTime[int(s)], nil))
			}
		}
	}
	if v == math.Trunc(v) && v > 0 && (pagedata.HasWord(m.words, "date") || pagedata.HasWord(m.words, "year") || pagedata.HasWord(m.words, "month")) {
		for i := range p.Moments {
			mo := &p.Moments[i].What
			if mo.Kind == pagedata.DateMoment && !mo.Relative && (mo.Year == int(v) && pagedata.HasWord(m.words, "year") || mo.Month == int(v) && pagedata.HasWord(m.words, "month") || mo.Day == int(v) && pagedata.HasWord(m.words, "date")) {
				out = append(out, f.momentPlaces([]int32{int32(i)}, nil)...)
			}
		}
	}
	if len(out) == 0 { // the digits of a code, as 155 of "E155"
		for _, pl := range f.text(string(raw)) {
			if at := pl.at; pl.line >= 0 && at > 0 && pl.end > 0 {
				if l := p.Lines[pl.line].Text; pagedata.LetterAt(l[at-1:]) && (int(pl.end) == len(l) || l[pl.end] != '-') {
					pl.coded = true
					out = append(out, pl)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b place) int { return int(a.elem - b.elem) })
	return out
}
