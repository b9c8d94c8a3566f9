package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

var pageTemplate = template.Must(template.New("trace").Funcs(pageFuncs).Parse(pageHTML))

// policyOfPage is the Content-Security-Policy: our own style and script by their
// hashes, pictures out of the file, and nothing else from anywhere.
var policyOfPage = fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hashOf(pageCSS), hashOf(pageJS))

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// HTMLOptions refine WriteHTML.
type HTMLOptions struct {
	// MaxBytes bounds the file; 0 is 5 MB. Pictures become smaller to keep it,
	// and where even that is not enough the bundle is left out, which the file
	// says. What is text stays.
	MaxBytes int
}

// defaultBytes bounds a file of HTML.
const defaultBytes = 5 << 20

var bundleInPage = regexp.MustCompile(`<script type="application/x-wayfinder-bundle" id="bundle">([A-Za-z0-9+/=]*)</script>`)

// ErrNoBundle is the error of an HTML file that is no trace, or has no bundle.
var ErrNoBundle = errors.New("the file holds no bundle")

// Bundle returns the bundle in data, which is a bundle itself or an HTML file
// that [Trace.WriteHTML] wrote.
func Bundle(data []byte) ([]byte, error) {
	if head := bytes.TrimSpace(data[:min(len(data), 512)]); !bytes.HasPrefix(head, []byte("<")) {
		return data, nil
	}
	found := bundleInPage.FindSubmatch(data)
	if found == nil {
		return nil, fmt.Errorf("trace: %w", ErrNoBundle)
	}
	packed, err := base64.StdEncoding.DecodeString(string(found[1]))
	if err != nil {
		return nil, fmt.Errorf("trace: the bundle in the file: %w", err)
	}
	plain, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("trace: the bundle in the file: %w", err)
	}
	return plain, nil
}

const (
	// mostBundle bounds what a packed bundle may come to: a recording comes to at most as
	// much in memory, and to no less than its text.
	mostBundle = 512 << 20
	// mostLine bounds a line of a packed bundle: as much as a recorder keeps of a whole
	// run unless it is asked for more.
	mostLine = 64 << 20
)

// unpack returns what was packed. It is measured first, in no more memory than a
// buffer: a file of 1 MB may come to a thousand.
func unpack(packed []byte) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	size, err := measure(zip)
	if err != nil {
		return nil, err
	}
	if err := zip.Reset(bytes.NewReader(packed)); err != nil {
		return nil, err
	}
	plain := make([]byte, size)
	if _, err := io.ReadFull(zip, plain); err != nil {
		return nil, err
	}
	return plain, nil
}

// measure reads a bundle to its end and returns its size. It stops where more comes
// than a bundle or a line of one may have, or a line is no JSON object.
func measure(bundle io.Reader) (int, error) {
	in := bufio.NewReader(bundle)
	size, line := 0, 0
	for {
		part, err := in.ReadSlice('\n')
		if line == 0 && len(part) > 0 && part[0] != '{' {
			return 0, errors.New("a line does not begin as one of a bundle")
		}
		size, line = size+len(part), line+len(part)
		switch {
		case size > mostBundle:
			return 0, fmt.Errorf("it has more than %s", byteCount(mostBundle))
		case line > mostLine:
			return 0, fmt.Errorf("it has a line of more than %s", byteCount(mostLine))
		case errors.Is(err, io.EOF):
			return size, nil
		case err == nil:
			line = 0
		case !errors.Is(err, bufio.ErrBufferFull):
			return 0, err
		}
	}
}

// pictureInPage is a picture in the file. An attribute has a plus as &#43;.
var pictureInPage = regexp.MustCompile(`data-picture="(p\d+)" src="data:image/jpeg;base64,((?:[A-Za-z0-9+/=]|&#43;)+)"`)

// Read reads a trace: from a bundle, or from the HTML file that holds one, with
// the pictures that stand in it.
func Read(r io.Reader) (*Trace, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	bundle, err := Bundle(data)
	if err != nil {
		return nil, err
	}
	t, err := read(bundle, nil)
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for _, m := range pictureInPage.FindAllSubmatch(data, -1) {
		if picture, err := base64.StdEncoding.DecodeString(html.UnescapeString(string(m[2]))); err == nil {
			found[string(m[1])] = picture
		}
	}
	for _, s := range t.Steps {
		for _, shot := range []*Shot{s.Shot, s.After} {
			if shot != nil && shot.JPEG == nil {
				shot.JPEG = found[shot.ID]
			}
		}
	}
	return t, nil
}

func byteCount(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// short is a time for people.
func short(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// count is a number with commas.
func count(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func money(dollars float64) string {
	if dollars < 0.1 {
		return fmt.Sprintf("$%.4f", dollars)
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// verdicts are the words for what became of a run.
var verdicts = map[string]struct{ class, words string }{
	"verified": {"good", "Done and verified"},
	"claimed":  {"warn", "Said to be done, not verified"},
	"not done": {"bad", "Not done"},
	"waiting":  {"warn", "Waits for a person"},
	"running":  {"warn", "The recording ends before the run does"},
	"failed":   {"bad", "Failed"},
	"done":     {"good", "Done"},
}

// statusWords are the words for what became of a step.
var statusWords = map[agent.Status]string{
	agent.Done: "done", agent.Failed: "failed", agent.NotRun: "not run", agent.Unknown: "unknown",
}

// tagsOf are what the filters of the page go by.
func tagsOf(s *Step) []string {
	tags := []string{string(s.Status)}
	if s.changed() {
		tags = append(tags, "changed")
	}
	if len(s.Questions) > 0 {
		tags = append(tags, "asked")
	}
	if len(s.Approvals) > 0 {
		tags = append(tags, "person")
	}
	if slices.ContainsFunc(s.Console, func(m Message) bool { return m.Level == "error" }) || slices.ContainsFunc(s.Requests, (*Request).bad) {
		tags = append(tags, "trouble")
	}
	return tags
}

// titleOf is the run in a line.
func titleOf(t *Trace) string {
	line, _, _ := strings.Cut(t.Task, "\n")
	return cmp.Or(strings.TrimSpace(line), "a run") + " · Wayfinder trace"
}
