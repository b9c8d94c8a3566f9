package direct

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A figure is a number as a text writes it.
type figure struct {
	value  string // as JSON writes it
	money  bool   // a currency stands beside it
	before string // what else stands before and behind it
	behind string
}

var (
	// numberForm is a number with or without separators between its thousands.
	numberForm = regexp.MustCompile(`\d+(?:['’., \x{a0}\x{202f}٬٫]\d+)*`)
	currency   = regexp.MustCompile(`(?i)(?:US\$|CA\$|A\$|R\$|[$€£¥￥₹₪₩₽₺₫฿₴₦]|\b(?:EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|AUD|CAD|NZD|BRL|MXN|ILS|SAR|AED|KRW|TRY|ZAR|SGD|HKD|Fr|kr|zł|Kč|Rs)\b\.?|円|元|ر\.س|د\.إ)`)
)

// commaDecimals are the languages that write a comma before decimals. Those in
// neither map may do either.
var (
	commaDecimals = setOf("de fr es it nl pt sv nb nn no da fi pl cs sk hu ro bg hr sl el tr ru uk id vi ca is et lv lt sr")
	pointDecimals = setOf("en ja zh ko he th hi ar fa")
)

// figureOf reads a text that holds exactly one number.
func (p *page) figureOf(text string) (figure, bool) {
	text = westernDigits(text)
	if !strings.ContainsAny(text, "0123456789") {
		return figure{}, false
	}
	if strings.ContainsRune(text, raised) {
		text = raisedCents.ReplaceAllString(text, "$1.$2")
		if strings.ContainsRune(text, raised) {
			return figure{}, false
		}
	}
	all := numberForm.FindAllStringIndex(text, 3)
	if len(all) != 1 {
		return figure{}, false
	}
	from, to := all[0][0], all[0][1]
	f := figure{before: strings.TrimSpace(text[:from]), behind: strings.TrimSpace(text[to:])}
	if at := currency.FindStringIndex(f.before); at != nil && at[1] == len(f.before) {
		f.money, f.before = true, strings.TrimSpace(f.before[:at[0]])
	} else if at := currency.FindStringIndex(f.behind); at != nil && at[0] == 0 {
		f.money, f.behind = true, strings.TrimSpace(f.behind[at[1]:])
	}
	if last, _ := utf8.DecodeLastRuneInString(f.before); unicode.IsUpper(last) && from > 0 && strings.HasSuffix(text[:from], string(last)) && !f.money {
		return figure{}, false // a number of something, as PL6541
	}
	negative := false
	for _, sign := range []string{"-", "−", "–"} {
		if rest, ok := strings.CutSuffix(f.before, sign); ok {
			if last := strings.TrimRightFunc(rest, unicode.IsSpace); last != "" && !currency.MatchString(last) {
				return figure{}, false // a dash between words and a number
			}
			negative, f.before = true, strings.TrimSpace(rest)
		}
	}
	if at := currency.FindStringIndex(f.before); at != nil && at[1] == len(f.before) {
		f.money, f.before = true, strings.TrimSpace(f.before[:at[0]])
	}
	f.before = strings.TrimSuffix(f.before, "+")
	if strings.ContainsAny(f.behind, "百千万萬億亿") {
		return figure{}, false
	}
	digits, ok := p.decimal(text[from:to], f.money)
	if !ok {
		return figure{}, false
	}
	if scale, ok := scales[letters(f.behind)]; ok {
		if unicode.IsSpace(rune(text[to])) {
			return figure{}, false // thousands, or a unit
		}
		v, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return figure{}, false
		}
		digits = strconv.FormatFloat(v*scale, 'f', -1, 64)
		f.behind = ""
	}
	if negative {
		digits = "-" + digits
	}
	f.value = digits
	return f, true
}

// raisedCents are cents above the line.
var raisedCents = regexp.MustCompile(`(\d)\s*` + string(raised) + `(\d\d)(?:\D|$)`)

var scales = map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "bn": 1e9, "B": 1e9}

// letters returns a text if it consists of letters alone.
func letters(text string) string {
	for _, r := range text {
		if !unicode.IsLetter(r) {
			return ""
		}
	}
	return text
}

var (
	spacers  = strings.NewReplacer("’", "'", " ", "'", "\u00a0", "'", "\u202f", "'", "٬", "'", "٫", ",")
	grouping = strings.NewReplacer(".", "", ",", "", "'", "")
)

// decimal brings a number into the form of JSON. A single separator before
// three digits can be of thousands or of decimals: money has no three decimals,
// and a page's language says the rest; where it does not, there is no answer.
func (p *page) decimal(text string, money bool) (string, bool) {
	text = spacers.Replace(text)
	dots, commas := strings.Count(text, "."), strings.Count(text, ",")
	point := byte(0)
	switch {
	case dots > 0 && commas > 0:
		if strings.LastIndexByte(text, '.') > strings.LastIndexByte(text, ',') {
			point = '.'
		} else {
			point = ','
		}
		if point == '.' && dots > 1 || point == ',' && commas > 1 {
			return "", false
		}
	case dots == 1 || commas == 1:
		sign := byte('.')
		if commas == 1 {
			sign = ','
		}
		at := strings.IndexByte(text, sign)
		behind, before := len(text)-at-1, at
		switch {
		case behind != 3 || before > 3 || strings.Contains(text, "'") || text[0] == '0':
			point = sign
		case money:
		case commaDecimals[p.lang]:
			if sign == ',' {
				point = sign
			}
		case pointDecimals[p.lang]:
			if sign == '.' {
				point = sign
			}
		default:
			return "", false
		}
	}
	whole, part := text, ""
	if point != 0 {
		at := strings.LastIndexByte(text, point)
		whole, part = text[:at], text[at+1:]
		if strings.ContainsAny(part, ".,'") {
			return "", false
		}
	}
	if !evenGroups(whole) {
		return "", false
	}
	whole = grouping.Replace(whole)
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if part = strings.TrimRight(part, "0"); part != "" {
		return whole + "." + part, true
	}
	return whole, true
}

// evenGroups reports whether separators stand where those of thousands do: the
// last group has three digits, those before two or three (India's lakhs).
func evenGroups(whole string) bool {
	groups := strings.FieldsFunc(whole, func(r rune) bool { return r == '.' || r == ',' || r == '\'' })
	if len(groups) == 1 {
		return true
	}
	for i, g := range groups {
		switch {
		case i == 0:
			if len(g) > 3 {
				return false
			}
		case i == len(groups)-1:
			if len(g) != 3 {
				return false
			}
		case len(g) != 2 && len(g) != 3:
			return false
		}
	}
	return true
}

// westernDigits replaces the digits of other scripts.
func westernDigits(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '٠' && r <= '٩':
			return '0' + r - '٠'
		case r >= '۰' && r <= '۹':
			return '0' + r - '۰'
		case r >= '０' && r <= '９':
			return '0' + r - '０'
		}
		return r
	}, text)
}
