package faults_test

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
)

// TestPageAsLooksThroughWrappers: what only the innermost driver's pages and
// browsers can do is found under two wrappers, and what none can is not.
func TestPageAsLooksThroughWrappers(t *testing.T) {
	b, p := open(t, faults.Wrap(recording.New(faults.Wrap(web), nil)))
	type crasher interface{ Crash() }
	if _, ok := p.(crasher); ok {
		t.Fatal("the wrapper itself crashes pages: the test shows nothing")
	}
	if _, ok := driver.PageAs[crasher](p); !ok {
		t.Error("PageAs finds no page that can crash")
	}
	if _, ok := driver.PageAs[interface{ Fly() }](p); ok {
		t.Error("PageAs finds a page that can fly")
	}
	if _, ok := driver.BrowserAs[interface{ Fly() }](b); ok {
		t.Error("BrowserAs finds a browser that can fly")
	}
	inner, ok := driver.BrowserAs[driver.BrowserWrapper](b)
	if !ok || inner != b {
		t.Errorf("BrowserAs[BrowserWrapper] = %v, %v, want the outermost", inner, ok)
	}
}
