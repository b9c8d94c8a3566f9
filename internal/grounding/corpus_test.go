package grounding_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/gold"
	"github.com/wayfinder-engine/wayfinder/internal/grounding"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// now is when the pages of the corpus are read.
var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// A specimen is a page with what is true of it.
type specimen struct {
	name string
	snap *accessibility.Snapshot
	form *schema.Schema
	gold any
	page *grounding.Page // made when it is checked
}

func snapshot(tb testing.TB, html string) *accessibility.Snapshot {
	tb.Helper()
	return snapshotOf(tb, "https://site.test/", map[string]string{"https://site.test/": html})
}

func snapshotOf(tb testing.TB, address string, web map[string]string) *accessibility.Snapshot {
	tb.Helper()
	b, err := fake.Web(web).Open(tb.Context(), &driver.BrowserOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	defer b.Close()
	p := b.Pages()[0]
	if _, err := p.Navigate(tb.Context(), address, nil); err != nil {
		tb.Fatal(err)
	}
	c, err := p.Capture(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return accessibility.Build(c, nil)
}

func corpus(tb testing.TB) []specimen {
	tb.Helper()
	files, err := filepath.Glob("testdata/*.html")
	if err != nil || len(files) < 25 {
		tb.Fatalf("%d pages, %v", len(files), err)
	}
	return read(tb, files)
}

// read reads pages with the data beside them.
func read(tb testing.TB, files []string) []specimen {
	tb.Helper()
	var out []specimen
	for _, f := range files {
		html, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		raw, err := os.ReadFile(strings.TrimSuffix(f, ".html") + ".json")
		if err != nil {
			tb.Fatal(err)
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var gold any
		if err := d.Decode(&gold); err != nil {
			tb.Fatal(f, err)
		}
		form, err := schema.Parse(marshal(formOf(gold)))
		if err != nil {
			tb.Fatal(f, err)
		}
		out = append(out, specimen{name: strings.TrimSuffix(filepath.Base(f), ".html"), snap: snapshot(tb, string(html)), form: form, gold: gold})
	}
	return out
}

// goldCorpus are the pages of the corpus that all of extraction is held to.
func goldCorpus(tb testing.TB) []specimen {
	tb.Helper()
	var out []specimen
	for _, c := range gold.Cases() {
		var v any
		d := json.NewDecoder(bytes.NewReader(c.Gold))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			tb.Fatal(c.Name, err)
		}
		form, err := schema.Parse(c.Schema)
		if err != nil {
			tb.Fatal(c.Name, err)
		}
		out = append(out, specimen{name: c.Name, snap: snapshotOf(tb, c.URL, c.Web), form: form, gold: v})
	}
	return out
}

// formOf is the schema that a value suggests.
func formOf(v any) map[string]any {
	switch v := v.(type) {
	case map[string]any:
		properties := map[string]any{}
		for name, value := range v {
			properties[name] = formOf(value)
		}
		return map[string]any{"type": "object", "properties": properties}
	case []any:
		if len(v) == 0 {
			return map[string]any{"type": "array"}
		}
		return map[string]any{"type": "array", "items": formOf(v[0])}
	case string:
		if strings.Contains(v, "://") {
			return map[string]any{"type": "string", "format": "uri"}
		}
		return map[string]any{"type": "string"}
	case json.Number:
		return map[string]any{"type": "number"}
	case bool:
		return map[string]any{"type": "boolean"}
	}
	return map[string]any{}
}

func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// A leafAt is a leaf of a gold value, with the way to it.
type leafAt struct {
	pointer string
	value   any
	set     func(any)
}

func leavesOf(v any, pointer string, set func(any), out []leafAt) []leafAt {
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for n := range v {
			names = append(names, n)
		}
		slices.Sort(names)
		for _, n := range names {
			out = leavesOf(v[n], pointer+"/"+n, func(x any) { v[n] = x }, out)
		}
	case []any:
		for i := range v {
			out = leavesOf(v[i], pointer+"/"+strconv.Itoa(i), func(x any) { v[i] = x }, out)
		}
	case nil:
	default:
		out = append(out, leafAt{pointer, v, set})
	}
	return out
}

// A mutation is a change of gold that has to be noticed.
type mutation struct {
	kind    string
	pointer string // what has to be ungrounded; of a list, what has to be missing or an item that has to be
	data    json.RawMessage
}

// fields are the kinds that are counted for lists and single objects apart.
var fields = map[string]bool{"neighbour's field": true, "exchanged fields": true, "another number": true, "text cut short": true}

// where says whether a mutation is in a list or in a single object.
func (m mutation) where() string {
	for part := range strings.SplitSeq(m.pointer, "/") {
		if _, err := strconv.Atoi(part); err == nil {
			return "lists"
		}
	}
	return "single objects"
}

// mutations are the wrong answers made of a right one.
func mutations(s *specimen) []mutation {
	var out []mutation
	leaves := leavesOf(s.gold, "", nil, nil)
	byMember := map[string][]leafAt{}
	member := func(pointer string) string {
		parts := strings.Split(pointer, "/")
		for i, p := range parts {
			if _, err := strconv.Atoi(p); err == nil {
				parts[i] = "*"
			}
		}
		return strings.Join(parts, "/")
	}
	for _, l := range leaves {
		byMember[member(l.pointer)] = append(byMember[member(l.pointer)], l)
	}
	with := func(kind string, l leafAt, v any) {
		if fmt.Sprint(v) == fmt.Sprint(l.value) {
			return
		}
		before := l.value
		l.set(v)
		out = append(out, mutation{kind, l.pointer, marshal(s.gold)})
		l.set(before)
	}
	var links []string
	for i := range s.snap.Nodes {
		if u := s.snap.Nodes[i].URL; u != "" {
			links = append(links, u)
		}
	}
	step := 1 + len(leaves)/100 // of a long page, a sample
	for i, l := range leaves {
		if l.set == nil || i%step != 0 {
			continue
		}
		row := byMember[member(l.pointer)]
		for k, other := range row {
			if other.pointer == l.pointer && len(row) > 1 {
				with("another row's value", l, row[(k+1)%len(row)].value)
				if len(row) > 2 {
					with("another row's value", l, row[(k+2)%len(row)].value)
				}
			}
		}
		switch v := l.value.(type) {
		case bool:
			with("flipped boolean", l, !v)
		case json.Number:
			text := string(v)
			if len(text) > 1 {
				b := []byte(text)
				for at := 1 + strings.Count(text[:1], "-"); at < len(b); at++ {
					if b[at] != b[at-1] && b[at] != '.' && b[at-1] != '.' {
						b[at], b[at-1] = b[at-1], b[at]
						break
					}
				}
				if json.Valid(b) {
					with("digits swapped", l, json.Number(b))
				}
			}
			f, _ := v.Float64()
			with("invented number", l, json.Number(strconv.FormatFloat(f*3+17, 'f', -1, 64)))
		case string:
			if strings.Contains(v, "://") {
				with("invented link", l, v+"-2")
				with("invented link", l, "https://site.test/invented/"+strconv.Itoa(i))
				for k := range links {
					if u := links[(i+k)%len(links)]; u != v {
						with("another link of the page", l, u)
						break
					}
				}
				continue
			}
			if len(v) == 3 && strings.ToUpper(v) == v && v[0] >= 'A' {
				with("another currency", l, []string{"SEK", "EUR", "USD", "GBP", "CZK"}[i%5])
			}
			if t, err := time.Parse("2006-01-02", v); err == nil {
				with("another date", l, t.AddDate(0, 1, 3).Format("2006-01-02"))
				with("another date", l, t.AddDate(1, 0, 0).Format("2006-01-02"))
			}
			with("plausible name", l, []string{"Marlow Quint", "Elena Vasquez", "Northwind Deluxe", "Premium Edition", "Alpine Trail Set"}[i%5])
			if r := []rune(v); len(r) > 3 {
				r[1], r[2] = r[2], r[1]
				with("letters swapped", l, string(r))
			}
		}
	}
	out = append(out, fieldMutations(s, leaves, step)...)
	// Rows.
	var lists func(v any, pointer string, set func(any))
	lists = func(v any, pointer string, set func(any)) {
		switch v := v.(type) {
		case map[string]any:
			for n := range v {
				lists(v[n], pointer+"/"+n, func(x any) { v[n] = x })
			}
		case []any:
			if len(v) >= 2 {
				switch v[0].(type) {
				case map[string]any:
					rowMutations(s, v, pointer, set, &out)
				case string:
					for i := 0; i < len(v); i += 1 + len(v)/4 {
						set(append(slices.Clone(v[:i]), v[i+1:]...))
						out = append(out, mutation{"dropped entry", pointer, marshal(s.gold)})
						set(v)
					}
				}
				set([]any{})
				out = append(out, mutation{"empty list", pointer, marshal(s.gold)})
				set(v)
			}
			for i := range v {
				lists(v[i], pointer+"/"+strconv.Itoa(i), func(x any) { v[i] = x })
			}
		}
	}
	root := s.gold
	lists(s.gold, "", func(x any) { s.gold = x })
	s.gold = root
	return out
}

// fieldMutations are wrong answers that stand on the page: the value of another
// field, two fields exchanged, another number, a text that stops early.
func fieldMutations(s *specimen, leaves []leafAt, step int) []mutation {
	var out []mutation
	put := func(kind, pointer string) { out = append(out, mutation{kind, pointer, marshal(s.gold)}) }
	numbers := numbersOf(s.snap)
	for i, l := range leaves {
		if l.set == nil || i%step != 0 {
			continue
		}
		up, _, _ := cutLast(l.pointer)
		var beside []leafAt
		for _, o := range leaves {
			if there, last, _ := cutLast(o.pointer); there == up && o.pointer != l.pointer && strings.Trim(last, "0123456789") != "" && sameKind(o.value, l.value) && fmt.Sprint(o.value) != fmt.Sprint(l.value) {
				beside = append(beside, o)
			}
		}
		if len(beside) > 0 {
			o := beside[i%len(beside)]
			l.set(o.value)
			put("neighbour's field", l.pointer)
			o.set(l.value)
			if l.pointer < o.pointer || beside[0].pointer != o.pointer {
				put("exchanged fields", l.pointer+" "+o.pointer)
			}
			o.set(o.value)
			l.set(l.value)
		}
		switch v := l.value.(type) {
		case json.Number:
			for k := range numbers {
				if n := numbers[(i*7+k)%len(numbers)]; canonical(n) != canonical(string(v)) && !slices.ContainsFunc(beside, func(o leafAt) bool { return canonical(fmt.Sprint(o.value)) == canonical(n) }) {
					l.set(json.Number(n))
					put("another number", l.pointer)
					l.set(v)
					break
				}
			}
		case string:
			if words := strings.Fields(v); len(words) > 1 && !strings.Contains(v, "://") && strings.Trim(words[len(words)-1], "0123456789-/:.,") != "" {
				l.set(strings.TrimRight(strings.Join(words[:len(words)-1], " "), ",;:-–—"))
				put("text cut short", l.pointer)
				l.set(v)
			}
		}
	}
	return out
}

// sameKind reports whether a value could be taken for another: two numbers, two
// texts, two addresses.
func sameKind(a, b any) bool {
	kind := func(v any) string {
		if s, ok := v.(string); ok {
			if strings.Contains(s, "://") {
				return "address"
			}
			if _, err := time.Parse(time.DateOnly, s); err == nil {
				return "date"
			}
		}
		return fmt.Sprintf("%T", v)
	}
	if _, ok := a.(bool); ok {
		return false
	}
	return kind(a) == kind(b)
}

var steps = regexp.MustCompile(`/\d+`)

var numberIn = regexp.MustCompile(`\d+(?:\.\d+)?`)

// canonical writes a number in one way.
func canonical(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// numbersOf are the plain numbers that the lines of a page say.
func numbersOf(snap *accessibility.Snapshot) []string {
	var out []string
	for i := range snap.Nodes {
		text := snap.Nodes[i].Name
		for _, c := range snap.Nodes[i].Cells {
			text += " " + c.Text
		}
		for _, n := range numberIn.FindAllString(text, -1) {
			if n = strings.TrimLeft(n, "0"); n != "" && n[0] != '.' && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

func rowMutations(s *specimen, list []any, pointer string, set func(any), out *[]mutation) {
	put := func(kind, pointer string, changed []any) {
		set(changed)
		*out = append(*out, mutation{kind, pointer, marshal(s.gold)})
		set(list)
	}
	for i := 0; i < len(list); i += 1 + len(list)/8 {
		put("dropped row", pointer, append(slices.Clone(list[:i]), list[i+1:]...))
	}
	invented := map[string]any{}
	mixed := map[string]any{}
	for n, v := range list[0].(map[string]any) {
		switch v := v.(type) {
		case string:
			invented[n] = "Marlow Quint"
			if strings.Contains(v, "://") {
				invented[n] = "https://site.test/marlow"
			}
		case json.Number:
			invented[n] = json.Number("7341")
		default:
			invented[n] = v
		}
	}
	at := 0
	for _, n := range slices.Sorted(keys(list[0].(map[string]any))) {
		mixed[n] = list[at%len(list)].(map[string]any)[n]
		at++
	}
	end := pointer + "/" + strconv.Itoa(len(list))
	put("added row", end, append(slices.Clone(list), invented))
	put("added row", end, append(slices.Clone(list), list[0]))
	if len(mixed) > 2 {
		put("added row", end, append(slices.Clone(list), mixed))
	}
}

func keys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func check(tb testing.TB, s *specimen, data json.RawMessage) *grounding.Report {
	tb.Helper()
	return checkCited(tb, s, data, nil)
}

func checkCited(tb testing.TB, s *specimen, data json.RawMessage, cited map[string]accessibility.Ref) *grounding.Report {
	tb.Helper()
	if s.page == nil {
		s.page = grounding.Read(s.snap, &grounding.Options{Now: now})
	}
	r, err := s.page.Check(s.form, data, cited)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// caught reports whether a mutation was noticed.
func caught(m mutation, r *grounding.Report) bool {
	if pointers := strings.Fields(m.pointer); m.kind == "exchanged fields" {
		return slices.ContainsFunc(r.Ungrounded, func(f grounding.Finding) bool { return slices.Contains(pointers, f.Pointer) })
	}
	switch m.kind {
	case "dropped row", "dropped entry", "empty list":
		return slices.ContainsFunc(r.Missing, func(g grounding.Gap) bool { return g.Pointer == m.pointer }) ||
			slices.ContainsFunc(r.Ungrounded, func(f grounding.Finding) bool { return f.Pointer == m.pointer })
	}
	for _, f := range r.Ungrounded {
		// A text that a list of texts has twice is refused the second time.
		if up, last, _ := cutLast(m.pointer); strings.HasSuffix(f.Reason, "more often than it stands there") && strings.HasPrefix(f.Pointer, up+"/") && strings.Trim(last, "0123456789") == "" {
			return true
		}
		// Two that became the same are one too many, whichever is refused.
		if m.kind == "another row's value" && f.Pointer != m.pointer && steps.ReplaceAllString(f.Pointer, "/*") == steps.ReplaceAllString(m.pointer, "/*") && string(at(m.data, f.Pointer)) == string(at(m.data, m.pointer)) {
			return true
		}
		if f.Pointer == m.pointer || m.kind == "added row" && strings.HasPrefix(f.Pointer, m.pointer+"/") {
			return true
		}
	}
	return false
}

// TestRates holds the corpus and its mutations against the goals: 99 of 100 true
// leaves are accepted, 97 of 100 wrong answers are noticed: refused or marked.
func TestRates(t *testing.T) {
	t.Parallel()
	rates(t, corpus(t))
}

// TestRatesOfGold: the same for the corpus of all of extraction.
func TestRatesOfGold(t *testing.T) {
	t.Parallel()
	rates(t, goldCorpus(t))
}

// TestUnseen holds four groups of pages that were written with their data before they
// were checked, and measured once. What they showed has rules since: the first, that two
// numbers with a colon need not be a time (552 of its leaves were accepted); the third,
// tables whose columns are records, times with a point and columns of preformatted lines
// (197 leaves, 937 wrong answers in lists and 38 gaps noticed). All of them, that an empty
// list may be unproven (of their gaps 259 were noticed).
func TestUnseen(t *testing.T) {
	t.Parallel()
	unseen(t, "unseen", 14, 564, 12, map[string]int{"lists": 2538, "single objects": 493, "gaps": 113})
	unseen(t, "blind", 6, 232, 5, map[string]int{"lists": 1077, "single objects": 164, "gaps": 63})
	unseen(t, "held", 6, 219, 6, map[string]int{"lists": 980, "single objects": 153, "gaps": 65})
	unseen(t, "fresh", 6, 181, 6, map[string]int{"lists": 851, "single objects": 134, "gaps": 57})
}

func unseen(t *testing.T, dir string, all, wantLeaves, wantPages int, least map[string]int) {
	files, err := filepath.Glob("testdata/" + dir + "/*.html")
	if err != nil || len(files) != all {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	accepted, leaves, pages, marked := 0, 0, 0, 0
	noticed, wrong := map[string]int{}, map[string]int{}
	for _, s := range read(t, files) {
		gold := check(t, &s, marshal(s.gold))
		leaves += gold.Leaves
		accepted += gold.Leaves - contradicted(gold)
		marked += len(gold.Ungrounded) - contradicted(gold)
		t.Logf("%s: %v %v", s.name, gold.Ungrounded, gold.Missing)
		if contradicted(gold) == 0 {
			pages++
		}
		for _, m := range mutations(&s) {
			where := m.where()
			switch m.kind {
			case "dropped row", "dropped entry", "empty list":
				where = "gaps"
			}
			wrong[where]++
			if r := check(t, &s, m.data); caught(m, r) {
				noticed[where]++
			} else {
				t.Logf("%s: not noticed: %s at %s: %.200s %v", s.name, m.kind, m.pointer, at(m.data, m.pointer), r.Sources[m.pointer].Ref)
			}
		}
	}
	t.Logf("%s: %d of %d true leaves accepted, %d of them marked, %d of %d pages; noticed %v of %v", dir, accepted, leaves, marked, pages, all, noticed, wrong)
	if accepted < wantLeaves || pages < wantPages {
		t.Errorf("%s: %d of %d true leaves are accepted, want %d; %d pages, want %d", dir, accepted, leaves, wantLeaves, pages, wantPages)
	}
	for where, want := range least {
		if noticed[where] < want {
			t.Errorf("%s, %s: %d of %d wrong answers are noticed, want %d", dir, where, noticed[where], wrong[where], want)
		}
	}
}

// floors are what the kinds are held to, in percent, where that is not 93: the worse
// of the two corpora as measured, with two or three cases to spare.
var floors = map[string]float64{
	" true leaves": 99, " true pages": 92, " whole lists": 98, " true leaves that are marked": 0,
	"dropped entry": 85, "empty list": 75, "text cut short": 91, "text cut short, single objects": 70,
	"another number, single objects": 88,
}

// rates counts what is accepted of the truth and noticed of what is wrong.
func rates(t *testing.T, pages []specimen) {
	type rate struct{ all, good int }
	kinds := map[string]*rate{}
	count := func(kind string, good bool) {
		if kinds[kind] == nil {
			kinds[kind] = &rate{}
		}
		kinds[kind].all++
		if good {
			kinds[kind].good++
		}
	}
	for _, s := range pages {
		gold := check(t, &s, marshal(s.gold))
		for range gold.Leaves - len(gold.Ungrounded) {
			count(" true leaves", true)
		}
		accepted := true
		for _, f := range gold.Ungrounded {
			if f.Degree == grounding.Unproven {
				count(" true leaves", true)
				count(" true leaves that are marked", true)
			} else {
				count(" true leaves", false)
				accepted = false
			}
			t.Logf("%s: true, %s: %s", s.name, f.Degree, f)
		}
		for range gold.Leaves - len(gold.Ungrounded) {
			count(" true leaves that are marked", false)
		}
		count(" true pages", accepted)
		for _, g := range gold.Missing {
			count(" whole lists", false)
			t.Logf("%s: whole, but missing in %s: %q", s.name, g.Pointer, g.Text)
		}
		if len(gold.Missing) == 0 {
			count(" whole lists", true)
		}
		if gold.Leaves > 600 {
			continue // long: checked whole, not mutated
		}
		for _, m := range mutations(&s) {
			r := check(t, &s, m.data)
			ok := caught(m, r)
			count(m.kind, ok)
			if fields[m.kind] {
				count(m.kind+", "+m.where(), ok)
			}
			if !ok {
				t.Logf("%s: not noticed: %s at %s: %s %+v", s.name, m.kind, m.pointer, at(m.data, m.pointer), r.Sources[m.pointer])
			}
		}
	}
	all := rate{}
	for _, kind := range slices.Sorted(func(yield func(string) bool) {
		for k := range kinds {
			if !yield(k) {
				return
			}
		}
	}) {
		r := kinds[kind]
		share := 100 * float64(r.good) / float64(r.all)
		fmt.Printf("%-26s %5d of %5d  %5.1f %%\n", strings.TrimSpace(kind), r.good, r.all, share)
		if kind[0] != ' ' && !strings.Contains(kind, ",") {
			all.all += r.all
			all.good += r.good
		}
		least, ok := floors[kind]
		if !ok {
			least = 93
		}
		if share < least {
			t.Errorf("%s: %.1f %%, want %v", kind, share, least)
		}
	}
	if 100*all.good < 97*all.all {
		t.Errorf("%d of %d mutations are noticed, want 97 of 100", all.good, all.all)
	}
	fmt.Printf("%-26s %5d of %5d  %5.1f %%\n", "all mutations", all.good, all.all, 100*float64(all.good)/float64(all.all))
}

// at is the value at a pointer.
func at(data json.RawMessage, pointer string) json.RawMessage {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		var o map[string]json.RawMessage
		var l []json.RawMessage
		if json.Unmarshal(data, &o) == nil {
			data = o[part]
		} else if json.Unmarshal(data, &l) == nil {
			if i, err := strconv.Atoi(part); err == nil && i < len(l) {
				data = l[i]
			}
		}
	}
	return data
}

func cutLast(pointer string) (up, last string, ok bool) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", pointer, false
	}
	return pointer[:i], pointer[i+1:], true
}

// citations are those of the corpus, by page and pointer: a ref for each object of a
// list and for each field of a single object, as a careful model gives them.
func citations(tb testing.TB) map[string]map[string]accessibility.Ref {
	tb.Helper()
	raw, err := os.ReadFile("testdata/cited.json")
	if err != nil {
		tb.Fatal(err)
	}
	var out map[string]map[string]accessibility.Ref
	if err := json.Unmarshal(raw, &out); err != nil {
		tb.Fatal(err)
	}
	return out
}

// TestRatesOfCitations: citations that are true, that are of the next row or field,
// and those of the place that says what is wrong. None of them makes a wrong value
// pass that would not pass without, and none makes a true one fail.
func TestRatesOfCitations(t *testing.T) {
	t.Parallel()
	cited := citations(t)
	type rate struct{ all, good int }
	rates := map[string]*rate{}
	count := func(what string, good bool) {
		if rates[what] == nil {
			rates[what] = &rate{}
		}
		rates[what].all++
		if good {
			rates[what].good++
		}
	}
	for i, pages := range [][]specimen{corpus(t), goldCorpus(t)} {
		for _, s := range pages {
			honest := cited[[]string{"corpus/", "gold/"}[i]+s.name]
			if honest == nil {
				continue
			}
			wrong := map[string]accessibility.Ref{}
			pointers := slices.Sorted(maps.Keys(honest))
			for k, pointer := range pointers {
				wrong[pointer] = honest[pointers[(k+1)%len(pointers)]]
			}
			for name, refs := range map[string]map[string]accessibility.Ref{"none": nil, "honest": honest, "wrong": wrong} {
				r := checkCited(t, &s, marshal(s.gold), refs)
				for range r.Leaves - contradicted(r) {
					count("true leaves, citations "+name, true)
				}
				for _, f := range r.Ungrounded {
					if f.Degree == grounding.Contradicted {
						count("true leaves, citations "+name, false)
						if name != "none" {
							t.Logf("%s: citations %s: true, contradicted: %s", s.name, name, f)
						}
					}
				}
			}
			for k, m := range mutations(&s) {
				if k%5 != 0 || m.kind == "dropped row" || m.kind == "added row" || m.kind == "dropped entry" || m.kind == "empty list" {
					continue
				}
				none := caught(m, checkCited(t, &s, m.data, nil))
				count("wrong noticed, citations none", none)
				count("wrong noticed, citations honest", caught(m, checkCited(t, &s, m.data, honest)))
				count("wrong noticed, citations wrong", caught(m, checkCited(t, &s, m.data, wrong)))
				ok := true
				for _, refs := range deceiving(&s, m, honest) {
					ok = ok && caught(m, checkCited(t, &s, m.data, refs))
				}
				count("wrong noticed, citations adversarial", ok)
				if none && !ok {
					t.Logf("%s: a citation deceives: %s at %s: %s", s.name, m.kind, m.pointer, at(m.data, m.pointer))
				}
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(rates)) {
		r := rates[what]
		t.Logf("%-40s %5d of %5d  %5.1f %%", what, r.good, r.all, 100*float64(r.good)/float64(r.all))
		if least := 0.98; float64(r.good) < least*float64(r.all) {
			t.Errorf("%s: %d of %d", what, r.good, r.all)
		}
	}
}

// deceiving are citations of the places that say a wrong value.
func deceiving(s *specimen, m mutation, honest map[string]accessibility.Ref) (out []map[string]accessibility.Ref) {
	pointer, _, _ := strings.Cut(m.pointer, " ")
	var said string
	if json.Unmarshal(at(m.data, pointer), &said) != nil {
		said = string(at(m.data, pointer))
	}
	key := pointer
	if up, _, _ := cutLast(pointer); m.where() == "lists" {
		key = up
	}
	for i := range s.snap.Nodes {
		n := &s.snap.Nodes[i]
		text := n.Name + " " + n.Value + " " + n.URL
		for _, c := range n.Cells {
			text += " " + c.Text
		}
		if said != "" && strings.Contains(text, said) && len(out) < 6 {
			refs := maps.Clone(honest)
			refs[key] = n.Ref
			out = append(out, refs)
		}
	}
	return out
}
