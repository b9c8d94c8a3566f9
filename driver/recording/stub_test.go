package recording

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// fill sets every field of a value to something that is not its zero value.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(*n % 200))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 8)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, n)
		v.SetMapIndex(reflect.ValueOf(fmt.Sprintf("key %d", *n)).Convert(v.Type().Key()), value)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	}
}

// full is a capture whose every field says something.
func full() *driver.Capture {
	c := &driver.Capture{}
	n := 0
	fill(reflect.ValueOf(c).Elem(), &n)
	for d := range c.Documents {
		doc := &c.Documents[d]
		doc.OwnerDocument, doc.Owner, doc.Active = int32(d-1), int32(2*d-1), 1
		for i := range doc.Nodes {
			doc.Nodes[i].Parent, doc.Nodes[i].Host = int32(i-1), int32(i-1)
		}
	}
	return c
}

// A stub is a browser with one page, which answers all with what it was given.
type stub struct {
	driver.Browser
	driver.Page
	capture *driver.Capture
	state   *driver.State
	listen  func(driver.Event)
}

func (s *stub) Open(context.Context, *driver.BrowserOptions) (driver.Browser, error) {
	return &stubBrowser{s}, nil
}
func (s *stub) String() string { return "stub" }

type stubBrowser struct{ *stub }

func (b *stubBrowser) Pages() []driver.Page { return []driver.Page{stubPage{b.stub}} }
func (b *stubBrowser) NewPage(context.Context) (driver.Page, error) {
	return nil, &driver.OpError{Op: "newpage", Err: driver.ErrCrashed}
}
func (b *stubBrowser) Listen(fn func(driver.Event)) func()                         { b.listen = fn; return func() {} }
func (b *stubBrowser) Version() string                                             { return "Stub/1" }
func (b *stubBrowser) Close() error                                                { return nil }
func (b *stubBrowser) Cookies(context.Context, ...string) ([]driver.Cookie, error) { return nil, nil }
func (b *stubBrowser) SetCookies(context.Context, ...driver.Cookie) error          { return nil }
func (b *stubBrowser) ClearCookies(context.Context) error                          { return nil }
func (b *stubBrowser) StorageState(context.Context) (*driver.StorageState, error)  { return nil, nil }

type stubPage struct{ *stub }

func (p stubPage) ID() driver.PageID                                { return "P" }
func (p stubPage) Opener() driver.PageID                            { return "" }
func (p stubPage) Frames() []driver.Frame                           { return []driver.Frame{{ID: "P", URL: "https://a.test/"}} }
func (p stubPage) Capture(context.Context) (*driver.Capture, error) { return p.capture, nil }
func (p stubPage) State(context.Context, driver.NodeRef) (*driver.State, error) {
	return p.state, nil
}
func (p stubPage) Close(context.Context) error { return nil }
func (p stubPage) Input(_ context.Context, events ...driver.InputEvent) error {
	if len(events) == 0 {
		return &driver.OpError{Op: "input", Target: "nothing", Err: fmt.Errorf("odd: %w", &driver.ObscuredError{By: driver.NodeRef{Node: 7}})}
	}
	return nil
}
func (p stubPage) Navigate(_ context.Context, url string, _ *driver.NavigateOptions) (*driver.Response, error) {
	if strings.Contains(url, "nowhere") {
		return nil, &driver.OpError{Op: "navigate", Err: &driver.NavigationError{URL: url, Reason: driver.ReasonDNS, Detail: "net::X", Err: driver.ErrBlocked}}
	}
	return &driver.Response{URL: url, Status: 200, Headers: map[string]string{"set-cookie": "a=cookie-value", "x": "y"}}, nil
}

// open records a stub.
func open(t *testing.T, s *stub, opts *Options) (*Recorder, driver.Browser, driver.Page) {
	t.Helper()
	r := New(s, opts)
	b, err := r.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r, b, b.Pages()[0]
}

// written is a recorder's bundle.
func written(t *testing.T, r *Recorder) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := r.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo() = %d, %v for %d bytes", n, err, b.Len())
	}
	return b.Bytes()
}

// play opens a bundle.
func play(t *testing.T, bundle []byte) (driver.Browser, driver.Page) {
	t.Helper()
	rec, err := Read(bytes.NewReader(bundle))
	if err != nil {
		t.Fatal(err)
	}
	b, err := rec.Driver().Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b, b.Pages()[0]
}
