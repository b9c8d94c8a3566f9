package grounding

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"
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
	if len(out) == 0 {
		out = f.moment(s, m)
	}
	if len(out) == 0 {
		out = f.quantity(s)
	}
	if len(out) == 0 && strings.ContainsFunc(s, unicode.IsDigit) && len(phone(s)) > 9 {
		out = f.address(phone(s))
	}
	if len(out) == 0 && !strings.ContainsAny(s, " ") && len(s) < 60 {
		if words := splitName(s); len(words) > 1 { // FULL_TIME, inStock
			out = f.text(strings.Join(words, " "))
		}
	}
	if len(out) == 0 {
		out = f.pieces(s)
	}
	return out
}

// address finds the elements of an address.
func (f *finder) address(s string) []place {
	var out []place
	for _, e := range f.p.addresses[sameAddress(s)] {
		out = append(out, place{elem: e, last: e, line: -1, number: -1, kind: Address})
	}
	slices.SortStableFunc(out, func(a, b place) int { return int(a.elem - b.elem) })
	return out
}

// moment finds a date, a time or a length of time in another spelling.
func (f *finder) moment(s string, m *member) []place {
	s = normalize(collapse(s))
	toks := tokenize(s, nil)
	if len(toks) == 0 || len(toks) > 16 {
		return nil
	}
	p := f.p
	ms := momentsIn(s, toks, p.now)
	if len(ms) == 0 {
		return nil
	}
	covered := make([]bool, len(toks))
	var date, clock, length *moment
	var other *moment
	for i := range ms {
		for k := ms[i].first; k <= ms[i].last; k++ {
			covered[k] = true
		}
		switch ms[i].kind {
		case dateMoment:
			if date == nil {
				date = &ms[i]
			} else if other == nil {
				other = &ms[i]
			}
		case timeMoment:
			clock = &ms[i]
		case lengthMoment:
			length = &ms[i]
		}
	}
	for k := range toks {
		w := s[toks[k].start:toks[k].end]
		if !covered[k] && w != "t" && w != "z" && w != "utc" && w != "uhr" && w != "at" && w != "um" && w != "+" && !(k > 0 && s[toks[k-1].start:toks[k-1].end] == "+") && !(clock != nil && int32(k) > clock.last) {
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
		times = f.momentPlaces(p.byTime[clock.seconds%86400], nil)
		if date != nil && clock.seconds == 0 && len(times) == 0 {
			return dates // a date as the beginning of its day
		}
		if len(times) == 0 {
			return nil
		}
		if date != nil {
			// Both have to stand in one place: the times near the dates.
			out := make([]place, 0, len(dates))
			for _, d := range dates {
				d.parts = [][]place{{d}, times}
				d.parts[0][0].parts = nil
				out = append(out, d)
			}
			return out
		}
		return times
	}
	if date != nil {
		return dates
	}
	if length != nil {
		return f.momentPlaces(p.byLength[length.seconds], nil)
	}
	return nil
}

// dates finds a date; the year may be left out on the page if it can only be this one.
func (f *finder) dates(d *moment) []place {
	p := f.p
	list := p.byDay[d.month*32+d.day]
	return f.momentPlaces(list, func(m *moment) bool {
		switch {
		case m.year == d.year || d.year == 0:
			return true
		case m.year != 0:
			return false
		case len(p.years) > 0 && p.years[d.year]:
			return true
		case !p.now.IsZero():
			return d.year == p.now.Year() || d.year == p.now.Year()+1 && d.month < int(p.now.Month()) || d.year == p.now.Year()-1 && d.month > int(p.now.Month())
		}
		return false
	})
}

func (f *finder) momentPlaces(list []int32, fits func(*moment) bool) []place {
	var out []place
	p := f.p
	for _, i := range list {
		fm := &p.moments[i]
		if fits != nil && !fits(&fm.what) {
			continue
		}
		l := &p.lines[fm.line]
		a, b := &p.words[l.first+fm.what.first], &p.words[l.first+fm.what.last]
		kind := Date
		if fm.what.relative {
			kind = Derived
		}
		out = append(out, place{elem: fm.elem, last: l.elemAt(b.token.start), line: fm.line, at: a.token.start, end: b.token.end, number: -1, kind: kind, option: l.option})
	}
	return out
}

// quantity finds a number with or without its currency, or a currency.
func (f *finder) quantity(s string) []place {
	p := f.p
	if isCurrency(s) {
		return f.numberPlaces(p.byCurrency[s], Text)
	}
	n := normalize(collapse(s))
	if codes := signs[n]; codes != "" {
		var out []place
		for code := range strings.FieldsSeq(codes) {
			out = append(out, f.numberPlaces(p.byCurrency[code], Text)...)
		}
		slices.SortStableFunc(out, func(a, b place) int { return int(a.elem - b.elem) })
		return out
	}
	toks := tokenize(n, nil)
	nums := numbersIn(n, toks, decimals{dot: true, comma: true})
	if len(nums) != 1 {
		return nil
	}
	// Nothing but the number, its currency and its unit.
	w := nums[0]
	rest := 0
	for _, t := range toks {
		if text := n[t.start:t.end]; !t.digits && signs[text] == "" && text != "-" && text != w.after && text != "%" {
			rest++
		}
	}
	if rest > 0 {
		return nil
	}
	var out []place
	for _, r := range w.readings {
		for _, i := range p.byValue[r.key] {
			o := &p.numbers[i].what
			if w.currency != "" && !shareWord(o.currency, w.currency) || w.after != "" && multiples[w.after] == 0 && stem(o.after) != stem(w.after) || w.percent != o.percent {
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
	n := &f.p.numbers[i]
	return place{elem: n.elem, last: n.elem, line: n.line, at: n.what.start, end: n.what.end, number: i, kind: kind, option: f.p.lines[n.line].option}
}

// conversions are units that a member's name may ask for, with what the page
// may say in their place.
var conversions = map[string]map[string]float64{
	"g": {"kg": 1000, "mg": 0.001}, "grams": {"kg": 1000}, "kg": {"g": 0.001, "t": 1000}, "mg": {"g": 1000},
	"m": {"km": 1000, "cm": 0.01, "mm": 0.001}, "metres": {"km": 1000, "cm": 0.01}, "meters": {"km": 1000, "cm": 0.01}, "km": {"m": 0.001}, "cm": {"m": 100, "mm": 0.1}, "mm": {"cm": 10, "m": 1000},
	"mb": {"gb": 1024, "kb": 1.0 / 1024}, "gb": {"tb": 1024, "mb": 1.0 / 1024}, "ml": {"l": 1000, "cl": 10}, "l": {"ml": 0.001, "cl": 0.01},
}

// findNumber finds a number, in its unit or in another.
func (f *finder) findNumber(raw json.Number, m *member) []place {
	key, ok := canonicalText(string(raw))
	if !ok {
		return nil
	}
	p := f.p
	out := f.numberPlaces(f.apartFromDates(p.byValue[key]), Number)
	v, err := raw.Float64()
	if err != nil {
		return out
	}
	if v > 0 && len(p.byValue["-"+key]) > 0 && (hasWord(m.words, "discount") || hasWord(m.about, "discount") || hasWord(m.words, "change")) {
		out = append(out, f.numberPlaces(p.byValue["-"+key], Number)...)
	}
	scaled := func(list []place) {
		for _, pl := range list {
			pl.scaled = true
			out = append(out, pl)
		}
	}
	for word, factor := range multiples { // "in 万元", "in Mio. €"
		if len(word) < 3 || !hasWord(m.about, word) && !hasWord(m.words, word) {
			continue
		}
		for _, i := range p.byValue[canonical(v*factor)] {
			if p.numbers[i].what.after == word {
				out = append(out, f.numberPlace(i, Number))
			}
		}
	}
	if m.target == "cents" {
		scaled(f.numberPlaces(p.byValue[canonical(v/100)], Number))
	}
	for unit, factor := range conversions[m.target] {
		for _, i := range p.byValue[canonical(v/factor)] {
			if p.numbers[i].what.after == unit {
				scaled([]place{f.numberPlace(i, Number)})
			}
		}
	}
	if v >= 0 && v < 1e8 {
		for name, seconds := range map[string]float64{"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400} {
			if m.target != name && !(m.target == "" && name == "minutes" && (hasWord(m.words, "duration") || hasWord(m.about, "minute"))) && !hasWord(m.about, stem(name)) {
				continue
			}
			if s := v * seconds; s == math.Trunc(s) {
				scaled(f.momentPlaces(p.byLength[int(s)], nil))
				if p.byTime[int(s)] != nil && (hasWord(m.words, "duration") || m.target != "") {
					scaled(f.momentPlaces(p.byTime[int(s)], nil))
				}
			}
		}
	}
	if v == math.Trunc(v) && v > 0 && v < 13 {
		for word, n := range spelled {
			if n != int(v) {
				continue
			}
			for _, pl := range f.text(word) {
				// The word after it has to be what the member counts.
				next := p.wordAfter(pl)
				if next != "" && (hasWord(m.words, idea(next)) || hasWord(m.about, idea(next))) {
					out = append(out, pl)
				}
			}
		}
	}
	if v == math.Trunc(v) && v > 0 && (hasWord(m.words, "date") || hasWord(m.words, "year") || hasWord(m.words, "month")) {
		for i := range p.moments {
			mo := &p.moments[i].what
			if mo.kind == dateMoment && !mo.relative && (mo.year == int(v) && hasWord(m.words, "year") || mo.month == int(v) && hasWord(m.words, "month") || mo.day == int(v) && hasWord(m.words, "date")) {
				out = append(out, f.momentPlaces([]int32{int32(i)}, nil)...)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b place) int { return int(a.elem - b.elem) })
	return out
}

// dated reports whether a number is a part of a date.
func (f *finder) dated(i int32) bool {
	p := f.p
	n := &p.numbers[i]
	l := &p.lines[n.line]
	at, _ := slices.BinarySearchFunc(p.moments, n.line, func(m found[moment], line int32) int { return int(m.line - line) })
	for ; at < len(p.moments) && p.moments[at].line == n.line; at++ {
		m := &p.moments[at].what
		if m.kind != dateMoment || m.relative || m.first == m.last {
			continue
		}
		if a, b := &p.words[l.first+m.first].token, &p.words[l.first+m.last].token; m.last == m.first+1 && a.digits && b.gap == '/' {
			continue // "3/50" may be the third of fifty
		}
		if n.what.start >= p.words[l.first+m.first].token.start && n.what.end <= p.words[l.first+m.last].token.end {
			return true
		}
	}
	return false
}

// apartFromDates leaves out the numbers that are the day, month or year of a date,
// if there are others.
func (f *finder) apartFromDates(list []int32) []int32 {
	var out []int32
	for _, i := range list {
		if !f.dated(i) {
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		return list
	}
	return out
}

var spelled = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,

	"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "deux": 2, "trois": 3, "quatre": 4, "dos": 2, "tres": 3, "single": 1, "double": 2}
