package gemini

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

var errLeft = errors.New("the caller has heard enough")

// events reads a stream of events for the SDK, which takes lines of data alone
// and replaces what is left of characters that were torn apart.
type events struct {
	io.Closer
	lines *bufio.Reader
	data  []byte // of the event that is being read
	ready []byte // what the SDK may read
	err   error  // what the stream ended with
}

func newEvents(body io.ReadCloser) io.ReadCloser {
	return &events{Closer: body, lines: bufio.NewReader(body)}
}

func (e *events) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.line()
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// line reads one line. A blank one, and the end, complete an event. What has no
// field's name is data too: so errors come.
func (e *events) line() {
	line, err := e.lines.ReadBytes('\n')
	e.err = err
	line = bytes.TrimRight(line, "\r\n")
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch string(name) {
	case "data":
		e.data = append(append(e.data, bytes.TrimPrefix(value, []byte(" "))...), ' ')
	case "event", "id", "retry":
	case "":
	default:
		e.data = append(append(e.data, line...), ' ')
	}
	if (len(line) == 0 || err != nil) && len(e.data) > 0 {
		if data := bytes.TrimSpace(e.data); len(data) > 0 && string(data) != "[DONE]" {
			e.ready = append(append([]byte("data: "), mend(data)...), "\n\n"...)
		}
		e.data = nil
	}
}

// Bytes that are no characters are carried through the SDK's decoder as
// characters of a range that nobody uses: tornBase and the byte. What is in
// that range already is carried byte by byte, so that nothing is lost.
const tornBase = 0x10FE00

func isTorn(r rune) bool { return r >= tornBase+0x80 && r <= tornBase+0xFF }

// mend writes text that may be torn as whole characters.
func mend(text []byte) []byte {
	if utf8.Valid(text) && !bytes.ContainsFunc(text, isTorn) {
		return text
	}
	var out []byte
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 || isTorn(r) {
			for _, b := range text[:size] {
				out = utf8.AppendRune(out, tornBase+rune(b))
			}
		} else {
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	return out
}

// tear undoes mend.
func tear(text string) string {
	if !strings.ContainsFunc(text, isTorn) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if isTorn(r) {
			out.WriteByte(byte(r - tornBase))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}
