package direct

import (
	"slices"
	"strings"
	"unicode"
)

// A wording is what a member's name and description ask for, in canonical words.
type wording struct {
	name  []string // of the name
	head  []string // of what the description is about: "Number of reviews" is {number, review}
	about string   // the concept of the name, or failing that of the description; empty is none
	named bool     // about comes from the name
	all   map[string]bool
}

func newWording(name, description string) wording {
	w := wording{name: content(split(name)), all: map[string]bool{}}
	described := split(description)
	w.head = headOf(described)
	for _, list := range [][]string{w.name, content(described)} {
		for _, word := range list {
			w.all[word] = true
		}
	}
	if w.about = conceptOf(w.name); w.about != "" {
		w.named = true
	} else if w.about = conceptOf(w.head); slices.ContainsFunc(w.head, func(word string) bool {
		return !concepts[w.about][word] && !generalWords[word] && !things[word]
	}) {
		w.about = "" // "cost of shipping" is no price
	}
	return w
}

// headOf returns the words that a description is about: those before the first
// preposition other than "of" and "per", so "Cost of shipping in EUR" is about
// the cost and the shipping.
func headOf(described []string) []string {
	var head []string
	for _, word := range described {
		if prepositions[word] && len(head) > 0 || questions[word] {
			break
		}
		if !stopWords[word] && !joining[word] {
			head = append(head, canonical(word))
		}
	}
	return head
}

var (
	prepositions = setOf("in at to for with on from without than if im zum zur vom pour dans")
	questions    = setOf("who where which that what how when whether as")
	joining      = setOf("per pro par je one each euro euros dollar dollars usd eur gbp chf pounds yen 円 元")
	stopWords    = setOf("of the a an in at to for and or is are it its this that be can with on as who which what how if whether by from der die das des dem den und ein eine im le la les du des un une et")
	generalWords = setOf("name number date text address sum count link average title time")
)

// contrasts are words that make another value of what they stand before: a due
// date is no date, an original price is no price.
var contrasts = setOf("original old previous before was regular min max minimum maximum subtotal net gross start end first last billing shipping discount due new average median tax tip refund from until birth arrival departure home away paid monthly yearly weekly hourly daily used low high open close next estimated recommended")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
		set[plainLetters.Replace(word)] = true
	}
	return set
}

// split returns the words of a text in lower case. "unitPrice" and "unit_price"
// have two. Text without spaces between words is one.
func split(text string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, plainLetters.Replace(strings.ToLower(string(word))))
			word = word[:0]
		}
	}
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case r == '\'' || r == '’':
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			if r == '#' && len(runes) == 1 {
				return []string{"#"}
			}
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && unicode.IsLower(runes[i-1]),
			unicode.IsUpper(r) && i > 0 && unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1]),
			unicode.IsDigit(r) != (i > 0 && unicode.IsDigit(runes[i-1])) && len(word) > 0:
			flush()
		}
		word = append(word, r)
	}
	flush()
	return words
}

// plainLetters replaces Latin letters with marks.
var plainLetters = strings.NewReplacer("à", "a", "á", "a", "â", "a", "ã", "a", "ä", "a", "å", "a", "ç", "c", "è", "e", "é", "e", "ê", "e", "ë", "e",
	"ì", "i", "í", "i", "î", "i", "ï", "i", "ñ", "n", "ò", "o", "ó", "o", "ô", "o", "õ", "o", "ö", "o", "ø", "o", "ù", "u", "ú", "u", "û", "u", "ü", "u", "ß", "ss", "ý", "y")

// content returns the canonical words of a text without those that say nothing;
// if there are no others, with them.
func content(words []string) []string {
	var out []string
	for _, word := range words {
		if !stopWords[word] {
			out = append(out, canonical(word))
		}
	}
	if len(out) == 0 {
		for _, word := range words {
			out = append(out, canonical(word))
		}
	}
	return out
}

// canonical returns the word that stands for all of a word's forms and synonyms.
func canonical(word string) string {
	if c, ok := synonyms[word]; ok {
		return c
	}
	s := stem(word)
	if c, ok := synonyms[s]; ok {
		return c
	}
	return s
}

// stem takes the plural and a few endings off a word.
func stem(word string) string {
	if len(word) < 4 {
		return word
	}
	for _, r := range word {
		if r > 0x24f {
			return word // endings of other scripts are not known
		}
	}
	switch {
	case strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:len(word)-1]
	}
	return word
}

// synonyms leads from a word to the one that stands for it.
var synonyms = func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(synonymLines) {
		words := strings.Fields(plainLetters.Replace(line))
		for _, word := range words {
			m[word] = words[0]
		}
	}
	return m
}()

// Each line is a word and those that mean the same on pages of records.
const synonymLines = `
name bezeichnung produktname nom nombre nome naam 商品名 商品名称 名称 名前 الاسم اسم
title titel headline titre título heading タイトル 标题 العنوان
price cost preis prix precio prezzo prijs 価格 价格 السعر سعر מחיר
rating stars star bewertung note
quantity qty menge anzahl quantité cantidad
number no nr num nummer numéro número
company employer arbeitgeber entreprise empresa firma organisation organization
brand maker manufacturer 品牌 ブランド hersteller marke marque marca
location place venue ort lieu ubicación standort
email mail courriel
phone telephone tel telefon téléphone teléfono mobile
author writer autor auteur 著者 作者 الكاتب المؤلف
date dated datum fecha 日付 日期 التاريخ
image picture photo img foto bild thumbnail avatar
color colour farbe couleur 颜色 色 اللون
weight gewicht poids peso 重量 重さ الوزن
description beschreibung
amount betrag montant importe
total gesamt gesamtbetrag 合計 总计 المجموع
citation cited
city stadt ville ciudad
country land pays país
language sprache langue idioma
link url href
salary pay wage gehalt salaire sueldo
stock lager lagerbestand inventory 在庫 库存 מלאי
area surface fläche
arrival arrive arriving
departure depart departing
subtotal zwischensumme
mon monday
tue tuesday
wed wednesday
thu thursday
fri friday
sat saturday
sun sunday
shipping versand
delivery lieferung livraison
available availability verfügbarkeit verfugbarkeit verfuegbarkeit lieferbarkeit disponibilité disponibilidad
surname lastname nachname
invoice rechnung facture
customer client kunde
due fällig
postcode postal zip plz
noise noise
part part
start begin beginn début
end ende fin
publisher verlag éditeur
publication published veröffentlicht veröffentlichung
`

// conceptOrder names what facts can be of by their nature, in the order in which
// a member's words are tried.
var conceptOrder = []string{"name", "price", "rating", "link", "image", "email", "phone", "author", "date", "prose", "stock", "time"}

// concepts holds the words of each concept.
var concepts = map[string]map[string]bool{
	"name":   setOf("name title product article item question subject topic nom heading produkt artikel 商品名 商品名称 列車名 العنوان المنتج מוצר"),
	"price":  setOf("price 価格 价格 السعر מחיר"),
	"rating": setOf("rating score"),
	"link":   setOf("link page website"),
	"image":  setOf("image logo cover icon"),
	"email":  setOf("email"),
	"phone":  setOf("phone"),
	"author": setOf("author poster reviewer"),
	"date":   setOf("date day publication posted"),
	"prose":  setOf("text body content comment snippet description message excerpt summary abstract"),
	"stock":  setOf("stock available"),
	"time":   setOf("time duration length"),
}

// conceptOf returns what the words ask for, if they ask for one thing: a
// product's name names the record, a customer's doesn't.
func conceptOf(words []string) string {
	for i := len(words) - 1; i >= 0; i-- {
		for _, concept := range conceptOrder {
			if !concepts[concept][words[i]] {
				continue
			}
			former := slices.ContainsFunc(words, func(w string) bool { return formerly[w] })
			switch {
			case concept == "price" && former:
				return "former price"
			case concept == "name" && slices.ContainsFunc(words, func(w string) bool { return !concepts["name"][w] && !things[w] }),
				slices.ContainsFunc(words, func(w string) bool { return contrasts[w] && !concepts[concept][w] }):
				return ""
			}
			return concept
		}
	}
	return ""
}

// things are what a page or a record can be about.
var things = setOf("product article item book job event recipe card page post thread track dish movie film course position paper plan session game review device flat task answer section")

var formerly = setOf("original old previous before was regular former list rrp uvp")

// sameSet reports whether two lists hold the same words, and any at all.
func sameSet(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	for _, w := range a {
		if !slices.Contains(b, w) {
			return false
		}
	}
	for _, w := range b {
		if !slices.Contains(a, w) {
			return false
		}
	}
	return true
}

// common returns how many words of a are in b.
func common(a, b []string) int {
	n := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}

// neutral are words that change little of what they stand beside.
var neutral = setOf("full unit address current value info information is has")

// fit says how well a label on the page says what a member asks for, 0 to 100.
// The context are words that go without saying, of the page's title and the
// list's.
func (w *wording) fit(label []string, context map[string]bool) int {
	if len(label) == 0 {
		return 0
	}
	if sameSet(label, w.name) || strings.Join(label, "") == strings.Join(w.name, "") {
		return 100
	}
	if sameSet(label, w.head) {
		return 90
	}
	for _, word := range label {
		if contrasts[word] && !w.all[word] {
			return 0
		}
	}
	for _, word := range w.name {
		if contrasts[word] && !slices.Contains(label, word) {
			return 0
		}
	}
	inName, both, known := common(label, w.name), 0, 0
	for _, word := range label {
		if w.all[word] {
			both++
		}
		if w.all[word] || context[word] || things[word] || neutral[word] {
			known++
		}
	}
	switch {
	case inName == len(w.name) && both == len(label):
		return 85 // the name, and words of the description
	case inName == len(w.name) && (known == len(label) || !slices.Contains(w.name, "name") && !slices.Contains(w.name, "number")):
		return 60 + 10*len(w.name)/len(label)
	case inName == len(label) && !slices.ContainsFunc(w.name, func(word string) bool {
		return !slices.Contains(label, word) && !context[word] && !neutral[word]
	}):
		return 60 + 10*len(label)/len(w.name) // the rest is what the page is about
	case common(label, w.head) == len(label) && w.heart(label):
		return 55
	}
	return 0
}

// covers reports whether a member's name and description say all words of a label.
func (w *wording) covers(label []string) bool {
	for _, word := range label {
		if !w.all[word] {
			return false
		}
	}
	return len(label) > 0
}

// heart reports whether a label says what a description is about at its heart:
// "reviews" for "number of reviews", but not "cost" for "cost of shipping".
func (w *wording) heart(label []string) bool {
	heart := slices.DeleteFunc(slices.Clone(w.head), func(word string) bool { return generalWords[word] || things[word] })
	if len(heart) == 0 {
		heart = slices.DeleteFunc(slices.Clone(w.head), func(word string) bool { return generalWords[word] })
	}
	return len(heart) > 0 && common(heart, label) == len(heart)
}
