package script_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// rewrite has every page of a site changed before a visitor gets it.
func rewrite(change func(root *html.Node)) func(http.Handler) http.Handler {
	return func(site http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := httptest.NewRecorder()
			site.ServeHTTP(rec, r)
			body := rec.Body.Bytes()
			if strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html") {
				if root, err := html.Parse(bytes.NewReader(body)); err == nil {
					change(root)
					var out bytes.Buffer
					if html.Render(&out, root) == nil {
						body = out.Bytes()
					}
				}
			}
			for name, values := range rec.Header() {
				if name != "Content-Length" {
					w.Header()[name] = values
				}
			}
			w.WriteHeader(rec.Code)
			_, _ = w.Write(body)
		})
	}
}

// each calls f for every element, innermost last.
func each(n *html.Node, f func(*html.Node)) {
	if n.Type == html.ElementNode {
		f(n)
	}
	var children []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		children = append(children, c)
	}
	for _, c := range children {
		each(c, f)
	}
}

func attr(n *html.Node, name string) *string {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			return &n.Attr[i].Val
		}
	}
	return nil
}

func within(n *html.Node, names ...string) bool {
	for up := n.Parent; up != nil; up = up.Parent {
		if up.Type == html.ElementNode && slices.Contains(names, up.Data) {
			return true
		}
	}
	return false
}

// reword writes the words that a site's maker chose: of buttons, labels, the
// menus, headings, and what it announces. What visitors entered, and options'
// values, stay.
func reword(f func(string) string) func(http.Handler) http.Handler {
	return rewrite(func(root *html.Node) {
		each(root, func(n *html.Node) {
			switch {
			case n.Data == "option" && attr(n, "value") == nil:
				if n.FirstChild != nil {
					n.Attr = append(n.Attr, html.Attribute{Key: "value", Val: strings.TrimSpace(n.FirstChild.Data)})
				}
			case n.Data == "button", n.Data == "label", n.Data == "legend", n.Data == "h1", n.Data == "th", n.Data == "a" && within(n, "nav", "footer"):
				for c := n.FirstChild; c != nil; c = c.NextSibling {
					if text := strings.TrimSpace(c.Data); c.Type == html.TextNode && text != "" {
						c.Data = strings.Replace(c.Data, text, f(text), 1)
					}
				}
			}
			if label := attr(n, "aria-label"); label != nil && (n.Data == "input" || n.Data == "select" || n.Data == "button") {
				*label = f(*label)
			}
		})
	})
}

// renamed is what a redesign makes of the words.
func renamed(text string) string {
	for was, is := range map[string]string{"Add": "Put", "Search": "Find", "Save": "Keep changes", "Write": "New message", "Next": "Continue", "Cart": "Basket", "Orders": "Purchases", "Open": "Show", "Edit": "Change"} {
		if text == was {
			return is
		}
	}
	return text + " here"
}

var german = map[string]string{
	"Add": "Hinzufügen", "Search": "Suchen", "Save": "Speichern", "Write": "Schreiben", "Next": "Weiter", "Cart": "Warenkorb", "Orders": "Bestellungen", "Open": "Öffnen", "Edit": "Bearbeiten",
	"Send": "Senden", "Delete": "Löschen", "Remove": "Entfernen", "Order": "Bestellen", "Pay": "Bezahlen", "Book": "Buchen", "Cancel": "Stornieren", "Name": "Name", "Street": "Straße", "City": "Ort",
	"Subject": "Betreff", "Text": "Text", "To": "An", "Date": "Datum", "Time": "Zeit", "From": "Von", "Quantity": "Menge", "Color": "Farbe", "Password": "Passwort", "to": "zum", "cart": "Warenkorb", "Log": "An", "in": "melden",
	"Thank": "Danke", "you": "Ihnen", "Products": "Produkte", "Help": "Hilfe", "Back": "Zurück", "Your": "Ihr", "Reply": "Antworten", "New": "Neu", "Confirm": "Bestätigen", "the": "die", "and": "und", "of": "von",
}

var word = regexp.MustCompile(`\pL+`)

// translated is a text in another language, word by word; a word that the
// dictionary lacks gets an ending.
func translated(text string) string {
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if is, ok := german[w]; ok {
			return is
		}
		if len(w) < 3 {
			return w
		}
		return w + "en"
	})
}

// reordered turns lists, tables, menus and the fields of forms around.
var reordered = rewrite(func(root *html.Node) {
	each(root, func(n *html.Node) {
		kind := map[string]string{"ul": "li", "tbody": "tr", "nav": "a", "form": "label"}[n.Data]
		if kind == "" {
			return
		}
		var at []*html.Node // places, as the node before which each stands
		var items []*html.Node
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode && c.Data == kind && (c.FirstChild == nil || c.FirstChild.Data != "th") {
				items = append(items, c)
			}
		}
		for _, item := range items {
			mark := &html.Node{Type: html.CommentNode}
			n.InsertBefore(mark, item)
			n.RemoveChild(item)
			at = append(at, mark)
		}
		slices.Reverse(items)
		for i, item := range items {
			n.InsertBefore(item, at[i])
			n.RemoveChild(at[i])
		}
	})
})

// asking lays a dialog over the first page, and over the fourth.
func asking(site http.Handler) http.Handler {
	var pages atomic.Int32
	return rewrite(func(root *html.Node) {
		if n := pages.Add(1); n != 1 && n != 4 {
			return
		}
		dialog, err := html.Parse(strings.NewReader(`<dialog open aria-label="Our newsletter" style="position:fixed;left:0;top:0;width:100%;height:100%;z-index:9;background:white"><p>Hear of all that is new.</p><form method="dialog"><button>Not now</button> <button>Tell me all</button></form></dialog>`))
		if err != nil {
			return
		}
		each(dialog, func(d *html.Node) {
			if d.Data == "dialog" {
				d.Parent.RemoveChild(d)
				each(root, func(n *html.Node) {
					if n.Data == "body" {
						n.AppendChild(d)
					}
				})
			}
		})
	})(site)
}

// without takes the rows away in which a script's targets stood.
func without(s *script.Script) func(http.Handler) http.Handler {
	rows := []string{}
	for _, step := range s.Steps {
		if step.Target != nil && step.Target.Alike > 1 && step.Target.Row != "" {
			rows = append(rows, step.Target.Row)
		}
	}
	return rewrite(func(root *html.Node) {
		each(root, func(n *html.Node) {
			if n.Data != "li" && n.Data != "tr" || n.Parent == nil {
				return
			}
			text := strings.Join(tokens.FindAllString(inner(n), 3), " ")
			for _, row := range rows {
				if text == strings.Join(tokens.FindAllString(row, 3), " ") {
					n.Parent.RemoveChild(n)
					return
				}
			}
		})
	})
}

var tokens = regexp.MustCompile(`[\pL\pN]+`)

func inner(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data + " "
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(inner(c))
	}
	return b.String()
}

// doubled has every button of a page twice.
var doubled = rewrite(func(root *html.Node) {
	each(root, func(n *html.Node) {
		if n.Data == "button" && n.Parent != nil {
			again := &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Attr: slices.Clone(n.Attr)}
			again.AppendChild(&html.Node{Type: html.TextNode, Data: inner(n)})
			n.Parent.InsertBefore(again, n)
		}
	})
})

// A mender is a model that knows how a site's words were changed, or one that
// answers anything.
type mender struct {
	words func(string) string
	liar  bool

	mu    sync.Mutex
	asked int
}

func (m *mender) Name() string { return "mender/test" }

var (
	line     = regexp.MustCompile(`\[([0-9]+-[0-9]+(?::[0-9]+)?)\] ([a-z]+): ([^\n]*)`)
	stepLine = regexp.MustCompile(`(?m)^step: \S+ (\S+) ("(?:[^"\\]|\\.)*")$`)
	beside   = regexp.MustCompile(`(?m)^beside: (.*)$`)
	saying   = regexp.MustCompile(`(?m)^words: (.*)$`)
)

func (m *mender) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	m.mu.Lock()
	m.asked++
	asked := m.asked
	m.mu.Unlock()
	parts := req.Messages[0].Parts
	was, outline := parts[0].(llm.Page).Text, parts[1].(llm.Page).Text
	answer := map[string]any{"found": false, "ref": "", "first": false, "option": "", "reason": "it is not there"}
	give := func(ref string) { answer["found"], answer["ref"] = true, ref }
	lines := line.FindAllStringSubmatch(outline, -1)
	switch {
	case m.liar:
		role := ""
		if r := stepLine.FindStringSubmatch(was); r != nil {
			role = r[1]
		}
		var same []string
		for _, l := range lines {
			if role == "" || l[2] == role {
				same = append(same, l[1])
			}
		}
		if len(same) > 0 {
			give(same[asked*7%len(same)])
		}
	case strings.Contains(outline, "button: Not now"):
		for _, l := range lines {
			if l[3] == "Not now" {
				give(l[1])
				answer["first"] = true
			}
		}
	case saying.MatchString(was):
		want := m.words(saying.FindStringSubmatch(was)[1])
		for _, l := range lines {
			if strings.HasPrefix(l[3], want) && answer["ref"] == "" {
				give(l[1])
			}
		}
	default:
		r := stepLine.FindStringSubmatch(was)
		var name string
		if r == nil || json.Unmarshal([]byte(r[2]), &name) != nil {
			break
		}
		want, row := m.words(name), ""
		if b := beside.FindStringSubmatch(was); b != nil {
			row, _, _ = strings.Cut(b[1], " ")
		}
		near := ""
		for _, l := range lines {
			if row != "" && strings.Contains(l[3], row) {
				near = l[1]
			}
			fit := l[2] == r[1] && (l[3] == want || strings.HasPrefix(l[3], want+" "))
			if fit && (answer["ref"] == "" || near != "") {
				give(l[1])
				if near != "" {
					break
				}
			}
		}
	}
	raw, err := json.Marshal(answer)
	return &llm.Response{Text: string(raw), Stop: llm.StopEnd, Usage: llm.Usage{Input: llm.Estimate(req), Output: 20}}, err
}
