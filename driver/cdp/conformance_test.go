package cdp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/drivertest"
)

// TestConformance runs the suite on one Chrome, each case in an isolated
// browser of it.
func TestConformance(t *testing.T) {
	chrome := testChrome(t)
	drivertest.Run(t, drivertest.Harness{
		Driver:   func(*drivertest.Site) driver.Driver { return chrome },
		Loopback: true,
		Scripts:  true,
		Reuse:    true,
		Lacks: func(b driver.Browser, refused error) string {
			if chromeMajor(t, b.Version()) < firstWithTools && strings.Contains(refused.Error(), "WebMCP") {
				return refused.Error()
			}
			return ""
		},
	})
}

// chromeMajor is the number of a Chrome's version.
func chromeMajor(t testing.TB, version string) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscanf(version[strings.LastIndexByte(version, '/')+1:], "%d.", &n); err != nil {
		t.Fatalf("Version() = %q: %v", version, err)
	}
	return n
}
