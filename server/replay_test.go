package server

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// TestReplayOfABadEntry: what can't be written takes nothing else with it.
func TestReplayOfABadEntry(t *testing.T) {
	now := time.Now()
	entry := func(name engine.Operation, data string) engine.Entry {
		return engine.Entry{Operation: name, Begin: now, End: now, Success: true, Data: json.RawMessage(data)}
	}
	pages := pagesOf(callsOf([]engine.Entry{entry("extract", `{"a":1}`), entry("extract", ``), entry("extract", `{"b`), entry("act", ``)}, &middleware.Prices{}))
	raw, err := json.Marshal(pages)
	if err != nil {
		t.Fatalf("the history can't be written: %v", err)
	}
	if n := len(pages[0].Actions); n != 4 {
		t.Errorf("%d entries, want 4: %s", n, raw)
	}
	if text := string(raw); !strings.Contains(text, `"data":{"a":1}`) || strings.Count(text, "can't be written") != 2 {
		t.Errorf("pages = %s, want the good entry whole, and two that say what they lack", raw)
	}
}
