package recording

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/files"
	"github.com/wayfinder-engine/wayfinder/internal/redact"
)

// Options refine a recorder. The zero value keeps 64 MiB.
type Options struct {
	// MaxBytes bounds what is kept, in memory as in the file, about. What
	// comes after it is not recorded.
	MaxBytes int64

	// Trace adds what a picture of the run needs: when things happened, and the
	// viewport as it was right before input and when the page was read after it.
	// Each picture takes a capture and a screenshot; values of variables are painted
	// over in them. What a canvas or an image shows is not recognized.
	Trace bool

	// Secrets are texts that must not be in a bundle, as keys: *** stands for them.
	Secrets []string
}

// A Recorder is a driver that keeps what another one's browser does. Its
// methods may be called from several goroutines at once.
type Recorder struct {
	driver  driver.Driver
	limit   int64
	trace   bool
	secrets secrets

	mu       sync.Mutex // protects what follows
	version  string     // of the browser; empty before it was opened
	opened   time.Time
	shots    int
	pages    []initial
	items    []*item
	size     int64
	full     bool
	opening  int           // calls of NewPage under way
	lastPage driver.PageID // that was called last
}

// initial is a page that was there at first.
type initial struct {
	ID     driver.PageID  `json:"id"`
	Opener driver.PageID  `json:"opener,omitempty"`
	Frames []driver.Frame `json:"frames"`
}

var _ driver.Driver = (*Recorder)(nil)

// New returns a recorder of one browser that d opens. opts may be nil.
func New(d driver.Driver, opts *Options) *Recorder {
	r := &Recorder{driver: d, limit: 64 << 20}
	if opts != nil {
		if opts.MaxBytes > 0 {
			r.limit = opts.MaxBytes
		}
		r.trace = opts.Trace
		for _, s := range opts.Secrets {
			r.secrets.add(secretName, s)
		}
	}
	return r
}

func (r *Recorder) String() string { return r.driver.String() + ", recorded" }

// DialsItself implements driver.SelfDialer for the driver that is recorded.
func (r *Recorder) DialsItself() bool { return driver.DialsItself(r.driver) }

// Open opens the browser that is recorded. A second one is refused: two in one
// bundle could not be told apart.
func (r *Recorder) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	r.mu.Lock()
	used := r.version != ""
	r.version, r.opened = "?", time.Now()
	r.mu.Unlock()
	if used {
		return nil, &driver.OpError{Op: "open", Err: errors.New("the recorder has recorded a browser already; make one for each session")}
	}
	inner, err := r.driver.Open(ctx, opts)
	if err != nil {
		r.mu.Lock()
		r.version = "" // it may be tried again
		r.mu.Unlock()
		return nil, err
	}
	b := newBrowser(inner, r)
	var pages []initial
	for _, p := range inner.Pages() {
		pages = append(pages, initial{p.ID(), p.Opener(), p.Frames()})
	}
	r.mu.Lock()
	r.version, r.pages = inner.Version(), pages
	r.mu.Unlock()
	inner.Listen(r.take) // for as long as the browser lives
	return b, nil
}

// Exchanges is where a model's exchanges go, a line each: the writer for
// llmtest.Record.
func (r *Recorder) Exchanges() io.Writer { return exchanges{r} }

type exchanges struct{ recorder *Recorder }

func (w exchanges) Write(line []byte) (int, error) {
	data := bytes.TrimSpace(line)
	if !json.Valid(data) {
		return 0, errors.New("recording: an exchange is a line of JSON")
	}
	w.recorder.add(&item{extra: "exchange", data: bytes.Clone(data)}, int64(len(data)))
	return len(line), nil
}

// Note adds a value of the caller's, as JSON: what was asked for, what was
// expected. [Recording.Notes] gives it back.
func (r *Recorder) Note(kind string, v any) error {
	if kind == "" || kind == "exchange" {
		return fmt.Errorf("recording: a note cannot be of the kind %q", kind)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("recording: note %s: %w", kind, err)
	}
	r.add(&item{extra: kind, data: data}, int64(len(data)))
	return nil
}

// Hide keeps a value out of the bundle, also where it was recorded before.
func (r *Recorder) Hide(name, value string) { r.secrets.add(name, value) }

// Mask puts %name% in the place of the values that must not be shown, however a
// text writes them.
func (r *Recorder) Mask(text string) string {
	c := r.secrets.change()
	if c == nil {
		return text
	}
	return c.matcher.Replace(text, true, func(v redact.Value, _ string) string {
		if v.Name == secretName {
			return secretName
		}
		return "%" + v.Name + "%"
	})
}

// Full reports that the limit was reached: what came after is not kept.
func (r *Recorder) Full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.full
}

// add keeps an item, if there is room for it.
func (r *Recorder) add(it *item, size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(it, size)
}

// itemSize is what an item takes beside its texts, in bytes.
const itemSize = 200

func (r *Recorder) keep(it *item, size int64) {
	if r.full || r.size+size+itemSize > r.limit {
		r.full = true
		return
	}
	r.size += size + itemSize
	it.at = time.Since(r.opened)
	r.items = append(r.items, it)
}

// take keeps an event. It runs within the browser's delivery.
func (r *Recorder) take(e driver.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	it := &item{page: e.From(), event: e}
	switch e := e.(type) {
	case driver.PageOpened: // it concerns those who caused it
		switch {
		case r.opening > 0:
			it.page = ""
		case e.Opener != "":
			it.page = e.Opener
		default:
			it.page = r.lastPage
		}
	case driver.BrowserGone:
		it.gone = newFailure(e.Err)
		it.event = driver.BrowserGone{}
	}
	r.keep(it, textSize(reflect.ValueOf(e)))
}

// begin keeps a call that is about to be made.
func (r *Recorder) begin(id driver.PageID, op string, node driver.NodeRef, args []arg) *call {
	c := &call{Op: op, Node: node, Args: args, open: true}
	r.mu.Lock()
	defer r.mu.Unlock()
	if id != "" {
		r.lastPage = id
	}
	if op == "newpage" {
		r.opening++
	}
	r.keep(&item{page: id, call: c}, textSize(reflect.ValueOf(args)))
	return c
}

// end gives a call its answer.
func (r *Recorder) end(c *call, answer any, took time.Duration, err error) {
	size := textSize(reflect.ValueOf(answer))
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Op == "newpage" {
		r.opening--
	}
	if r.size += size; r.size > r.limit {
		r.full = true // and the call stays without an answer
		return
	}
	c.Err, c.open, c.took = newFailure(err), false, took
	if err == nil {
		c.Answer = answer
	}
}

func (r *Recorder) addShot(page driver.PageID, s *shot, size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shots++
	s.ID = fmt.Sprintf("p%d", r.shots)
	r.keep(&item{page: page, shot: s, at: time.Since(r.opened)}, size)
}

func (r *Recorder) supersede(s *shot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.superseded = true
	s.JPEG, s.shown = nil, nil
}

// WriteFile writes the bundle to a file, which is there whole or not at all.
// Only its owner may read it. The recording continues.
func (r *Recorder) WriteFile(path string) error {
	err := files.Replace(path, "."+filepath.Base(path)+"-*", func(f *os.File) error {
		if _, err := r.WriteTo(f); err != nil {
			return err
		}
		return f.Sync()
	})
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

// WriteTo writes the bundle of what was recorded so far.
func (r *Recorder) WriteTo(w io.Writer) (int64, error) {
	r.mu.Lock()
	head := header{"recording", version, r.driver.String(), r.version, r.pages}
	opened, full := r.version != "", r.full
	items := make([]item, len(r.items))
	for i, it := range r.items {
		items[i] = *it
		if it.call != nil {
			c := *it.call // its answer may come while this is written
			items[i].call = &c
		}
		if it.shot != nil {
			s := *it.shot
			items[i].shot = &s
		}
	}
	r.mu.Unlock()
	if !opened {
		return 0, errors.New("recording: nothing was recorded; pass the recorder to engine.Open")
	}
	change := r.secrets.change()
	hide := change.hide
	b := newBundle(w, hide)
	b.trace = r.trace
	if change != nil {
		b.secret = change.matcher
	}
	head = mapTexts(head, hide)
	head.Wayfinder, head.Driver, head.Browser = "recording", r.driver.String(), r.version
	b.json(head)
	for i := range items {
		b.item(&items[i])
	}
	end := endComplete
	if full {
		end = endFull
	}
	b.json(line{End: end})
	if err := b.w.Flush(); b.err == nil {
		b.err = err
	}
	return b.count.n, b.err
}

// textSize is about what a value takes in a file, in bytes.
func textSize(v reflect.Value) int64 {
	switch v.Kind() {
	case reflect.Invalid:
		return 0
	case reflect.String:
		return int64(v.Len()) + 4
	case reflect.Pointer, reflect.Interface:
		if c, ok := v.Interface().(*capture); ok && c != nil {
			n := int64(0)
			for _, d := range c.Documents {
				n += textSize(reflect.ValueOf(d.nodes)) + 500
			}
			return n
		}
		return textSize(v.Elem())
	case reflect.Slice:
		n := int64(0)
		for i := range v.Len() {
			n += textSize(v.Index(i))
		}
		return n
	case reflect.Struct:
		n := int64(0)
		for i := range v.NumField() {
			n += textSize(v.Field(i))
		}
		return n
	case reflect.Map:
		n := int64(0)
		for it := v.MapRange(); it.Next(); {
			n += textSize(it.Value()) + 20
		}
		return n
	}
	return 4
}
