package direct

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// value brings a fact into a member's form; ok is false where it doesn't fit.
func (p *page) value(m *member, f *fact) (v any, ok bool) {
	text := collapse(f.text)
	switch m.form.kind {
	case "boolean":
		if f.on != nil {
			return *f.on, true
		}
		return truth(m, text)
	case "number", "integer":
		if f.image {
			return nil, false // "team 1"
		}
		if f.figure != "" {
			text = f.figure
		}
		if len(text) > 80 {
			return nil, false
		}
		n, ok := p.figureOf(text)
		if !ok || !beside(n.before, f, m) || !beside(n.behind, f, m) {
			return nil, false
		}
		if m.form.kind == "integer" && strings.Contains(n.value, ".") {
			return nil, false
		}
		return json.Number(n.value), true
	case "string":
		if m.form.address() {
			return f.url, f.url != "" && absolute(f.url)
		}
		if text == "" || f.on != nil || f.count || f.lines > 1 && f.key[0] == 'T' || slices.Contains(m.wording.name, "question") && !strings.ContainsAny(text, "?？؟") ||
			f.key == "K:name" && slices.Contains(m.wording.name, "name") && strings.HasSuffix(text, "?") {
			return nil, false
		}
		if len(m.form.enum) > 0 {
			return oneOf(m.form.enum, text)
		}
		text = plain(text)
		switch m.form.format {
		case "date":
			written, ok := p.dateOf(text)
			if marked, also := p.dateOf(f.moment); also {
				if ok && written != marked {
					return nil, false
				}
				return marked, true
			}
			return written, ok
		case "email":
			return text, mail.MatchString(text)
		case "":
			return text, true
		}
	}
	return nil, false // formats that texts are rarely written in
}

var mail = regexp.MustCompile(`^[^\s@]+@[^\s@]+\.[^\s@]+$`)

// absolute reports whether an address is one of the web.
func absolute(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// resolve makes an address absolute.
func resolve(base, document, raw string) string {
	if base == "" {
		base = document
	}
	from, err := url.Parse(base)
	if err != nil {
		return ""
	}
	to, err := from.Parse(strings.TrimSpace(raw))
	if err != nil {
		return ""
	}
	if to.Host != "" && to.Path == "" {
		to.Path = "/"
	}
	return to.String()
}

// address returns where a node's attribute leads to, absolute.
func (p *page) address(n int32, name string) string {
	raw, ok := p.nodes[n].dom.Attr(name)
	if !ok || strings.TrimSpace(raw) == "" {
		return ""
	}
	doc := &p.tree.Capture.Documents[p.nodes[n].object.Doc]
	return resolve(doc.BaseURL, doc.URL, raw)
}

// beside reports whether the text beside a number leaves it what it is: a unit,
// a few words, but no range, bound or estimate.
func beside(text string, f *fact, m *member) bool {
	if text == "" {
		return true
	}
	words := split(text)
	if len(words) > 4 || strings.ContainsAny(text, "<>≤≥~≈=") {
		return false
	}
	for _, word := range words {
		if vague[word] {
			return false
		}
	}
	return true
}

var vague = setOf("from ab up to bis over under about circa ca approx approximately around almost nearly minus less more than least most or oder million millions milliard billion tausend thousand hundred dozen mio mrd mln mn tsd lakh crore no not")

var (
	yes      = setOf("yes true on ja oui sí si sim enabled included active checked available ✓ ✔ ✅ はい 是 نعم כן")
	no       = setOf("no false off nein non não disabled excluded inactive unchecked unavailable none ✗ ✘ ❌ いいえ 否 لا לא")
	inStock  = setOf("instock available verfügbar auflager lieferbar sofortlieferbar enstock disponible")
	outStock = setOf("outofstock soldout unavailable ausverkauft nichtverfügbar nichtlieferbar épuisé ausverkauft agotado")
)

// truth reads a text as yes or no. What a thing is called is yes for the member
// of that name: "Online" for online.
func truth(m *member, text string) (bool, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	joined := strings.Join(split(text), "")
	if joined == "" {
		joined = text
	}
	if m.wording.about == "stock" {
		switch {
		case outStock[joined]:
			return false, true
		case inStock[joined]:
			return true, true
		}
	}
	switch {
	case yes[joined]:
		return true, true
	case no[joined]:
		return false, true
	}
	name := strings.ToLower(strings.Join(split(m.name), ""))
	switch joined {
	case name, "is" + name:
		return true, true
	case "not" + name, "no" + name, "un" + name, "in" + name:
		return false, true
	}
	if opposite[name] == joined {
		return false, true
	}
	return false, false
}

var opposite = map[string]string{
	"online": "offline", "open": "closed", "active": "inactive", "enabled": "disabled", "public": "private",
	"available": "unavailable", "paid": "unpaid", "read": "unread", "locked": "unlocked", "valid": "invalid",
}

// oneOf returns the one value of an enum that a text names.
func oneOf(enum []string, text string) (any, bool) {
	words := split(text)
	var found []string
	for _, v := range enum {
		if slices.Equal(split(v), words) {
			found = append(found, v)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return nil, false
}
