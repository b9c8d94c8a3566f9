package main

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	rows := []*row{
		{name: "quick, 1,000", unit: "ms", ours: []float64{3, 1, 2}, bare: []float64{1, 1}, goal: goal{ratio: 2.5, more: "about 4 ms"}},
		{name: "slow", unit: "ms", ours: []float64{30, 10}, bare: []float64{2}, goal: goal{ratio: 2.5}},
		{name: "often", unit: "/s", ours: []float64{70}, goal: goal{rate: 60}},
		{name: "late", unit: "ms", ours: []float64{2.001}, goal: goal{ms: 2}},
		{name: "other", unit: "ms", goal: goal{ms: 2}, note: "not measured: no Chrome"},
	}
	var b strings.Builder
	writeTable(&b, rows)
	var got []string
	for line := range strings.Lines(b.String()) {
		var cells []string
		for _, cell := range strings.Split(strings.Trim(line, "| \n"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		got = append(got, strings.Join(cells, "; "))
	}
	want := []string{
		"row; ours; bare; ratio; goal; reached",
		"---; ---; ---; ---; ---; ---",
		"quick, 1,000; 2 ms; 1 ms; 2.00; ratio ≤ 2.5, about 4 ms; yes",
		"slow; 20 ms; 2 ms; 10.00; ratio ≤ 2.5; no",
		"often; 70/s; –; –; ≥ 60/s; yes",
		"late; 2 ms; –; –; ≤ 2 ms; no",
		"other; –; –; –; ≤ 2 ms; not measured: no Chrome",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the table is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b.Reset()
	writeSamples(&b, rows[:3])
	if got, want := strings.Split(b.String(), "\n")[0], "Benchmark/quick_1000 1 3000000 ns/op"; got != want {
		t.Errorf("the first sample = %q, want %q", got, want)
	}
	if got, want := strings.Count(b.String(), "\n"), 9; got != want {
		t.Errorf("%d samples, want %d", got, want)
	}
}

func TestNumbered(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		id   int
		rest string
		ok   bool
	}{
		{`{"id":12,"result":{}}`, 12, `"result":{}}`, true},
		{`{"method":"Target.attachedToTarget","params":{"id":1}}`, 0, "", false},
		{`{"id":1}`, 0, "", false},
	} {
		id, rest, ok := numbered([]byte(tt.raw))
		if ok != tt.ok || ok && (id != tt.id || string(rest) != tt.rest) {
			t.Errorf("numbered(%s) = %d, %s, %v, want %d, %s, %v", tt.raw, id, rest, ok, tt.id, tt.rest, tt.ok)
		}
	}
}
