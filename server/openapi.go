package server

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/wayfinder-engine/wayfinder/schema"
)

//go:embed openapi.yaml
var openapiYAML []byte

// A contract is the OpenAPI document, read.
type contract struct {
	json       []byte
	operations []operation
}

// serve answers with the document.
func (k *contract) serve(c *call) error {
	c.w.Header().Set("content-type", "application/json")
	return c.write(http.StatusOK, k.json)
}

// An operation is one method of one path.
type operation struct {
	id     string // operationId
	method string
	path   string
	public bool           // needs no key
	watch  bool           // operators may, also where the session is another key's
	body   *schema.Schema // nil: it takes none
	needed bool           // the body may not be left out
}

// theContract is read once for the process.
var theContract = sync.OnceValues(func() (*contract, error) { return readContract(openapiYAML) })

// document is what the server itself needs to know of the OpenAPI document.
type document struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

func readContract(source []byte) (*contract, error) {
	var tree any
	if err := yaml.Unmarshal(source, &tree); err != nil {
		return nil, fmt.Errorf("server: openapi.yaml: %w", err)
	}
	raw, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("server: openapi.yaml: %w", err)
	}
	var doc document
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("server: openapi.yaml: %w", err)
	}
	c := &contract{json: raw}
	for path, item := range doc.Paths {
		for method, spec := range item {
			if method == "parameters" {
				continue
			}
			op, err := doc.operation(strings.ToUpper(method), path, spec)
			if err != nil {
				return nil, fmt.Errorf("server: openapi.yaml: %s %s: %w", method, path, err)
			}
			c.operations = append(c.operations, op)
		}
	}
	slices.SortFunc(c.operations, func(a, b operation) int { return strings.Compare(a.id, b.id) })
	return c, nil
}

func (d *document) operation(method, path string, spec json.RawMessage) (operation, error) {
	var s struct {
		OperationID string             `json:"operationId"`
		Operators   bool               `json:"x-operators"`
		Security    *[]json.RawMessage `json:"security"`
		RequestBody *struct {
			Required bool `json:"required"`
			Content  map[string]struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"content"`
		} `json:"requestBody"`
	}
	if err := json.Unmarshal(spec, &s); err != nil {
		return operation{}, err
	}
	op := operation{id: s.OperationID, method: method, path: path, public: s.Security != nil && len(*s.Security) == 0, watch: s.Operators}
	if s.RequestBody == nil {
		return op, nil
	}
	op.needed = s.RequestBody.Required
	var err error
	op.body, err = d.compile(s.RequestBody.Content["application/json"].Schema)
	return op, err
}

var componentRef = regexp.MustCompile(`"#/components/schemas/(\w+)"`)

// compile makes a schema of the document stand by itself, with the components
// that it refers to: to read all of them for each operation took most of the
// time in which a server starts.
func (d *document) compile(part json.RawMessage) (*schema.Schema, error) {
	used := map[string]json.RawMessage{}
	var use func(json.RawMessage)
	use = func(s json.RawMessage) {
		for _, ref := range componentRef.FindAllSubmatch(s, -1) {
			if name := string(ref[1]); used[name] == nil {
				used[name] = d.Components.Schemas[name]
				use(used[name])
			}
		}
	}
	use(part)
	whole, err := json.Marshal(map[string]any{
		"allOf":      []any{part},
		"components": map[string]any{"schemas": used},
	})
	if err != nil {
		return nil, err
	}
	return schema.Parse(whole)
}
