package engine

import (
	"errors"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// What is beside an element tells it from others that look the same, after the
// page has rendered anew and kept its nodes.
func TestRow(t *testing.T) {
	texts := func(pairs ...string) func(*fake.Document) {
		return func(d *fake.Document) {
			for i := 0; i < len(pairs); i += 2 {
				d.Find(pairs[i]).SetText(pairs[i+1])
			}
		}
	}
	const (
		list  = `<ul><li><b id=a>Anna</b> <button id=x>Remove</button></li><li><b id=b>Bob</b> <button id=y>Remove</button></li></ul>`
		flat  = `<p id=a>Anna</p><button id=x>Remove</button><p id=b>Bob</p><button id=y>Remove</button>`
		below = `<button id=x>Buy</button><p id=a>Anna</p><button id=y>Buy</button><p id=b>Bob</p>`
		long  = `<ul><li><b id=a>Anna</b> <i id=ago>3 min ago</i> <button id=x>Remove</button></li><li><b id=b>Bob</b> 5 min ago <button id=y>Remove</button></li></ul>`
		one   = `<ul><li><b id=a>Order no. 17</b> <button id=x>Remove</button></li><li><b id=b>Order no. 18</b> <button id=y>Remove</button></li></ul>`
		named = `<dl><dt id=a>Anna<dd><a href=1>Edit</a> <button id=x>Remove</button><dt id=b>Bob<dd><a href=2>Edit</a> <button id=y>Remove</button></dl>`
		only  = `<ul><li><b id=a>Anna</b> <button id=x>Remove</button></li></ul>`
		bare  = `<button id=x>Go</button><button id=y>Go</button>`
		alone = `<p id=a>Anna</p><button id=x>Remove</button>`
	)
	for _, c := range []struct {
		what, page string
		change     func(*fake.Document)
		kept       bool
		again      string // where the row is found then
	}{
		{"nothing", list, texts(), true, "#x"},
		{"another row", list, texts("#b", "Cleo"), true, "#x"},
		{"places", list, texts("#a", "Bob", "#b", "Anna"), false, "#y"},
		{"the first is gone", list, func(d *fake.Document) { texts("#a", "Bob")(d); d.Find("#y").Parent().Remove() }, false, ""},
		{"all rows", list, texts("#a", "Yan", "#b", "Zed"), false, ""},
		{"one before all", list, texts("#a", "Zed", "#b", "Anna"), false, "#y"},
		{"places without rows", flat, texts("#a", "Bob", "#b", "Anna"), false, "#y"},
		{"nothing, without rows", flat, texts("#b", "Cleo"), true, "#x"},
		{"places, the text behind", below, texts("#a", "Bob", "#b", "Anna"), false, "#y"},
		{"some words", long, texts("#ago", "4 min ago"), true, ""},
		{"some words, and the first", long, texts("#a", "Cleo", "#ago", "4 min ago"), false, ""},
		{"some words, to those of another", long, texts("#a", "Bob", "#ago", "5 min ago"), false, ""},
		{"a number", one, texts("#a", "Order no. 19"), false, ""},
		{"places, and a control in each", named, texts("#a", "Bob", "#b", "Anna"), false, "#y"},
		{"the only row", only, texts("#a", "Bob"), false, ""},
		{"nothing to tell by", bare, texts(), true, ""},
		{"of one alone", alone, texts("#a", "Bob"), true, ""},
	} {
		session, err := Open(t.Context(), fake.New(fake.Options{Web: fake.Web{"https://a.test/": c.page}}), nil)
		if err != nil {
			t.Fatal(err)
		}
		p := session.Page()
		if _, err := p.Navigate(t.Context(), "https://a.test/", nil); err != nil {
			t.Fatal(err)
		}
		before, node := p.read(t), p.first(t, "#x")
		if err := fake.Change(t.Context(), p.driver, c.change); err != nil {
			t.Fatal(err)
		}
		now := p.read(t)
		if err := checkRow(before, node, now, node); (err == nil) != c.kept || err != nil && !errors.Is(err, ErrMismatch) {
			t.Errorf("change of %s: keepsRow = %v, want kept %t", c.what, err, c.kept)
		}
		var want driver.NodeRef
		if c.again != "" {
			want = p.first(t, c.again)
		}
		if got, ok := inSameRow(before, node, now); ok != (c.again != "") || got != want {
			t.Errorf("change of %s: inSameRow = %v, %t, want %v", c.what, got, ok, want)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}

// read reads the page anew.
func (p *Page) read(t *testing.T) *Snapshot {
	p.last = reading{}
	if _, err := p.capture(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p.build(nil)
}

func (p *Page) first(t *testing.T, selector string) driver.NodeRef {
	nodes, err := p.find(t.Context(), selector)
	if err != nil || len(nodes) == 0 {
		t.Fatalf("find(%s) = %v, %v", selector, nodes, err)
	}
	return nodes[0]
}
