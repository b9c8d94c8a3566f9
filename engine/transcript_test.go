package engine_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

var update = flag.Bool("update", false, "rewrite the traces in testdata")

// TestTranscripts plays the files of testdata/transcripts: a site, steps, and
// the trace that they leave. A file is a txtar archive:
//
//	-- GET / --          a page of the site, by method and path
//	-- steps --          a step a line, see [play]
//	-- want --           the trace, rewritten by -update
//
// The same trace is wanted from the browser in memory and from Chrome. A file
// whose comment says "Needs a script" is played on Chrome alone.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			playEverywhere(t, file, archive)
		})
	}
}

// playEverywhere plays one archive in memory and on Chrome.
func playEverywhere(t *testing.T, file string, archive *txtar.Archive) {
	var traces []string
	if !strings.Contains(string(archive.Comment), "Needs a script") {
		t.Run("memory", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := &site{archive: archive, base: "http://site.test"}
				d := fake.New(fake.Options{Handler: site})
				traces = append(traces, compareTrace(t, archive, play(t, d, site)))
			})
		})
	}
	t.Run("chrome", func(t *testing.T) {
		site := &site{archive: archive}
		server := startServer(t, site)
		t.Cleanup(server.Close)
		site.base = server.URL
		traces = append(traces, compareTrace(t, archive, play(t, chrome(t), site)))
	})
	if *update && len(traces) > 0 {
		rewrite(t, file, archive, traces[len(traces)-1]) // Chrome is right
	}
}

func compareTrace(t *testing.T, archive *txtar.Archive, trace string) string {
	if want := section(archive, "want"); !*update {
		if diff := cmp.Diff(want, trace); diff != "" {
			t.Errorf("trace (-want +got):\n%s", diff)
		}
	}
	return trace
}

func section(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func rewrite(t *testing.T, file string, archive *txtar.Archive, trace string) {
	kept := slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	archive.Files = append(kept, txtar.File{Name: "want", Data: []byte(trace)})
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A site serves the pages of an archive, with its origins in the place of {site}
// and {other}; /echo, which shows what was sent; and /hang, which never answers.
type site struct {
	archive *txtar.Archive
	base    string
	other   string // the same site by another name
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("content-type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/echo":
		s.echo(w, r)
		return
	case "/hang":
		<-r.Context().Done()
		return
	}
	page := section(s.archive, r.Method+" "+r.URL.Path)
	if page == "" {
		w.WriteHeader(http.StatusNotFound)
		page = "<title>Not found</title><h1>Not found</h1>"
	}
	fmt.Fprint(w, strings.NewReplacer("{site}", s.base, "{other}", s.other).Replace(page))
}

func (s *site) echo(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(1 << 20); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "<title>Echo</title><h1>%s</h1><ul>", r.Method)
	var names []string
	for name := range r.Form {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(w, "<li>%s=%s</li>", name, strings.Join(r.Form[name], ","))
	}
	fmt.Fprint(w, "</ul>")
}

// A player plays the steps of one archive.
type player struct {
	t     *testing.T
	site  *site
	page  *engine.Page
	model *chooser
	trace bytes.Buffer
}

// play opens a session and plays the steps:
//
//	open PATH
//	do METHOD SELECTOR [ARGUMENT...]
//	act INSTRUCTION | CHOICE [| CHOICE]     what the model answers, see [chooser]
//	again                                   does the last step's actions again
//	snapshot [SELECTOR]
//	url, back, forward, reload
//	extract [SELECTOR]                      the page's text
//
// Words are separated by spaces; a word with spaces stands in double quotes.
func play(t *testing.T, d driver.Driver, site *site) string {
	t.Helper()
	p := &player{t: t, site: site, model: &chooser{}}
	session, err := engine.Open(t.Context(), d, &engine.Options{Model: p.model})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := session.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	}()
	p.page = session.Page()
	var last *engine.ActResult
	for line := range strings.Lines(section(site.archive, "steps")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fmt.Fprintf(&p.trace, "> %s\n", line)
		last = p.step(line, last)
	}
	return p.trace.String()
}

func (p *player) step(line string, last *engine.ActResult) *engine.ActResult {
	ctx := p.t.Context()
	parts := strings.Split(line, " | ")
	words := splitWords(p.t, parts[0])
	switch verb, args := words[0], words[1:]; verb {
	case "open":
		resp, err := p.page.Navigate(ctx, p.site.base+args[0], nil)
		if err != nil {
			p.say("failed: %v", err)
		} else {
			p.say("%d %s", resp.Status, resp.URL)
		}
	case "do":
		r, err := p.page.Do(ctx, engine.Action{Method: engine.Method(args[0]), Selector: args[1], Arguments: args[2:]}, nil)
		return p.result(r, err)
	case "act":
		p.model.choices = parts[1:]
		r, err := p.page.Act(ctx, args[0], nil)
		return p.result(r, err)
	case "again":
		for _, a := range last.Actions {
			p.result(p.page.Do(ctx, a, nil))
		}
	case "snapshot":
		opts := &engine.SnapshotOptions{}
		if len(args) > 0 {
			opts.Selector = args[0]
		}
		snap, err := p.page.Snapshot(ctx, opts)
		if err != nil {
			p.say("failed: %v", err)
			break
		}
		p.outline(snap)
	case "url":
		p.say("%s", p.page.URL())
	case "back", "forward", "reload":
		move := map[string]func(context.Context, *engine.NavigateOptions) (*driver.Response, error){
			"back": p.page.Back, "forward": p.page.Forward, "reload": p.page.Reload}[verb]
		if _, err := move(ctx, nil); err != nil {
			p.say("failed: %v", err)
		} else {
			p.say("%s", p.page.URL())
		}
	case "extract":
		opts := &engine.ExtractOptions{}
		if len(args) > 0 {
			opts.Selector = args[0]
		}
		out, err := p.page.Extract(ctx, "", opts)
		if err != nil {
			p.say("failed: %v", err)
		} else {
			p.say("%s", out.Data)
		}
	default:
		p.t.Fatalf("unknown step %q", line)
	}
	return last
}

func (p *player) result(r *engine.ActResult, err error) *engine.ActResult {
	if err != nil {
		p.say("failed: %v", err)
	}
	if r == nil {
		return nil
	}
	if r.Success != (err == nil) {
		p.t.Errorf("success = %t beside the error %v", r.Success, err)
	}
	if err == nil {
		p.say("%s (%s)", r.Message, r.Evidence.Effect)
	}
	for _, a := range r.Actions {
		p.say("  %s %s %q", a.Method, a.Selector, a.Arguments)
	}
	if v := r.Evidence.Value; v != nil {
		p.say("  value: %q -> %q", v.Before, v.After)
	}
	return r
}

// outline writes a snapshot without its refs, which differ between browsers.
func (p *player) outline(snap *engine.Snapshot) {
	for line := range strings.Lines(snap.Outline()) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if _, rest, ok := strings.Cut(line, "] "); ok {
			line = indent + rest
		}
		p.trace.WriteString(strings.ReplaceAll(line, p.site.base, "{site}"))
	}
}

// nodeNumbers, and how an operation names its node, differ between browsers.
var nodeNumbers = regexp.MustCompile(`\[\d+-\d+\]|setfiles [^:]+`)

func (p *player) say(format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), p.site.base, "{site}")
	text = nodeNumbers.ReplaceAllString(text, "[node]")
	p.trace.WriteString(text + "\n")
}
