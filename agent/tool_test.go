package agent

import (
	"context"
	"encoding/json"
	"testing"
)

// A run begins with schemas that were read before: those of our tools once in a
// process, those of a program's once for an agent. What a program has changed
// since is read again.
func TestSchemasAreReadOnce(t *testing.T) {
	weather, err := NewTool("weather", "The weather of a city.",
		func(context.Context, *Call, struct{ City string }) (string, error) { return "", nil })
	if err != nil {
		t.Fatal(err)
	}
	plain := Tool{Name: "plain", Parameters: json.RawMessage(`{"type": "object"}`), Run: weather.Run}
	changed := weather
	changed.Name, changed.Parameters = "changed", json.RawMessage(`{"type":"object","required":["lake"]}`)
	a, err := New(Config{Mode: Hybrid, Tools: []Tool{weather, plain, changed}})
	if err != nil {
		t.Fatal(err)
	}
	first, err := newToolbox(a.ownTools(&Task{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	second, err := newToolbox(a.ownTools(&Task{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	for i := range first.list {
		if first.list[i].read.form != second.list[i].read.form {
			t.Errorf("the schema of %s was read again", first.list[i].Name)
		}
	}
	if form := first.byName["changed"].read.form; form == weather.read.form || form.Validate(json.RawMessage(`{}`)) == nil {
		t.Error("the tool whose Parameters were changed has the schema that it was made with")
	}
}
