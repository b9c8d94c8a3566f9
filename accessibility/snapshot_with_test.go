package accessibility

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A snapshot that is written otherwise is what would have been built so, and
// leaves the first one as it is.
func TestWith(t *testing.T) {
	c := htmlcapture.Of(t, shopPage(500))
	whole := Build(c, nil)
	before := whole.Outline()
	for _, opts := range []Options{
		{}, {MaxTokens: 300}, {MaxTokens: 1 << 30, URLs: true}, {Mask: strings.ToUpper}, {MaxTokens: 200, URLs: true, Mask: strings.ToUpper},
	} {
		got, want := whole.With(opts), Build(c, &opts)
		if diff := cmp.Diff(want.Outline(), got.Outline()); diff != "" {
			t.Errorf("With(%+v).Outline() (-built +got):\n%s", opts, diff)
		}
		for i := range want.Nodes {
			if _, ok := got.Lookup(want.Nodes[i].Ref); !ok {
				t.Fatalf("With(%+v).Lookup(%q) finds nothing", opts, want.Nodes[i].Ref)
			}
		}
		checkSnapshot(t, got)
	}
	if whole.Outline() != before {
		t.Error("the first snapshot's outline has changed")
	}
	scoped := Build(c, &Options{Scope: []driver.NodeRef{whole.Nodes[len(whole.Nodes)/2].Source}})
	if got := scoped.With(Options{URLs: true}); len(got.Nodes) != len(scoped.Nodes) {
		t.Errorf("With gives %d nodes, want the %d of the scope", len(got.Nodes), len(scoped.Nodes))
	}
}
