package cdp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
)

// A tail keeps the end of what Chrome writes to its standard error, and looks
// for the address that it listens at.
type tail struct {
	found chan struct{} // closed when address is set

	mu      sync.Mutex // protects the following
	buf     []byte
	address string
}

func newTail() *tail { return &tail{found: make(chan struct{})} }

// tailLength is about what a person reads of a program's last words.
const tailLength = 4 << 10

var listening = regexp.MustCompile(`DevTools listening on (ws://\S+)`)

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if t.address == "" {
		if m := listening.FindSubmatch(t.buf); m != nil {
			t.address = string(m[1])
			close(t.found)
		}
	}
	if over := len(t.buf) - tailLength; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(bytes.ToValidUTF8(t.buf, []byte("?"))))
}

// mostLastWords bounds, in bytes, what an error repeats of them.
const mostLastWords = 200

// last is the line that most likely says why Chrome ended: the last that Chrome
// itself calls an error, or else the last.
func (t *tail) last() string {
	var last, worst string
	for line := range strings.Lines(t.String()) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		last = line
		if strings.Contains(line, ":ERROR:") || strings.Contains(line, ":FATAL:") {
			worst = line
		}
	}
	line := cmp.Or(worst, last)
	if len(line) > mostLastWords {
		line = strings.ToValidUTF8(line[:mostLastWords], "") + "…"
	}
	return line
}

// endpoint waits until Chrome says where it listens.
func (t *tail) endpoint(ctx context.Context) (string, error) {
	select {
	case <-t.found:
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.address, nil
	case <-ctx.Done():
		return "", errors.Join(errors.New("Chrome does not open its port"), ctx.Err())
	}
}
