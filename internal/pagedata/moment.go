package pagedata

import (
	"strconv"
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
	"h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600, "std": 3600, "stunde": 3600, "stunden": 3600, "heure": 3600, "heures": 3600, "hora": 3600, "horas": 3600, "ore": 3600, "uur": 3600, "ч": 3600,
	"d": 86400, "day": 86400, "days": 86400, "tag": 86400, "tage": 86400, "tagen": 86400, "jour": 86400, "jours": 86400, "día": 86400, "días": 86400, "天": 86400, "дней": 86400,
	"week": 604800, "weeks": 604800, "woche": 604800, "wochen": 604800, "semaine": 604800, "semaines": 604800,
}

// fillers may stand between the parts of a date.
var fillers = SetOfWords("of de del th st nd rd er º the")

// MomentsIn finds dates, times and lengths in a normalized line.
func MomentsIn(line string, toks []Token, now time.Time) []Moment {
	r := dateReader{line: line, toks: toks, now: now}
	for i := 0; i < len(toks); i++ {
		n := len(r.out)
		end := max(r.date(i), r.clock(i), r.length(i), r.fromNow(i))
		if len(r.out) > n && end > i && r.out[len(r.out)-1].Kind != LengthMoment {
			i = end - 1
		}
	}
	for i := range r.out {
		m := &r.out[i]
		m.From, m.To = toks[m.First].Start, toks[m.Last].End
	}
	return r.out
}

type dateReader struct {
	line string
	toks []Token
	now  time.Time
	out  []Moment
}

func (r *dateReader) word(i int) string {
	if i < 0 || i >= len(r.toks) {
		return ""
	}
	return r.line[r.toks[i].Start:r.toks[i].End]
}

// number is the value of a run of digits, -1 if there is none.
func (r *dateReader) number(i, least, most int) int {
	if i < 0 || i >= len(r.toks) || !r.toks[i].Digits {
		return -1
	}
	if n := int(r.toks[i].End - r.toks[i].Start); n < least || n > most {
		return -1
	}
	v, _ := strconv.Atoi(r.word(i)) // nine figures at most
	return v
}

// gap is the single mark right between two tokens; 0 if there is another thing.
func (r *dateReader) gap(i int) rune {
	if i <= 0 || i >= len(r.toks) || r.toks[i].Start-r.toks[i-1].End != 1 {
		return 0
	}
	return r.toks[i].Gap
}

func (r *dateReader) addDate(from, to, year, month, day int) int {
	if month < 1 || month > 12 || day < 0 || day > 31 {
		return 0
	}
	if year > 0 && year < 100 {
		year += 2000
		if year > 2060 {
			year -= 100
		}
	}
	r.out = append(r.out, Moment{Kind: DateMoment, First: int32(from), Last: int32(to - 1), Year: year, Month: month, Day: day})
	return to
}

// date reads a date that begins at token i, and returns the token after it.
func (r *dateReader) date(i int) int {
	a := r.number(i, 1, 4)
	if a < 0 {
		return r.monthFirst(i)
	}
	switch w := r.word(i + 1); {
	case w == "年" || w == "년":
		return r.yearMonthDay(i, a)
	case (w == "月" || w == "월") && a <= 12:
		if d := r.number(i+2, 1, 2); d > 0 {
			return r.addDate(i, min(i+4, len(r.toks)), 0, a, d)
		}
	}
	if to, ok := r.figures(i, a); ok {
		return to
	}
	return r.dayFirst(i, a)
}

// monthFirst reads "November 3, 2026" and what is left of it.
func (r *dateReader) monthFirst(i int) int {
	month, ok := calendar.Month(r.word(i))
	if !ok || r.toks[i].Digits {
		return 0
	}
	j := i + 1
	day := r.number(j, 1, 2)
	if day < 1 || day > 31 || r.toks[j].Gap == 0 {
		if y := r.number(j, 4, 4); y > 1000 {
			return r.addDate(i, j+1, y, month, 0)
		}
		return 0
	}
	if y := r.number(r.filled(j+1), 4, 4); y > 1000 {
		return r.addDate(i, r.filled(j+1)+1, y, month, day)
	}
	return r.addDate(i, i+2, 0, month, day)
}

// yearMonthDay reads "2026年11月3日".
func (r *dateReader) yearMonthDay(i, year int) int {
	m := r.number(i+2, 1, 2)
	if w := r.word(i + 3); m <= 0 || w != "月" && w != "월" {
		return 0
	}
	if d := r.number(i+4, 1, 2); d > 0 {
		return r.addDate(i, min(i+6, len(r.toks)), year, m, d)
	}
	return r.addDate(i, i+4, year, m, 0)
}

// figures reads a date of figures alone, of which a is the first. Where day and
// month can be either, both dates are read. ok is whether the figures decide it.
func (r *dateReader) figures(i, a int) (to int, ok bool) {
	g, b := r.gap(i+1), r.number(i+1, 1, 2)
	if g != '-' && g != '/' && g != '.' || b <= 0 {
		return 0, false
	}
	width := r.toks[i].End - r.toks[i].Start
	if c := r.number(i+2, 1, 4); c >= 0 && r.gap(i+2) == g {
		cw := r.toks[i+2].End - r.toks[i+2].Start
		switch {
		case width == 4 && cw <= 2:
			return r.addDate(i, i+3, a, b, c), true
		case cw != 3 && cw != 1 && width <= 2:
			return r.eitherDate(i, i+3, c, a, b, g != '.'), true
		}
	}
	if width <= 2 && a > 0 && a <= 31 { // 3.11. or 03.11 without a year, and 11/03
		if g == '.' && b <= 12 && r.toks[i+1].End < int32(len(r.line)) && r.line[r.toks[i+1].End] == '.' {
			return r.addDate(i, i+2, 0, b, a), true
		}
		if g == '/' && (i == 0 || r.toks[i].Gap != '/') {
			to = r.eitherDate(i, i+2, 0, a, b, true)
			if b > 12 && a <= 12 {
				r.addDate(i, i+2, b, a, 0)
			}
			return to, true
		}
	}
	if width == 4 && b <= 12 && g == '-' && a > 1000 {
		return r.addDate(i, i+2, a, b, 0), true
	}
	return 0, false
}

// eitherDate adds the date whose day is a and whose month is b, and where the
// day may stand behind, the other one.
func (r *dateReader) eitherDate(from, to, year, a, b int, either bool) int {
	end := 0
	if b <= 12 {
		end = r.addDate(from, to, year, b, a)
	}
	if either && a <= 12 && a != b {
		end = max(end, r.addDate(from, to, year, a, b))
	}
	return end
}

// dayFirst reads "3. November 2026" and what is left of it.
func (r *dateReader) dayFirst(i, day int) int {
	if r.toks[i].End-r.toks[i].Start > 2 || day < 1 || day > 31 {
		return 0
	}
	j := r.filled(i + 1)
	month, ok := calendar.Month(r.word(j))
	if !ok {
		return 0
	}
	k := r.filled(j + 1)
	if y := r.number(k, 4, 4); y > 1000 {
		return r.addDate(i, k+1, y, month, day)
	}
	if y := r.number(k, 2, 2); y > 0 && (r.toks[k].Gap == '-' || r.toks[k].Gap == '\'') {
		return r.addDate(i, k+1, y, month, day)
	}
	return r.addDate(i, j+1, 0, month, day)
}

// filled is the first token from i on that is no filler.
func (r *dateReader) filled(i int) int {
	for fillers[r.word(i)] {
		i++
	}
	return i
}

// IsMonth reports whether a word is the name of a month.
func IsMonth(w string) bool {
	_, ok := calendar.Month(w)
	return ok
}

// clock reads a time of day.
func (r *dateReader) clock(i int) int {
	h := r.number(i, 1, 2)
	add := func(to, seconds int) int {
		r.out = append(r.out, Moment{Kind: TimeMoment, First: int32(i), Last: int32(to - 1), Seconds: seconds})
		return to
	}
	if h < 0 {
		switch r.word(i) {
		case "noon", "mittag", "midi":
			return add(i+1, 12*3600)
		case "midnight", "mitternacht", "minuit":
			return add(i+1, 0)
		}
		return 0
	}
	if h > 24 {
		return 0
	}
	m, sec, to := 0, 0, i+1
	g := r.gap(i + 1)
	switch {
	case g == ':' && r.number(i+1, 2, 2) >= 0:
		m, to = r.number(i+1, 2, 2), i+2
		if r.gap(i+2) == ':' && r.number(i+2, 2, 2) >= 0 {
			sec, to = r.number(i+2, 2, 2), i+3
			if r.gap(i+3) == '.' && r.number(i+3, 3, 9) >= 0 {
				to = i + 4
			}
		}
	case g == '.' && r.number(i+1, 2, 2) >= 0 && (r.word(i+2) == "uhr" || half(r, i+2) >= 0):
		m, to = r.number(i+1, 2, 2), i+2
	case (r.word(i+1) == "h" || r.word(i+1) == "時" || r.word(i+1) == "시" || r.word(i+1) == "点") && r.number(i+2, 2, 2) >= 0 && r.toks[i+2].Gap != '-':
		m, to = r.number(i+2, 2, 2), i+3
		if w := r.word(to); w == "分" || w == "분" {
			to++
		}
	case r.word(i+1) == "uhr":
		to = i + 2
		if v := r.number(i+2, 2, 2); v >= 0 {
			m, to = v, i+3
		}
	case half(r, i+1) >= 0 && h <= 12 && h > 0:
	default:
		return 0
	}
	if m > 59 || sec > 59 {
		return 0
	}
	if p := half(r, to); p >= 0 && h <= 12 {
		h = h%12 + 12*p
		to++
		if r.word(to-1) == "a" || r.word(to-1) == "p" {
			to++
		}
	} else if r.word(to) == "uhr" {
		to++
	} else if i > 1 && (r.word(i-2)+r.word(i-1) == "午後" || r.word(i-2)+r.word(i-1) == "下午" || r.word(i-2)+r.word(i-1) == "오후") && h < 12 {
		h += 12
	}
	add(to, h*3600+m*60+sec)
	return to
}

// half tells am (0) from pm (1); -1 is neither.
func half(r *dateReader, i int) int {
	switch r.word(i) {
	case "am":
		return 0
	case "pm":
		return 1
	case "a", "p":
		if r.word(i+1) == "m" && i+1 < len(r.toks) && r.toks[i+1].Gap == '.' {
			if r.word(i) == "p" {
				return 1
			}
			return 0
		}
	}
	return -1
}

// length reads a length of time.
func (r *dateReader) length(i int) int {
	total, last, j := 0, 1<<30, i
	if w := r.word(i); (w == "pt" || w == "p") && i+1 < len(r.toks) && r.toks[i+1].Digits && r.toks[i+1].Gap == 0 {
		j++ // ISO 8601
	}
	for {
		v := r.number(j, 1, 5)
		if v < 0 {
			break
		}
		unit, ok := lengths[r.word(j+1)]
		if r.word(j+1) == "小" && r.word(j+2) == "时" || r.word(j+1) == "時" && r.word(j+2) == "間" || r.word(j+1) == "시" && r.word(j+2) == "간" {
			unit, ok = 3600, true
			j++
		}
		if !ok || unit >= last || r.toks[j+1].Gap != 0 && r.toks[j+1].Gap != ' ' {
			if j > i && last == 3600 && j < len(r.toks) && r.toks[j].Gap == 0 && r.toks[j].End-r.toks[j].Start == 2 { // 2h15
				total += v * 60
				j++
			}
			break
		}
		total, last = total+v*unit, unit
		j += 2
		if w := r.word(j); (w == "and" || w == "und" || w == "et" || w == "t") && r.number(j+1, 1, 2) >= 0 {
			j++
		}
	}
	if last == 1<<30 {
		return 0
	}
	r.out = append(r.out, Moment{Kind: LengthMoment, First: int32(i), Last: int32(j - 1), Seconds: total})
	return j
}

// fromNow reads a date that is counted from today.
func (r *dateReader) fromNow(i int) int {
	if r.now.IsZero() || i >= len(r.toks) {
		return 0
	}
	add := func(to int, t time.Time) int {
		r.out = append(r.out, Moment{Kind: DateMoment, First: int32(i), Last: int32(to - 1), Year: t.Year(), Month: int(t.Month()), Day: t.Day(), Relative: true})
		return to
	}
	w := r.word(i)
	switch w {
	case "today", "heute", "aujourd'hui", "hoy", "oggi", "today's":
		return add(i+1, r.now)
	case "yesterday", "gestern", "hier", "ayer", "ieri":
		return add(i+1, r.now.AddDate(0, 0, -1))
	case "tomorrow", "morgen", "demain", "mañana", "domani":
		return add(i+1, r.now.AddDate(0, 0, 1))
	}
	ago := func(v int, unit string, direction int) (time.Time, bool) {
		switch unit {
		case "month", "months", "monat", "monaten", "mois":
			return r.now.AddDate(0, direction*v, 0), true
		case "year", "years", "jahr", "jahren", "ans", "an":
			return r.now.AddDate(direction*v, 0, 0), true
		}
		s, ok := lengths[unit]
		return r.now.Add(time.Duration(direction*v*s) * time.Second), ok
	}
	if v := r.number(i, 1, 3); v >= 0 && r.word(i+2) == "ago" {
		if t, ok := ago(v, r.word(i+1), -1); ok {
			return add(i+3, t)
		}
	}
	if v := r.number(i+1, 1, 3); v >= 0 && (w == "vor" || w == "in") {
		direction := 1
		if w == "vor" {
			direction = -1
		}
		if t, ok := ago(v, r.word(i+2), direction); ok {
			return add(i+3, t)
		}
	}
	return 0
}
