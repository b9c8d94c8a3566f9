package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// The thirty sites of the measure: what they are about, and whether they are built with
// tables, list items or cards. Each has a navigation, a form, rows that look the same, and
// buttons of icons.
var storedSites = func() (sites []string) {
	for _, kind := range []string{"shop", "bank", "mail", "library", "clinic", "school", "garage", "farm", "museum", "harbour"} {
		for _, form := range []string{"table", "list", "cards"} {
			sites = append(sites, kind+" "+form)
		}
	}
	return sites
}()

var storedThings = map[string][]string{
	"shop": {"Teapot", "Kettle", "Cup", "Tray"}, "bank": {"Savings", "Loan", "Card", "Deposit"}, "mail": {"Invoice from Ada", "Lunch", "Holiday plan", "Minutes"},
	"library": {"Dune", "Emma", "Ulysses", "Solaris"}, "clinic": {"Dr. Berg", "Dr. Lund", "Dr. Moe", "Dr. Nes"}, "school": {"Maths", "History", "Music", "Sport"},
	"garage": {"Brakes", "Tyres", "Oil", "Lights"}, "farm": {"North field", "South field", "Barn", "Orchard"}, "museum": {"Room of kings", "Sculptures", "Coins", "Maps"}, "harbour": {"Pier One", "Pier Two", "Dock", "Crane"},
}

// storedPage is a site's page. Each element of the measure has a number, which no locator
// uses.
func storedPage(site string) string {
	kind, form, _ := strings.Cut(site, " ")
	n := 0
	at := func() string { n++; return fmt.Sprintf(`data-n=%d`, n) }
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><html lang=en><title>%s</title><body><header class="bar top"><nav class=links><a class=link href="/a" %s>Home</a><a class=link href="/b" %s>Offers</a></nav>
		<button class="icon" aria-label="Settings" %s>⚙</button></header><main id=content><h1>The %s</h1>
		<form class=search id=find><label for=q>Search</label><input id=q name=q %s><button class=go %s>Go</button></form><section class=rows><h2>What there is</h2>`, kind, at(), at(), at(), kind, at(), at())
	open, row, end := "<table class=grid><tr><th>Name<th>Count<th>", "<tr class=row><td>%s<td>%d<td>%s", "</table>"
	switch form {
	case "list":
		open, row, end = "<ul class=items>", "<li class=item><span class=t>%s</span> <em>%d</em> %s</li>", "</ul>"
	case "cards":
		open, row, end = "<div class=cards>", "<article class=card><h3>%s</h3><p>%d left</p>%s</article>", "</div>"
	}
	b.WriteString(open)
	for i, thing := range storedThings[kind] {
		fmt.Fprintf(&b, row, thing, 10+7*i, fmt.Sprintf(`<button class="act a%d" %s>Open</button>`, i, at()))
	}
	b.WriteString(end)
	fmt.Fprintf(&b, `</section></main><footer><a href="/c" class=legal %s>Imprint</a></footer>`, at())
	return b.String()
}

// The changes of the measure. The meaning is the same after those that keep the names.
var storedChanges = []struct {
	name  string
	keeps bool
	make  func(body *html.Node)
}{
	{"a sibling before", true, func(body *html.Node) {
		for _, parent := range append(elements(body, "main", "header", "ul", "table", "section"), body) {
			if parent.Data == "table" {
				parent = parent.FirstChild // its tbody
			}
			parent.InsertBefore(map[bool]*html.Node{
				true: elementOf("li", "Something new"), false: elementOf("div", "Something new"),
			}[parent.Data == "ul"], parent.FirstChild)
		}
	}},
	{"a wrapper around", true, func(body *html.Node) {
		for _, inner := range elements(body, "main", "form", "ul", "table", "nav", "article") {
			wrapper := elementOf("div", "")
			inner.Parent.InsertBefore(wrapper, inner)
			inner.Parent.RemoveChild(inner)
			wrapper.AppendChild(inner)
		}
	}},
	{"classes and ids renamed", true, func(body *html.Node) {
		for n := range body.Descendants() {
			for i, a := range n.Attr {
				if a.Key == "class" || a.Key == "id" || a.Key == "for" {
					n.Attr[i].Val = "x" + strings.ReplaceAll(a.Val, " ", " x")
				}
			}
		}
	}},
	{"the list in another order", true, func(body *html.Node) {
		for _, list := range elements(body, "ul", "tbody", "div") {
			rows := slices.DeleteFunc(slices.Collect(list.ChildNodes()), func(n *html.Node) bool {
				return n.Data != "li" && n.Data != "article" && (n.Data != "tr" || n.FirstChild.Data == "th")
			})
			for _, r := range rows {
				list.RemoveChild(r)
			}
			slices.Reverse(rows)
			for _, r := range rows {
				list.AppendChild(r)
			}
		}
	}},
	{"all of these", true, nil},
	{"labels extended", false, func(body *html.Node) {
		for _, n := range elements(body, "button", "a", "label") {
			if n.FirstChild != nil {
				n.FirstChild.Data += " now"
			}
		}
	}},
	{"another language", false, func(body *html.Node) {
		german := strings.NewReplacer("Home", "Start", "Offers", "Angebote", "Search", "Suche", "Go", "Los", "Open", "Öffnen", "Imprint", "Impressum", "Settings", "Einstellungen")
		for n := range body.Descendants() {
			if n.Type == html.TextNode {
				n.Data = german.Replace(n.Data)
			}
			for i, a := range n.Attr {
				if a.Key == "aria-label" {
					n.Attr[i].Val = german.Replace(a.Val)
				}
			}
		}
	}},
	{"a row gone, and one come", false, func(body *html.Node) {
		for _, n := range elements(body, "li", "article", "tr") {
			if n.FirstChild.Data == "th" {
				continue
			}
			for text := range n.Descendants() {
				if text.Type == html.TextNode && text.Parent.Data != "button" && len(text.Data) > 3 && !strings.HasSuffix(text.Data, " left") {
					text.Data = "Replacement"
				}
			}
			for _, b := range elements(n, "button") {
				b.Attr = append(slices.DeleteFunc(b.Attr, func(a html.Attribute) bool { return a.Key == "data-n" }), html.Attribute{Key: "data-n", Val: "-1"})
			}
			return
		}
	}},
}

func elements(root *html.Node, names ...string) (found []*html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && slices.Contains(names, n.Data) {
			found = append(found, n)
		}
	}
	return found
}

func elementOf(name, text string) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: name}
	if text != "" {
		n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	}
	return n
}

// changed is a page after a change.
func changed(t *testing.T, page string, change int) string {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	body := elements(doc, "body")[0]
	if storedChanges[change].make == nil {
		for _, c := range storedChanges[:change] {
			c.make(body)
		}
	} else {
		storedChanges[change].make(body)
	}
	var b strings.Builder
	if err := html.Render(&b, doc); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A storedCount counts what became of stored actions: the right element was found, it was
// refused, or another one was found.
type storedCount struct{ Survived, Refused, Wrong int }

func (c *storedCount) add(want, got string) {
	switch got {
	case want:
		c.Survived++
	case "":
		c.Refused++
	default:
		c.Wrong++
	}
}

func (c storedCount) String() string {
	return fmt.Sprintf("%3d survived, %3d refused, %3d wrong", c.Survived, c.Refused, c.Wrong)
}

// Stored actions on thirty sites that change: where the meaning is the same they find
// their element, and never another one. Beside them: an absolute XPath alone, which is
// what a cached action of Stagehand has (it replays that before it asks its model again),
// and where npm is asked, the locators that Playwright makes for the same elements.
func TestStoredActionsOfSites(t *testing.T) {
	web, files := fake.Web{}, map[string]string{}
	for i, site := range storedSites {
		page := storedPage(site)
		web[fmt.Sprintf("https://site.test/%d", i)] = page
		files[fmt.Sprintf("%d.html", i)] = page
		for c := range storedChanges {
			after := changed(t, page, c)
			web[fmt.Sprintf("https://site.test/%d/%d", i, c)] = after
			files[fmt.Sprintf("%d-%d.html", i, c)] = after
		}
	}
	session, err := engine.Open(t.Context(), web, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	nodeOf := func(snap *engine.Snapshot, a engine.Action) *accessibility.Node {
		for i := range snap.Nodes {
			if int64(snap.Nodes[i].Source.Node) == a.BackendNodeID {
				return &snap.Nodes[i]
			}
		}
		return nil
	}
	numbered := func(a engine.Action) string {
		snap, err := page.Snapshot(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := nodeOf(snap, a); n != nil {
			number, _ := snap.Captured(n).Attr("data-n")
			return number
		}
		return "?"
	}
	ours, byPlace := make([]storedCount, len(storedChanges)), make([]storedCount, len(storedChanges))
	actions := 0
	for i := range storedSites {
		if _, err := page.Navigate(t.Context(), fmt.Sprintf("https://site.test/%d", i), nil); err != nil {
			t.Fatal(err)
		}
		all, err := page.Observe(t.Context(), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		before, err := page.Snapshot(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		wants, places := make([]string, len(all.Actions)), make([]string, len(all.Actions))
		for k, a := range all.Actions {
			wants[k] = numbered(a)
			n := nodeOf(before, a)
			places[k] = before.RootPath(n)
			actions++
		}
		for c := range storedChanges {
			if _, err := page.Navigate(t.Context(), fmt.Sprintf("https://site.test/%d/%d", i, c), nil); err != nil {
				t.Fatal(err)
			}
			after, err := page.Snapshot(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			at := map[string]string{} // the number of the element at each path
			for i := range after.Nodes {
				if n := &after.Nodes[i]; n.Tag != "" {
					at[after.RootPath(n)] = "none"
					if number, ok := after.Captured(n).Attr("data-n"); ok {
						at[after.RootPath(n)] = number
					}
				}
			}
			for k, a := range all.Actions {
				byPlace[c].add(wants[k], at[places[k]])
				a.BackendNodeID = 0
				got := ""
				found, err := page.Find(t.Context(), a)
				if err == nil {
					got = numbered(found)
				}
				ours[c].add(wants[k], got)
				if got != wants[k] && (got != "" || storedChanges[c].keeps) {
					t.Errorf("%s, %s: %s = element %q, %v; want %s; was %+v, is %+v", storedSites[i], storedChanges[c].name, a.Description, got, err, wants[k], a.Surroundings, found.Surroundings)
				}
			}
		}
	}
	t.Logf("%d stored actions of %d sites", actions, len(storedSites))
	theirs := playwrightStored(t, files)
	for c, change := range storedChanges {
		line := fmt.Sprintf("%-26s %s; by absolute XPath alone %s", change.name, ours[c], byPlace[c])
		if theirs != nil {
			line += "; Playwright's locators " + theirs[c].String()
		}
		t.Log(line)
	}
}

// playwrightStored measures the locators that Playwright makes for the same elements, nil
// without npm.
func playwrightStored(t *testing.T, files map[string]string) []storedCount {
	if os.Getenv("WAYFINDER_NPM") == "" {
		return nil
	}
	clients, err := npmDir()
	if err != nil {
		t.Log(err)
		return nil
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	node := exec.Command("node", "stored.mjs", dir, fmt.Sprint(len(storedSites)), fmt.Sprint(len(storedChanges)))
	node.Dir, node.Stderr = clients, os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Logf("Playwright: %v", err)
		return nil
	}
	var found [][][2]string // by change: what was meant, and what was found
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	counts := make([]storedCount, len(storedChanges))
	for c := range found {
		for _, one := range found[c] {
			counts[c].add(one[0], one[1])
		}
	}
	return counts
}
