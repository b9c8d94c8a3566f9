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
		{name: "open", unit: "ms", ours: []float64{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110}},
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
		"row; ours (p10–p90); bare (p10–p90); ratio; goal; reached",
		"---; ---; ---; ---; ---; ---",
		"quick, 1,000; 2 ms (1.2–2.8); 1 ms (1–1); 2.00; ratio ≤ 2.5, about 4 ms; yes",
		"slow; 20 ms (12–28); 2 ms (2–2); 10.00; ratio ≤ 2.5; no",
		"often; 70/s (70–70); –; –; ≥ 60/s; yes",
		"late; 2 ms (2–2); –; –; ≤ 2 ms; no",
		"open; 60 ms (20–100); –; –; ; –",
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

// The table is for machines that have nothing else to do.
func TestLoad(t *testing.T) {
	if got := running("cpu  1 2\nprocesses 12\nprocs_running 7\nprocs_blocked 0\n"); got != 7 {
		t.Errorf("running = %d, want 7", got)
	}
	for load, refused := range map[float64]bool{0: false, 1.5: false, 1.6: true} {
		if err := quietMachine(load); (err != nil) != refused {
			t.Errorf("quietMachine(%v) = %v", load, err)
		}
	}
}
