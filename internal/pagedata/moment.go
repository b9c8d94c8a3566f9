package pagedata

import (
	"math"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/calendar"
)

// A moment is a date, a time of day or a length of time that a text writes.
type Moment struct {
	Kind             momentKind
	First, Last      int32 // tokens of its line
	From, To         int32 // in its line
	Year, Month, Day int   // 0 where it is not said
	Seconds          int   // of the day, or of the length
	Relative         bool  // counted from now
}

type momentKind uint8

const (
	DateMoment momentKind = iota
	TimeMoment
	LengthMoment
)

// lengths are units of time, in seconds.
var lengths = map[string]int{
	"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "sek": 1, "sekunden": 1, "secondes": 1, "segundos": 1, "秒": 1, "초": 1,
	"min": 60, "mins": 60, "minute": 60, "minutes": 60, "minuten": 60, "minutos": 60, "minuti": 60, "m": 60, "分": 60, "분": 60, "мин": 60, "dk": 60, "דקות": 60, "دقيقة": 60,
	"h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600, "std": 3600, "小时": 3600, "時間": 3600, "시간": 3600, "stunde": 3600, "stunden": 3600, "heure": 3600, "heures": 3600, "hora": 3600, "horas": 3600, "ore": 3600, "uur": 3600, "ч": 3600,
	"d": 86400, "day": 86400, "days": 86400, "tag": 86400, "tage": 86400, "tagen": 86400, "jour": 86400, "jours": 86400, "día": 86400, "días": 86400, "天": 86400, "дней": 86400,
	"week": 604800, "weeks": 604800, "woche": 604800, "wochen": 604800, "semaine": 604800, "semaines": 604800,
}

// dates are the ways to write a date, those of one row alternatives: of "11/03/2026" both
// are read. Y is a year in four digits, y in four or two, M a month and D a day in one or
// two, B a month's name; a mark stands right before what follows it, a space is any, and
// _ passes over fillers. They are those of ISO 8601 and of CLDR's calendars.
var dates = [][]string{
	{"Y-M-D"}, {"Y/M/D"}, {"Y.M.D"}, {"D.M.y"}, {"D-M-y", "M-D-y"}, {"D/M/y", "M/D/y"}, {"D.M."}, {"D/M", "M/D", "M/y"}, {"Y-M"},
	{"D_B_Y"}, {"D_B-y"}, {"D_B"}, {"B D_Y"}, {"B D"}, {"B Y"},
	{"Y年M月D日"}, {"Y年M月"}, {"M月D日"}, {"Y년M월D일"}, {"Y년M월"}, {"M월D일"},
}

// fillers may stand between the parts of a date.
var fillers = SetOfWords("of de del th st nd rd er º the")

// MomentsIn finds dates, times and lengths in a normalized line.
func MomentsIn(line string, toks []Token, now time.Time) []Moment {
	r := momentReader{tokens: tokens{line, toks}, now: now}
	for i := 0; i < len(toks); i++ {
		n := len(r.out)
		end := max(r.date(i), r.clock(i), r.length(i), r.fromNow(i))
		if len(r.out) > n && end > i && r.out[len(r.out)-1].Kind != LengthMoment {
			i = end - 1
		}
	}
	return r.out
}

type momentReader struct {
	tokens
	now time.Time
	out []Moment
}

// add takes a moment that stands from one token to before another.
func (r *momentReader) add(from, to int, m Moment) int {
	m.First, m.Last, m.From, m.To = int32(from), int32(to-1), r.toks[from].Start, r.toks[to-1].End
	r.out = append(r.out, m)
	return to
}

// datesBy are the rows of dates that may fit what begins with a month's name (B), or with
// digits behind which a mark stands, or none of the three (0).
var datesBy = func() map[rune][][]string {
	by := map[rune][][]string{}
	for _, row := range dates {
		for _, begin := range []rune{'B', '-', '/', '.', 0} {
			second := rune(row[0][1])
			if marked := second == '-' || second == '/' || second == '.'; (row[0][0] == 'B') == (begin == 'B') && (!marked || second == begin) {
				by[begin] = append(by[begin], row)
			}
		}
	}
	return by
}()

// date reads a date that begins at token i, and returns the token after it.
func (r *momentReader) date(i int) (to int) {
	if i+1 == len(r.toks) || !r.toks[i].Digits && !IsMonth(r.word(i)) {
		return 0
	}
	begin := 'B'
	if r.toks[i].Digits {
		if begin = r.gap(i + 1); begin != '-' && begin != '/' && begin != '.' {
			begin = 0
		}
	}
	for _, row := range datesBy[begin] {
		for _, pattern := range row {
			if m, end := r.dateAs(pattern, i); end > 0 && (to == 0 || m != r.out[len(r.out)-1]) {
				to = r.add(i, end, m)
			}
		}
		if to > 0 {
			break
		}
	}
	return to
}

// dateAs reads a date as a pattern has it; to is 0 where it is written otherwise.
func (r *momentReader) dateAs(pattern string, i int) (m Moment, to int) {
	mark := rune(0)
	for _, c := range pattern {
		switch c {
		case '-', '/', '.':
			mark = c
			continue
		case '_':
			for fillers[r.word(i)] {
				i++
			}
			continue
		case ' ':
			if i >= len(r.toks) || r.toks[i].Gap == 0 {
				return m, 0
			}
			continue
		}
		ok := mark == 0 || r.gap(i) == mark
		mark = 0
		switch c {
		case 'Y':
			m.Year = r.number(i, 4, 4)
			ok = ok && m.Year > 1000
		case 'y':
			if m.Year = r.number(i, 4, 4); m.Year < 0 {
				if m.Year = r.number(i, 2, 2) + 2000; m.Year > 2060 {
					m.Year -= 100
				}
			}
			ok = ok && m.Year > 1999-100
		case 'M':
			m.Month = r.number(i, 1, 2)
			ok = ok && m.Month > 0 && m.Month <= 12
		case 'D':
			m.Day = r.number(i, 1, 2)
			ok = ok && m.Day > 0 && m.Day <= 31
		case 'B':
			var named bool
			m.Month, named = calendar.Month(r.word(i))
			ok = ok && named
		default:
			ok = r.word(i) == string(c)
		}
		if !ok {
			return m, 0
		}
		i++
	}
	if at := r.toks[i-1].End; mark != 0 && (int(at) >= len(r.line) || rune(r.line[at]) != mark) {
		return m, 0
	}
	return m, i
}

// IsMonth reports whether a word is the name of a month.
func IsMonth(w string) bool {
	_, ok := calendar.Month(w)
	return ok
}

// hours are words behind an hour, before its minutes.
var hours = SetOfWords("uhr h 時 시 点")

// clock reads a time of day.
func (r *momentReader) clock(i int) int {
	switch r.word(i) {
	case "noon", "mittag", "midi":
		return r.add(i, i+1, Moment{Kind: TimeMoment, Seconds: 12 * 3600})
	case "midnight", "mitternacht", "minuit":
		return r.add(i, i+1, Moment{Kind: TimeMoment})
	}
	h, m, sec, to := r.number(i, 1, 2), r.number(i+1, 2, 2), 0, i+2
	if h < 0 || h > 24 {
		return 0
	}
	pm, _ := r.half(to)
	switch g := r.gap(i + 1); {
	case m >= 0 && (g == ':' || g == '.' && (pm >= 0 || r.word(to) == "uhr")):
		if v := r.number(to, 2, 2); g == ':' && v >= 0 && r.gap(to) == ':' {
			sec, to = v, to+1
		}
	case hours[r.word(i+1)]:
		if m = r.number(to, 2, 2); m >= 0 && r.toks[to].Gap != '-' {
			to++
		} else if m = 0; r.word(i+1) != "uhr" { // a length
			return 0
		}
	default:
		if pm, _ = r.half(i + 1); pm < 0 || h == 0 || h > 12 {
			return 0
		}
		m, to = 0, i+1
	}
	if m > 59 || sec > 59 {
		return 0
	}
	if pm, end := r.half(to); pm >= 0 && h <= 12 {
		h, to = h%12+12*pm, end
	} else if w := r.word(to); w == "uhr" || w == "分" || w == "분" {
		to++
	}
	if before := r.word(i-2) + r.word(i-1); h < 12 && (before == "午後" || before == "下午" || before == "오후") {
		h += 12
	}
	return r.add(i, to, Moment{Kind: TimeMoment, Seconds: h*3600 + m*60 + sec})
}

// half tells am (0) from pm (1), as one word or as two letters; -1 is neither.
func (r *momentReader) half(i int) (pm, to int) {
	w, to := r.word(i), i+1
	if (w == "a" || w == "p") && r.word(to) == "m" && r.toks[to].Gap == '.' {
		w, to = w+"m", to+1
	}
	return slices.Index([]string{"am", "pm"}, w), to
}

// length reads a length of time, each unit of it smaller than the one before.
func (r *momentReader) length(i int) int {
	total, last, j := 0, math.MaxInt, i
	if w := r.word(i); (w == "pt" || w == "p") && i+1 < len(r.toks) && r.toks[i+1].Digits && r.toks[i+1].Gap == 0 {
		j++ // ISO 8601
	}
	for {
		v, next := r.number(j, 1, 5), j+2
		if v < 0 {
			break
		}
		unit, ok := lengths[r.word(j+1)]
		if more := r.word(j + 2); more != "" && r.toks[j+2].Gap == 0 {
			if two, known := lengths[r.word(j+1)+more]; known {
				unit, ok, next = two, true, j+3
			}
		}
		if !ok || unit >= last || r.toks[j+1].Gap != 0 && r.toks[j+1].Gap != ' ' {
			if last == 3600 && r.toks[j].Gap == 0 && r.number(j, 2, 2) >= 0 { // 2h15
				total, j = total+v*60, j+1
			}
			break
		}
		total, last, j = total+v*unit, unit, next
		if w := r.word(j); (w == "and" || w == "und" || w == "et" || w == "t") && r.number(j+1, 1, 2) >= 0 {
			j++
		}
	}
	if last == math.MaxInt {
		return 0
	}
	return r.add(i, j, Moment{Kind: LengthMoment, Seconds: total})
}

// relative are words for days, counted from today.
var relative = map[string]int{
	"today": 0, "heute": 0, "aujourd'hui": 0, "hoy": 0, "oggi": 0, "today's": 0,
	"yesterday": -1, "gestern": -1, "hier": -1, "ayer": -1, "ieri": -1,
	"tomorrow": 1, "morgen": 1, "demain": 1, "mañana": 1, "domani": 1,
}

// directions are words before a length of time that is counted from now.
var directions = map[string]int{"vor": -1, "in": 1}

// spans are units of time whose length the calendar decides, in months.
var spans = map[string]int{"month": 1, "months": 1, "monat": 1, "monaten": 1, "mois": 1, "year": 12, "years": 12, "jahr": 12, "jahren": 12, "ans": 12, "an": 12}

// fromNow reads a date that is counted from today.
func (r *momentReader) fromNow(i int) int {
	if r.now.IsZero() {
		return 0
	}
	var date time.Time
	w, count, to := r.word(i), i+1, i+3
	direction := directions[w]
	if direction == 0 && r.word(i+2) == "ago" {
		direction, count = -1, i
	}
	v, unit := r.number(count, 1, 3)*direction, r.word(count+1)
	if days, ok := relative[w]; ok {
		date, to = r.now.AddDate(0, 0, days), i+1
	} else if direction == 0 || v*direction < 0 {
		return 0
	} else if s, ok := lengths[unit]; ok {
		date = r.now.Add(time.Duration(v*s) * time.Second)
	} else if months, ok := spans[unit]; ok {
		date = r.now.AddDate(0, v*months, 0)
	} else {
		return 0
	}
	return r.add(i, to, Moment{Kind: DateMoment, Year: date.Year(), Month: int(date.Month()), Day: date.Day(), Relative: true})
}
