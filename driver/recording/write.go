package recording

import (
	"bufio"
	"encoding/json"
	"io"
	"reflect"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/redact"
)

// version is that of the form of bundles.
const version = 1

// A header is the first line of a bundle.
type header struct {
	Wayfinder string    `json:"wayfinder"` // "recording"
	Version   int       `json:"version"`
	Driver    string    `json:"driver"`
	Browser   string    `json:"browser"`
	Pages     []initial `json:"pages"`
}

// A line is any other one.
type line struct {
	Call   string          `json:"call,omitempty"`
	Event  string          `json:"event,omitempty"`
	Note   string          `json:"note,omitempty"`
	Page   driver.PageID   `json:"page,omitempty"`
	Node   *driver.NodeRef `json:"node,omitempty"`
	Args   []arg           `json:"args,omitempty"`
	Answer any             `json:"answer,omitempty"`
	Error  *failure        `json:"error,omitempty"`
	Open   bool            `json:"open,omitempty"` // not answered
	Frames []driver.Frame  `json:"frames,omitempty"`
	Asked  bool            `json:"asked,omitempty"`
	Data   any             `json:"data,omitempty"`
	At     float64         `json:"at,omitempty"`   // milliseconds since the browser was opened
	Took   float64         `json:"took,omitempty"` // milliseconds
	Shot   *Picture        `json:"picture,omitempty"`
	End    string          `json:"end,omitempty"`
}

// What the last line of a bundle says.
const (
	endComplete = "complete"
	endFull     = "the recorder was full: nothing that came after this was kept"
)

// A bundle is one being written.
type bundle struct {
	w     *bufio.Writer
	count *counter
	hide  func(string) string

	trace  bool            // with times
	secret *redact.Matcher // for pictures

	err  error               // the first one; nothing is written after it
	last map[docKey][]string // the lines of a document's nodes, as they were last
}

type docKey struct {
	frame driver.FrameID
	doc   driver.DocID
}

// A counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func newBundle(w io.Writer, hide func(string) string) *bundle {
	c := &counter{w: w}
	return &bundle{w: bufio.NewWriter(c), count: c, hide: hide, last: map[docKey][]string{}}
}

// json writes a value on a line of its own.
func (b *bundle) json(v any) {
	if b.err == nil {
		encoder := json.NewEncoder(b.w)
		encoder.SetEscapeHTML(false)
		b.err = encoder.Encode(v)
	}
}

func (b *bundle) item(it *item) {
	switch {
	case it.call != nil:
		b.call(it)
	case it.event != nil:
		b.json(line{Event: reflect.TypeOf(it.event).Name(), Page: it.page, At: b.time(it.at), Data: mapTexts(it.event, b.hide), Error: mapTexts(it.gone, b.hide)})
	case it.shot != nil:
		if !it.shot.superseded {
			b.picture(it)
		}
	case it.extra != "":
		b.json(line{Note: it.extra, At: b.time(it.at), Data: json.RawMessage(mapJSON(it.data, b.hide))})
	default:
		b.json(line{Page: it.page, Frames: mapTexts(it.frames, b.hide), Asked: it.asked})
	}
}

// time is a time in a bundle; 0 where it has none.
func (b *bundle) time(d time.Duration) float64 {
	if !b.trace {
		return 0
	}
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}

// picture writes one, with the values painted over that are known by now.
func (b *bundle) picture(it *item) {
	out := it.shot.Picture
	if out.JPEG = out.paintOver(covered(it.shot.shown, b.secret)); out.JPEG != nil {
		b.json(line{Page: it.page, At: b.time(it.at), Shot: &out})
	}
}

func (b *bundle) call(it *item) {
	c := it.call
	l := line{Call: c.Op, Page: it.page, At: b.time(it.at), Took: b.time(c.took), Args: mapTexts(c.Args, b.hide), Error: mapTexts(c.Err, b.hide), Open: c.open}
	if !c.Node.IsZero() {
		l.Node = &c.Node
	}
	looked, _ := c.Answer.(*capture)
	if looked != nil {
		looked = mapCapture(looked, b.hide)
		l.Answer = looked
	} else if c.Answer != nil {
		l.Answer = mapTexts(c.Answer, b.hide)
		if _, err := json.Marshal(l.Answer); err != nil { // a number that JSON has no word for
			l.Answer, l.Open = nil, true
		}
	}
	b.json(l)
	if looked != nil {
		for _, d := range looked.Documents {
			b.nodes(d)
		}
	}
}

// nodes writes the nodes of a document, those that it had before as runs.
func (b *bundle) nodes(d *document) {
	lines := make([]string, len(d.nodes))
	for i, n := range d.nodes {
		text, err := json.Marshal(n)
		if err != nil && b.err == nil {
			b.err = err
		}
		lines[i] = string(text)
	}
	key := docKey{d.Frame, d.Doc}
	before := b.last[key]
	b.last[key] = lines
	place := make(map[string]int, len(before))
	for i, text := range before {
		place[text] = i
	}
	for i := 0; i < len(lines); {
		from, ok := place[lines[i]]
		if !ok {
			if b.err == nil {
				_, b.err = b.w.WriteString(lines[i] + "\n")
			}
			i++
			continue
		}
		n := 1
		for i+n < len(lines) && from+n < len(before) && lines[i+n] == before[from+n] {
			n++
		}
		b.json(run{Copy: []int{from, n}})
		i += n
	}
}

// A run stands for nodes that the document had when it was last read.
type run struct {
	Copy []int `json:"copy"` // the first one's place, and how many
}

// mapJSON applies f to the strings of a JSON text, names of members excepted,
// and leaves all else as it is, byte for byte.
func mapJSON(raw []byte, f func(string) string) []byte {
	var out []byte
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			out = append(out, raw[i])
			i++
			continue
		}
		end := i + 1
		for end < len(raw) && raw[end] != '"' {
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(raw))
		literal := raw[i:end]
		i = end
		var s string
		if (i < len(raw) && raw[i] == ':') || json.Unmarshal(literal, &s) != nil {
			out = append(out, literal...)
		} else if mapped := f(s); mapped == s {
			out = append(out, literal...)
		} else {
			out = append(append(append(out, '"'), inJSON(mapped)...), '"')
		}
	}
	return out
}
