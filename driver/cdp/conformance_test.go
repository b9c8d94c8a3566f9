package cdp

import (
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
	})
}
