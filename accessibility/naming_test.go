package accessibility_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
)

// locatorsOf writes the locators of all nodes of a page and holds each to its node.
func locatorsOf(t *testing.T, page string) (s *accessibility.Snapshot, texts []string, named int) {
	s = accessibility.Build(htmlcapture.Of(t, page), nil)
	nodes := make([]*accessibility.Node, len(s.Nodes))
	for i := range s.Nodes {
		nodes[i] = &s.Nodes[i]
	}
	texts = s.LocatorsOf(nodes)
	for i, text := range texts {
		if text == "" {
			continue
		}
		named++
		l, err := accessibility.ParseLocator(text)
		if err != nil {
			t.Fatal(err)
		}
		if found := s.Locate(l); len(found) != 1 || found[0].Ref != nodes[i].Ref {
			t.Errorf("%s finds %d nodes, want %s %q alone", text, len(found), nodes[i].Role, nodes[i].Name)
		}
		if one := s.LocatorsOf(nodes[i : i+1]); one[0] != text {
			t.Errorf("alone, %s is %s", text, one[0])
		}
	}
	return s, texts, named
}

// A locator is as short as it can be: role and name, then what is around the element.
func TestLocatorsOfNodes(t *testing.T) {
	s, texts, _ := locatorsOf(t, `<nav aria-label=Top><a href=/a>Home</a></nav><nav aria-label=Bottom><a href=/a>Home</a></nav>
		<button>Print "all"</button><input type=search><input aria-label=A><input aria-label=A>
		<table><tr><th>Name<th>Price<th><tr><td>Teapot<td>12 €<td><button>Open</button><input type=checkbox><tr><td>Cup<td>12 €<td><button>Open</button><input type=checkbox></table>
		<ul><li>3 <b>Lamp</b> <button>Add</button><li>3 <b>Lamp</b> <button>Add</button><li>9 <b>Desk</b> <button>Add</button></ul>
		<button>This is a very long name of a button that says all that there is to say about what it does</button>`)
	want := map[string]int{}
	for i, n := range s.Nodes {
		if n.Interactive {
			want[texts[i]]++
		}
	}
	for text, count := range map[string]int{
		`role=navigation[name="Top"] >> role=link[name="Home"]`:    1,
		`role=navigation[name="Bottom"] >> role=link[name="Home"]`: 1,
		`role=button[name="Print \"all\""]`:                        1,
		`role=row[text="Teapot"] >> role=button[name="Open"]`:      1,
		`role=row[text="Cup"] >> role=button[name="Open"]`:         1,
		`role=row[text="Cup"] >> role=checkbox`:                    1,
		`role=row[text="Teapot"] >> role=checkbox`:                 1,
		`role=listitem[text="9 Desk"] >> role=button[name="Add"]`:  1,
		"": 6, // the search field without a name, two fields A, two lamps, the long name
	} {
		if want[text] != count {
			t.Errorf("%q names %d elements, want %d", text, want[text], count)
		}
		delete(want, text)
	}
	for text := range want {
		t.Errorf("%q is written, too", text)
	}
}

// On pages as they are, each locator names its node alone.
func TestLocatorsOfPages(t *testing.T) {
	pages, err := filepath.Glob("../internal/gold/testdata/*.html")
	if err != nil || len(pages) < 50 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	all, named := 0, 0
	for i, file := range pages {
		if testing.Short() && i > 10 {
			break
		}
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, _, n := locatorsOf(t, string(page))
		all, named = all+len(s.Nodes), named+n
	}
	t.Logf("%d of %d nodes have a locator", named, all)
}
