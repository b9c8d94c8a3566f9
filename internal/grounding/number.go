package grounding

import (
	"math"
	"strconv"
	"strings"
)

// A number is one that a text writes, with every value that it may stand for.
type number struct {
	start, end int32 // in its line
	readings   []reading
	currency   string // "EUR", or several with spaces where a sign is of more than one; empty
	percent    bool
	negative   bool // written with a minus
	raw        string
	after      string // the word right after
}

// A reading is a value, and whether it is taken at the letter.
type reading struct {
	key   string // canonical
	value float64
}

// canonical writes a value the same way however it came to be.
func canonical(v float64) string {
	if math.Abs(v) < 1e9 {
		v = math.Round(v*1e6) / 1e6
	}
	if v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// canonicalText is the canonical form of a JSON number.
func canonicalText(s string) (string, bool) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return "", false
	}
	if len(s) > 15 && !strings.ContainsAny(s, ".eE") {
		return s, true
	}
	return canonical(v), true
}

// numbersIn finds the numbers of a normalized line, whose tokens are toks.
func numbersIn(line string, toks []token, style decimals) []number {
	var out []number
	for i := 0; i < len(toks); i++ {
		if !toks[i].digits {
			if n, ok := stars(line, toks, &i); ok {
				out = append(out, n)
			}
			continue
		}
		if i > 0 && toks[i].gap == 0 && !toks[i-1].digits && letterAt(line[toks[i-1].start:]) {
			if w := line[toks[i-1].start:toks[i-1].end]; signs[w] == "" && len(w) > 1 || w == "v" || i > 1 && toks[i-1].gap == 0 && toks[i-2].digits {
				i = code(toks, i)
				continue // part of a code, as A4
			} else if signs[w] == "" && !unspacedAt(w) {
				i = code(toks, i)
				continue
			}
		}
		out = append(out, numberAt(line, toks, &i, style)...)
	}
	return out
}

func unspacedAt(w string) bool {
	for _, r := range w {
		return unspaced(r)
	}
	return false
}

// code skips what hangs together without white space.
func code(toks []token, i int) int {
	for i+1 < len(toks) && (toks[i+1].gap == 0 || toks[i+1].gap == '-') {
		i++
	}
	return i
}

func stars(line string, toks []token, i *int) (number, bool) {
	at := *i
	full := 0
	j := at
	for j < len(toks) && j-at < 10 {
		w := line[toks[j].start:toks[j].end]
		if w == "★" || w == "⭐" {
			full++
		} else if w != "☆" {
			break
		}
		j++
	}
	if j == at {
		return number{}, false
	}
	*i = j - 1
	return number{start: toks[at].start, end: toks[j-1].end, raw: line[toks[at].start:toks[j-1].end], after: "stars",
		readings: []reading{{canonical(float64(full)), float64(full)}}}, true
}

// decimals says how a page writes fractions, as far as it shows, and whether its
// language puts dots between thousands.
type decimals struct{ dot, comma, dotted bool }

// dotted are the languages that write 1.500 for one and a half thousand.
var dotted = setOfWords("da de el es hr id it nl pt ro sl sr tr vi")

func (d *decimals) learn(toks []token) {
	for i := 1; i < len(toks); i++ {
		a, b := &toks[i-1], &toks[i]
		if !a.digits || !b.digits || b.start-a.end != 1 || i >= 2 && toks[i-2].digits && a.start-toks[i-2].end == 1 && toks[i-1].gap == b.gap {
			continue
		}
		if n := b.end - b.start; n == 3 || n > 4 || i+1 < len(toks) && toks[i+1].digits && toks[i+1].start-b.end == 1 {
			continue
		}
		switch b.gap {
		case '.':
			d.dot = true
		case ',':
			d.comma = true
		}
	}
}

// numberAt reads the number that begins with the token at *i, and moves *i to
// its last one.
func numberAt(line string, toks []token, i *int, style decimals) []number {
	first := *i
	last := first
	for last+1 < len(toks) && toks[last+1].digits {
		gap := toks[last+1].start - toks[last].end
		mark := toks[last+1].gap
		width := toks[last+1].end - toks[last+1].start
		if gap == 1 && (mark == '.' || mark == ',' || mark == '\'' || mark == raised) ||
			gap == 1 && mark == ' ' && width == 3 && toks[last].end-toks[last].start <= 3 && (last == first || toks[last].gap == ' ') {
			last++
			continue
		}
		break
	}
	single := func(k int) number { // one run of digits by itself
		n := number{start: toks[k].start, end: toks[k].end, raw: line[toks[k].start:toks[k].end]}
		n.add(plainValue(n.raw))
		n.dress(line, toks, k, k)
		return n
	}
	// A date, a time, an address of the network or a version is no number.
	if first > 0 && toks[first-1].digits && toks[first].gap == ':' || last+1 < len(toks) && toks[last+1].digits && toks[last+1].gap == ':' && toks[last+1].start-toks[last].end == 1 {
		if last == first {
			return nil
		}
	}
	text := line[toks[first].start:toks[last].end]
	n := number{start: toks[first].start, end: toks[last].end, raw: text}
	readDigits(&n, text, style)
	var out []number
	if len(n.readings) > 0 {
		if toks[first].gap == '.' && toks[first].start >= 1 && (toks[first].start == 1 || line[toks[first].start-2] == ' ' || strings.HasPrefix(line[max(0, int(toks[first].start)-2):], "$.")) && line[toks[first].start-1] == '.' {
			if v, err := strconv.ParseFloat("0."+text, 64); err == nil {
				n.readings = nil
				n.add(v)
			}
		}
		n.dress(line, toks, first, last)
		out = append(out, n)
	}
	if len(n.readings) == 0 || strings.ContainsAny(text, " \x01") {
		for k := first; k <= last; k++ {
			if k > first && len(n.readings) == 0 && toks[k].gap != ' ' && toks[k].gap != raised {
				continue
			}
			if len(n.readings) == 0 && k < last && toks[k+1].gap == '.' && last-first == 2 {
				break // 12.05.2024
			}
			if k == last && toks[k].gap == raised {
				break
			}
			out = append(out, single(k))
		}
	}
	*i = last
	return out
}

// add takes a value that the number may stand for.
func (n *number) add(v float64) {
	key := canonical(v)
	if len(n.raw) > 15 && !strings.ContainsAny(n.raw, "., '\x01") {
		key = strings.TrimLeft(n.raw, "0")
	}
	for i := range n.readings {
		if n.readings[i].key == key {
			return
		}
	}
	n.readings = append(n.readings, reading{key, v})
}

func plainValue(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64)
	return v
}

// ungroup takes out what stands between groups of digits and nowhere else.
var ungroup = strings.NewReplacer(" ", "", "'", "")

// readDigits finds what digits with separators mean.
func readDigits(n *number, text string, style decimals) {
	if at := strings.IndexByte(text, raised); at >= 0 {
		base, rest := text[:at], text[at+1:]
		if strings.IndexByte(rest, raised) >= 0 { // each digit raised
			rest = strings.ReplaceAll(rest, "\x01", "")
		}
		var b number
		readDigits(&b, base, style)
		exp, err := strconv.Atoi(rest)
		if err != nil {
			n.readings = append(n.readings, b.readings...)
			return
		}
		for _, r := range b.readings {
			if len(rest) == 2 && r.value == math.Trunc(r.value) {
				n.add(r.value + float64(exp)/100)
			}
			if r.value == 10 && exp <= 15 {
				n.add(math.Pow(10, float64(exp)))
			}
		}
		for _, r := range b.readings {
			n.add(r.value)
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
		decimal, grouping := style.dot, style.comma
		if commas == 1 {
			mark, decimal, grouping = ',', style.comma, style.dot
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
func (n *number) dress(line string, toks []token, first, last int) {
	word := func(k int) string {
		if k < 0 || k >= len(toks) {
			return ""
		}
		return line[toks[k].start:toks[k].end]
	}
	before := first - 1
	near := func(k int) bool { return toks[k].gap == 0 || toks[k].gap == ' ' || toks[k].gap == '.' }
	if before >= 0 && near(first) && signs[word(before)] != "" {
		n.currency = signs[word(before)]
		if word(before) == "$" && before > 0 && toks[before].gap == 0 {
			if c := signs[word(before-1)+"$"]; c != "" {
				n.currency, before = c, before-1
			}
		}
		n.start = toks[before].start
		before--
	}
	if before >= 0 && word(before) == "-" && (toks[before+1].gap == 0 || n.currency != "" && toks[before+1].gap == ' ' && toks[before].start == 0) {
		n.negative = true
	}
	// The values of an item on sale: 1.200 Mio EUR, 12k $, 5 %.
	next := last + 1
	if next < len(toks) && (toks[next].gap == 0 || toks[next].gap == ' ') {
		w := word(next)
		if f := multiples[w]; f > 0 && !(len(w) == 1 && toks[next].gap == ' ' && w[0] < 0x80) {
			letterOnly := w == "m" || w == "b" || w == "mm" || w == "mil"
			for _, r := range n.readings {
				n.add(r.value * f)
			}
			if !letterOnly && len(n.readings) > 1 { // 12k is not 12
				n.readings = n.readings[len(n.readings)/2:]
			}
			n.after = w
			next++
		}
	}
	if next < len(toks) && (toks[next].gap == 0 || toks[next].gap == ' ') {
		switch w := word(next); {
		case w == "%":
			n.percent = true
			for _, r := range n.readings {
				n.add(r.value / 100)
			}
		case w == "¢" || w == "ct" || w == "cents" || w == "cent":
			for _, r := range n.readings {
				n.add(r.value / 100)
			}
		case n.currency == "" && signs[w] != "" && !(next+1 < len(toks) && toks[next+1].digits && toks[next+1].gap == 0):
			n.currency = signs[w]
		default:
			if !toks[next].digits {
				n.after = w
			}
		}
	}
	if n.negative {
		for i := range n.readings {
			n.readings[i] = reading{canonical(-n.readings[i].value), -n.readings[i].value}
		}
	} else if first > 0 || len(line) > 0 {
		if s, e := n.start, toks[last].end; s > 0 && line[s-1] == '(' && int(e) < len(line) && line[e] == ')' && n.after == "" && (n.currency != "" || strings.ContainsAny(n.raw, ".,")) {
			for _, r := range n.readings {
				n.add(-r.value)
			}
		}
	}
}

// multiples are words after a number that multiply it.
var multiples = map[string]float64{
	"k": 1e3, "tsd": 1e3, "thousand": 1e3, "tausend": 1e3, "mil": 1e3, "mille": 1e3, "千": 1e3, "천": 1e3,
	"万": 1e4, "萬": 1e4, "만": 1e4, "lakh": 1e5, "lakhs": 1e5, "लाख": 1e5,
	"m": 1e6, "mn": 1e6, "mm": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6, "millionen": 1e6, "millones": 1e6, "milhões": 1e6, "milioni": 1e6, "млн": 1e6, "тыс": 1e3,
	"crore": 1e7, "crores": 1e7, "cr": 1e7, "करोड़": 1e7, "億": 1e8, "亿": 1e8, "억": 1e8,
	"b": 1e9, "bn": 1e9, "mrd": 1e9, "milliarde": 1e9, "milliarden": 1e9, "milliards": 1e9, "billion": 1e9, "billions": 1e9, "млрд": 1e9,
	"trillion": 1e12, "tn": 1e12, "兆": 1e12,
}

// signs are currencies by what is written for them.
var signs = map[string]string{
	"$": "USD CAD AUD NZD HKD SGD MXN", "us$": "USD", "ca$": "CAD", "c$": "CAD", "a$": "AUD", "au$": "AUD", "nz$": "NZD", "hk$": "HKD", "s$": "SGD", "r$": "BRL", "mx$": "MXN",
	"€": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP", "¥": "JPY CNY", "円": "JPY", "元": "CNY", "yen": "JPY", "₹": "INR", "rs": "INR PKR", "₩": "KRW", "원": "KRW",
	"fr": "CHF", "sfr": "CHF", "kr": "SEK NOK DKK ISK", "zł": "PLN", "kč": "CZK", "ft": "HUF", "₽": "RUB", "руб": "RUB", "₺": "TRY", "tl": "TRY", "₪": "ILS", "₫": "VND", "฿": "THB", "₴": "UAH", "lei": "RON", "د": "AED",
	"usd": "USD", "eur": "EUR", "gbp": "GBP", "jpy": "JPY", "cny": "CNY", "rmb": "CNY", "inr": "INR", "krw": "KRW", "chf": "CHF", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "czk": "CZK",
	"huf": "HUF", "rub": "RUB", "try": "TRY", "ils": "ILS", "vnd": "VND", "thb": "THB", "brl": "BRL", "cad": "CAD", "aud": "AUD", "nzd": "NZD", "hkd": "HKD", "sgd": "SGD", "mxn": "MXN", "ron": "RON", "aed": "AED", "sar": "SAR", "egp": "EGP", "zar": "ZAR", "isk": "ISK", "dollar": "USD", "dollars": "USD", "pound": "GBP", "pounds": "GBP", "درهم": "AED", "ريال": "SAR", "جنيه": "EGP", "ر": "SAR", "usdt": "USDT", "btc": "BTC",
}

// isCurrency reports whether a code names exactly one currency that is known.
func isCurrency(code string) bool { return signs[strings.ToLower(code)] == code && len(code) == 3 }
