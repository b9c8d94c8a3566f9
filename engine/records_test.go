package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
)

// A record is one thing that a page shows; number is which one, whatever is said of it.
type record struct {
	number int
	name   string
	sum    int
}

// A recordPage shows records, and links that tell whose control was pressed.
type recordPage struct {
	*rand.Rand
	layout   sites.RecordLayout
	controls []string
	oneText  bool   // name and sum are one text
	names    string // with a place for a number
	records  []record
	made     int
}

func newRecordPage(seed uint64, layout sites.RecordLayout) *recordPage {
	r := rand.New(rand.NewPCG(seed, 21))
	p := &recordPage{Rand: r, layout: layout, oneText: r.IntN(3) == 0}
	p.controls = [][]string{{"Delete"}, {"Edit", "Delete"}, {"Delete", "Edit"}}[r.IntN(3)]
	p.names = []string{"Order %d", "Order no. %d", "Invoice %d from March", "%d.pdf"}[r.IntN(4)]
	for range 2 + r.IntN(4) {
		p.records = append(p.records, p.another())
	}
	return p
}

func (p *recordPage) another() record {
	p.made++
	return record{p.made, fmt.Sprintf(p.names, 1000+p.made), 5 * (1 + p.IntN(4))}
}

func (r *record) href(control string) string { return fmt.Sprintf("/done/%d/%s", r.number, control) }

// texts returns a record's name and sum as the page shows them.
func (p *recordPage) texts(r *record) (name, sum string) {
	if p.oneText {
		return fmt.Sprintf("%s for %d €", r.name, r.sum), "now"
	}
	return r.name, fmt.Sprint(r.sum, " €")
}

func (p *recordPage) html() string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><title>Records</title><h1>All of them</h1>" + p.layout.Before)
	for i, r := range p.records {
		controls := ""
		for _, c := range p.controls {
			controls += fmt.Sprintf("<a id=%s%d href=%s>%s</a> ", c, i, r.href(c), c)
		}
		name, sum := p.texts(&r)
		b.WriteString(strings.NewReplacer("N", fmt.Sprintf("<span id=name%d>%s</span>", i, name),
			"S", fmt.Sprintf("<span id=sum%d>%s</span>", i, sum), "A", controls).Replace(p.layout.Record))
	}
	return b.String() + p.layout.Behind
}

// change changes the records, often the one at target.
func (p *recordPage) change(target int) (what string) {
	number, at := p.records[target].number, p.IntN(len(p.records))
	for range 1 + p.IntN(2) {
		switch now := slices.IndexFunc(p.records, func(r record) bool { return r.number == number }); p.IntN(6) {
		case 0:
			what += "inserted; "
			p.records = slices.Insert(p.records, at, p.another())
		case 1:
			what += "other sum; "
			p.records[at].sum += 5
		case 2:
			what += "other order; "
			p.Shuffle(len(p.records), func(i, k int) { p.records[i], p.records[k] = p.records[k], p.records[i] })
		case 3, 4:
			if now >= 0 {
				what += "another in its place; "
				p.records[now] = p.another()
			}
		case 5:
			if now >= 0 && len(p.records) > 2 {
				what += "gone; "
				p.records, at = slices.Delete(p.records, now, now+1), 0
			}
		}
	}
	return what
}

// show writes the records into the nodes of those that were there, as lists do that keep
// their nodes. What is too many for them is left out.
func (p *recordPage) show(d *fake.Document, nodes int) {
	p.records = p.records[:min(nodes, len(p.records))]
	set := func(id, text string) {
		for _, e := range d.FindAll("#" + id) {
			if e.Text() != text {
				e.SetText(text)
			}
		}
	}
	for i := range nodes {
		if i >= len(p.records) {
			d.Find(fmt.Sprint("#name", i)).Remove()
			for _, c := range p.controls {
				d.Find(fmt.Sprint("#", c, i)).Remove()
			}
			continue
		}
		name, sum := p.texts(&p.records[i])
		set(fmt.Sprint("name", i), name)
		set(fmt.Sprint("sum", i), sum)
		for _, c := range p.controls {
			d.Find(fmt.Sprint("#", c, i)).SetAttr("href", p.records[i].href(c))
		}
	}
}

// An action on a record is done to that one or refused, whatever has become of the list: by a
// stored action on a new page, and by one of a reading in a list that keeps its nodes.
func TestActionsKeepTheirRecord(t *testing.T) {
	const base = "https://records.test"
	for name, layout := range sites.RecordLayouts {
		t.Run(name, func(t *testing.T) {
			done, refused := 0, 0
			for seed := range uint64(120) {
				p := newRecordPage(seed, layout)
				target, control, nodes := p.IntN(len(p.records)), p.controls[p.IntN(len(p.controls))], len(p.records)
				want := base + p.records[target].href(control)
				web := fake.Web{base + "/": p.html(), base + "/about": "About"}
				open := func() *engine.Page {
					session, err := engine.Open(t.Context(), fake.New(fake.Options{Web: web}), &engine.Options{Patience: time.Millisecond})
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { session.Close() })
					if _, err := session.Page().Navigate(t.Context(), base+"/", nil); err != nil {
						t.Fatal(err)
					}
					return session.Page()
				}
				answer := func() {
					for _, r := range p.records {
						for _, c := range p.controls {
							web[base+r.href(c)] = "Done"
						}
					}
				}
				answer()
				page := open()
				snap, err := page.Snapshot(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				at := slices.IndexFunc(snap.Nodes, func(n accessibility.Node) bool { return n.URL == want })
				reading := engine.Target{Snapshot: snap, Ref: snap.Nodes[at].Ref}
				var what string
				if live := seed%2 == 0; live {
					what = "live: " + p.change(target)
					if err := fake.Change(t.Context(), page.Driver(), func(d *fake.Document) { p.show(d, nodes) }); err != nil {
						t.Fatal(err)
					}
					answer()
					_, err = page.DoTo(t.Context(), reading, engine.Command{Method: engine.Click}, nil)
				} else {
					result, failed := page.DoTo(t.Context(), reading, engine.Command{Method: engine.Click}, nil)
					if failed != nil || page.URL() != want {
						t.Fatal(page.URL(), failed)
					}
					what = "stored: " + p.change(target)
					web[base+"/"] = p.html()
					answer()
					page = open()
					_, err = page.Do(t.Context(), result.Actions[0], nil)
				}
				switch address := page.URL(); {
				case err == nil && address == want:
					done++
				case err != nil && address == base+"/":
					refused++
				default:
					t.Errorf("seed %d, %sat %s, want %s or a refusal: %v\n%s", seed, what, address, want, err, p.html())
				}
			}
			if done < 20 || refused < 20 {
				t.Errorf("%d were done and %d refused; of both there are more", done, refused)
			}
		})
	}
}
