package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestEndedWithoutStep: a log whose checksums hold, and that says nonsense, is damaged.
func TestEndedWithoutStep(t *testing.T) {
	for _, action := range []string{`{}`, `{"step":0}`, `{"step":-3}`, `{"step":"1"}`, `7`, ``} {
		p := &past{run: &run{}}
		if err := p.take(journal.Entry{Of: &journal.Ended{Action: []byte(action)}}); !errors.Is(err, runs.ErrDamaged) {
			t.Errorf("%s: %v, want %v", action, err, runs.ErrDamaged)
		}
	}
}

// TestClaimsOfBefore: a log from before doubts had reasons, and lists gaps, still reads.
func TestClaimsOfBefore(t *testing.T) {
	const record = `{"action":{"step":1,"type":"done"},"claim":{"success":true,"message":"read","criteria":[],"output":{"price":4},"ungrounded":%s}}`
	for ungrounded, want := range map[string][]engine.Ungrounded{
		`null`:               nil,
		`["/price","/a~1b"]`: {{Pointer: "/price", Degree: engine.Contradicted, Reason: unsaid}, {Pointer: "/a~1b", Degree: engine.Contradicted, Reason: unsaid}},
		`[{"pointer":"/price","degree":"unproven","reason":"it was computed"}],"omitted":[{"cause":"model","pointer":"/lamps","count":2,"noun":"records"}]`: {{Pointer: "/price", Degree: engine.Unproven, Reason: "it was computed"}},
	} {
		var e journal.Ended
		if err := json.Unmarshal(fmt.Appendf(nil, record, ungrounded), &e); err != nil {
			t.Fatal(err)
		}
		r := &run{}
		r.bounds = &bounds{}
		if err := (&past{run: r}).take(journal.Entry{Of: &e}); err != nil {
			t.Fatalf("%s: %v", ungrounded, err)
		}
		if !reflect.DeepEqual([]engine.Ungrounded(r.claim.Ungrounded), want) || len(r.claim.Omitted) != strings.Count(ungrounded, "omitted") {
			t.Errorf("%s: %+v, %+v, want %+v", ungrounded, []engine.Ungrounded(r.claim.Ungrounded), r.claim.Omitted, want)
		}
	}
	if new(ungrounded).UnmarshalJSON([]byte(`{"price":4}`)) == nil {
		t.Error("doubts that are no list are read")
	}
}

// TestPendingsOfBefore: a pending from before it knew what the run was shown still reads.
func TestPendingsOfBefore(t *testing.T) {
	var s saved
	if err := json.Unmarshal([]byte(`{"id":"r","messages":[],"first":1,"turns":[],"turn":2,"calls":[],"actions":[{"step":1,"type":"ask"}],"steps":3,"failures":1,"usage":{"Input":7},"cost":0.5}`), &s); err != nil {
		t.Fatal(err)
	}
	r := &run{}
	r.bounds = &bounds{}
	(&past{run: r}).resume(&s)
	if b := r.bounds; b.steps != 3 || b.failures != 1 || b.cost != 0.5 || len(r.actions) != 1 || r.turn != 2 {
		t.Errorf("bounds %+v, %d actions, turn %d", b, len(r.actions), r.turn)
	}
}
