package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// A page that counts what it feels.
const countingPage = faultyPage + `<script>
	const seen = {};
	for (const kind of ['click', 'input', 'change', 'keydown', 'mousedown'])
		addEventListener(kind, (e) => { const what = kind + ' ' + e.target.id; seen[what] = (seen[what] ?? 0) + 1; }, true);
</script>`

// The same on Chrome, for a press and for text: whatever call fails, or does its
// work and says that it failed, the caller is told, and nothing is done twice.
func TestFaultSweepOnChrome(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(write(countingPage))
	t.Cleanup(server.Close)
	for _, c := range []faultyCase{faultyDo(engine.Click, "#b"), faultyDo(engine.Fill, "#t", "new")} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plain := runOnChrome(t, c, server.URL)
			if plain.err != nil || !plain.success {
				t.Fatalf("without a fault: %v, %v", plain.success, plain.err)
			}
			struck := 0
			for _, kind := range faultKinds {
				if kind.err != errOdd {
					continue
				}
				for n := plain.calls + 1; !t.Failed(); n += chrometest.Thin(3) {
					f := kind.make(n)
					run := runOnChrome(t, c, server.URL, f)
					if run.early {
						continue
					}
					if run.all < n {
						break // the case was over before
					}
					checkFaulty(t, fmt.Sprintf("%s at call %d of about %d", kind.name, n-plain.calls, plain.all-plain.calls), run, plain, kind.err)
					struck++
				}
			}
			if t.Logf("%d faults at about %d calls, page saw %v", struck, plain.all-plain.calls, plain.seen); struck == 0 {
				t.Error("no fault struck")
			}
		})
	}
}

func runOnChrome(t *testing.T, c faultyCase, address string, f ...*faults.Fault) faultyRun {
	t.Helper()
	d := faults.Wrap(chrome(t), f...)
	session, err := engine.Open(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	page := session.Page()
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		if len(f) == 0 || f[0].Count() == 0 {
			t.Fatal(err)
		}
		_ = session.Close() // the case began a call later than the plain one did
		return faultyRun{calls: d.Calls(""), all: d.Calls(""), early: true}
	}
	run := faultyRun{calls: d.Calls("")}
	run.told, run.err = c.do(t.Context(), page)
	run.all = d.Calls("")
	var raw json.RawMessage
	for range 2 { // a fault that has not struck yet strikes here
		if raw, err = page.Driver().Evaluate(t.Context(), "seen", &driver.EvaluateOptions{World: driver.Main}); err == nil {
			break
		}
	}
	if err == nil {
		err = json.Unmarshal(raw, &run.seen)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	return run
}
