package grounding

import (
	"slices"
	"strings"
)

// oppositions, a negative answer beating a positive one that is a part of it.
var oppositions = []opposition{
	{"sold", []string{"sold", "sold out", "verkauft", "vendu", "vendido", "ausverkauft", "sprzedane"}, []string{"passed", "unsold", "not sold", "withdrawn", "reserve not met", "nicht verkauft", "invendu", "available", "for sale", "in stock"}},
	{"stock available availability soldout buyable orderable verfügbar lieferbar disponible",
		[]string{"in stock", "available", "add to cart", "add to basket", "buy now", "auf lager", "lieferbar", "sofort lieferbar", "verfügbar", "en stock", "disponible", "en existencias", "disponibile", "na stanie", "in den warenkorb", "ajouter au panier", "in voorraad", "在庫あり", "有货", "现货", "재고 있음", "متوفر", "במלאי", "в наличии", "only left", "ships today", "few left", "left in stock", "på lager", "i lager"},
		[]string{"out of stock", "sold out", "unavailable", "not available", "not in stock", "currently unavailable", "no stock", "ausverkauft", "nicht verfügbar", "nicht lieferbar", "vergriffen", "nicht auf lager", "agotado", "épuisé", "rupture de stock", "en rupture", "indisponible", "esaurito", "non disponibile", "esgotado", "uitverkocht", "在庫切れ", "売り切れ", "品切れ", "缺货", "售罄", "无货", "품절", "غير متوفر", "نفد", "אזל", "אזל מהמלאי", "לא במלאי", "нет в наличии", "notify me", "waitlist", "back in stock soon", "slutsåld", "brak"}},
	{"remote homeoffice telecommute", []string{"remote", "fully remote", "home office", "homeoffice", "work from home", "wfh", "télétravail", "anywhere"}, []string{"on site", "onsite", "on-site", "office only", "not remote", "no remote", "vor ort", "präsenz", "in office", "sur site"}},
	{"free gratis shipping delivery", []string{"free", "free shipping", "free delivery", "kostenlos", "gratis", "versandkostenfrei", "livraison gratuite", "gratuit", "送料無料", "免费", "包邮", "مجاني", "חינם"}, []string{"plus shipping", "not free", "zzgl versand"}},
	{"open opened isopen", []string{"open", "open now", "geöffnet", "ouvert", "abierto", "営業中"}, []string{"closed", "geschlossen", "fermé", "cerrado", "closed now", "休業"}},
	{"sale discounted reduced discount onsale", []string{"sale", "on sale", "reduced", "angebot", "reduziert", "deal", "promo", "rebajado", "soldes", "discount"}, nil},
	{"paid settled payment", []string{"paid", "bezahlt", "payé", "pagado", "settled", "paid in full"}, []string{"unpaid", "not paid", "due", "open", "offen", "overdue", "outstanding", "unbezahlt", "impayé", "pending"}},
	{"cancelled canceled", []string{"cancelled", "canceled", "fällt aus", "storniert", "annulé", "ausfall", "cancelado"}, []string{"on time", "confirmed", "pünktlich", "à l'heure"}},
	{"delayed late", []string{"delayed", "late", "verspätet", "verspätung", "retardé", "en retard", "retrasado"}, []string{"on time", "pünktlich", "à l'heure", "a tiempo"}},
	{"ontime punctual", []string{"on time", "pünktlich", "à l'heure"}, []string{"delayed", "late", "cancelled", "verspätet"}},
	{"verified", []string{"verified", "verifiziert", "vérifié", "verificado"}, []string{"unverified", "not verified"}},
	{"pinned sticky", []string{"pinned", "sticky", "angepinnt", "angeheftet"}, nil},
	{"locked closed resolved solved answered", []string{"locked", "solved", "closed", "resolved", "answered", "accepted answer", "gelöst", "résolu", "gesperrt", "erledigt"}, []string{"unsolved", "unresolved", "unanswered", "open", "not solved", "ungelöst", "offen"}},
	{"sponsored ad promoted advertisement anzeige", []string{"sponsored", "ad", "promoted", "anzeige", "gesponsert", "publicité", "sponsorisé", "広告", "reklama"}, nil},
	{"required mandatory", []string{"required", "mandatory", "pflichtfeld", "obligatoire", "erforderlich", "obligatorio", "必須"}, []string{"optional", "not required", "任意"}},
	{"active enabled online", []string{"active", "enabled", "on", "online", "aktiv", "actif", "activo"}, []string{"inactive", "disabled", "off", "offline", "inaktiv", "suspended", "deactivated"}},
	{"new isnew", []string{"new", "neu", "nouveau", "nuevo", "新着", "新品"}, []string{"used", "gebraucht"}},
	{"direct nonstop", []string{"direct", "nonstop", "non-stop", "direkt", "0 changes", "no changes", "no transfers"}, []string{"1 change", "2 changes", "3 changes", "1 stop", "2 stops", "via", "umstieg", "transfer"}},
	{"refundable", []string{"refundable", "free cancellation", "erstattbar", "kostenlose stornierung"}, []string{"non-refundable", "nonrefundable", "not refundable", "nicht erstattbar"}},
}

// answers are words that stand for yes and no in a cell or as a value.
var answers = map[string]bool{
	"yes": true, "ja": true, "oui": true, "sí": true, "si": true, "sì": true, "sim": true, "true": true, "✓": true, "✔": true, "☑": true, "✅": true, "on": true, "enabled": true, "included": true, "да": true, "نعم": true, "כן": true, "はい": true, "是": true, "有": true, "○": true, "◯": true, "●": true, "tak": true, "y": true, "✔️": true, "available": true, "예": true, "active": true, "inklusive": true,
	"no": false, "nein": false, "non": false, "não": false, "false": false, "✗": false, "✘": false, "✕": false, "×": false, "☐": false, "❌": false, "✖": false, "off": false, "disabled": false, "none": false, "нет": false, "لا": false, "לא": false, "いいえ": false, "否": false, "无": false, "-": false, "–": false, "—": false, "n/a": false, "nie": false, "n": false, "nee": false, "nej": false, "not included": false, "✖️": false, "아니요": false, "inactive": false, "unavailable": false,
}

// negatedName reports whether a member asks for the opposite of its opposition.
func negatedName(m *member, o *opposition) bool {
	name := strings.ToLower(m.name)
	for _, w := range []string{"soldout", "sold_out", "outofstock", "out_of_stock", "unavailable", "unpaid", "overdue", "closed", "inactive", "disabled", "onsite", "on_site", "unverified", "unread"} {
		if strings.Contains(name, w) {
			return o == nil || slices.ContainsFunc(o.no, func(s string) bool {
				return strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "-", "") == strings.ReplaceAll(w, "_", "")
			})
		}
	}
	return false
}

// nameWords are the words of a member's name that ask: "isFeatured" asks "featured".
func nameWords(m *member) []string {
	var out []string
	for _, w := range splitName(m.name) {
		switch w {
		case "is", "has", "have", "was", "are", "can", "with":
			continue
		}
		out = append(out, w)
	}
	return out
}

// describedOpposition adds the words that a member's description has the page
// answer in: "false where it says ناموجود", or the page's own word for it alone.
func describedOpposition(m *member, o *opposition) *opposition {
	var yes, no []string
	for _, s := range m.said {
		s = normalize(collapse(s))
		for _, answer := range []string{"true", "false"} {
			for _, join := range []string{" where it says ", " if it says ", " when it says ", " where the page says ", " if the page says ", " when the page says "} {
				if _, phrase, ok := strings.Cut(s, answer+join); ok {
					phrase, _, _ = strings.Cut(phrase, ",")
					phrase = strings.Trim(phrase, `"'. `)
					if answer == "true" {
						yes = append(yes, phrase)
					} else {
						no = append(no, phrase)
					}
				}
			}
		}
		if len(yes) == 0 && len(no) == 0 && len(strings.Fields(s)) <= 2 && strings.IndexFunc(s, func(r rune) bool { return r > 0x24f }) >= 0 {
			yes = append(yes, s) // in another script than the name
		}
	}
	if len(yes) == 0 && len(no) == 0 {
		return o
	}
	out := &opposition{asks: nameOf(m), yes: yes, no: no}
	if o != nil {
		out.asks = o.asks
		out.yes = append(out.yes, o.yes...)
		out.no = append(out.no, o.no...)
	}
	return out
}

// nameOf is a member's name as a question, of three letters at least.
func nameOf(m *member) string { return strings.Join(nameWords(m), "") + "   " }

func oppositionOf(m *member) *opposition {
	best, most := -1, 0
	joined := strings.Join(nameWords(m), "")
	for i := range oppositions {
		n := 0
		for _, w := range strings.Fields(oppositions[i].asks) {
			if joined == w {
				n += 5
			}
			for _, x := range nameWords(m) {
				if x == w {
					n += 2
				}
			}
		}
		if negatedName(m, &oppositions[i]) {
			n += 3
		}
		if n > most {
			best, most = i, n
		}
	}
	if best < 0 {
		return nil
	}
	return &oppositions[best]
}
