package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Recording is a bundle that was read. It is not changed by being played,
// and may be played several times, also at once.
type Recording struct {
	head  header
	full  bool
	logs  map[driver.PageID][]*item // what happened in a page, in order; "" is the browser
	notes map[string][]json.RawMessage
	all   []*item // what happened, in order
}

// ErrFormat: the data is no recording, or is cut off. The errors of [Read] wrap it.
var ErrFormat = errors.New("not a recording that can be read")

// Read reads a bundle. One that comes to more than about 512 MB in memory is refused
// before it does: eight times what a recorder keeps of a run, unless it is asked for more.
func Read(r io.Reader) (*Recording, error) {
	return read(r, mostMemory)
}

func read(r io.Reader, most int) (*Recording, error) {
	in := &reader{lines: lines{in: bufio.NewReader(r), most: min(mostLine, most)}, left: most, most: most, last: map[docKey][]*node{}}
	rec := &Recording{logs: map[driver.PageID][]*item{}, notes: map[string][]json.RawMessage{}}
	if err := in.recording(rec); err != nil {
		return nil, fmt.Errorf("recording: line %d: %w: %w", in.number, ErrFormat, err)
	}
	return rec, nil
}

// Notes are the notes of a kind, in order. The caller does not change them.
func (r *Recording) Notes(kind string) []json.RawMessage { return slices.Clone(r.notes[kind]) }

// Exchanges are those with a model, for llmtest.Replay. values, which may be
// nil, are those of the variables that the replay uses, by name.
func (r *Recording) Exchanges(values map[string]string) io.Reader {
	var s secrets
	for _, name := range slices.Sorted(maps.Keys(values)) {
		s.add(name, values[name])
	}
	var all bytes.Buffer
	for _, raw := range r.notes["exchange"] {
		all.Write(mapJSON(raw, s.change().back))
		all.WriteByte('\n')
	}
	return &all
}

// A reader reads a bundle line by line.
type reader struct {
	lines  lines
	number int
	most   int // bytes that the recording may come to in memory
	left   int // of those
	look   int // bytes that the capture which is read comes to when it is played
	last   map[docKey][]*node
}

// spend takes bytes from what is left.
func (r *reader) spend(n int) error {
	if r.left -= n; r.left < 0 {
		return fmt.Errorf("the recording comes to more than %d MB in memory", r.most>>20)
	}
	return nil
}

// next reads a line into v, unless what it comes to is more than is left.
func (r *reader) next(v any, of cost) error {
	r.number++
	text, err := r.lines.next()
	if err != nil && (!errors.Is(err, io.EOF) || len(text) == 0) {
		if errors.Is(err, io.EOF) {
			return errors.New("the file is cut off")
		}
		return err
	}
	if err := r.spend(of.bytes(text)); err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// A rawLine is a line whose answer and data are not decoded yet.
type rawLine struct {
	line
	Answer json.RawMessage `json:"answer"`
	Data   json.RawMessage `json:"data"`
}

func (r *reader) recording(rec *Recording) error {
	if err := r.next(&rec.head, lineCost); err != nil {
		return err
	}
	switch {
	case rec.head.Wayfinder != "recording":
		return errors.New("it does not begin as one")
	case rec.head.Version != version:
		return fmt.Errorf("it is of version %d, and this program reads version %d", rec.head.Version, version)
	case len(rec.head.Pages) == 0:
		return errors.New("it has no page")
	}
	frames := map[driver.PageID][]driver.Frame{}
	for _, p := range rec.head.Pages {
		frames[p.ID] = p.Frames
	}
	for {
		var l rawLine
		if err := r.next(&l, lineCost); err != nil {
			return err
		}
		switch {
		case l.End != "":
			rec.full = l.End != endComplete
			return nil
		case l.Note != "":
			rec.notes[l.Note] = append(rec.notes[l.Note], l.Data)
			rec.all = append(rec.all, &item{page: l.Page, extra: l.Note, data: l.Data, at: since(l.At)})
			continue
		case l.Shot != nil:
			rec.all = append(rec.all, &item{page: l.Page, shot: &shot{Picture: *l.Shot}, at: since(l.At)})
			continue
		}
		it, err := r.item(&l)
		if err != nil {
			return err
		}
		it.at = since(l.At)
		if it.call != nil {
			it.call.took = since(l.Took)
		}
		rec.all = append(rec.all, it)
		if it.call == nil && it.event == nil {
			if it.frames == nil {
				it.frames = frames[l.Page] // asked for again
			}
			frames[l.Page] = it.frames
		}
		rec.logs[l.Page] = append(rec.logs[l.Page], it)
	}
}

func (r *reader) item(l *rawLine) (*item, error) {
	it := &item{page: l.Page, frames: l.Frames, asked: l.Asked, gone: l.Error}
	switch {
	case l.Event != "":
		t, ok := events[l.Event]
		if !ok {
			return nil, fmt.Errorf("there is no event %q", l.Event)
		}
		e := reflect.New(t)
		if err := json.Unmarshal(l.Data, e.Interface()); err != nil {
			return nil, err
		}
		it.event = e.Elem().Interface().(driver.Event)
	case l.Call != "":
		t, ok := answers[l.Call]
		if !ok {
			return nil, fmt.Errorf("there is no call %q", l.Call)
		}
		c := &call{Op: l.Call, Args: l.Args, Err: l.Error, open: l.Open}
		if l.Node != nil {
			c.Node = *l.Node
		}
		it.call = c
		if t == nil || l.Error != nil || l.Open {
			return it, nil
		}
		return it, r.answer(c, t, l.Answer)
	}
	return it, nil
}

// answer decodes what a call gave.
func (r *reader) answer(c *call, t reflect.Type, raw json.RawMessage) error {
	v := reflect.New(t)
	if raw != nil {
		if err := json.Unmarshal(raw, v.Interface()); err != nil {
			return err
		}
	}
	c.Answer = v.Elem().Interface()
	looked, ok := c.Answer.(*capture)
	if !ok {
		return nil
	}
	if looked == nil || len(looked.Documents) == 0 {
		return errors.New("a look without a document")
	}
	r.look = 0
	for _, d := range looked.Documents {
		if d == nil {
			return errors.New("a look without a document")
		}
		if err := r.document(d); err != nil {
			return err
		}
	}
	return looked.check()
}

// document reads the nodes of a document.
func (r *reader) document(d *document) error {
	key := docKey{d.Frame, d.Doc}
	before := r.last[key]
	if d.Count < 0 {
		return fmt.Errorf("a document with %d nodes", d.Count)
	}
	for len(d.nodes) < d.Count {
		var l struct {
			run
			node
		}
		if err := r.next(&l, nodeCost); err != nil {
			return err
		}
		if l.Copy == nil {
			if err := r.played(&l.node); err != nil {
				return err
			}
			d.nodes = append(d.nodes, &l.node)
			continue
		}
		if len(l.Copy) != 2 || l.Copy[0] < 0 || l.Copy[1] < 1 || l.Copy[0] > len(before) || l.Copy[1] > len(before)-l.Copy[0] {
			return fmt.Errorf("a run of nodes %v that are not there", l.Copy)
		}
		run := before[l.Copy[0] : l.Copy[0]+l.Copy[1]]
		if err := r.spend(len(run) * pointerSize); err != nil {
			return err
		}
		if err := r.played(run...); err != nil {
			return err
		}
		d.nodes = append(d.nodes, run...)
	}
	r.last[key] = d.nodes
	return nil
}

// played counts nodes of the capture that is read as what they come to when it is played.
func (r *reader) played(nodes ...*node) error {
	for _, n := range nodes {
		r.look += playedSize + playedAttr*len(n.Attrs) + len(n.Text) + len(n.Shown) + len(n.Value)
	}
	if most := min(mostCapture, r.most); r.look > most {
		return fmt.Errorf("a capture comes to more than %d MB", most>>20)
	}
	return nil
}

// Moments returns what the recording holds, in the order in which it happened.
// Each is made anew, and belongs to the caller.
func (r *Recording) Moments() iter.Seq[Moment] {
	return func(yield func(Moment) bool) {
		for _, it := range r.all {
			m := Moment{Page: it.page, At: it.at, Event: it.event, Note: it.extra, Data: it.data}
			switch {
			case it.shot != nil:
				p := it.shot.Picture
				m.Picture = &p
			case it.call != nil:
				m.Call = it.call.called()
			case it.event == nil && it.extra == "": // the list of frames
				continue
			}
			if !yield(m) {
				return
			}
		}
	}
}

// Browser is the version of the browser that was recorded.
func (r *Recording) Browser() string { return r.head.Browser }

// Complete reports that the recorder had room for the whole run.
func (r *Recording) Complete() bool { return !r.full }

// Driver returns a driver whose browsers play the recording, each from its
// beginning. No time passes in them and nothing is reached outside.
func (r *Recording) Driver() driver.Driver { return player{r} }
