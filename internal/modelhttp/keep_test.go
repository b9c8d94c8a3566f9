package modelhttp

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeptIsTheProvidersOwn(t *testing.T) {
	blocks := []json.RawMessage{json.RawMessage(`{"a":1}`), json.RawMessage(`"b"`)}
	opaque, err := keep("azure.openai", blocks) // a dot is no path
	if err != nil {
		t.Fatal(err)
	}
	if got := Kept(opaque, "azure.openai"); !cmp.Equal(got, blocks) {
		t.Errorf("Kept(%s) = %s, want %s", opaque, got, blocks)
	}
	for _, foreign := range []string{string(opaque), `{"openai":{"a":[]}}`, `{"azure":{"openai":[1]}}`, `{"openai":[1`, `"openai"`, "", "null"} {
		if got := Kept([]byte(foreign), "openai"); got != nil {
			t.Errorf("Kept(%s) = %s, want none", foreign, got)
		}
	}
	if opaque, err := keep("openai", nil); opaque != nil || err != nil {
		t.Errorf("keep of nothing = %s, %v", opaque, err)
	}
}

func TestTrouble(t *testing.T) {
	for _, tc := range []struct{ body, code, message string }{
		{`{"error":{"code":"c","type":"t","message":"m"}}`, "c", "m"},
		{`{"error":{"code":400,"type":"t","message":"m"}}`, "t", "m"},
		{`{"error":{"code":"c","message":"m","innererror":{"code":"inner"}}}`, "inner", "m"},
		{`{"error":{"code":"c"},"message":"outer"}`, "", "outer"},
		{`{"error":"{\"message\":\"within words\"}"}`, "", `{"message":"within words"}`},
		{`{"error":null,"Message":"Amazon's"}`, "", "Amazon's"},
		{`{"detail":{"msg":"of an object"}}`, "", `{"msg":"of an object"}`},
		{`{"error":{"message":"cut`, "", ""},
		{`[{"error":{"message":"m"}}]`, "", ""},
		{`<html>{"error":"no"}`, "", ""},
		{``, "", ""},
	} {
		if code, message := Trouble([]byte(tc.body)); code != tc.code || message != tc.message {
			t.Errorf("Trouble(%s) = %q, %q, want %q, %q", tc.body, code, message, tc.code, tc.message)
		}
	}
}
