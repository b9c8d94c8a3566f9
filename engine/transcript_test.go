package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
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
			site := &site{archive: archive, base: "http://site.test"}
			d := fake.New(fake.Options{Handler: site})
			traces = append(traces, compareTrace(t, archive, play(t, d, site)))
		})
	}
	t.Run("chrome", func(t *testing.T) {
		site := &site{archive: archive}
		server := httptest.NewServer(site)
		defer server.Close()
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

// splitWords splits at spaces outside double quotes; \" stands for a quote.
func splitWords(t *testing.T, line string) []string {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] != '"' {
			word, rest, _ := strings.Cut(line, " ")
			words, line = append(words, word), rest
			continue
		}
		d := json.NewDecoder(strings.NewReader(line))
		var word string
		if err := d.Decode(&word); err != nil {
			t.Fatalf("words %q: %v", line, err)
		}
		words, line = append(words, word), line[d.InputOffset():]
	}
	return words
}

// A chooser is a model that makes the choices of a step, one a request:
//
//	ROLE NAME METHOD [ARGUMENT...]   the first element of the role and name;
//	                                 ROLE:2 is the second
//	more ROLE NAME METHOD …          the same, and another action has to follow
//	none REASON                      no element
//	raw JSON                         the answer itself
//
// An argument "@ROLE NAME" is the ref of that element.
type chooser struct {
	choices []string
}

func (*chooser) Name() string { return "test/chooser" }

func (c *chooser) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	if len(c.choices) == 0 {
		return nil, &llm.Error{Provider: "test", Kind: llm.KindUnavailable, Message: "no choice is left"}
	}
	choice := c.choices[0]
	c.choices = c.choices[1:]
	if raw, ok := strings.CutPrefix(choice, "raw "); ok {
		return &llm.Response{Text: raw, Stop: llm.StopEnd}, nil
	}
	words := splitWords(nil, choice)
	answer := map[string]any{"found": true, "ref": "", "method": "", "arguments": []string{}, "description": "", "reason": "", "more": false}
	if words[0] == "none" {
		answer["found"], answer["reason"] = false, words[1]
		return textResponse(answer)
	}
	if words[0] == "more" {
		answer["more"] = true
		words = words[1:]
	}
	ref, err := refOf(req, words[0], words[1])
	if err != nil {
		return nil, err
	}
	answer["ref"], answer["method"] = ref, words[2]
	args := words[3:]
	for i, arg := range args {
		if role, name, ok := strings.Cut(arg, " "); ok && role[0] == '@' {
			if ref, err = refOf(req, role[1:], name); err != nil {
				return nil, err
			}
			args[i] = string(ref)
		}
	}
	answer["arguments"] = append([]string{}, args...)
	return textResponse(answer)
}

// atoi reads a number, 0 where there is none.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func textResponse(v any) (*llm.Response, error) {
	text, err := json.Marshal(v)
	return &llm.Response{Text: string(text), Stop: llm.StopEnd}, err
}

// refOf reads the outline that the request shows, as a model would.
func refOf(req *llm.Request, role, name string) (accessibility.Ref, error) {
	for _, part := range req.Messages[0].Parts {
		page, ok := part.(llm.Page)
		if !ok || page.Kind != "outline" {
			continue
		}
		outline, err := accessibility.ParseOutline(page.Text)
		if err != nil {
			return "", err
		}
		kind, place, _ := strings.Cut(role, ":")
		nth := max(1, atoi(place))
		for i := range outline.Items {
			if it := &outline.Items[i]; string(it.Role) == kind && it.Name == name {
				if nth--; nth == 0 {
					return it.Ref, nil
				}
			}
		}
		return "", fmt.Errorf("no %s %q in\n%s", role, name, page.Text)
	}
	return "", errors.New("the request shows no outline")
}
