package grounding_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/grounding"
)

func sentences(tb testing.TB, s *specimen, text string) []grounding.Sentence {
	tb.Helper()
	return grounding.Read(s.snap, &grounding.Options{Now: now}).CheckText(text)
}

// TestSentences: what a sentence quotes has to stand on the page, whatever its
// other words are.
func TestSentences(t *testing.T) {
	const html = `<title>Chairs</title><nav><a href=/basket>Basket</a></nav><h1>Chairs of Harrow &amp; Finch</h1><p>Founded by Marlow Quint on 3 May 1998. Mail <a href="mailto:shop@harrow.test">shop@harrow.test</a>.</p>
<ul><li><h3>Alba Desk Chair</h3> <b>$99.00</b> <i>SKU ALB-1</i> <em>218 reviews</em><p>In stock</li><li><h3>Boro Stool</h3> <b>$1,249.50</b> <i>SKU BOR-7</i> <em>12 reviews</em><p>Sold out</li><li><h3>Cleo Bench</h3> <b>$310.00</b> <i>SKU CLE-2</i> <em>7 reviews</em><p>In stock</li></ul>`
	page := &specimen{snap: snapshot(t, html)}
	for _, c := range []struct {
		text    string
		sources int
		doubts  []string // a part of each
	}{
		{"The Alba Desk Chair costs 99 dollars and is in stock.", 2, nil},
		{"The Alba Desk Chair costs $89.", 1, []string{"$89"}},
		{"The Alba Desk Chair costs $310.", 2, []string{"another row"}},
		{"It was founded by Marlow Quint in May 1998.", 2, nil},
		{"It was founded by Elena Vasquez on 1998-05-03.", 1, []string{"Elena Vasquez"}},
		{"It was founded on 4 May 1998.", 0, []string{"4 may 1998"}},
		{"They call it the “Boro Stool”.", 1, nil},
		{"They call it the “Boro Sofa”.", 0, []string{"Boro Sofa"}},
		{"Write to shop@harrow.test.", 1, nil},
		{"Write to sales@harrow.test.", 0, []string{"sales@harrow.test"}},
		{"Its SKU is BOR-7.", 2, nil},
		{"Its SKU is BOR-9.", 1, []string{"BOR-9"}},
		{"It has 218 reviews.", 1, nil},
		{"Unfortunately nothing is said of delivery.", 0, nil},
		{"There are 3 chairs, and the stool is $939.50 dearer than the bench: $1,249.50 and $310.", 4, nil},
		{"- **Price:** $99.00\n- **Available:** Yes", 1, nil},
		{"Der Alba Desk Chair kostet 99,00 $ und ist der Liebling der Kunden.", 2, nil},
		{"Prices range from $99 to $1,249.50.", 2, nil},
		{"They ask “Is it dear? Yes!” of Dr. Marlow Quint.", 1, []string{"Is it dear? Yes!"}},
		{"", 0, nil},
		// A number that is rounded; which side it bounds is not read.
		{"The Alba Desk Chair has more than 200 reviews.", 2, nil},
		{"The Alba Desk Chair has more than 300 reviews.", 1, []string{"300"}},
		{"The Alba Desk Chair costs less than $100.", 2, nil},
		{"The Cleo Bench costs about $400.", 1, []string{"$400"}},
		{"The Boro Stool costs about $1,200.", 2, nil},
		// Amounts that are compared, and one of another thing.
		{"The cheapest is the Alba Desk Chair at $99; others go up to $1,249.50.", 3, nil},
		{"The Alba Desk Chair has 218 reviews and costs $310.", 3, []string{"$310 stands in another row"}},
	} {
		var sources int
		var doubts []string
		for _, s := range sentences(t, page, c.text) {
			sources += len(s.Sources)
			doubts = append(doubts, s.Doubts...)
			for _, source := range s.Sources {
				if source.Kind == "" || source.Ref == "" && source.Kind != grounding.Derived || source.Text == "" {
					t.Errorf("CheckText(%q): source %+v", c.text, source)
				}
			}
		}
		ok := len(doubts) == len(c.doubts)
		for i := range min(len(doubts), len(c.doubts)) {
			ok = ok && strings.Contains(doubts[i], c.doubts[i])
		}
		if !ok || sources != c.sources {
			t.Errorf("CheckText(%q) = %d sources, doubts %q; want %d, %q", c.text, sources, doubts, c.sources, c.doubts)
		}
	}
}

// A statement is a sentence with the value that it gives, and what the next
// entry of the list has in its place.
type statement struct {
	text        string
	value, next any
}

// prose writes the objects of data as sentences, as a model would: what a thing
// is called, and what is true of it.
func prose(v, next any, out []statement) []statement {
	switch v := v.(type) {
	case map[string]any:
		name := ""
		for _, key := range []string{"name", "title", "product", "company", "author"} {
			if s, ok := v[key].(string); ok && name == "" {
				name = s
			}
		}
		beside, _ := next.(map[string]any)
		for _, l := range leavesOf(v, "", nil, nil) {
			if _, ok := l.value.(bool); ok || strings.Count(l.pointer, "/") > 1 || name == "" || l.value == name {
				continue
			}
			said := fmt.Sprint(l.value)
			if s, ok := l.value.(string); ok && !strings.Contains(s, "://") && s[0] > '9' {
				said = "“" + s + "”"
			}
			out = append(out, statement{fmt.Sprintf("For “%s” the page gives %s as the %s.", name, said, l.pointer[1:]), l.value, beside[l.pointer[1:]]})
		}
		for _, k := range v {
			switch k.(type) {
			case map[string]any, []any:
				out = prose(k, nil, out)
			}
		}
	case []any:
		for i, k := range v {
			out = prose(k, v[(i+1)%len(v)], out)
		}
	}
	return out
}

// TestRatesOfSentences: texts made of the corpus, and of wrong answers about it.
func TestRatesOfSentences(t *testing.T) {
	all, good, wrong, noticed := 0, 0, 0, 0
	for _, s := range goldCorpus(t) {
		if len(marshal(s.gold)) > 50_000 {
			continue
		}
		list := prose(s.gold, nil, nil)
		page := grounding.Read(s.snap, &grounding.Options{Now: now})
		for _, said := range list {
			sentence := said.text
			all++
			got := page.CheckText(sentence)
			if len(got) == 1 && len(got[0].Doubts) == 0 && len(got[0].Sources) > 0 {
				good++
			} else {
				t.Logf("%s: true, doubted: %+v", s.name, got)
			}
			var changed []string
			switch v := said.value.(type) {
			case json.Number:
				f, _ := v.Float64()
				changed = append(changed, strings.Replace(sentence, " gives "+string(v), fmt.Sprintf(" gives %v", f*3+17), 1))
				if said.next != nil && said.next != v {
					changed = append(changed, strings.Replace(sentence, " gives "+string(v), fmt.Sprintf(" gives %v", said.next), 1))
				}
			case string:
				if strings.Contains(v, "://") {
					changed = append(changed, strings.Replace(sentence, v, v+"-2", 1))
				} else {
					changed = append(changed, strings.Replace(sentence, v, "Marlow Quint", 1), strings.Replace(sentence, " gives “"+v+"”", " gives Elena Vasquez", 1))
				}
			}
			for _, f := range changed {
				if f == sentence {
					continue
				}
				wrong++
				if got := page.CheckText(f); len(got) == 1 && len(got[0].Doubts) > 0 {
					noticed++
				} else {
					t.Logf("%s: not noticed: %s %+v", s.name, f, got)
				}
			}
		}
	}
	t.Logf("%d of %d true sentences traced, %d of %d wrong ones doubted", good, all, noticed, wrong)
	if 100*good < 99*all || 100*noticed < 97*wrong || all < 200 {
		t.Errorf("%d of %d true sentences traced, want 99 %%; %d of %d wrong ones doubted, want 97 %%", good, all, noticed, wrong)
	}
}
