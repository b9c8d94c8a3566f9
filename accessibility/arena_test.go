package accessibility

import (
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
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
