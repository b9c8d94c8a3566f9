package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Moment is one thing that a recording holds: a call of the browser, an
// event, a picture or a note. One of Call, Event, Picture and Note is set.
// Where values of variables stood there are tokens, as ⟪name⟫.
type Moment struct {
	Page driver.PageID // empty for the browser
	At   time.Duration // since the browser was opened; 0 where the recording has no times

	Call    *Called
	Event   driver.Event
	Picture *Picture
	Note    string // its kind
	Data    json.RawMessage
}

// A Called is a call of the browser, and what came of it.
type Called struct {
	Op     string // the driver's method in lower case, as in [driver.OpError]
	Node   driver.NodeRef
	Words  string // the call with its arguments, for people
	Acting bool   // it does something; else it reads
	Took   time.Duration
	Failed string // the error; empty if the call succeeded

	Capture  func() *driver.Capture // of capture: makes it anew, which takes many times what is kept of it; else nil
	Location *driver.Location       // of locate
}

// WithoutPictures copies a bundle, and leaves the data of its pictures out.
func WithoutPictures(w io.Writer, bundle io.Reader) error {
	in, out := lines{in: bufio.NewReader(bundle), most: mostLine}, bufio.NewWriter(w)
	for {
		text, ended := in.next()
		if ended != nil && !errors.Is(ended, io.EOF) {
			return ended
		}
		var l line
		if bytes.Contains(text, []byte(`"picture":{`)) && json.Unmarshal(text, &l) == nil && l.Shot != nil {
			l.Shot.JPEG = nil
			var err error
			if text, err = json.Marshal(l); err != nil {
				return err
			}
			text = append(text, '\n')
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
		if ended != nil {
			return out.Flush()
		}
	}
}
