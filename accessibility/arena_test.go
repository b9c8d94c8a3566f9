package accessibility

import (
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
)

// TestBuildLeavesNothing: Build reuses the memory of earlier calls. A snapshot
// neither refers to that memory nor depends on what was in it.
func TestBuildLeavesNothing(t *testing.T) {
	var wait sync.WaitGroup
	for worker := range uint64(4) {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(worker, 7))
			var made, fresh []*Snapshot
			for range 60 {
				c := randomCapture(r, r.IntN(400)+1)
				made = append(made, Build(c, nil))
				fresh = append(fresh, build(axtree.Compute(c), nil, new(arena)))
			}
			for i, s := range made { // their outlines are written only now
				if got, want := s.Outline(), fresh[i].Outline(); got != want {
					t.Errorf("the outline is\n%s\nand without the memory of others\n%s", got, want)
					return
				}
				if !reflect.DeepEqual(s.Nodes, fresh[i].Nodes) {
					t.Error("the nodes are others without the memory of others")
					return
				}
			}
		})
	}
	wait.Wait()
}

// TestAllocations bounds how often [Build] asks for memory on a page of 1,000
// elements: the figure of one machine and a half more.
func TestAllocations(t *testing.T) {
	c := htmlcapture.Of(t, shopPage(1000))
	Build(c, nil)
	const most = 1150
	if n := testing.AllocsPerRun(10, func() { Build(c, nil).Outline() }); n > most {
		t.Errorf("Build and Outline allocate %v times, want at most %d", n, most)
	}
}
