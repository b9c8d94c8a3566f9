package accessibility

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// TestSmallDigits: digits in smaller letters beside others are not read as one
// number, whatever the elements are.
func TestSmallDigits(t *testing.T) {
	for _, tt := range []struct {
		name  string
		small driver.Rect
		want  string
	}{
		{"raised", driver.Rect{X: 40, Y: 101, Width: 12, Height: 10}, "$19⁹⁹"},
		{"lowered", driver.Rect{X: 40, Y: 112, Width: 12, Height: 10}, "$19₉₉"},
		{"as large", driver.Rect{X: 40, Y: 100, Width: 12, Height: 20}, "$1999"},
		{"elsewhere", driver.Rect{X: 400, Y: 101, Width: 12, Height: 10}, "$1999"},
		{"on another line", driver.Rect{X: 40, Y: 140, Width: 12, Height: 10}, "$1999"},
	} {
		c := htmlcapture.Of(t, `<p><span>$19</span><span>99</span></p>`)
		for i := range c.Documents[0].Nodes {
			switch n := &c.Documents[0].Nodes[i]; n.Text {
			case "$19":
				n.Box = driver.Rect{X: 10, Y: 100, Width: 30, Height: 20}
			case "99":
				n.Box = tt.small
			}
		}
		if got := Build(c, nil).Outline(); !strings.Contains(got, "text: "+tt.want+"\n") {
			t.Errorf("%s: outline =\n%swant %s in it", tt.name, got, tt.want)
		}
	}
}
