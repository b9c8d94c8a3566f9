package runs_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/errand"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

const (
	vaultScript = `{"wayfinder":"script","version":1,"start":"https://vault.test/","variables":["password"],"steps":[
		{"step":"1","do":"fill","target":{"role":"textbox","name":"Password"},"arguments":["%password%"],"expect":{"effect":"value"}},
		{"step":"2","do":"click","target":{"role":"button","name":"Sign in"},"expect":{"requests":["POST /in"],"texts":["Welcome"]}}],
		"end":{"texts":["Your password is %password%"]}}`
	orderScript = `{"wayfinder":"script","version":1,"task":"order a teapot","start":"https://shop.test/","steps":[
		{"step":"1","do":"click","target":{"role":"button","name":"Order"},"expect":{"effect":"navigation","address":"/order","texts":["Thank you"]}}]}`
	errandScript = `{"wayfinder":"script","version":1,"start":"https://shop.test/?cart=a","steps":[
		{"step":"1","do":"click","target":{"role":"button","name":"Add 1"},"expect":{"requests":["POST /*"],"texts":["Item 1: 1 in the cart"]}},
		{"step":"2","do":"click","target":{"role":"button","name":"Add 2"},"expect":{"requests":["POST /*"],"texts":["Item 2: 1 in the cart"]}},
		{"step":"3","do":"click","target":{"role":"button","name":"Add 3"},"expect":{"requests":["POST /*"],"texts":["Item 3: 1 in the cart"]}}],
		"end":{"texts":["All items are in the cart"]}}`
)

// TestScript: a script is replayed on a service that has no model, and its run
// tells each step.
func TestScript(t *testing.T) {
	s := serveWith(t, new(fleet.Memory), nil, shop, new(server.Options))
	run := s.call(201, "a", "POST", "/v1/runs", `{"script":`+orderScript+`}`, "idempotency-key", "1")
	if run.Task != "order a teapot" {
		t.Errorf("the run is for %q", run.Task)
	}
	all := s.events("a", run.ID)
	last := all[len(all)-1].Run
	var result wire.ScriptResult
	if err := json.Unmarshal(last.Result, &result); err != nil || last.Status != wire.RunSucceeded || !result.Success || len(result.Steps) != 1 || result.Steps[0].Outcome != "unchanged" {
		t.Errorf("the run ended as %+v: %s", last, last.Result)
	}
	said := ""
	for _, e := range all {
		said += e.Type + ": " + e.Message + "\n"
	}
	if !strings.Contains(said, "begun: order a teapot\n") || !strings.Contains(said, "step: step 1: click button \"Order\": done and proved\n") {
		t.Errorf("the events are\n%s", said)
	}
	if again := s.call(200, "a", "POST", "/v1/runs", `{"script":`+orderScript+`}`, "idempotency-key", "1"); again.ID != run.ID {
		t.Errorf("sent again = %+v", again)
	}
	s.call(422, "a", "POST", "/v1/runs", `{"script":`+strings.Replace(orderScript, "teapot", "cup", 1)+`}`, "idempotency-key", "1")

	refused := s.call(201, "a", "POST", "/v1/runs", `{"script":`+strings.Replace(orderScript, `"name":"Order"`, `"name":"Buy"`, 1)+`}`)
	all = s.events("a", refused.ID)
	last = all[len(all)-1].Run
	result = wire.ScriptResult{}
	if err := json.Unmarshal(last.Result, &result); err != nil || last.Status != wire.RunFailed || last.Error.Code != wire.ScriptFailed || result.Refused == nil || !strings.Contains(last.Error.Message, `only "Order"`) {
		t.Errorf("the refused one ended as %+v: %s", last, last.Result)
	}
	gone := s.call(201, "a", "POST", "/v1/runs", `{"script":`+orderScript+`,"url":"https://gone.test/"}`)
	all = s.events("a", gone.ID)
	if last = all[len(all)-1].Run; last.Status != wire.RunFailed || last.Error.Code != wire.ScriptFailed {
		t.Errorf("the one that cannot begin ended as %+v", last)
	}
}

// TestScriptNotTaken: what is wrong is said when the run is asked for.
func TestScriptNotTaken(t *testing.T) {
	s := serveWith(t, new(fleet.Memory), nil, shop, new(server.Options))
	needy := strings.Replace(orderScript, `"steps"`, `"variables":["name"],"steps"`, 1)
	for body, says := range map[string]string{
		`{}`: "give a task or a script",
		`{"script":` + orderScript + `,"task":"order"}`:                        "give a task or a script",
		`{"script":` + orderScript + `,"maxSteps":3}`:                          "maxSteps",
		`{"script":` + orderScript + `,"checks":[{"shown":"Thank you"}]}`:      "checks",
		`{"script":` + orderScript + `,"mode":"dom"}`:                          "mode",
		`{"script":` + orderScript + `,"heal":true}`:                           "model",
		`{"script":` + orderScript + `,"url":"/order"}`:                        "url",
		`{"script":` + needy + `}`:                                             "variables",
		`{"script":{"wayfinder":"script","version":1,"start":"x","steps":[]}}`: "no whole address",
		`{"task":"order","model":"openai/gpt-5","heal":true}`:                  "heal",
		`{"task":"order","model":"openai/gpt-5","files":{"a":""}}`:             "files",
	} {
		resp := s.open("a", "POST", "/v1/runs", body)
		var f wire.Failure
		if err := json.NewDecoder(resp.Body).Decode(&f); err != nil || resp.StatusCode != http.StatusBadRequest || !strings.Contains(f.Message, says) {
			t.Errorf("%s: %d %s, %v; want %q", body, resp.StatusCode, f.Message, err, says)
		}
		resp.Body.Close()
	}
}

// TestScriptWithSecrets: the values of a script's variables stand nowhere in the
// records, and are used.
func TestScriptWithSecrets(t *testing.T) {
	home := new(vault)
	site := httptest.NewServer(home)
	t.Cleanup(site.Close)
	store := &witness{Store: new(fleet.Memory)}
	s := serveWith(t, store, &runs.Options{Keys: sealing(t, "a")}, fake.Network(), new(server.Options))
	run := s.call(201, "a", "POST", "/v1/runs", `{"script":`+vaultScript+`,"url":"`+site.URL+`/","variables":{"password":`+mustJSON(password)+`}}`)
	all := s.events("a", run.ID)
	if last := all[len(all)-1].Run; last.Status != wire.RunSucceeded || home.ins != 1 {
		t.Errorf("the run ended as %+v: %s; %d log-ins", last, last.Result, home.ins)
	}
	erased(t, store)
	leaks(t, "the records", store.all())
	leaks(t, "the run", s.read("a", "/v1/runs/"+run.ID))
}

// TestKilledScript: a process is killed (SIGKILL) at a write to its store, before it
// or after it, and another goes on with the script on the same directory: nothing is
// done twice, and where nobody can tell whether it was done the run says so.
func TestKilledScript(t *testing.T) {
	points := []int{8, -9, -16}
	if *sweepAll {
		points = nil
		for n := 1; n <= 40; n++ {
			points = append(points, n, -n)
		}
	}
	fates := map[string]int{}
	for i, at := range points {
		if i%chrometest.Thin(2) != 0 {
			continue
		}
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			shop := &errand.Shop{}
			site := httptest.NewServer(http.Handler(shop))
			t.Cleanup(site.Close)
			c := child{Dir: t.TempDir(), Shop: site.URL, Kill: at, Script: true}
			run := c.start(t)
			if run == nil {
				c.Kill = 0
				run = c.start(t)
			} else if !*sweepAll {
				t.Error("it was not killed")
			}
			if run == nil {
				t.Fatal("no run")
			}
			cart := shop.Carts()["a"]
			for item, n := range cart {
				if n > 1 {
					t.Errorf("item %d was added %d times", item+1, n)
				}
			}
			var result wire.ScriptResult
			err := json.Unmarshal(run.Result, &result)
			switch {
			case err != nil:
				t.Errorf("the run ended as %+v: %v", run, err)
			case run.Status == wire.RunSucceeded:
				fates["done"]++
				if cart != [errand.Items]int{1, 1, 1} || len(result.Steps) != 4 {
					t.Errorf("the run succeeded with %v in the cart and %d steps", cart, len(result.Steps))
				}
			case run.Error.Code == wire.ScriptFailed && result.Steps[len(result.Steps)-1].Outcome == "unknown":
				fates["unknown"]++
			default:
				t.Errorf("the run ended as %+v: %s", run, run.Result)
			}
		})
	}
	t.Log(fates)
}
