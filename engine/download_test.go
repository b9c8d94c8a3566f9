package engine_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// suggestions are names that sites suggest, and the names that files get.
var suggestions = []struct{ suggested, want string }{
	{"report.txt", "report.txt"},
	{"report.txt", "report (2).txt"},
	{"REPORT.TXT", ""}, // whatever the file system makes of it
	{"../../etc/passwd", "passwd"},
	{"/etc/cron.d/job", "job"},
	{`..\..\windows\system.ini`, "system.ini"},
	{`C:\autoexec.bat`, "autoexec.bat"},
	{"..", "download"},
	{"...", "download (2)"},
	{".bashrc", "bashrc"},
	{"NUL", "_NUL"},
	{"con.txt", "_con.txt"},
	{"Com1.tar.gz", "_Com1.tar.gz"},
	{"a\x00b.txt", "ab.txt"},
	{"a\nb.txt", "ab (2).txt"},
	{"inv\u202egpj.exe", "invgpj.exe"},
	{"zero\u200bwidth", "zerowidth"},
	{"\xff\xfe.bin", "bin"},
	{`what?<is>"this"|*:.txt`, "what__is__this____.txt"},
	{"trailing. . .", "trailing"},
	{"Übung 1.pdf", "Übung 1.pdf"},
	{strings.Repeat("é", 300) + ".pdf", ""},
	{strings.Repeat("x", 300), ""},
	{"x." + strings.Repeat("y", 300), ""},
}

// A site decides about the content of a download, and about nothing else.
func TestDownloadNames(t *testing.T) { synctest.Test(t, testDownloadNames) }

func testDownloadNames(t *testing.T) {
	outside := t.TempDir()
	dir := filepath.Join(outside, "files")
	web := fake.New(fake.Options{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			for i := range suggestions {
				fmt.Fprintf(w, "<a id=a%d href=/file/%d download>x</a> ", i, i)
			}
			return
		}
		var i int
		fmt.Sscanf(r.URL.Path, "/file/%d", &i)
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+percent(suggestions[i].suggested))
		fmt.Fprintf(w, "content %d", i)
	})})
	page := openOn(t, web, &engine.Options{Downloads: &engine.Downloads{Dir: dir}})
	for i, tt := range suggestions {
		r, err := page.Do(t.Context(), engine.Action{Selector: fmt.Sprintf("css=#a%d", i), Method: engine.Click}, nil)
		if err != nil || len(r.Evidence.Downloads) != 1 {
			t.Fatalf("%q: %+v, %v", tt.suggested, r, err)
		}
		d := r.Evidence.Downloads[0]
		name := filepath.Base(d.Path)
		content, err := os.ReadFile(d.Path)
		if err != nil || string(content) != fmt.Sprint("content ", i) || filepath.Dir(d.Path) != dir || d.Size != int64(len(content)) {
			t.Errorf("%q: saved as %q (%d bytes): %q, %v", tt.suggested, d.Path, d.Size, content, err)
		}
		if tt.want != "" && name != tt.want || len(name) > 210 || !utf8.ValidString(name) {
			t.Errorf("%q: saved as %q, want %q", tt.suggested, name, tt.want)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != len(suggestions) {
		t.Errorf("%d files are in the directory, want %d: %v", len(files), len(suggestions), err)
	}
	if files, err = os.ReadDir(outside); err != nil || len(files) != 1 {
		t.Errorf("%v are outside, %v", files, err)
	}
}

func percent(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// The evidence of a download, its bound, and its refusal are the same in both
// browsers.
func TestDownloadEvidence(t *testing.T) {
	files := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/small", "/large":
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Content-Disposition", `attachment; filename="../report.txt"`)
			if r.URL.Path == "/large" {
				w.Write(make([]byte, 1<<20))
			}
			fmt.Fprint(w, "the bytes")
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<a id=s href=/small>small</a> <a id=l href=/large>large</a>`)
		}
	})
	onSite(t, files, func(t *testing.T, d engine.Driver, address string) {
		dir := t.TempDir()
		click := func(downloads *engine.Downloads, selector string) engine.DownloadSeen {
			t.Helper()
			s, err := engine.Open(t.Context(), d, &engine.Options{Downloads: downloads})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Page().Navigate(t.Context(), address, nil); err != nil {
				t.Fatal(err)
			}
			r, err := s.Page().Do(t.Context(), engine.Action{Selector: selector, Method: engine.Click}, nil)
			if err != nil || len(r.Evidence.Downloads) != 1 || r.Evidence.Effect != engine.EffectDownload || !r.Evidence.Downloads[0].Done {
				t.Fatalf("click: %+v, %v", r, err)
			}
			return r.Evidence.Downloads[0]
		}
		bounded := &engine.Downloads{Dir: dir, MaxBytes: 1000}
		got := click(bounded, "css=#s")
		want := engine.DownloadSeen{URL: address + "/small", Name: got.Name, Path: filepath.Join(dir, "report.txt"), Size: 9, Done: true}
		if got.Path == filepath.Join(dir, "_report.txt") { // Chrome's own idea of the name
			want.Path = got.Path
		}
		if got != want {
			t.Errorf("evidence %+v, want %+v", got, want)
		}
		if got = click(bounded, "css=#l"); !got.Canceled || got.Path != "" || !strings.Contains(got.Reason, "too large") {
			t.Errorf("evidence of a large one %+v, want it canceled as too large", got)
		}
		if got = click(nil, "css=#s"); !got.Canceled || got.Path != "" {
			t.Errorf("evidence without a directory %+v, want it canceled", got)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
			t.Errorf("the directory holds %v, %v", files, err)
		}
	})
}
