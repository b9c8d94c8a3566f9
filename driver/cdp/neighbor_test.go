package cdp

import (
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A page that changes its address without end holds up nobody but itself:
// Chrome's own throttle of that is left on.
func TestFloodingPageAndItsNeighbors(t *testing.T) {
	base := site{
		"/flood": `<script>let i = 0; setInterval(() => { for (let n = 0; n < 20; n++) location.hash = i++ }, 1)</script>`,
		"/":      "<title>calm</title><button>b</button>",
	}.serve(t)
	flood := testPage(t)
	if _, err := flood.Navigate(t.Context(), base+"/flood", &driver.NavigateOptions{WaitUntil: driver.WaitCommit}); err != nil {
		t.Fatal(err)
	}
	neighbor := testPage(t)
	for range 5 {
		begin := time.Now()
		goTo(t, neighbor, base)
		if c := capture(t, neighbor); c.Documents[0].Title != "calm" {
			t.Errorf("the neighbor shows %q", c.Documents[0].Title)
		}
		t.Logf("a neighbor's page was opened and read in %v", time.Since(begin))
	}
}
