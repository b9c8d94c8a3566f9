package snapshot

import (
	"fmt"
	"strings"
	"testing"
)

// TestAllocations: how often memory is asked for does not depend on how many nodes
// there are.
func TestAllocations(t *testing.T) {
	for _, form := range []struct {
		name string
		of   func(testing.TB, string) []byte
	}{
		{"JSON", func(_ testing.TB, reply string) []byte { return []byte(reply) }}, {"CBOR", inCBOR},
	} {
		counts := map[int]float64{}
		for _, n := range []int{100, 10_000} {
			raw := form.of(t, replyOf(n))
			if _, err := Decode(raw, 1); err != nil {
				t.Fatal(err)
			}
			counts[n] = testing.AllocsPerRun(5, func() {
				if _, err := Decode(raw, 1); err != nil {
					t.Fatal(err)
				}
			})
		}
		const more = 100 // slices that grow, and columns that the collector has taken
		if counts[10_000] > counts[100]+more {
			t.Errorf("%s: %v allocations for 100 elements, %v for 10,000", form.name, counts[100], counts[10_000])
		}
	}
}

// replyOf is a reply with n elements in the body, each with two attributes and a box.
func replyOf(n int) string {
	repeat := func(s string) string { return strings.Repeat(","+s, n) }
	var parents, ids, rows strings.Builder
	for i := range n {
		fmt.Fprintf(&parents, ",1")
		fmt.Fprintf(&ids, ",%d", i+3)
		fmt.Fprintf(&rows, ",%d", i+2)
	}
	return `{"documents":[{"nodes":{"parentIndex":[-1,0` + parents.String() + `],"nodeType":[9,1` + repeat("1") + `],"nodeName":[0,1` + repeat("2") +
		`],"nodeValue":[-1,-1` + repeat("-1") + `],"backendNodeId":[1,2` + ids.String() + `],"attributes":[[],[]` + repeat("[3,4,5,4]") +
		`]},"layout":{"nodeIndex":[1` + rows.String() + `],"styles":[[3,4,3,4,3,4,3]` + repeat("[3,4,3,4,3,4,3]") +
		`],"bounds":[[0,0.5,9,9]` + repeat("[0,0.5,9,9.25]") + `],"text":[-1` + repeat("-1") + `]}}],"strings":["#document","HTML","LI","class","a","id"]}`
}
