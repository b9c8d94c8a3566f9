package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestHistoryInJSON: a history is stored and read back as it was.
func TestHistoryInJSON(t *testing.T) {
	web := fake.Web{"https://shop.test/": `<form action=/order><input name=n aria-label=Amount><button>Order</button></form>`, "https://shop.test/order": `<h1>Thanks</h1>`}
	session, err := engine.Open(t.Context(), web, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	ctx, call := session.BeginCall(t.Context(), nil, "run", "order two")
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		t.Fatal(err)
	}
	for _, a := range []engine.Action{{Selector: "input", Method: engine.Fill, Arguments: []string{"2"}}, {Selector: "button"}} {
		if _, err := page.Do(ctx, a, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := page.Extract(ctx, "", nil); err != nil {
		t.Fatal(err)
	}
	call.End(nil, nil)
	want := session.History()
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got []engine.Entry
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(got)
	if err != nil || string(again) != string(raw) {
		t.Errorf("read back and written again (%v):\n%s\nwant\n%s", err, again, raw)
	}
	if got[3].Evidence.Navigation == nil || !got[3].Begin.Equal(want[3].Begin) {
		t.Errorf("the click was read back as %+v", got[3])
	}
	if len(want) != 5 || want[1].Parent != want[0].ID || !strings.Contains(string(raw), `"parent":"`) {
		t.Errorf("%d entries: %s", len(want), raw)
	}
}
