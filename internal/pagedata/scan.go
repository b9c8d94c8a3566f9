package pagedata

import (
	"slices"
	"strings"
	"time"
)

// values are the numbers and moments that the lines of a page say, and their words.
type values struct {
	texts
	words
	Now        time.Time
	Numbers    []Found[Number]
	ByValue    map[string][]int32 // a number's readings, to indexes in numbers
	ByCurrency map[string][]int32
	Moments    []Found[Moment]
	ByDay      map[int][]int32 // month*32+day
	ByTime     map[int][]int32 // seconds
	ByLength   map[int][]int32
	Years      map[int]bool
	style      Decimals
}

// Found is something that stands in a line.
type Found[T any] struct {
	Line, Elem int32
	What       T
}

// scan splits the lines into words and finds numbers and moments.
func (p *values) scan() {
	p.style.dotted = dotted[p.language()]
	size := 0
	for i := range p.Lines {
		size += len(p.Lines[i].Text)
	}
	all, toks := make([]Token, 0, size/3), make([][]Token, len(p.Lines)) // by line
	figured := 0                                                         // lines with a figure
	for i := range p.Lines {
		from := len(all)
		all = Tokenize(p.Lines[i].Text, all)
		toks[i] = all[from:]
		figured += min(1, strings.IndexAny(p.Lines[i].Text, "0123456789")+1)
		if !p.Lines[i].Hidden {
			p.style.learn(toks[i])
		}
	}
	p.words.collect(p.Lines, toks)
	p.Numbers = make([]Found[Number], 0, figured)
	for i := range p.Lines {
		l, ts := &p.Lines[i], toks[i]
		has := slices.ContainsFunc(ts, func(t Token) bool { return t.Digits })
		moments := []Moment(nil)
		if has || !p.Now.IsZero() && len(ts) < 12 {
			moments = MomentsIn(l.Text, ts, p.Now)
		}
		for _, m := range moments {
			f := Found[Moment]{int32(i), l.ElemAt(m.From), m}
			at := int32(len(p.Moments))
			p.Moments = append(p.Moments, f)
			switch m.Kind {
			case DateMoment:
				p.ByDay[m.Month*32+m.Day] = append(p.ByDay[m.Month*32+m.Day], at)
				if m.Year > 0 && !m.Relative {
					p.Years[m.Year] = true
				}
			case TimeMoment:
				p.ByTime[m.Seconds] = append(p.ByTime[m.Seconds], at)
			case LengthMoment:
				p.ByLength[m.Seconds] = append(p.ByLength[m.Seconds], at)
			}
		}
		if !has && !strings.ContainsAny(l.Text, "★⭐☆") {
			continue
		}
		for _, n := range NumbersIn(l.Text, ts, p.style) {
			p.Numbers = append(p.Numbers, Found[Number]{int32(i), l.ElemAt(n.Start), n})
			if hour, minute, ok := strings.Cut(n.Raw, "."); ok && len(hour) == 2 && len(minute) == 2 && hour < "25" && minute < "60" { // 09.05, as timetables have it
				s := int(PlainValue(hour)*3600 + PlainValue(minute)*60)
				p.ByTime[s] = append(p.ByTime[s], int32(len(p.Moments)))
				p.Moments = append(p.Moments, Found[Moment]{int32(i), l.ElemAt(n.Start), Moment{Kind: TimeMoment, From: n.Start, To: n.End, Seconds: s}})
			}
			if len(n.Raw) == 4 && len(n.Readings) == 1 && n.Readings[0].Value >= 1900 && n.Readings[0].Value < 2100 {
				p.Years[int(n.Readings[0].Value)] = true
			}
		}
	}
	slices.SortStableFunc(p.Numbers, func(a, b Found[Number]) int { return int(a.Elem - b.Elem) })
	for i := range p.Numbers {
		n := &p.Numbers[i].What
		for _, r := range n.Readings {
			p.ByValue[r.Key] = append(p.ByValue[r.Key], int32(i))
		}
		for code := range strings.FieldsSeq(n.Currency) {
			p.ByCurrency[code] = append(p.ByCurrency[code], int32(i))
		}
	}
}

// pointed are languages that write fractions with a point (CLDR).
var pointed = SetOfWords("en he ja ko th zh")

// language is that of the page, without its region.
func (p *values) language() string {
	for _, doc := range p.Snap.Capture.Documents {
		lang, _, _ := strings.Cut(strings.ToLower(doc.Lang), "-")
		return lang
	}
	return ""
}

// Decimals is how the page writes fractions: as its numbers show, or else as its
// language does.
func (p *values) Decimals() Decimals {
	d := p.style
	if !d.Dot && !d.Comma {
		d.Comma, d.Dot = d.dotted, pointed[p.language()]
	}
	return d
}
