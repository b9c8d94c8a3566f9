package runs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// remove takes records out of a store.
func remove(t *testing.T, store fleet.Store, prefix string) {
	t.Helper()
	records, err := fleet.List(t.Context(), store, prefix)
	if err != nil || len(records) == 0 {
		t.Fatal(records, err)
	}
	for _, r := range records {
		if err := store.Delete(t.Context(), r.Key, r.Revision); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLostResult: a run whose result is lost is listed as it ended, and hides no other.
func TestLostResult(t *testing.T) {
	store := new(fleet.Memory)
	s := serve(t, store, &agent{}, &runs.Options{Workers: 1, Alone: true})
	first := s.call(201, "a", "POST", "/v1/runs", `{"task":"order","url":"https://shop.test/"}`)
	s.events("a", first.ID)
	second := s.call(201, "a", "POST", "/v1/runs", `{"task":"order","url":"https://shop.test/"}`)
	s.events("a", second.ID)
	remove(t, store, "runs.result."+first.ID+".")
	resp := s.open("a", "GET", "/v1/runs", "")
	defer resp.Body.Close()
	var list wire.Success[wire.RunList]
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil || len(list.Data.Runs) != 2 {
		t.Fatalf("%d: %d runs are listed, of 2: %v", resp.StatusCode, len(list.Data.Runs), err)
	}
	for _, run := range list.Data.Runs {
		if run.Status != wire.RunSucceeded || (run.Error != nil) != (run.ID == first.ID) {
			t.Errorf("listed: %+v", run)
		}
	}
	if run := s.call(200, "a", "GET", "/v1/runs/"+first.ID, ""); run.Status != wire.RunSucceeded || run.Error == nil {
		t.Errorf("asked for: %+v", run)
	}
}

// TestCutLog: a run of whose log a line is missing is not gone on with.
func TestCutLog(t *testing.T) {
	store := new(fleet.Memory)
	model := &agent{hangAt: 2, hanging: make(chan struct{}, 1)}
	s := serve(t, store, model, &runs.Options{Workers: 1})
	run := s.call(201, "a", "POST", "/v1/runs", `{"task":"order","url":"https://shop.test/"}`)
	<-model.hanging
	s.stop()
	remove(t, store, "runs.log."+run.ID+".00000002")
	s = serve(t, store, &agent{}, &runs.Options{Workers: 1, Alone: true})
	all := s.events("a", run.ID)
	last := all[len(all)-1].Run
	if last.Status != wire.RunFailed || last.Error == nil || last.Error.Code != wire.RunInterrupted || !strings.Contains(last.Error.Message, "damaged") {
		t.Errorf("the run ended as %s, %+v", last.Status, last.Error)
	}
}

// TestDoubt: where records may be missing, a run that is not over is ended, and one that
// is over stays as it is.
func TestDoubt(t *testing.T) {
	store := new(fleet.Memory)
	model := &agent{hangAt: 3, hanging: make(chan struct{}, 1)}
	s := serve(t, store, model, &runs.Options{Workers: 1})
	over := s.call(201, "a", "POST", "/v1/runs", `{"task":"order","url":"https://shop.test/"}`)
	s.events("a", over.ID)
	open := s.call(201, "a", "POST", "/v1/runs", `{"task":"order","url":"https://shop.test/"}`)
	<-model.hanging
	waiting := s.call(201, "a", "POST", "/v1/runs", `{"task":"order","url":"https://shop.test/"}`)
	s.stop()
	again := &agent{}
	s = serve(t, store, again, &runs.Options{Workers: 1, Alone: true, Doubt: true})
	for id, want := range map[string]wire.RunStatus{over.ID: wire.RunSucceeded, open.ID: wire.RunFailed, waiting.ID: wire.RunFailed} {
		run := s.call(200, "a", "GET", "/v1/runs/"+id, "")
		if run.Status != want || want == wire.RunFailed && !strings.Contains(run.Error.Message, "damaged") {
			t.Errorf("%s is %s, %+v; want %s", id, run.Status, run.Error, want)
		}
	}
	if n := again.asked.Load(); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}
