package faults_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
)

// TestWatch: a point stands before and after each call of the operations that are
// named, and at no other. With an error of the first the call is not made, with one of
// the second its answer is lost.
func TestWatch(t *testing.T) {
	over := errors.New("over")
	for at, want := range []struct {
		asked  int // for the page, by two calls
		failed bool
	}{{2, false}, {1, true}, {2, true}, {1, true}, {2, true}} {
		points, asked := 0, 0
		site := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ })
		d := faults.Watch(fake.New(fake.Options{Handler: site}), func() error {
			if points++; points == at {
				return over
			}
			return nil
		}, "navigate")
		b, err := d.Open(t.Context(), &driver.BrowserOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		p := b.Pages()[0]
		if p != b.Pages()[0] {
			t.Error("a page is another one each time")
		}
		var failed error
		for range 2 {
			_, err := p.Navigate(t.Context(), "https://a.test/", nil)
			failed = errors.Join(failed, err)
			if _, err := p.Activity(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if asked != want.asked || errors.Is(failed, over) != want.failed {
			t.Errorf("point %d: asked %d times, %v; want %+v", at, asked, failed, want)
		}
	}
}
