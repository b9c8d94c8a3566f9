package trace_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/trace"
)

// lines reads the events of a file in a zip.
func lines(t *testing.T, archive *zip.Reader, name string) []map[string]any {
	t.Helper()
	f, err := archive.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []map[string]any
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var event map[string]any
		if err := json.Unmarshal(scanner.Bytes(), &event); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, scanner.Bytes())
		}
		all = append(all, event)
	}
	if scanner.Err() != nil {
		t.Fatal(scanner.Err())
	}
	return all
}

// TestPlaywright holds the zip to what that viewer needs: the options first, each
// action begun before anything else of it and ended once, times that do not run
// back within one, files that are there, and no value.
func TestPlaywright(t *testing.T) {
	c := inChrome(t)
	tr, err := c.Trace()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := tr.WritePlaywright(&out); err != nil {
		t.Fatal(err)
	}
	if path := os.Getenv("WAYFINDER_TRACE_ZIP"); path != "" { // for a look by that viewer: npx playwright show-trace
		if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, spelling := range spellings() {
			if bytes.Contains(data, []byte(spelling)) {
				t.Errorf("%s holds %q", f.Name, spelling)
			}
		}
	}
	wantAnew(t, tr, archive)
	events := lines(t, archive, "trace.trace")
	if first := events[0]; first["type"] != "context-options" || first["version"] != float64(9) || first["wallTime"] == float64(0) {
		t.Errorf("the first event is %v", first)
	}
	begun, ended, kinds := map[any]float64{}, map[any]bool{}, map[any]int{}
	for _, e := range events[1:] {
		kinds[e["type"]]++
		id := e["callId"]
		if snapshot, ok := e["snapshot"].(map[string]any); ok {
			id = snapshot["callId"]
		}
		switch e["type"] {
		case "before":
			if begun[id] != 0 || e["class"] == "" || e["method"] == "" || e["params"] == nil || e["pageId"] == nil {
				t.Errorf("an action begins as %v", e)
			}
			begun[id] = e["startTime"].(float64)
		case "after":
			if _, ok := begun[id]; !ok || ended[id] || e["endTime"].(float64) < begun[id] {
				t.Errorf("%v ends as %v", id, e)
			}
			ended[id] = true
		case "input", "log", "screenshot", "frame-snapshot":
			if _, ok := begun[id]; !ok {
				t.Errorf("%v of an action that has not begun: %v", e["type"], id)
			}
		}
		if file, ok := e["file"].(string); ok && !slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == file }) {
			t.Errorf("there is no file %s", file)
		}
	}
	if len(begun) != len(tr.Steps) || len(ended) != len(begun) {
		t.Errorf("%d actions begin and %d end, of %d steps", len(begun), len(ended), len(tr.Steps))
	}
	for _, kind := range []string{"input", "log", "console", "event", "screencast-frame", "screenshot", "frame-snapshot"} {
		if kinds[kind] == 0 {
			t.Errorf("there is no %s", kind)
		}
	}
	requests := lines(t, archive, "trace.network")
	if len(requests) != len(tr.Requests) {
		t.Errorf("there are %d requests, want %d", len(requests), len(tr.Requests))
	}
}

// wantAnew wants a trace that is read from its file to have all pictures, in the file
// that is written anew, and in the zip.
func wantAnew(t *testing.T, tr *trace.Trace, want *zip.Reader) {
	t.Helper()
	var file, again, out bytes.Buffer
	if err := tr.WriteHTML(&file, nil); err != nil {
		t.Fatal(err)
	}
	read, err := trace.Read(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := read.WriteHTML(&again, nil); err != nil {
		t.Fatal(err)
	}
	pictures := func(file []byte) int { return bytes.Count(file, []byte(`src="data:image/jpeg;base64,`)) }
	if n, of := pictures(again.Bytes()), pictures(file.Bytes()); n != of || n == 0 {
		t.Errorf("the file that is written anew has %d of %d pictures", n, of)
	}
	if err := read.WritePlaywright(&out); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range want.File {
		if strings.HasPrefix(f.Name, "resources/") && !slices.ContainsFunc(archive.File, func(g *zip.File) bool { return g.Name == f.Name && g.CRC32 == f.CRC32 }) {
			t.Errorf("the zip of the file that was read has no %s, or another", f.Name)
		}
	}
}
