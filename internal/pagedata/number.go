package pagedata

import (
	"math"
	"strconv"
	"strings"
)

// A number is one that a text writes, with every value that it may stand for.
type Number struct {
	Start, End int32 // in its line
	Readings   []Reading
	Currency   string // "EUR", or several with spaces where a sign is of more than one; empty
	Percent    bool
	Negative   bool // written with a minus
	Raw        string
	After      string // the word right after
}

// A Reading is a value that digits may stand for.
type Reading struct {
	Key   string // canonical
	Value float64
}

// Canonical writes a value the same way however it came to be.
func Canonical(v float64) string {
	if math.Abs(v) < 1e9 {
		v = math.Round(v*1e6) / 1e6
	}
	if v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// CanonicalText is the canonical form of a JSON number.
func CanonicalText(s string) (string, bool) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return "", false
	}
	if len(s) > 15 && !strings.ContainsAny(s, ".eE") {
		return s, true
	}
	return Canonical(v), true
}

// NumbersIn finds the numbers of a normalized line, whose tokens are toks.
func NumbersIn(line string, toks []Token, style Decimals) []Number {
	var out []Number
	for i := 0; i < len(toks); i++ {
		if !toks[i].Digits {
			if n, ok := stars(line, toks, &i); ok {
				out = append(out, n)
			}
			continue
		}
		if i > 0 && toks[i].Gap == 0 && !toks[i-1].Digits && LetterAt(line[toks[i-1].Start:]) {
			if w := line[toks[i-1].Start:toks[i-1].End]; Signs[w] == "" && !strings.ContainsFunc(w, Unspaced) || i > 1 && toks[i-1].Gap == 0 && toks[i-2].Digits {
				i = code(toks, i)
				continue // part of a code, as A4
			}
		}
		out = append(out, numberAt(line, toks, &i, style)...)
	}
	return out
}

// code skips what hangs together without white space.
func code(toks []Token, i int) int {
	for i+1 < len(toks) && (toks[i+1].Gap == 0 || toks[i+1].Gap == '-') {
		i++
	}
	return i
}

func stars(line string, toks []Token, i *int) (Number, bool) {
	at := *i
	full := 0
	j := at
	for j < len(toks) && j-at < 10 {
		w := line[toks[j].Start:toks[j].End]
		if w == "★" || w == "⭐" {
			full++
		} else if w != "☆" {
			break
		}
		j++
	}
	if j == at {
		return Number{}, false
	}
	*i = j - 1
	return Number{Start: toks[at].Start, End: toks[j-1].End, Raw: line[toks[at].Start:toks[j-1].End], After: "stars",
		Readings: []Reading{{Canonical(float64(full)), float64(full)}}}, true
}

// Decimals says how a page writes fractions, as far as it shows, and whether its
// language puts dots between thousands.
type Decimals struct{ Dot, Comma, dotted bool }

// dotted are the languages that write 1.500 for one and a half thousand.
var dotted = SetOfWords("da de el es hr id it nl pt ro sl sr tr vi")

func (d *Decimals) learn(toks []Token) {
	for i := 1; i < len(toks); i++ {
		a, b := &toks[i-1], &toks[i]
		if !a.Digits || !b.Digits || b.Start-a.End != 1 || i >= 2 && toks[i-2].Digits && a.Start-toks[i-2].End == 1 && toks[i-1].Gap == b.Gap {
			continue
		}
		if n := b.End - b.Start; n == 3 || n > 4 || i+1 < len(toks) && toks[i+1].Digits && toks[i+1].Start-b.End == 1 {
			continue
		}
		switch b.Gap {
		case '.':
			d.Dot = true
		case ',':
			d.Comma = true
		}
	}
}

// numberAt reads the number that begins with the token at *i, and moves *i to
// its last one.
func numberAt(line string, toks []Token, i *int, style Decimals) []Number {
	first := *i
	last := first
	for last+1 < len(toks) && toks[last+1].Digits {
		gap := toks[last+1].Start - toks[last].End
		mark := toks[last+1].Gap
		width := toks[last+1].End - toks[last+1].Start
		if gap == 1 && (mark == '.' || mark == ',' || mark == '\'' || mark == raised) ||
			gap == 1 && mark == ' ' && width == 3 && toks[last].End-toks[last].Start <= 3 && (last == first || toks[last].Gap == ' ') {
			last++
			continue
		}
		break
	}
	single := func(k int) Number { // one run of digits by itself
		n := Number{Start: toks[k].Start, End: toks[k].End, Raw: line[toks[k].Start:toks[k].End]}
		n.add(PlainValue(n.Raw))
		n.dress(line, toks, k, k)
		return n
	}
	if last == first && (inClock(toks, first) || inClock(toks, first+1)) {
		return nil
	}
	text := line[toks[first].Start:toks[last].End]
	n := Number{Start: toks[first].Start, End: toks[last].End, Raw: text}
	readDigits(&n, text, style)
	var out []Number
	if len(n.Readings) > 0 {
		if toks[first].Gap == '.' && toks[first].Start >= 1 && (toks[first].Start == 1 || line[toks[first].Start-2] == ' ' || strings.HasPrefix(line[max(0, int(toks[first].Start)-2):], "$.")) && line[toks[first].Start-1] == '.' {
			if v, err := strconv.ParseFloat("0."+text, 64); err == nil {
				n.Readings = nil
				n.add(v)
			}
		}
		n.dress(line, toks, first, last)
		out = append(out, n)
	}
	for k := first; k <= last && strings.ContainsAny(text, " \x01"); k++ { // each group may be a number by itself
		if k < last || toks[k].Gap != raised {
			out = append(out, single(k))
		}
	}
	*i = last
	return out
}

// inClock reports whether a run of digits and the one before it are parts of a time, whose
// minutes have two digits.
func inClock(toks []Token, i int) bool {
	return i > 0 && i < len(toks) && toks[i-1].Digits && toks[i].Digits && toks[i].Gap == ':' && toks[i].Start-toks[i-1].End == 1 && toks[i].End-toks[i].Start == 2
}

// add takes a value that the number may stand for.
func (n *Number) add(v float64) {
	key := Canonical(v)
	if len(n.Raw) > 15 && !strings.ContainsAny(n.Raw, "., '\x01") {
		key = strings.TrimLeft(n.Raw, "0")
	}
	for i := range n.Readings {
		if n.Readings[i].Key == key {
			return
		}
	}
	n.Readings = append(n.Readings, Reading{key, v})
}

// PlainValue is the value of digits; 0 of what is no number.
func PlainValue(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64)
	return v
}

// ungroup takes out what stands between groups of digits and nowhere else.
var ungroup = strings.NewReplacer(" ", "", "'", "")

// readDigits finds what digits with separators mean.
func readDigits(n *Number, text string, style Decimals) {
	if at := strings.IndexByte(text, raised); at >= 0 {
		base, rest := text[:at], text[at+1:]
		if strings.IndexByte(rest, raised) >= 0 { // each digit raised
			rest = strings.ReplaceAll(rest, "\x01", "")
		}
		var b Number
		readDigits(&b, base, style)
		exp, err := strconv.Atoi(rest)
		if err != nil {
			n.Readings = append(n.Readings, b.Readings...)
			return
		}
		for _, r := range b.Readings {
			if len(rest) == 2 && r.Value == math.Trunc(r.Value) {
				n.add(r.Value + float64(exp)/100)
			}
			if r.Value == 10 && exp <= 15 {
				n.add(math.Pow(10, float64(exp)))
			}
		}
		for _, r := range b.Readings {
			n.add(r.Value)
		}
		return
	}
	s := text
	if strings.ContainsAny(s, " '") {
		s = ungroup.Replace(s)
	}
	dots, commas := strings.Count(s, "."), strings.Count(s, ",")
	dot, comma := strings.LastIndexByte(s, '.'), strings.LastIndexByte(s, ',')
	parse := func(s string) {
		if v, err := strconv.ParseFloat(s, 64); err == nil {
			n.add(v)
		}
	}
	switch {
	case dots == 0 && commas == 0:
		parse(s)
	case dots > 0 && commas > 0:
		if dot > comma && dots == 1 && grouped(s[:dot], ',') {
			parse(strings.ReplaceAll(s, ",", ""))
		} else if comma > dot && commas == 1 && grouped(s[:comma], '.') {
			parse(strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1))
		}
	case dots > 1:
		if grouped(s, '.') {
			parse(strings.ReplaceAll(s, ".", ""))
		}
	case commas > 1:
		if grouped(s, ',') {
			parse(strings.ReplaceAll(s, ",", ""))
		}
	default:
		mark := byte('.')
		decimal, grouping := style.Dot, style.Comma
		if commas == 1 {
			mark, decimal, grouping = ',', style.Comma, style.Dot
		}
		at := strings.IndexByte(s, mark)
		ambiguous := len(s)-at-1 == 3 && at <= 3 && s[0] != '0'
		if ambiguous && (grouping || !decimal || mark == ',' || style.dotted || s[at+1:] == "000") { // nobody writes a fraction of noughts
			parse(s[:at] + s[at+1:])
		}
		if !ambiguous || decimal || !grouping {
			parse(s[:at] + "." + s[at+1:])
		}
	}
}

// grouped reports whether digits stand in groups of three, or as in India.
func grouped(s string, mark byte) bool {
	parts := strings.Split(s, string(mark))
	if len(parts[0]) > 3 || len(parts[0]) == 0 {
		return len(parts) == 1
	}
	for i, p := range parts[1:] {
		if len(p) != 3 && !(len(p) == 2 && i < len(parts)-2 && len(parts[0]) <= 2) {
			return false
		}
	}
	return true
}

// dress finds what stands around a number: its sign, currency, unit.
func (n *Number) dress(line string, toks []Token, first, last int) {
	word := func(k int) string {
		if k < 0 || k >= len(toks) {
			return ""
		}
		return line[toks[k].Start:toks[k].End]
	}
	before := first - 1
	near := func(k int) bool { return toks[k].Gap == 0 || toks[k].Gap == ' ' || toks[k].Gap == '.' }
	if before >= 0 && near(first) && Signs[word(before)] != "" {
		n.Currency = Signs[word(before)]
		if word(before) == "$" && before > 0 && toks[before].Gap == 0 {
			if c := Signs[word(before-1)+"$"]; c != "" {
				n.Currency, before = c, before-1
			}
		}
		n.Start = toks[before].Start
		before--
	}
	if before >= 0 && word(before) == "-" && (toks[before+1].Gap == 0 || n.Currency != "" && toks[before+1].Gap == ' ' && toks[before].Start == 0) {
		n.Negative = true
	}
	// 1.200 Mio EUR, 12k $, 5 %
	next := last + 1
	if next < len(toks) && (toks[next].Gap == 0 || toks[next].Gap == ' ') {
		w := word(next)
		if f := Multiples[w]; f > 0 && !(len(w) == 1 && toks[next].Gap == ' ' && w[0] < 0x80) {
			letterOnly := w == "m" || w == "b" || w == "mm" || w == "mil"
			for _, r := range n.Readings {
				n.add(r.Value * f)
			}
			if !letterOnly && len(n.Readings) > 1 { // 12k is not 12
				n.Readings = n.Readings[len(n.Readings)/2:]
			}
			n.After = w
			next++
		}
	}
	if next < len(toks) && (toks[next].Gap == 0 || toks[next].Gap == ' ') {
		switch w := word(next); {
		case w == "%":
			n.Percent = true
			for _, r := range n.Readings {
				n.add(r.Value / 100)
			}
		case w == "¢" || w == "ct" || w == "cents" || w == "cent":
			for _, r := range n.Readings {
				n.add(r.Value / 100)
			}
		case n.Currency == "" && Signs[w] != "" && !(next+1 < len(toks) && toks[next+1].Digits && toks[next+1].Gap == 0):
			n.Currency = Signs[w]
		default:
			if !toks[next].Digits {
				n.After = w
			}
		}
	}
	if n.Negative {
		for i := range n.Readings {
			n.Readings[i] = Reading{Canonical(-n.Readings[i].Value), -n.Readings[i].Value}
		}
	} else if s, e := n.Start, toks[last].End; s > 0 && line[s-1] == '(' && int(e) < len(line) && line[e] == ')' && n.After == "" && (n.Currency != "" || strings.ContainsAny(n.Raw, ".,")) {
		for _, r := range n.Readings { // as accounts write what is owed
			n.add(-r.Value)
		}
	}
}

// Multiples are words after a number that multiply it.
var Multiples = map[string]float64{
	"k": 1e3, "tsd": 1e3, "thousand": 1e3, "tausend": 1e3, "mil": 1e3, "mille": 1e3, "千": 1e3, "천": 1e3,
	"万": 1e4, "萬": 1e4, "만": 1e4, "lakh": 1e5, "lakhs": 1e5, "लाख": 1e5,
	"m": 1e6, "mn": 1e6, "mm": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6, "millionen": 1e6, "millones": 1e6, "milhões": 1e6, "milioni": 1e6, "млн": 1e6, "тыс": 1e3,
	"crore": 1e7, "crores": 1e7, "cr": 1e7, "करोड़": 1e7, "億": 1e8, "亿": 1e8, "억": 1e8,
	"b": 1e9, "bn": 1e9, "mrd": 1e9, "milliarde": 1e9, "milliarden": 1e9, "milliards": 1e9, "billion": 1e9, "billions": 1e9, "млрд": 1e9,
	"trillion": 1e12, "tn": 1e12, "兆": 1e12,
}

// Signs are currencies by what is written for them.
var Signs = map[string]string{
	"$": "USD CAD AUD NZD HKD SGD MXN", "us$": "USD", "ca$": "CAD", "c$": "CAD", "a$": "AUD", "au$": "AUD", "nz$": "NZD", "hk$": "HKD", "s$": "SGD", "r$": "BRL", "mx$": "MXN",
	"€": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP", "¥": "JPY CNY", "円": "JPY", "元": "CNY", "yen": "JPY", "₹": "INR", "rs": "INR PKR", "₩": "KRW", "원": "KRW",
	"fr": "CHF", "sfr": "CHF", "kr": "SEK NOK DKK ISK", "zł": "PLN", "kč": "CZK", "ft": "HUF", "₽": "RUB", "руб": "RUB", "₺": "TRY", "tl": "TRY", "₪": "ILS", "₫": "VND", "฿": "THB", "₴": "UAH", "lei": "RON", "د": "AED",
	"usd": "USD", "eur": "EUR", "gbp": "GBP", "jpy": "JPY", "cny": "CNY", "rmb": "CNY", "inr": "INR", "krw": "KRW", "chf": "CHF", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "czk": "CZK",
	"huf": "HUF", "rub": "RUB", "try": "TRY", "ils": "ILS", "vnd": "VND", "thb": "THB", "brl": "BRL", "cad": "CAD", "aud": "AUD", "nzd": "NZD", "hkd": "HKD", "sgd": "SGD", "mxn": "MXN", "ron": "RON", "aed": "AED", "sar": "SAR", "egp": "EGP", "zar": "ZAR", "isk": "ISK", "dollar": "USD", "dollars": "USD", "pound": "GBP", "pounds": "GBP", "درهم": "AED", "ريال": "SAR", "جنيه": "EGP", "ر": "SAR", "usdt": "USDT", "btc": "BTC",
}

// IsCurrency reports whether a code names exactly one currency that is known.
func IsCurrency(code string) bool { return Signs[strings.ToLower(code)] == code && len(code) == 3 }
