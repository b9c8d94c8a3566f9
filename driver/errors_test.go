package driver_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// The text of an error repeats no more of an address or a selector than a
// person reads.
func TestErrorsRepeatLittle(t *testing.T) {
	long := "https://a.test/" + strings.Repeat("ä", 100_000)
	failed := &driver.NavigationError{URL: long, Reason: driver.ReasonDNS}
	for _, err := range []error{failed, &driver.OpError{Op: "navigate", Target: long, Err: failed}, &driver.OpError{Op: "find", Target: long, Err: errors.New("no")}} {
		text := err.Error()
		if len(text) > 700 || !utf8.ValidString(text) || !strings.Contains(text, "https://a.test/ä") {
			t.Errorf("the text has %d bytes: %.100s", len(text), text)
		}
	}
	if failed.URL != long {
		t.Error("the field is cut")
	}
	if text := (&driver.OpError{Op: "find", Target: "#short", Err: errors.New("no")}).Error(); text != "find #short: no" {
		t.Errorf("Error() = %q", text)
	}
}
