package engine_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/strikes"
)

var everyStrike = flag.Bool("strikes", false, "strike at each driver call, and not at each seventh")

// Two elements swap their names at each driver call of each method in turn. What has
// the name that was meant when the input arrives gets it, or nothing does: by a bare
// selector, by an action that Act or Observe returned, by one that went over the
// wire and lost its fingerprint, and by a ref.
func TestStrikes(t *testing.T) {
	t.Parallel()
	chrome(t) // Without a browser the doors would be skipped, and the count below would be 0.
	server := httptest.NewServer(write(strikes.Page[len("<!DOCTYPE html>"):]))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "paper.txt")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := strikes.Cases(file)
	for _, m := range engine.Methods() {
		harmless := slices.Contains([]engine.Method{engine.ScrollTo, engine.ScrollIntoView, engine.NextChunk, engine.PrevChunk, engine.ScrollByPixelOffset, engine.Blur}, m)
		if !harmless && !slices.ContainsFunc(cases, func(c strikes.Case) bool { return c.Method == m }) {
			t.Errorf("no case has the method %s", m)
		}
	}
	var struck, wrong, done atomic.Int64
	doors := []string{"selector", "selector alone", "stored", "wire", "ref"}
	t.Run("doors", func(t *testing.T) {
		for _, door := range doors {
			t.Run(door, func(t *testing.T) {
				t.Parallel()
				f := faults.Run("swap()").On(-1, "")
				d := faults.Wrap(chrome(t), f)
				d.Glances = door != "ref"
				session, err := engine.Open(t.Context(), d, nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { session.Close() })
				s := &striker{T: t, d: d, fault: f, page: session.Page(), door: door}
				if _, err := s.page.Navigate(t.Context(), server.URL, nil); err != nil {
					t.Fatal(err)
				}
				for i, c := range cases {
					if door == "selector alone" && c.Method == engine.DragAndDrop {
						continue
					}
					for k := 1 + i%s.stride(); ; k += s.stride() {
						hit, felt, err := s.strike(&c, k)
						if !hit {
							break
						}
						struck.Add(1)
						if err == nil {
							done.Add(1)
						}
						if strings.Contains(felt, "Other") {
							wrong.Add(1)
							t.Errorf("%s %v by %s, struck at call %d: the page felt %s (%v)\n%s", c.Method, c.Args, door, k, felt, err, c.HTML())
						}
					}
				}
			})
		}
	})
	t.Logf("%d strikes, %d of them done all the same, %d wrong", struck.Load(), done.Load(), wrong.Load())
	if struck.Load() == 0 {
		t.Error("no strike")
	}
}

// A striker does one case after the other by one door.
type striker struct {
	*testing.T
	d     *faults.Driver
	fault *faults.Fault
	page  *engine.Page
	door  string
}

func (s *striker) stride() int {
	if *everyStrike {
		return 1
	}
	return 7 * chrometest.Thin(3)
}

func (s *striker) main(expression string) []byte {
	s.Helper()
	raw, err := s.page.Driver().Evaluate(s.Context(), expression, &driver.EvaluateOptions{World: driver.Main})
	if err != nil {
		s.Fatal(err)
	}
	return raw
}

// strike does a case with the twins swapped at its kth driver call, and returns what
// the page felt.
func (s *striker) strike(c *strikes.Case, k int) (struck bool, felt string, err error) {
	s.Helper()
	html, _ := json.Marshal(c.HTML())
	s.main(fmt.Sprintf("show(%s)", html))
	if s.door == "selector alone" { // no label says who is who
		s.main("swaps = ['id', 'data-twin']")
	}
	if err := s.page.Driver().Input(s.Context(), driver.MouseMove{At: driver.Point{X: 700, Y: 500}}); err != nil {
		s.Fatal(err)
	}
	act := s.act(c)
	s.main("felt.length = 0")
	before := s.fault.Count()
	s.fault.On(s.d.Calls("")+k, "")
	err = act()
	s.fault.On(-1, "")
	if s.fault.Count() == before {
		return false, "", err
	}
	return true, string(s.main("felt.join(', ')")), err
}

// act prepares the call that does a case.
func (s *striker) act(c *strikes.Case) func() error {
	s.Helper()
	action := engine.Action{Selector: "css=#meant", Method: c.Method, Arguments: c.Args}
	switch s.door {
	case "stored", "wire", "ref":
		snap, err := s.page.Snapshot(s.Context(), nil)
		if err != nil {
			s.Fatal(err)
		}
		var target engine.Target
		for i := range snap.Nodes {
			if n := &snap.Nodes[i]; n.Name == "Meant" {
				target = engine.Target{Snapshot: snap, Ref: n.Ref}
				break
			}
		}
		command := engine.Command{Method: c.Method, Arguments: c.Args}
		if c.Method == engine.DragAndDrop {
			command.Arguments, command.Drop = nil, &engine.Target{Selector: c.Args[0]}
		}
		if s.door == "ref" {
			return func() error {
				_, err := s.page.DoTo(s.Context(), target, command, nil)
				return err
			}
		}
		// An action on the element that changes nothing tells how it is stored.
		r, err := s.page.DoTo(s.Context(), target, engine.Command{Method: engine.ScrollIntoView}, nil)
		if err != nil {
			s.Fatal(err)
		}
		stored := r.Actions[0]
		stored.Method, stored.Arguments, stored.Description = c.Method, c.Args, ""
		if s.door == "wire" {
			stored.Fingerprint, stored.Surroundings = nil, nil
		}
		action = stored
	}
	return func() error {
		_, err := s.page.Do(s.Context(), action, nil)
		return err
	}
}
