package recording

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
)

const (
	// mostMemory bounds what a recording comes to in memory. A recorder keeps 64 MB of text
	// unless it is asked for more; short texts of a page, which take the most, come to five
	// times their lines.
	mostMemory = 512 << 20
	// mostLine bounds a line: as much as a recorder keeps of a whole run.
	mostLine = 64 << 20
	// mostCapture bounds what a capture comes to when it is played: half of what all of them
	// come to as they are read, since its nodes are shared with the ones before until then.
	mostCapture = mostMemory / 2
)

// A cost is what a line of JSON comes to in memory, beside its own length: TestCosts
// holds the figures against the types.
type cost struct {
	line    int // the value itself
	element int // the largest one of an array
	member  int // of an object: an entry of a map
}

var (
	lineCost = cost{line: 640, element: 144, member: 48}
	nodeCost = cost{line: 160 + pointerSize, element: 48, member: 0}
)

const (
	pointerSize = 8
	// A node as it is played, and an attribute of it.
	playedSize, playedAttr = 168, 32
)

// deepest is how deep encoding/json reads.
const deepest = 10_000

// bytes is what a line comes to. What is in its strings is not looked at.
func (c cost) bytes(text []byte) int {
	sum := c.line + len(text)
	var arrays []bool // of the values around the place, which are arrays
	quoted := false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case (b == '[' || b == '{') && len(arrays) > deepest:
			return sum // it is refused
		case b == '[', b == '{':
			arrays = append(arrays, b == '[')
			sum += c.of(b == '[')
		case (b == ']' || b == '}') && len(arrays) > 0:
			arrays = arrays[:len(arrays)-1]
		case b == ',' && len(arrays) > 0:
			sum += c.of(arrays[len(arrays)-1])
		}
	}
	return sum
}

func (c cost) of(array bool) int {
	if array {
		return c.element
	}
	return c.member
}

// lines reads a text line by line.
type lines struct {
	in   *bufio.Reader
	most int // bytes of a line
	text []byte
}

// next returns the next line, with its end if it has one, until the next call. With the
// last one, which may be empty, comes io.EOF.
func (l *lines) next() ([]byte, error) {
	l.text = l.text[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		if len(l.text)+len(part) > l.most {
			return nil, fmt.Errorf("a line has more than %d MB", l.most>>20)
		}
		if len(l.text)+len(part) > cap(l.text) { // append takes more steps, and so more memory
			l.text = slices.Grow(l.text, len(l.text)+len(part))
		}
		l.text = append(l.text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.text, err
		}
	}
}
