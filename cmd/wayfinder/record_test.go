package main

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// A run is recorded on each browser, and played when its site is gone; one that
// failed fails again in the same way. Values are in no output and not in the file.
func TestRecord(t *testing.T) {
	const value = "xyzzy 42 & more"
	for name, browser := range browsers(t) {
		for _, c := range []struct {
			name  string
			steps []string
			code  int
			out   string
		}{
			{"done", []string{"--act", "type %pw% into Word", "--act", "click Send", "--extract", "the heading", "--observe", ""}, exitDone, `{"extraction":"A form"}`},
			{"by action", []string{"--action", `{"selector":"input","method":"fill","arguments":["%pw%"]}`, "--extract", "",
				"--extract", "the heading", "--schema", `{"type":"object","properties":{"heading":{"type":"string"}},"required":["heading"]}`}, exitDone, `{"heading":"A form"}`},
			{"failed", []string{"--act", "type %pw% into Word", "--act", "click Purchase", "--act", "click Send"}, exitNotDone, "filled textbox"},
		} {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "run.wayfinder")
				site := pages(t)
				args := append([]string{"record", site.URL + "/find", "-o", path, "--var-env", "pw=THE_PASSWORD"}, c.steps...)
				got := wayfinderIn(t, []string{"THE_PASSWORD=" + value, "SOME_TOKEN=what-nobody-may-see"}, append(args, browser...)...)
				site.Close()
				if got.code != c.code || !strings.Contains(got.out, c.out) || !strings.Contains(got.err, "wayfindertest.Replay(t, \"testdata/run.wayfinder\")") {
					t.Errorf("exit %d, want %d with %q and how a test is made\n%s%s", got.code, c.code, c.out, got.out, got.err)
				}
				file, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				all := got.out + got.err + string(file)
				for _, spelled := range []string{value, "xyzzy", url.QueryEscape(value), base64.StdEncoding.EncodeToString([]byte(value))[:16], "what-nobody-may-see"} {
					if i := strings.Index(all, spelled); i >= 0 {
						t.Errorf("%q is shown: …%s…", spelled, all[max(0, i-100):min(len(all), i+60)])
					}
				}
				wayfindertest.Replay(t, path)
				if got := wayfinder(t, "replay", path); got.code != exitDone || !strings.Contains(got.err, "all as recorded") {
					t.Errorf("replay: exit %d, want 0\n%s%s", got.code, got.out, got.err)
				}
				changed := filepath.Join(t.TempDir(), "changed.wayfinder")
				if err := os.WriteFile(changed, bytes.ReplaceAll(file, []byte("done: filled"), []byte("done: emptied")), 0o600); err != nil {
					t.Fatal(err)
				}
				if got := wayfinder(t, "replay", changed); got.code != exitNotDone || !strings.Contains(got.out, "done: emptied") {
					t.Errorf("replay of another run: exit %d, want 1 with the difference\n%s%s", got.code, got.out, got.err)
				}
			})
		}
	}
}

func TestRecordUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"record"}, "the address of a page is missing"},
		{[]string{"record", "https://a.test/", "click it"}, "record takes one address"},
		{[]string{"record", "https://a.test/", "--action", "{}"}, "it has no selector"},
		{[]string{"record", "https://a.test/", "--act", "type %pw%"}, "%pw% has no value"},
		{[]string{"record", "https://a.test/", "-o", "/no/such/folder/x"}, "there is no folder"},
		{[]string{"record", "https://a.test/", "--schema", "{"}, "--schema"},
	} {
		got := wayfinder(t, c.args...)
		if got.code != exitUsage || !strings.Contains(got.err, c.says) {
			t.Errorf("wayfinder %q: exit %d, want 2 with %q\n%s", c.args, got.code, c.says, got.err)
		}
	}
}
