package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// The same on Chrome, where the page changes when it likes to: between the look
// and the press, too. testdata/restless.html says what is changed.
func TestRandomActsOnChrome(t *testing.T) {
	t.Parallel()
	r := &restless{rand: seed(t)}
	page, base := openOnChrome(t, http.FileServer(http.Dir("testdata")), &engine.Options{Model: r, SettleTimeout: time.Millisecond, Patience: 300 * time.Millisecond})
	if _, err := page.Navigate(t.Context(), base+"/restless.html", nil); err != nil {
		t.Fatal(err)
	}
	done, n := 0, acts(50)
	for i := range n {
		r.target = fmt.Sprint(r.rand.IntN(randomItems))
		args := []any{r.rand.Uint32(), randomItems, r.target}
		if i%5 == 4 {
			args = append(args, 1+r.rand.IntN(8)) // and then the page rests: no machine is too slow for it
		}
		r.call(t, page, "start", args...)
		result, err := page.Act(t.Context(), "click Item "+r.target, &engine.ActOptions{Timeout: 5 * time.Second})
		var felt struct{ Presses, Log []string }
		if err := json.Unmarshal(r.call(t, page, "stop"), &felt); err != nil {
			t.Fatal(err)
		}
		want := r.target + " Item " + r.target
		switch pressed := len(felt.Presses); {
		case pressed > 1, pressed == 1 && felt.Presses[0] != want:
			t.Errorf("act %d: wanted %s, pressed %q after\n\t%s", i, want, felt.Presses, strings.Join(felt.Log, "\n\t"))
		case result.Success != (err == nil), result.Success && pressed == 0:
			t.Errorf("act %d: success %+v, error %v, pressed %q after\n\t%s", i, result, err, felt.Presses, strings.Join(felt.Log, "\n\t"))
		}
		if result.Success {
			done++
		}
	}
	t.Logf("%d of %d acts were done, the others refused", done, n)
	if done == 0 {
		t.Error("no act was done")
	}
}

// call calls a function of the page's script.
func (*restless) call(t *testing.T, page *engine.Page, function string, args ...any) json.RawMessage {
	t.Helper()
	if args == nil {
		args = []any{}
	}
	raw, err := page.Driver().Evaluate(t.Context(), "(...args) => "+function+"(...args)", &driver.EvaluateOptions{World: driver.Main, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
