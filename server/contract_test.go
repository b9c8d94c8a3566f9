package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// An openAPI is the contract as a test reads it: by itself, from the file.
type openAPI struct {
	tree   map[string]any
	routes *http.ServeMux
	// by operationId, status or "default", and media type
	responses map[string]map[string]map[string]*schema.Schema
	failure   *schema.Schema
	operation map[string]string // pattern → operationId
}

var readOpenAPI = sync.OnceValues(func() (*openAPI, error) {
	raw, err := os.ReadFile("openapi.yaml")
	if err != nil {
		return nil, err
	}
	doc := &openAPI{
		routes: http.NewServeMux(), operation: map[string]string{},
		responses: map[string]map[string]map[string]*schema.Schema{},
	}
	if err := yaml.Unmarshal(raw, &doc.tree); err != nil {
		return nil, err
	}
	if doc.failure, err = doc.component("Error"); err != nil {
		return nil, err
	}
	for path, item := range at(doc.tree, "paths").(map[string]any) {
		for method, spec := range item.(map[string]any) {
			if method == "parameters" {
				continue
			}
			if err := doc.read(strings.ToUpper(method)+" "+path, spec); err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
		}
	}
	return doc, nil
})

func (d *openAPI) read(pattern string, spec any) error {
	id := at(spec, "operationId").(string)
	d.operation[pattern] = id
	d.routes.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	d.responses[id] = map[string]map[string]*schema.Schema{}
	for status, response := range at(spec, "responses").(map[string]any) {
		if ref, ok := at(response, "$ref").(string); ok {
			response = at(d.tree, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		}
		d.responses[id][status] = map[string]*schema.Schema{}
		for media, content := range at(response, "content").(map[string]any) {
			form, err := d.schema(at(content, "schema"))
			if err != nil {
				return err
			}
			d.responses[id][status][media] = form
		}
	}
	return nil
}

func at(v any, path ...string) any {
	for _, name := range path {
		members, _ := v.(map[string]any)
		v = members[name]
	}
	return v
}

func (d *openAPI) schema(part any) (*schema.Schema, error) {
	raw, err := json.Marshal(map[string]any{"allOf": []any{part}, "components": at(d.tree, "components")})
	if err != nil {
		return nil, err
	}
	return schema.Parse(raw)
}

func (d *openAPI) component(name string) (*schema.Schema, error) {
	return d.schema(map[string]any{"$ref": "#/components/schemas/" + name})
}

// A checker is a transport that holds every response against the contract.
type checker struct {
	t    testing.TB
	doc  *openAPI
	base http.RoundTripper
}

func newChecker(t testing.TB, base http.RoundTripper) *checker {
	doc, err := readOpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	return &checker{t: t, doc: doc, base: base}
}

func (c *checker) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &checkedBody{ReadCloser: resp.Body, check: func(body []byte, whole bool) { c.check(r, resp, body, whole) }}
	return resp, nil
}

// checkedBody hands over what was read once that is all.
type checkedBody struct {
	io.ReadCloser
	read  bytes.Buffer
	check func(body []byte, whole bool)
	once  sync.Once
}

func (b *checkedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Write(p[:n])
	if err != nil {
		b.once.Do(func() { b.check(b.read.Bytes(), err == io.EOF) })
	}
	return n, err
}

func (b *checkedBody) Close() error {
	b.once.Do(func() { b.check(b.read.Bytes(), false) })
	return b.ReadCloser.Close()
}

// check reports what a response has that the contract does not allow.
func (c *checker) check(r *http.Request, resp *http.Response, body []byte, whole bool) {
	c.t.Helper()
	name := fmt.Sprintf("%s %s: %d", r.Method, r.URL.Path, resp.StatusCode)
	if resp.Header.Get("x-request-id") == "" {
		c.t.Errorf("%s has no x-request-id", name)
	}
	if r.Method == http.MethodHead || resp.StatusCode == http.StatusNoContent {
		return
	}
	media, _, _ := strings.Cut(resp.Header.Get("content-type"), ";")
	_, pattern := c.doc.routes.Handler(r)
	form := c.doc.failure
	if id, ok := c.doc.operation[pattern]; ok {
		byMedia, ok := c.doc.responses[id][strconv.Itoa(resp.StatusCode)]
		if !ok {
			byMedia = c.doc.responses[id]["default"]
		}
		form = byMedia[media]
	}
	if c.doc.operation[pattern] == "SessionAct" {
		c.checkSent(name, resp, media)
	}
	switch {
	case form == nil:
		c.t.Errorf("%s of %q is not in the contract", name, media)
	case media == "text/event-stream":
		c.checkStream(name, form, body, whole)
	case media == "application/json" && whole:
		if err := form.Validate(body); err != nil {
			c.t.Errorf("%s: %v in %s", name, err, body)
		}
		c.checkStatus(name, resp, body)
	}
}

// checkSent holds every answer to an act against what it says of the input.
func (c *checker) checkSent(name string, resp *http.Response, media string) {
	c.t.Helper()
	sent := resp.Header.Get(wire.HeaderSent)
	if media == "text/event-stream" {
		if sent != "" {
			c.t.Errorf("%s: %s = %q, before anything was done", name, wire.HeaderSent, sent)
		}
		return
	}
	switch wire.Sent(sent) {
	case wire.SentNone, wire.SentAll, wire.SentPossible:
	default:
		c.t.Errorf("%s: %s = %q", name, wire.HeaderSent, sent)
	}
}

// checkStatus holds the code of a failure against its status.
func (c *checker) checkStatus(name string, resp *http.Response, body []byte) {
	c.t.Helper()
	var f wire.Failure
	if err := json.Unmarshal(body, &f); err != nil || f.Code == "" {
		return
	}
	if f.Error != f.Message {
		c.t.Errorf("%s: error %q and message %q differ", name, f.Error, f.Message)
	}
	if resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get("retry-after") == "" {
		c.t.Errorf("%s has no retry-after", name)
	}
}

// checkStream holds every frame against its schema, and their order.
func (c *checker) checkStream(name string, form *schema.Schema, body []byte, whole bool) {
	c.t.Helper()
	var order []string
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if !whole && !json.Valid([]byte(data)) {
			return // cut off
		}
		if err := form.Validate([]byte(data)); err != nil {
			c.t.Errorf("%s: frame %s: %v", name, data, err)
		}
		var f struct {
			Data struct {
				Status string `json:"status"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(data), &f); err != nil {
			c.t.Errorf("%s: frame %s: %v", name, data, err)
		}
		order = append(order, f.Data.Status)
	}
	if form == c.doc.responses["SessionLive"]["200"]["text/event-stream"] {
		return // its events have no order but their own
	}
	got := strings.Join(order, " ")
	begins := strings.HasPrefix("starting connected", got) || strings.HasPrefix(got, "starting connected")
	ends := strings.Count(got, "finished") + strings.Count(got, "error")
	if !begins || whole && ends != 1 || ends > 1 || whole && !strings.HasSuffix(got, "finished") && !strings.HasSuffix(got, "error") {
		c.t.Errorf("%s: the frames are %s", name, got)
	}
}
