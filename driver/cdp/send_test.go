package cdp

import (
	"errors"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

type wrappedPage struct{ driver.Page }

func (w wrappedPage) Unwrap() driver.Page { return w.Page }

type wrappedBrowser struct{ driver.Browser }

func (w wrappedBrowser) Unwrap() driver.Browser { return w.Browser }

// Send and Endpoint look through wrappers.
func TestWrapped(t *testing.T) {
	b := testBrowser(t)
	p := b.Pages()[0]
	var got struct{ Result struct{ Value int } }
	params := map[string]any{"expression": "1+1"}
	if err := Send(t.Context(), wrappedPage{wrappedPage{p}}, "", "Runtime.evaluate", params, &got); err != nil || got.Result.Value != 2 {
		t.Errorf("Send to a wrapped page = %+v, %v", got, err)
	}
	if err := Send(t.Context(), struct{ driver.Page }{p}, "", "Runtime.evaluate", params, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Send to what does not say what it wraps = %v, want ErrUnsupported", err)
	}
	c := b.(*browser).chrome
	was := c.address
	c.address = "ws://x"
	defer func() { c.address = was }()
	if got := Endpoint(wrappedBrowser{b}); got != "ws://x" {
		t.Errorf("Endpoint of a wrapped browser = %q", got)
	}
}
