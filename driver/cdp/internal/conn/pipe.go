package conn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Link carries messages to Chrome and back. One goroutine receives; sending
// is one goroutine at a time. Close unblocks both and may be called again.
type Link interface {
	// send writes messages, each of them ended by a zero byte. Where prompt
	// holds, it gives up at the deadline and tells how many bytes are gone.
	send(messages []byte, deadline time.Time) (int, error)

	// prompt reports that send honours its deadline without harm, so that
	// it may be called on the goroutine of whoever wants to send.
	prompt() bool

	// receive returns the next message without its terminator. The slice is
	// the caller's. A message over limit is skipped, and what is returned is
	// its beginning and an error that wraps driver.ErrTooLarge.
	receive(limit int) ([]byte, error)

	Close() error
}

// headLength is how much is kept of a message that is too large: enough for its id.
const headLength = 64

var errOverLimit = fmt.Errorf("a message of the browser is over the limit: %w", driver.ErrTooLarge)

// A pipe is the link over --remote-debugging-pipe.
type pipe struct {
	in    *bufio.Reader
	from  *os.File // what Chrome writes
	to    *os.File // what Chrome reads
	timed bool
}

// NewPipe returns the link over our ends of two pipes.
func NewPipe(from, to *os.File) *pipe {
	// Pipes of Windows know no deadlines.
	timed := to.SetWriteDeadline(time.Time{}) == nil
	return &pipe{in: bufio.NewReaderSize(from, 1<<16), from: from, to: to, timed: timed}
}

func (p *pipe) prompt() bool { return p.timed }

func (p *pipe) send(messages []byte, deadline time.Time) (int, error) {
	if p.timed {
		if err := p.to.SetWriteDeadline(deadline); err != nil {
			return 0, err
		}
	}
	return p.to.Write(messages)
}

func (p *pipe) receive(limit int) ([]byte, error) {
	chunk, err := p.in.ReadSlice(0)
	if err == nil {
		return bytes.Clone(chunk[:len(chunk)-1]), nil
	}
	message := append(make([]byte, 0, 4*len(chunk)), chunk...)
	for errors.Is(err, bufio.ErrBufferFull) {
		chunk, err = p.in.ReadSlice(0)
		if len(message)+len(chunk) > limit {
			return p.skip(message[:headLength], err)
		}
		message = append(message, chunk...)
	}
	if err != nil {
		return nil, err
	}
	return message[:len(message)-1], nil
}

// skip reads the rest of a message that is too large, err being what reading
// it has come to.
func (p *pipe) skip(head []byte, err error) ([]byte, error) {
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = p.in.ReadSlice(0)
	}
	if err != nil {
		return nil, err
	}
	return head, errOverLimit
}

func (p *pipe) Close() error {
	return errors.Join(ignoreClosed(p.to.Close()), ignoreClosed(p.from.Close()))
}

// ignoreClosed makes a repeated Close no error.
func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}
