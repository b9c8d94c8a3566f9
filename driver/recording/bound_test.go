package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// TestCosts: nothing that a line is read into is larger than what is counted for it.
func TestCosts(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var largest func(of reflect.Type, c cost)
	largest = func(of reflect.Type, c cost) {
		if seen[of] {
			return
		}
		seen[of] = true
		switch of.Kind() {
		case reflect.Pointer, reflect.Array:
			largest(of.Elem(), c)
		case reflect.Map:
			if size := int(of.Key().Size() + of.Elem().Size()); size > c.member+c.element {
				t.Errorf("an entry of %v has %d bytes", of, size)
			}
			largest(of.Elem(), c)
		case reflect.Slice:
			size := int(of.Elem().Size())
			if of.Elem().Kind() == reflect.Pointer { // a document has members, which are counted
				size = int(of.Elem().Elem().Size()) - 2*c.member
			}
			if size > c.element {
				t.Errorf("an element of %v has %d bytes, more than %d", of, size, c.element)
			}
			largest(of.Elem(), c)
		case reflect.Struct:
			for i := range of.NumField() {
				if of.Field(i).IsExported() {
					largest(of.Field(i).Type, c)
				}
			}
		}
	}
	largest(reflect.TypeFor[node](), nodeCost)
	if size := int(reflect.TypeFor[node]().Size()) + pointerSize; size > nodeCost.line {
		t.Errorf("a node has %d bytes", size)
	}
	if size := int(reflect.TypeFor[driver.Node]().Size()); size > playedSize {
		t.Errorf("a node that is played has %d bytes", size)
	}
	if size := int(reflect.TypeFor[driver.Attr]().Size()); size > playedAttr {
		t.Errorf("an attribute that is played has %d bytes", size)
	}
	seen = map[reflect.Type]bool{}
	most := 0
	largest(reflect.TypeFor[header](), lineCost)
	largest(reflect.TypeFor[line](), lineCost)
	for _, all := range []map[string]reflect.Type{answers, events} {
		for _, of := range all {
			if of == nil {
				continue
			}
			largest(of, lineCost)
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			most = max(most, int(of.Size()))
		}
	}
	// A line is an item, in two lists, with a call or an event.
	if size := int(reflect.TypeFor[item]().Size()+reflect.TypeFor[call]().Size()) + 2*pointerSize + most; size > lineCost.line {
		t.Errorf("a line has %d bytes", size)
	}
}

// A repeated is a text that is read again and again, as often as it is said.
type repeated struct {
	head, text string
	times      int
}

func (r *repeated) Read(p []byte) (n int, _ error) {
	for n < len(p) {
		if r.head == "" {
			if r.times == 0 {
				if n > 0 {
					break
				}
				return 0, io.EOF
			}
			r.times--
			r.head = r.text
		}
		k := copy(p[n:], r.head)
		r.head, n = r.head[k:], n+k
	}
	return n, nil
}

// TestBound: a bundle that comes to many times its size is refused before it does, however
// that is written.
func TestBound(t *testing.T) {
	const (
		head  = `{"wayfinder":"recording","version":1,"driver":"","browser":"","pages":[{"id":"0","frames":[]}]}` + "\n"
		look  = `{"call":"capture","page":"0","answer":{"documents":[{"ownerDocument":-1,"owner":-1,"active":-1,"styles":[],"nodes":2}]}}` + "\n"
		first = `{"id":1,"up":1,"kind":1}` + "\n"
		many  = 1 << 40
	)
	grown, alike := look+first+first, ""
	for n := 2; n <= 1<<20; n *= 2 { // as many nodes again as the capture before had
		if n == 1<<13 {
			alike = grown
		}
		grown += strings.Replace(look, `"nodes":2`, fmt.Sprintf(`"nodes":%d`, 2*n), 1) + strings.Repeat(fmt.Sprintf(`{"copy":[0,%d]}`+"\n", n), 2)
	}
	large := fmt.Sprintf(`{"id":2,"up":1,"kind":3,"text":%q}`+"\n", strings.Repeat("x", 1<<20))
	const most = 16 << 20
	for name, bundle := range map[string]*repeated{
		"a line without an end":      {head: head + `{"note":"x","data":"`, text: "a", times: many},
		"lines with nothing in them": {head: head, text: "{}\n", times: many},
		"notes":                      {head: head, text: `{"note":"x","data":[]}` + "\n", times: many},
		"a list in a line":           {head: head + `{"page":"0","frames":[{}`, text: ",{}", times: 4 << 20},
		"a list of styles":           {head: head + strings.Replace(look[:len(look)-1], `"styles":[`, `"styles":[{}`+strings.Repeat(",{}", 1<<20), 1), text: "\n", times: 1},
		"a list of nothing":          {head: head + `{"page":"0","frames":[null`, text: ",null", times: 2 << 20},
		"headers":                    {head: head + `{"call":"navigate","answer":{"Header":{"":""`, text: `,"a":""`, times: 2 << 20},
		"lists in lists":             {head: head, text: "[", times: many},
		"nodes":                      {head: head + strings.Replace(look, `"nodes":2`, `"nodes":999999999`, 1), text: first, times: many},
		"more and more copies":       {head: head + grown, text: "{}\n", times: 1},
		"copies":                     {head: head + alike, text: strings.Replace(look, `"nodes":2`, `"nodes":8192`, 1) + `{"copy":[0,8192]}` + "\n", times: many},
		"copies of a long text": {head: head + look + first + large, times: 1,
			text: strings.Replace(look, `"nodes":2`, `"nodes":99`, 1) + `{"copy":[0,1]}` + "\n" + strings.Repeat(`{"copy":[1,1]}`+"\n", 98)},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			rec, err := read(bundle, most)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "MB") && !strings.Contains(err.Error(), "depth") {
				t.Errorf("Read = %v, %v; want %v for its size", rec, err, ErrFormat)
			}
			// All that was ever made, with what was made for a line and given back after it.
			if made := after.TotalAlloc - before.TotalAlloc; made > 6*most {
				t.Errorf("%d MB were made, want at most six times the bound of %d MB", made>>20, most>>20)
			}
		})
	}
}

// TestBoundOfPictures: so is what WithoutPictures copies.
func TestBoundOfPictures(t *testing.T) {
	var out bytes.Buffer
	if err := WithoutPictures(&out, &repeated{head: "{", text: strings.Repeat("a", 1<<20), times: 1 << 20}); err == nil || out.Len() > 0 {
		t.Errorf("WithoutPictures = %v, with %d bytes", err, out.Len())
	}
}
