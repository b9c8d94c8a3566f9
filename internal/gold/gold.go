// Package gold is a corpus of pages for tests of extraction: for each page an
// instruction, a JSON Schema as a user would write it, and the data that a
// careful reader would take from it.
//
// Most pages are files in testdata, NAME.html beside NAME.json; NAME.frame.html
// is the document of an iframe. A few with a thousand entries are generated.
// The gold data follows these rules:
//
//   - Strings are as the page shows them, with white space collapsed. Values
//     of an enum are the schema's words.
//   - Dates of format date are ISO's. Addresses are absolute, as a browser has them.
//   - Numbers mean what the page's locale says: "1.299,00 €" is 1299.
//   - What the page doesn't say is absent.
//   - The page decides, even where its JSON-LD says something else.
package gold

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed testdata
var files embed.FS

// A Case is one page with its gold data. Cases share their maps and bytes: do
// not change them.
type Case struct {
	Name        string
	Kind        string // "shop list", "invoice", "frames" …
	URL         string // of the main document
	Web         map[string]string
	Instruction string
	Schema      json.RawMessage
	Gold        json.RawMessage
}

// Cases returns the corpus, ordered by name. It panics if an embedded file is
// not what it must be.
func Cases() []Case { return slices.Clone(cases()) }

// Find returns the case of a name, and whether there is one.
func Find(name string) (Case, bool) {
	i := slices.IndexFunc(cases(), func(c Case) bool { return c.Name == name })
	if i < 0 {
		return Case{}, false
	}
	return cases()[i], true
}

var cases = sync.OnceValue(func() []Case {
	names, err := fs.Glob(files, "testdata/*.json")
	if err != nil {
		panic(err)
	}
	var out []Case
	for _, file := range names {
		c := Case{Name: strings.TrimSuffix(path.Base(file), ".json")}
		if err := json.Unmarshal([]byte(read(file)), &struct {
			Kind        *string
			Instruction *string
			Schema      *json.RawMessage
			Gold        *json.RawMessage
		}{&c.Kind, &c.Instruction, &c.Schema, &c.Gold}); err != nil {
			panic(fmt.Sprintf("%s: %v", file, err))
		}
		c.URL = "https://" + c.Name + ".test/"
		c.Web = map[string]string{c.URL: read("testdata/" + c.Name + ".html")}
		if frame := "testdata/" + c.Name + ".frame.html"; exists(frame) {
			c.Web[c.URL+"frame"] = read(frame)
		}
		out = append(out, c)
	}
	out = append(out, large()...)
	slices.SortFunc(out, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return out
})

func read(file string) string {
	b, err := files.ReadFile(file)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func exists(file string) bool {
	_, err := fs.Stat(files, file)
	return err == nil
}

// A Leaf is a value of a document that holds no others.
type Leaf struct {
	Pointer string // JSON pointer
	Value   any    // string, json.Number, bool or nil
}

// Leaves returns a JSON document's leaves, ordered by pointer: members by name,
// entries by position. An empty array or object has none.
func Leaves(doc json.RawMessage) ([]Leaf, error) {
	var v any
	dec := json.NewDecoder(strings.NewReader(string(doc)))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return appendLeaves(nil, "", v), nil
}

func appendLeaves(to []Leaf, at string, v any) []Leaf {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			to = appendLeaves(to, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), v[name])
		}
		return to
	case []any:
		for i, e := range v {
			to = appendLeaves(to, at+"/"+strconv.Itoa(i), e)
		}
		return to
	}
	return append(to, Leaf{at, v})
}
