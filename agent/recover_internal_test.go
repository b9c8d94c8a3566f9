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
		if !reflect.DeepEqual(r.claim.ungrounded, want) || len(r.claim.omitted) != strings.Count(ungrounded, "omitted") {
			t.Errorf("%s: %+v, %+v, want %+v", ungrounded, r.claim.ungrounded, r.claim.omitted, want)
		}
	}
	if _, err := ungroundedOf([]byte(`{"price":4}`)); err == nil {
		t.Error("doubts that are no list are read")
	}
}
