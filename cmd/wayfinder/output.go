package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// streams are where a command reads and writes. Results go to out, everything
// else to err.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// writeJSON writes a value on a line of its own.
func (s *streams) writeJSON(v any) error {
	encoder := json.NewEncoder(s.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// A lastLine is a writer that remembers the line that was written last.
type lastLine struct {
	w    io.Writer
	line []byte
}

func (l *lastLine) Write(p []byte) (int, error) {
	if i := bytes.LastIndexByte(bytes.TrimSuffix(p, []byte("\n")), '\n'); i >= 0 || bytes.HasSuffix(l.line, []byte("\n")) {
		l.line = append(l.line[:0], p[i+1:]...)
	} else {
		l.line = append(l.line, p...)
	}
	return l.w.Write(p)
}

// saysAll reports that the line says by itself how the command ended: a result
// that is not a success, or the last of a list of findings.
func (l *lastLine) saysAll() bool {
	var v struct{ Success *bool }
	return len(l.line) > 0 && json.Unmarshal(l.line, &v) == nil && (v.Success == nil || !*v.Success)
}

// writeFailure writes what ended a command, for a program that reads it.
func (s *streams) writeFailure(err error, says, advice string, code int) {
	type failure struct {
		Kind     string `json:"kind"` // as engine.Kind has it
		Message  string `json:"message"`
		Advice   string `json:"advice,omitempty"`
		ExitCode int    `json:"exitCode"`
	}
	_ = s.writeJSON(map[string]any{"success": false, "error": failure{engine.Kind(err), says, advice, code}}) // a closed output: the exit code says it too
}

// describeAction is one action on a line, for people.
func describeAction(a engine.Action) string {
	line := cmp.Or(a.Description, fmt.Sprintf("%s %s", a.Method, a.Fingerprint))
	for _, arg := range a.Arguments {
		line += fmt.Sprintf(" %q", arg)
	}
	return line
}

// noteHooks say on standard error what a browser could not read of the pages
// that are looked at, each thing once: that a page needs scripts, which are not
// run in memory, above all.
func (s *streams) noteHooks() *engine.Hooks {
	said := map[string]bool{}
	return &engine.Hooks{Looked: func(_ context.Context, l engine.Look) {
		for _, note := range l.Notes {
			if !said[note] {
				said[note] = true
				fmt.Fprintln(s.err, "note:", note)
			}
		}
	}}
}

// progressAfter is how long something may take in silence.
const progressAfter = time.Second

// progress says on a terminal what is going on, if it takes longer than a
// second, and returns the function that ends it and leaves no trace.
func (s *streams) progress(what string) (done func()) {
	if !isTerminal(s.err) {
		return func() {}
	}
	return showProgress(s.err, what)
}

// isTerminal reports a reader or a writer that is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// widthOf returns how wide the terminal is that w writes to; 0 if it is none.
func widthOf(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0 // lines are left whole
}

// columns is how wide a terminal is; 80 where that is not known.
func columns(w io.Writer) int {
	return cmp.Or(widthOf(w), 80)
}

// shorten cuts what is said within a line, so that the line fits: one that the
// terminal breaks could not be taken back.
func shorten(line, what string, width int) string {
	over := utf8.RuneCountInString(line) - (width - 1)
	if over <= 0 {
		return line
	}
	runes := []rune(what)
	return strings.Replace(line, what, string(runes[:max(0, len(runes)-over-1)])+"…", 1)
}

// fitTerminal has help written no wider than the terminal.
func fitTerminal(root *cobra.Command, w io.Writer) {
	if !isTerminal(w) {
		return
	}
	width := min(columns(w), 120)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		text := cmp.Or(cmd.Long, cmd.Short)
		fmt.Fprint(cmd.OutOrStdout(), fill(strings.TrimSpace(text)+"\n\n"+cmd.UsageString(), width))
	})
}

// fill breaks lines that are too long. Lines of prose that follow each other are
// filled anew; of an indented one, what is left goes below its last column.
func fill(text string, width int) string {
	var out []string
	prose := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		plain := line != "" && line[0] != ' ' && !strings.HasSuffix(line, ":")
		if n := len(out); plain && prose {
			line, out = out[n-1]+" "+line, out[:n-1]
		}
		prose = plain
		out = append(out, line)
	}
	var b strings.Builder
	for _, line := range out {
		if strings.HasPrefix(line, "  wayfinder ") { // to be copied
			b.WriteString(line + "\n")
			continue
		}
		breakLine(&b, line, width)
	}
	return b.String()
}

// column is where the last column of a line begins: behind three spaces, as in
// "  -o, --output string   the file to write".
var column = regexp.MustCompile(`^\s*\S.*?\s{3,}|^\s*`)

func breakLine(b *strings.Builder, line string, width int) {
	indent := utf8.RuneCountInString(column.FindString(line))
	if indent > width/2 {
		indent = 10
	}
	at := 0
	for i, word := range strings.Split(line, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i > 0 && word != "" && at+1+n > width && at > indent:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		case i > 0:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	b.WriteByte('\n')
}

func showProgress(w io.Writer, what string) (done func()) {
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		ticker := time.NewTicker(progressAfter)
		defer ticker.Stop()
		start := time.Now()
		shown := false
		for {
			select {
			case <-ticker.C:
				line := fmt.Sprintf("%s … %d s", what, int(time.Since(start).Seconds()))
				fmt.Fprint(w, "\r\x1b[K"+shorten(line, what, columns(w)))
				shown = true
			case <-stop:
				if shown {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			}
		}
	})
	return sync.OnceFunc(func() { close(stop); wait.Wait() })
}

// wrap breaks a text between words into lines of at most so many letters; with
// no room to speak of it is left whole.
func wrap(text string, width int) []string {
	if width < 20 {
		return []string{text}
	}
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		for len([]rune(word)) > width { // an address, say
			if line != "" {
				lines, line = append(lines, line), ""
			}
			letters := []rune(word)
			lines, word = append(lines, string(letters[:width])), string(letters[width:])
		}
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) > width:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// hanging writes a text behind a head. Where the width is known, its lines are broken
// between words, and continue at a column.
func hanging(w io.Writer, head, text string, column, width int) {
	lines := []string{text}
	if width > 0 {
		lines = wrap(text, width-column)
	}
	fmt.Fprintf(w, "%s%s\n", head, lines[0])
	for _, line := range lines[1:] {
		fmt.Fprintf(w, "%*s%s\n", column, "", line)
	}
}

// indented writes a text from a column on.
func indented(w io.Writer, text string, column, width int) {
	hanging(w, strings.Repeat(" ", column), text, column, width)
}
