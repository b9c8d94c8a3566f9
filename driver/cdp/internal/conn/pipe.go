package conn

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/cbor"
)

// A Link carries messages to Chrome and back. One goroutine receives; sending
// is one goroutine at a time. Close unblocks both and may be called again.
type Link interface {
	// send writes messages, each of them ended by a zero byte if they are JSON. Where prompt
	// holds, it gives up at the deadline and tells how many bytes are gone.
	send(messages []byte, deadline time.Time) (int, error)

	// prompt reports that send honours its deadline without harm, so that
	// it may be called on the sender's own goroutine.
	prompt() bool

	// receive returns the next message without its terminator. The slice is
	// the caller's, or if it is short the link's until the next call. A
	// message over limit is skipped, and what is returned is its beginning and
	// an error that wraps driver.ErrTooLarge.
	receive(limit int) (message []byte, err error)

	// binary reports that messages are CBOR, and are not ended by anything.
	binary() bool

	Close() error
}

// headLength is how much is kept of a message that is too large: enough for its id.
const headLength = 64

var errOverLimit = fmt.Errorf("a message of the browser is over the limit: %w", driver.ErrTooLarge)

// A pipe is the link over --remote-debugging-pipe=cbor.
type pipe struct {
	in    *bufio.Reader
	from  *os.File // what Chrome writes
	to    *os.File // what Chrome reads
	timed bool
}

// pipeBuffer is how long a message may be that is read in place.
const pipeBuffer = 1 << 16

// NewPipe returns the link over our ends of two pipes.
func NewPipe(from, to *os.File) *pipe {
	// Pipes of Windows know no deadlines.
	timed := to.SetWriteDeadline(time.Time{}) == nil
	return &pipe{in: bufio.NewReaderSize(from, pipeBuffer), from: from, to: to, timed: timed}
}

func (p *pipe) prompt() bool { return p.timed }
func (p *pipe) binary() bool { return true }

func (p *pipe) send(messages []byte, deadline time.Time) (int, error) {
	if p.timed {
		if err := p.to.SetWriteDeadline(deadline); err != nil {
			return 0, err
		}
	}
	return p.to.Write(messages)
}

// receive reads a message, which begins with its length.
func (p *pipe) receive(limit int) ([]byte, error) {
	head, err := p.in.Peek(cbor.HeaderLength)
	if err != nil {
		return nil, err
	}
	n, err := cbor.Length(head)
	switch {
	case err != nil:
		return nil, err // nobody knows where the next one begins
	case n > int64(limit):
		begun := make([]byte, headLength)
		if _, err := io.ReadFull(p.in, begun); err != nil {
			return nil, err
		}
		if _, err := io.CopyN(io.Discard, p.in, n-headLength); err != nil {
			return nil, err
		}
		return begun, errOverLimit
	case n <= pipeBuffer:
		message, err := p.in.Peek(int(n))
		if err != nil {
			return nil, err
		}
		_, err = p.in.Discard(int(n))
		return message, err
	}
	message := make([]byte, n)
	_, err = io.ReadFull(p.in, message)
	return message, err
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
