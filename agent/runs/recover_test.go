package runs_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

var till = fake.Web{
	"https://till.test/":         `<title>Till</title><form action="/pay" method="post"><label>Name <input name="name"></label><button>Pay now</button></form>`,
	"POST https://till.test/pay": `<title>Thank you</title><p role="status">It is paid</p>`,
}

// begin does a task up to its first step, or to its end.
func begin(t testing.TB, cfg agent.Config, first bool) agent.Task {
	t.Helper()
	session, err := engine.Open(t.Context(), till, &engine.Options{Model: offline.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(t.Context(), "https://till.test/", nil); err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	task := agent.Task{Instruction: "fill Name with %name%, then click Pay now", Variables: map[string]engine.Variable{"name": {Value: "Ada"}}, Flows: []agent.AllowedFlow{{To: "post.test", What: "receipt"}}}
	for _, err := range a.Run(t.Context(), session.Page(), task) {
		if err != nil {
			t.Fatal(err)
		}
		if first {
			break
		}
	}
	return task
}

// goOn recovers a run with a browser of its own.
func goOn(t *testing.T, cfg agent.Config, saved *agent.Saved, vars map[string]engine.Variable) (*agent.Result, error) {
	t.Helper()
	session, err := engine.Open(t.Context(), till, &engine.Options{Model: offline.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	a, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	task := saved.Task
	task.Variables = vars
	var result *agent.Result
	for step, stop := range a.Recover(t.Context(), session.Page(), task, saved) {
		if step.Result != nil {
			result = step.Result
		}
		err = stop
	}
	return result, err
}

func load(t *testing.T, store runs.Store) *agent.Saved {
	t.Helper()
	names, err := store.Runs(t.Context())
	if err != nil || len(names) != 1 {
		t.Fatalf("Runs = %q, %v, want one", names, err)
	}
	saved, err := agent.Load(t.Context(), store, names[0])
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

// TestRecover: values are asked for by name, of two owners one goes on, what was
// spent counts on, and a run that is over gives its result again.
func TestRecover(t *testing.T) {
	store := runs.NewMemory()
	cfg := agent.Config{Store: store}
	vars := begin(t, cfg, true).Variables
	saved, other := load(t, store), load(t, store)
	if want := []agent.AllowedFlow{{To: "post.test", What: "receipt"}}; !cmp.Equal(saved.Task.Flows, want) {
		t.Errorf("the task's flows are %+v, want %+v", saved.Task.Flows, want)
	}
	if _, err := goOn(t, cfg, saved, nil); !errors.Is(err, agent.ErrInvalid) || !strings.Contains(err.Error(), "%name%") {
		t.Errorf("without values: %v, want one that names the variable", err)
	}
	if err := saved.Prepare(&engine.Options{}, nil); !errors.Is(err, agent.ErrInvalid) || !strings.Contains(err.Error(), "%name%") {
		t.Errorf("Prepare without values: %v, want one that names the variable", err)
	}
	if _, err := goOn(t, agent.Config{Store: store, Mode: agent.Hybrid}, saved, vars); !errors.Is(err, agent.ErrInvalid) || !strings.Contains(err.Error(), "one of mode dom") {
		t.Errorf("by an agent of another mode: %v, want one that names it", err)
	}
	result, err := goOn(t, cfg, saved, vars)
	if err != nil || !result.Success || len(result.Actions) != 3 || result.ID != saved.ID {
		t.Fatalf("Recover = %+v, %v, want three steps and success", result, err)
	}
	if _, err := goOn(t, cfg, other, vars); !errors.Is(err, runs.ErrConflict) {
		t.Errorf("the second owner: %v, want ErrConflict", err)
	}
	again := load(t, store)
	if !again.Over {
		t.Error("the run is not over, want that it is")
	}
	if same, err := goOn(t, cfg, again, vars); err != nil || same.Message != result.Message || !same.Success || len(same.Actions) != 3 {
		t.Errorf("Recover of a run that is over = %+v, %v, want its result", same, err)
	}
}

// TestRecoverApproval: an approval that was waited for is asked for again.
func TestRecoverApproval(t *testing.T) {
	store := runs.NewMemory()
	asked := 0
	cfg := agent.Config{Store: store, NeedApproval: []agent.Class{agent.ClassPay}, Approve: func(context.Context, agent.Approval) error {
		if asked++; asked == 1 {
			return agent.ErrLater
		}
		return nil
	}}
	vars := begin(t, cfg, false).Variables
	result, err := goOn(t, cfg, load(t, store), vars)
	if err != nil || !result.Success || asked != 2 {
		t.Errorf("Recover = %+v, %v after %d questions, want success after two", result, err, asked)
	}
}

// TestRecoverIndexedDB: the log has the databases of the run's browser, written
// where they have changed alone, without the values of variables wherever a site
// keeps them, and says what it is too small for.
func TestRecoverIndexedDB(t *testing.T) {
	const secret = "Lovelace-4711"
	record := func(i int) driver.Record {
		return driver.Record{Key: []byte(strconv.Itoa(i)), Value: []byte(`{"` + secret + `":["` + secret + `"],"type":"` + secret + `"}`)}
	}
	login := driver.Database{Name: "login", Version: 1, Stores: []driver.ObjectStore{{Name: "s", Indexes: []driver.Index{}, Records: []driver.Record{record(1)}}}}
	cache := driver.Database{Name: "cache", Version: 1, Stores: []driver.ObjectStore{{Name: "s", Indexes: []driver.Index{}}}}
	for i := range 4000 {
		cache.Stores[0].Records = append(cache.Stores[0].Records, record(i))
	}
	web := fake.New(fake.Options{Web: till, Scripts: map[string]func(*fake.Document){"https://till.test/": func(d *fake.Document) {
		if err := errors.Join(d.StoreDatabase(login), d.StoreDatabase(cache)); err != nil {
			t.Error(err)
		}
	}}})
	session, err := engine.Open(t.Context(), web, &engine.Options{Model: offline.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(t.Context(), "https://till.test/", nil); err != nil {
		t.Fatal(err)
	}
	store := runs.NewMemory()
	a, err := agent.New(agent.Config{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]engine.Variable{"name": {Value: secret}}
	if _, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: "fill Name with %name%, then click Pay now", Variables: vars}); err != nil {
		t.Fatal(err)
	}
	saved := load(t, store)
	records, err := store.Load(t.Context(), saved.ID)
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	for _, r := range records {
		if strings.Contains(string(r.Data), secret) {
			t.Errorf("record %d has the value: %.300s", r.Revision, r.Data)
		}
		written += strings.Count(string(r.Data), `"login"`)
	}
	if written != 1 {
		t.Errorf("the database was written %d times, want once", written)
	}
	var opts engine.Options
	if err := saved.Prepare(&opts, vars); err != nil {
		t.Fatal(err)
	}
	o := opts.Browser.StorageState.Origins[0]
	if diff := cmp.Diff([]driver.Database{login}, o.IndexedDB); diff != "" {
		t.Errorf("it goes on with (-want +got):\n%s", diff)
	}
	if len(o.LeftOut) != 1 || o.LeftOut[0].Database != "cache" || !strings.Contains(o.LeftOut[0].Why, "131072 bytes") {
		t.Errorf("LeftOut = %v, want the cache", o.LeftOut)
	}
}
