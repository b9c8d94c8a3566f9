package grounding

import (
	"strings"
)

// concepts are words that name the same thing, each list under its first.
var concepts = func() map[string]string {
	m := map[string]string{}
	for _, list := range []string{
		"price cost preis prix precio prezzo preço prijs цена fare fahrpreis tarif kosten rate 価格 价格 가격 سعر السعر מחיר ціна cena pris unitprice einzelpreis hinta",
		"total sum gesamt summe gesamtbetrag gesamtpreis totale итого 合計 总计 총액 المجموع total: סהכ suma insgesamt linetotal",
		"subtotal zwischensumme subtotale nettobetrag net netto",
		"tax vat mwst ust iva tva steuer btw gst 税",
		"amount betrag montant importe importo bedrag summa",
		"quantity qty qnt qnty menge anzahl stück quantité cantidad quantità pcs pieces units stk 数量 수량 الكمية כמות кол antal",
		"old was original before regular list rrp uvp msrp statt previous former retail earlier compare strike struck former avant vorher",
		"name title titel product produkt artikel article item produit producto prodotto nom nombre nome bezeichnung 名 商品 제품 이름 الاسم שם название naam headline subject",
		"date datum fecha data day tag 日付 日期 날짜 التاريخ תאריך дата dato",
		"time uhrzeit zeit heure hora ora 時刻 时间 시간 الوقت שעה время",
		"description beschreibung descripción descrizione details text summary snippet abstract body content comment message",
		"author by autor von verfasser auteur user username poster writer creator",
		"location place ort lieu lugar city stadt ville standort address adresse where",
		"company employer firma unternehmen arbeitgeber entreprise empresa organization organisation",
		"salary gehalt pay lohn salaire salario wage compensation",
		"departure depart departs abfahrt ab départ salida partenza from dep 出発 出发",
		"arrival arrive arrives ankunft an arrivée llegada arrivo arr 到着 到达 to",
		"duration dauer durée duración durata length fahrzeit runtime",
		"rating stars bewertung note score valoración étoiles sterne 評価 评分",
		"reviews review bewertungen avis reseñas ratings votes 件 レビュー",
		"platform gleis voie andén binario track",
		"currency währung devise moneda valuta",
		"stock lager availability available verfügbar verfügbarkeit bestand disponible disponibilité 在庫 库存 instock",
		"image picture photo img src thumbnail bild foto cover",
		"url link href address website page site web homepage",
		"phone telephone tel telefon téléphone teléfono mobile handy fax 電話 电话",
		"email mail e-mail",
		"status state zustand estado stato état 状態 状态",
		"number no nr num numéro número # nummer id code ref reference",
		"brand marke marque marca manufacturer hersteller maker",
		"weight gewicht poids peso 重量",
		"discount rabatt remise descuento sconto saving savings ersparnis off save",
		"points point punkte pts upvotes",
		"comments comment kommentare replies antworten réponses answers reply",
		"views aufrufe vues visits",
		"count number anzahl total",
		"shipping versand delivery lieferung livraison envío spedizione postage versandkosten",
		"due fällig faellig échéance vencimiento",
		"category kategorie catégorie categoría section type art kind typ",
		"size größe taille talla groesse",
		"color colour farbe couleur color colore",
	} {
		f := strings.Fields(list)
		for _, w := range f {
			if m[w] == "" {
				m[w] = f[0]
			}
			if m[stem(w)] == "" {
				m[stem(w)] = f[0]
			}
		}
	}
	return m
}()

// empty words say nothing about which thing is meant.
var empty = map[string]bool{"the": true, "a": true, "an": true, "of": true, "in": true, "is": true, "as": true, "for": true, "and": true, "or": true, "on": true, "at": true, "it": true, "that": true, "this": true,

	"value": true, "text": true, "field": true, "der": true, "die": true, "das": true, "und": true, "with": true, "are": true, "be": true, "de": true, "la": true, "le": true, "per": true, "has": true, "its": true, "all": true, "col": true, "cell": true, "data": true, "info": true, "true": true, "false": true, "if": true, "whether": true, "string": true, "span": true, "div": true}

// stem cuts an ending that makes no difference.
func stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "xes")):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		return w[:len(w)-1]
	}
	return w
}

// labelWords are the words of a label, stems and concepts.
func labelWords(s string) []string {
	s = normalize(s)
	var out []string
	for _, t := range tokenize(s, nil) {
		w := s[t.start:t.end]
		if empty[w] {
			continue
		}
		out = append(out, idea(w))
	}
	return out
}

// idea is a word's concept, or its stem.
func idea(w string) string {
	if c := concepts[w]; c != "" {
		return c
	}
	w = stem(w)
	if c := concepts[w]; c != "" {
		return c
	}
	// The last part of a compound is what it is: "treuerabatt" is a "rabatt".
	for i := 3; len(w)-i >= 6; i++ {
		if c := concepts[w[i:]]; c != "" {
			return c
		}
	}
	return w
}

// A member is what is known of a property: the words of its name and description.
type member struct {
	name   string
	words  []string // of its own name
	path   []string // of the names around it
	about  []string // of its description
	said   []string // the description itself
	format string
	enum   []string
	typ    string
	target string // unit that the name asks for: "cents", "min", "g" …
}

func hasWord(list []string, w string) bool {
	for _, x := range list {
		if alike(x, w) {
			return true
		}
	}
	return false
}

// alike reports whether two words are the same, or one begins with the other.
func alike(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 4 && strings.HasPrefix(b, a)
}

// likeness is the part of the words of a member and a label that they share.
func likeness(m *member, label []string) float64 {
	if len(label) == 0 || len(m.words) == 0 {
		return 0
	}
	both := 0
	for _, w := range m.words {
		if hasWord(label, w) {
			both++
		}
	}
	extra := 0
	for _, l := range label {
		if !hasWord(m.words, l) {
			extra++
		}
	}
	return float64(both) / float64(len(m.words)+min(extra, 3))
}

func setOfWords(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// blanks are what pages write where there is nothing.
var blanks = map[string]bool{"-": true, "--": true, "---": true, "n/a": true, "na": true, "none": true, "nil": true, "no": true, "unknown": true, "tba": true, "tbd": true, "k.a.": true, "keine": true, "keine angabe": true, "aucun": true, "ninguno": true, "なし": true, "无": true, "free": true, "gratis": true, "kostenlos": true, "gratuit": true, "無料": true, "免费": true, "free of charge": true, "·": true, "/": true, "…": true, "...": true, "?": true, "0": true, "no reviews": true, "not rated": true, "complimentary": true, "مجاني": true, "חינם": true, "frei": true, "included": true, "inklusive": true}
