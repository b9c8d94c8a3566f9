package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A generator makes documents of a schema.
type generator struct {
	root any // what references are looked up in
	*rand.Rand
}

// value makes a value of a schema. Beyond some depth optional members are left out.
func (g *generator) value(form any, depth int) any {
	s, _ := form.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		return g.value(at(g.root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), depth)
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := s[keyword].([]any); ok {
			return g.value(list[g.IntN(len(list))], depth)
		}
	}
	if c, ok := s["const"]; ok {
		return c
	}
	if list, ok := s["enum"].([]any); ok {
		return list[g.IntN(len(list))]
	}
	kind := s["type"]
	if list, ok := kind.([]any); ok {
		kind = list[g.IntN(len(list))]
	}
	switch kind {
	case "object":
		return g.object(s, depth)
	case "array":
		list := []any{}
		for range g.IntN(3) {
			list = append(list, g.value(s["items"], depth+1))
		}
		return list
	case "string":
		return g.text(s)
	case "integer", "number":
		return float64(g.IntN(5) + 1)
	case "boolean":
		return g.IntN(2) == 0
	}
	return nil
}

func (g *generator) object(s map[string]any, depth int) any {
	o := map[string]any{}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(map[string]any)
	least, most := 0, len(properties)
	if n, ok := s["minProperties"].(int); ok {
		least = n
	}
	if n, ok := s["maxProperties"].(int); ok {
		most = n
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || len(o) < least || len(o) < most && depth < 5 && g.IntN(3) == 0 {
			o[name] = g.value(properties[name], depth+1)
		}
	}
	if more, ok := s["additionalProperties"].(map[string]any); ok && g.IntN(2) == 0 {
		o["name"] = g.value(more, depth+1)
	}
	return o
}

func (g *generator) text(s map[string]any) string {
	pattern, _ := s["pattern"].(string)
	if s["format"] == "uri" || strings.Contains(pattern, "http") {
		return "https://shop.test/"
	}
	words := []string{"click Go", "openai/gpt-5", "h1", "https://shop.test/cart", "a", "refuse", "%name%", "ü"}
	if strings.Contains(pattern, "A-Za-z") {
		words = []string{"de-CH", "en"}
	}
	return words[g.IntN(len(words))]
}

// sample answers a model's question: a value of the schema.
func sample(raw json.RawMessage) any {
	var form any
	if err := json.Unmarshal(raw, &form); err != nil {
		return nil
	}
	g := &generator{root: form, Rand: rand.New(rand.NewPCG(1, 1))}
	return g.value(form, 0)
}

// TestGeneratedRequests sends requests of the contract's schemas, and mutants
// of them. What the schema refuses is a 400 with the path of the fault; nothing
// is a failure of the server.
func TestGeneratedRequests(t *testing.T) {
	doc, err := readOpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	rounds := 6
	if os.Getenv("WAYFINDER_LONG") != "" {
		rounds = 500
	}
	p := newPuppet()
	c := serve(t, shop, &server.Options{
		Models: server.Models{Make: func(server.ModelRequest) (llm.Model, error) { return p, nil }},
		Allow:  server.Allow{ExecutablePath: true, Args: true, UserDataDir: true, Port: true, CDPURL: true},
		Browsers: server.Browsers{Launch: func(wire.LaunchOptions) (driver.Driver, error) {
			return shop, nil
		}, Attach: func(server.Address) (driver.Driver, error) { return shop, nil }},
		Limits: server.Limits{Sessions: -1}, Parts: server.Parts{Kept: &server.Kept{Profiles: newProfiles(t)}},
	})
	c.must(200, c.do(http.MethodPut, "/v1/profiles/a", `{}`))
	g := &generator{root: doc.tree, Rand: rand.New(rand.NewPCG(uint64(rounds), 7))}
	counts := map[int]int{}
	for pattern := range doc.operation {
		method, path, _ := strings.Cut(pattern, " ")
		spec := at(doc.tree, "paths", path, strings.ToLower(method))
		part := at(spec, "requestBody", "content", "application/json", "schema")
		if part == nil {
			continue
		}
		form, err := doc.schema(part)
		if err != nil {
			t.Fatal(err)
		}
		for range rounds {
			whole := g.value(part, 0)
			c.send(method, path, whole, form.Validate, counts)
			all := slices.Collect(mutants(whole))
			for range min(len(all), 25) {
				c.send(method, path, all[g.IntN(len(all))], form.Validate, counts)
			}
		}
	}
	if counts[200] == 0 || counts[400] == 0 {
		t.Errorf("statuses %v: the generator makes no requests of a kind", counts)
	}
	t.Logf("statuses: %v", counts)
}

// send sends a document to an operation and judges the answer.
func (c *client) send(method, path string, v any, validate func([]byte) error, counts map[int]int) {
	c.t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	if strings.Contains(path, "{id}") {
		session := strings.TrimPrefix(c.startWith(startAny), "/v1/sessions/")
		path = strings.Replace(path, "{id}", session, 1)
		defer c.post("/v1/sessions/"+session+"/end", "")
	}
	got := c.do(method, strings.Replace(path, "{profile}", "shop", 1), string(raw))
	counts[got.status]++
	refused := validate(raw) != nil
	name := fmt.Sprintf("%s %s: %d %s", path, raw, got.status, got.body)
	switch {
	case refused && got.status != http.StatusBadRequest:
		c.t.Errorf("the schema refuses %s", name)
	case got.status == 400 && !strings.Contains(string(got.body), `"issues"`) && refused:
		c.t.Errorf("no path of the fault: %s", name)
	case got.status >= 500 && got.status != 501 && got.status != 502:
		c.t.Errorf("the server failed: %s", name)
	}
}
