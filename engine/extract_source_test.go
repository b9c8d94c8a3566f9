package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/gold"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A goldPage is an open page of the corpus.
type goldPage struct {
	gold.Case
	page   *engine.Page
	form   *schema.Schema
	script *llmtest.Script
	model  engine.LLM // in place of the script's, if it is set
	snap   *engine.Snapshot
}

// openGold opens a page of the corpus. Each answer is given in turn, its
// addresses as refs.
func openGold(t *testing.T, c gold.Case, answers ...json.RawMessage) *goldPage {
	t.Helper()
	form, err := schema.Parse(c.Schema)
	if err != nil {
		t.Fatal(err)
	}
	g := &goldPage{Case: c, form: form}
	var steps []llmtest.Step
	for _, answer := range answers {
		steps = append(steps, llmtest.Step{Purpose: llm.PurposeExtract, Answer: func(*llm.Request) any { return g.answer(t, answer) }})
	}
	g.script = llmtest.NewScript(t, steps...)
	session, err := engine.Open(t.Context(), fake.Web(c.Web), &engine.Options{Model: g.script})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	g.page = session.Page()
	if _, err := g.page.Navigate(t.Context(), c.URL, nil); err != nil {
		t.Fatal(err)
	}
	if g.snap, err = g.page.Snapshot(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return g
}

// answers has the page's model give the data as often as it is asked.
func (g *goldPage) answers(t *testing.T, data json.RawMessage) {
	g.model = llmtest.NewScript(t, llmtest.Step{Purpose: llm.PurposeExtract, Times: -1, Answer: func(*llm.Request) any { return g.answer(t, data) }})
}

// answer is data as a model gives it: a ref in the place of each address.
func (g *goldPage) answer(t *testing.T, data json.RawMessage) any {
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for name := range v {
				v[name] = walk(v[name])
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case string:
			if strings.HasPrefix(v, "https://") && bytes.Contains(g.Schema, []byte(`"uri"`)) {
				i := slices.IndexFunc(g.snap.Nodes, func(n accessibility.Node) bool {
					if n.Tag == "img" {
						src, _ := g.snap.Captured(&n).Attr("src")
						return src != "" && strings.HasSuffix(v, src)
					}
					return n.URL == v
				})
				if i < 0 {
					t.Errorf("no link or picture has the address %s", v)
					return v
				}
				return string(g.snap.Nodes[i].Ref)
			}
		}
		return v
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return walk(v)
}

func (g *goldPage) extract(t *testing.T, opts engine.ExtractOptions) (*engine.Extraction, error) {
	t.Helper()
	opts.Schema, opts.Frames = g.form, true
	if g.model != nil {
		opts.Model = g.model
	}
	return g.page.Extract(t.Context(), g.Instruction, &opts)
}

// small are the pages of the corpus without the generated ones.
func small() []gold.Case {
	return slices.DeleteFunc(gold.Cases(), func(c gold.Case) bool { return len(c.Gold) > 50_000 })
}

// The truth is accepted, and each of its leaves has a source that is on the page, or
// is said to be unproven. A list that leaves records out, as advertisements, is asked
// about once.
func TestExtractGoldIsGrounded(t *testing.T) {
	for _, c := range small() {
		t.Run(c.Name, func(t *testing.T) {
			g := openGold(t, c)
			g.answers(t, c.Gold)
			out, err := g.extract(t, engine.ExtractOptions{Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			checkSources(t, g, out)
			for _, u := range out.Ungrounded {
				if u.Degree != engine.Unproven {
					t.Errorf("ungrounded: %s", u)
				}
			}
			if n, of := out.Grounded(); n+len(out.Ungrounded) != of {
				t.Errorf("Grounded() = %d of %d, %d ungrounded", n, of, len(out.Ungrounded))
			}
		})
	}
}

// What is read without a model has sources of the same form, and says of which
// lists the page shows a part.
func TestExtractDirectSources(t *testing.T) {
	for _, c := range small() {
		t.Run(c.Name, func(t *testing.T) {
			g := openGold(t, c)
			out, err := g.extract(t, engine.ExtractOptions{Direct: true, Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			checkSources(t, g, out)
			for _, o := range out.Omitted {
				if o.Cause != engine.OmittedByPage || !strings.HasPrefix(c.Kind, "virtual") {
					t.Errorf("%s: omitted %+v", c.Kind, o)
				}
			}
		})
	}
}

func checkSources(t *testing.T, g *goldPage, out *engine.Extraction) {
	t.Helper()
	leaves, err := gold.Leaves(out.Data)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range leaves {
		source, ok := out.Sources[l.Pointer]
		if !ok {
			if l.Value != nil && !slices.ContainsFunc(out.Ungrounded, func(u engine.Ungrounded) bool { return u.Pointer == l.Pointer }) {
				t.Errorf("%s = %v has no source", l.Pointer, l.Value)
			}
			continue
		}
		node, ok := g.snap.Lookup(source.Ref)
		switch {
		case source.Kind == "":
			t.Errorf("%s: source %+v has no kind", l.Pointer, source)
		case !ok:
			t.Errorf("%s: source %+v is not on the page", l.Pointer, source)
		case source.End > 0 && node.Name[source.Start:source.End] != source.Text:
			t.Errorf("%s: source %+v, the text there is %q", l.Pointer, source, node.Name[source.Start:source.End])
		}
	}
}

// swapped is gold with the values of a member changed between the first two
// entries of a list.
func swapped(t *testing.T, data json.RawMessage, list, member string) json.RawMessage {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	first, second := v[list].([]any)[0].(map[string]any), v[list].([]any)[1].(map[string]any)
	if first[member] == second[member] {
		t.Fatalf("%s is the same twice", member)
	}
	first[member], second[member] = second[member], first[member]
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Another row's value is marked; where it is refused, the model learns which
// leaves are meant and can repair them.
func TestExtractAnotherRow(t *testing.T) {
	for _, test := range []struct{ name, list, member string }{
		{"shop-cards", "products", "price"},
		{"shop-cards", "products", "link"},
		{"shop-table-de", "", ""},
		{"invoice-us", "", ""},
		{"timetable-bus", "", ""},
		{"jobs-cards", "", ""},
		{"team-contacts", "", ""},
		{"shop-japanese", "", ""},
		{"shop-hebrew", "", ""},
		{"users-ant-table", "", ""},
	} {
		t.Run(test.name+" "+test.member, func(t *testing.T) {
			c, ok := gold.Find(test.name)
			if !ok {
				t.Fatal("no such page")
			}
			list, member := aMember(t, c.Gold, test.list, test.member)
			wrong := swapped(t, c.Gold, list, member)
			pointers := []string{fmt.Sprintf("/%s/0/%s", list, member), fmt.Sprintf("/%s/1/%s", list, member)}

			out, err := openGold(t, c, wrong).extract(t, engine.ExtractOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i, u := range out.Ungrounded {
				if i >= 2 || u.Pointer != pointers[i] || u.Reason == "" {
					t.Errorf("ungrounded %v, want %q", u, pointers)
				}
			}
			if len(out.Ungrounded) != 2 {
				t.Errorf("%d leaves ungrounded, want %q", len(out.Ungrounded), pointers)
			}

			g := openGold(t, c, wrong, c.Gold)
			out, err = g.extract(t, engine.ExtractOptions{Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			if n, of := out.Grounded(); n != of || n == 0 {
				t.Errorf("after the repair %d of %d grounded", n, of)
			}
			requests := g.script.Requests()
			if text := requestText(requests[len(requests)-1]); !strings.Contains(text, pointers[0]+": ") || !strings.Contains(text, pointers[1]+": ") {
				t.Errorf("the second round does not name %q", pointers)
			}

			_, err = openGold(t, c, wrong, wrong).extract(t, engine.ExtractOptions{Strict: true})
			var refused *engine.UngroundedError
			if !errors.Is(err, engine.ErrUngrounded) || !errors.As(err, &refused) || len(refused.Values) != 2 || refused.Values[0].Pointer != pointers[0] {
				t.Errorf("Extract = %v, want ErrUngrounded that names %q", err, pointers)
			}
		})
	}
}

// aMember names a list of the data and a member that differs in its first two
// entries, unless they are given.
func aMember(t *testing.T, data json.RawMessage, list, member string) (string, string) {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		entries, ok := v[name].([]any)
		if !ok || len(entries) < 2 || list != "" && list != name {
			continue
		}
		first, ok := entries[0].(map[string]any)
		second, also := entries[1].(map[string]any)
		if !ok || !also {
			continue
		}
		for _, m := range slices.Sorted(maps.Keys(first)) {
			if _, scalar := first[m].(string); scalar && first[m] != second[m] && (member == "" || m == member) || m == member && first[m] != second[m] {
				return name, m
			}
		}
	}
	t.Fatalf("no list %q with a member %q", list, member)
	return "", ""
}

// A text is traced sentence by sentence, as far as it quotes.
func TestExtractTextSentences(t *testing.T) {
	const html = `<h1>Two lamps</h1><ul><li><h3>Lamp Aster</h3><p>$12.50</p><p>in stock</p></li><li><h3>Lamp Briar</h3><p>$99.00</p><p>sold out</p></li></ul><p>Ask %s for more.</p>`
	ask := func(opts *engine.ExtractOptions, answers ...string) (*engine.Extraction, *llmtest.Script, error) {
		var steps []llmtest.Step
		for _, answer := range answers {
			steps = append(steps, llmtest.Step{Purpose: llm.PurposeExtract, JSON: map[string]any{"extraction": answer}})
		}
		steps = append([]llmtest.Step{{Text: "yes"}}, steps...)
		script := llmtest.NewScript(t, steps...)
		session, err := engine.Open(t.Context(), fake.Web{"https://lamps.test/": fmt.Sprintf(html, "swordfish99")}, &engine.Options{Model: script})
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		ready := &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "ready?"}}}}}
		if _, err := session.Generate(t.Context(), ready, &engine.GenerateOptions{Variables: map[string]engine.Variable{"password": {Value: "swordfish99"}}}); err != nil {
			t.Fatal(err)
		}
		if _, err := session.Page().Navigate(t.Context(), "https://lamps.test/", nil); err != nil {
			t.Fatal(err)
		}
		out, err := session.Page().Extract(t.Context(), "what do they cost?", opts)
		return out, script, err
	}
	const right, wrong = "The Lamp Aster costs $12.50. All else is sold out.", "The Lamp Aster costs $99. Write to Marlow Quint or %password%."
	out, _, err := ask(nil, right)
	if err != nil {
		t.Fatal(err)
	}
	if n, of := out.Grounded(); n != 1 || of != 1 {
		t.Errorf("Grounded() = %d of %d: %+v; the second sentence quotes nothing", n, of, out.Sentences)
	}
	if len(out.Sentences) != 2 || len(out.Sentences[0].Sources) != 2 || out.Sentences[0].Text != "The Lamp Aster costs $12.50." || out.Sources["/extraction"].Ref == "" || len(out.Ungrounded) > 0 {
		t.Errorf("sentences %+v, sources %+v, ungrounded %v", out.Sentences, out.Sources, out.Ungrounded)
	}
	out, _, err = ask(nil, wrong)
	if err != nil {
		t.Fatal(err)
	}
	if n, of := out.Grounded(); n != 0 || of != 2 || len(out.Ungrounded) != 2 || len(out.Sources) != 0 || !strings.Contains(out.Ungrounded[0].Reason, "another row") || !strings.Contains(out.Ungrounded[1].Reason, "Marlow Quint") {
		t.Errorf("%d of %d, ungrounded %v, sources %+v", n, of, out.Ungrounded, out.Sources)
	}
	if raw, _ := json.Marshal(out); bytes.Contains(raw, []byte("swordfish")) {
		t.Errorf("the value of a variable is in %s", raw)
	}
	out, script, err := ask(&engine.ExtractOptions{Strict: true}, wrong, right)
	if err != nil || len(out.Ungrounded) > 0 {
		t.Fatal(out, err)
	}
	if requests := script.Requests(); len(requests) != 3 || !strings.Contains(requestText(requests[2]), "Marlow Quint") {
		t.Errorf("%d rounds; the second one has to name what was doubted", len(requests))
	}
	if _, _, err = ask(&engine.ExtractOptions{Strict: true}, wrong, wrong); !errors.Is(err, engine.ErrUngrounded) {
		t.Errorf("Extract = %v, want ErrUngrounded", err)
	}
}
