package pagedata

import (
	"math"
	"slices"
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
func NumbersIn(line string, toks []Token, style Decimals) (out []Number) {
	r := numberReader{tokens{line, toks}, style}
	for i := 0; i < len(toks); i++ {
		switch {
		case !toks[i].Digits:
			if n, to := r.stars(i); to > i {
				out, i = append(out, n), to-1
			}
		case r.inCode(i): // as A4
			for i+1 < len(toks) && (toks[i+1].Gap == 0 || toks[i+1].Gap == '-') {
				i++
			}
		default:
			var list []Number
			list, i = r.at(i)
			out = append(out, list...)
		}
	}
	return out
}

type numberReader struct {
	tokens
	style Decimals
}

// inCode reports whether digits are part of a code: letters stand right before them, but
// for a currency's, or for those of a script without spaces.
func (r *numberReader) inCode(i int) bool {
	w := r.word(i - 1)
	return r.toks[i].Gap == 0 && LetterAt(w) && (Signs[w] == "" && !strings.ContainsFunc(w, Unspaced) || i > 1 && r.toks[i-1].Gap == 0 && r.toks[i-2].Digits)
}

// stars reads a rating that is written in stars, and returns the token after it.
func (r *numberReader) stars(i int) (n Number, to int) {
	full := 0.0
	for to = i; ; to++ {
		w := r.word(to)
		if w == "★" || w == "⭐" {
			full++
		} else if w != "☆" {
			break
		}
	}
	if to > i {
		n = r.between(i, to-1)
		n.After, n.Readings = "stars", []Reading{{Canonical(full), full}}
	}
	return n, to
}

// between is what some tokens write, without a value.
func (r *numberReader) between(first, last int) Number {
	n := Number{Start: r.toks[first].Start, End: r.toks[last].End}
	n.Raw = r.line[n.Start:n.End]
	return n
}

// Decimals says how a page writes fractions, as far as it shows, and whether its
// language puts dots between thousands.
type Decimals struct{ Dot, Comma, dotted bool }

// dotted are the languages that write 1.500 for one and a half thousand (CLDR).
var dotted = SetOfWords("da de el es hr id it nl pt ro sl sr tr vi")

// learn takes two runs of digits with one mark between them for a fraction, unless they
// may be a group of three or a date.
func (d *Decimals) learn(toks []Token) {
	marked := func(i int) bool {
		return i > 0 && i < len(toks) && toks[i-1].Digits && toks[i].Digits && toks[i].Start-toks[i-1].End == 1
	}
	for i := range toks {
		if n := toks[i].End - toks[i].Start; !marked(i) || marked(i-1) && toks[i-1].Gap == toks[i].Gap || n == 3 || n > 4 || marked(i+1) {
			continue
		}
		d.Dot = d.Dot || toks[i].Gap == '.'
		d.Comma = d.Comma || toks[i].Gap == ','
	}
}

// at reads the number that begins with a token, and returns its last one. Where spaces
// may part groups or numbers, each group is a number by itself, too.
func (r *numberReader) at(first int) (out []Number, last int) {
	toks := r.toks
	for last = first; r.number(last+1, 1, math.MaxInt) >= 0; last++ {
		switch mark := r.gap(last + 1); {
		case mark == '.' || mark == ',' || mark == '\'' || mark == raised:
			continue
		case mark == ' ' && len(r.word(last+1)) == 3 && len(r.word(last)) <= 3 && (last == first || toks[last].Gap == ' '):
			continue
		}
		break
	}
	n := r.between(first, last)
	n.read(n.Raw, r.style)
	if len(n.Readings) > 0 {
		if before := r.line[:n.Start]; strings.HasSuffix(before, ".") && (n.Start == 1 || strings.HasSuffix(before, " .") || strings.HasSuffix(before, "$.")) { // .5
			n.Readings = nil
			n.add(PlainValue("0." + n.Raw))
		}
		r.dress(&n, first, last)
		out = append(out, n)
	}
	for k := first; k <= last && strings.ContainsAny(n.Raw, " \x01"); k++ {
		if k < last || toks[k].Gap != raised {
			one := r.between(k, k)
			one.add(PlainValue(one.Raw))
			r.dress(&one, k, k)
			out = append(out, one)
		}
	}
	return out, last
}

// add takes a value that the number may stand for. More digits than a float64 tells apart
// are their own key.
func (n *Number) add(v float64) {
	key := Canonical(v)
	if len(n.Raw) > 15 && !strings.ContainsAny(n.Raw, "., '\x01") {
		key = strings.TrimLeft(n.Raw, "0")
	}
	if !slices.ContainsFunc(n.Readings, func(r Reading) bool { return r.Key == key }) {
		n.Readings = append(n.Readings, Reading{key, v})
	}
}

// PlainValue is the value of digits; 0 of what is no number.
func PlainValue(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64)
	return v
}

// ungroup takes out what stands between groups of digits and nowhere else.
var ungroup = strings.NewReplacer(" ", "", "'", "")

// read finds what digits with separators mean: the last mark stands before a fraction, or
// all marks, of one kind, between groups of thousands. Which of both is said by the page's
// other numbers and by its language; where nothing says it, it may be either.
func (n *Number) read(s string, style Decimals) {
	if base, rest, ok := strings.Cut(s, string(raised)); ok {
		n.power(base, strings.ReplaceAll(rest, string(raised), ""), style)
		return
	}
	s = ungroup.Replace(s)
	at := strings.LastIndexAny(s, ".,")
	if at < 0 {
		n.add(PlainValue(s))
		return
	}
	mark, other := s[at:at+1], ","
	decimal, grouping := style.Dot, style.Comma
	if mark == "," {
		other, decimal, grouping = ".", style.Comma, style.Dot
	}
	once := strings.Count(s, mark) == 1
	groups := !strings.Contains(s, other) && grouped(s, mark) && !(once && s[0] == '0')
	if groups && (!once || grouping || !decimal || mark == "," || style.dotted || s[at+1:] == "000") { // nobody writes a fraction of noughts
		n.add(PlainValue(strings.ReplaceAll(s, mark, "")))
	}
	if whole := s[:at]; once && grouped(whole, other) && (!groups || decimal || !grouping) {
		n.add(PlainValue(strings.ReplaceAll(whole, other, "") + "." + s[at+1:]))
	}
}

// power reads a number behind which another is raised: cents, or a power of ten.
func (n *Number) power(base, exponent string, style Decimals) {
	var b Number
	b.read(base, style)
	exp, err := strconv.Atoi(exponent)
	for _, r := range b.Readings {
		if err == nil && len(exponent) == 2 && r.Value == math.Trunc(r.Value) {
			n.add(r.Value + float64(exp)/100)
		}
		if err == nil && r.Value == 10 && exp <= 15 {
			n.add(math.Pow(10, float64(exp)))
		}
	}
	for _, r := range b.Readings {
		n.add(r.Value)
	}
}

// grouped reports whether digits stand in groups of three, or as in India; or in none.
func grouped(s, mark string) bool {
	parts := strings.Split(s, mark)
	for i, p := range parts[1:] {
		if len(p) != 3 && !(len(p) == 2 && i < len(parts)-2 && len(parts[0]) <= 2) {
			return false
		}
	}
	return len(parts) == 1 || len(parts[0]) > 0 && len(parts[0]) <= 3
}

// scale takes the values of a number times a factor as what it may stand for, too.
func (n *Number) scale(factor float64) {
	for _, r := range n.Readings {
		n.add(r.Value * factor)
	}
}

// dress reads a number's sign, currency and unit from the tokens around it.
func (r *numberReader) dress(n *Number, first, last int) {
	toks, before := r.toks, first-1
	if gap := toks[first].Gap; before >= 0 && (gap == 0 || gap == ' ' || gap == '.') && Signs[r.word(before)] != "" {
		n.Currency = Signs[r.word(before)]
		if before > 0 && r.word(before) == "$" && toks[before].Gap == 0 && Signs[r.word(before-1)+"$"] != "" { // US$
			before--
			n.Currency = Signs[r.word(before)+"$"]
		}
		n.Start = toks[before].Start
		before--
	}
	n.Negative = r.word(before) == "-" && (toks[before+1].Gap == 0 || n.Currency != "" && toks[before+1].Gap == ' ' && toks[before].Start == 0)
	next := last + 1
	near := func() bool { return next < len(toks) && (toks[next].Gap == 0 || toks[next].Gap == ' ') }
	if w := r.word(next); near() && Multiples[w] > 0 && !(len(w) == 1 && toks[next].Gap == ' ') { // 12k, 1.200 Mio EUR
		plain := len(n.Readings)
		if n.scale(Multiples[w]); w != "m" && w != "b" && w != "mm" && w != "mil" { // 12k is not 12, but 12 m may be metres
			n.Readings = n.Readings[plain:]
		}
		n.After = w
		next++
	}
	if near() {
		switch w := r.word(next); {
		case w == "%":
			n.Percent = true
			n.scale(0.01)
		case w == "¢" || w == "ct" || w == "cents" || w == "cent":
			n.scale(0.01)
		case n.Currency == "" && Signs[w] != "" && !(next+1 < len(toks) && toks[next+1].Digits && toks[next+1].Gap == 0): // which is of the next number
			n.Currency = Signs[w]
		case !toks[next].Digits:
			n.After = w
		}
	}
	if n.Negative {
		for i, r := range n.Readings {
			n.Readings[i] = Reading{Canonical(-r.Value), -r.Value}
		}
	} else if strings.HasSuffix(r.line[:n.Start], "(") && strings.HasPrefix(r.line[toks[last].End:], ")") && n.After == "" && (n.Currency != "" || strings.ContainsAny(n.Raw, ".,")) {
		n.scale(-1) // accounts write debts in parentheses
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
