package cbor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// errMalformed is what every error about bad input wraps.
var errMalformed = errors.New("malformed CBOR")

// The initial bytes of values, by RFC 8949 §3.
const (
	tagEnvelope = 0xd8 // and a byte: 24, encoded CBOR
	envelope    = 24
	tagBase64   = 0xd6 // a byte string that JSON has as base64
	length32    = 0x5a // of a byte string
	mapBegin    = 0xbf
	arrayBegin  = 0x9f
	stop        = 0xff
	valueFalse  = 0xf4
	valueTrue   = 0xf5
	valueNull   = 0xf6
	float64Head = 0xfb
)

// The major types.
const (
	unsigned = iota
	negative
	bytesOf // a text in UTF-16, or with a tag bytes
	textOf
)

// HeaderLength is how long the header of an envelope is.
const HeaderLength = 7

// Is reports that a value is a map or an array, and not JSON.
func Is(value []byte) bool { return len(value) > 0 && value[0] == tagEnvelope }

// Length returns how long a message is, with its header, whose header is head.
func Length(head []byte) (int64, error) {
	if len(head) < HeaderLength || head[0] != tagEnvelope || head[1] != envelope || head[2] != length32 {
		return 0, fmt.Errorf("%w: a message does not begin with an envelope", errMalformed)
	}
	return HeaderLength + int64(binary.BigEndian.Uint32(head[3:])), nil
}

// A Reader reads values front to back. The first error ends the reading: from
// then on every method returns at once, and the caller looks at Err when it is done.
type Reader struct {
	B   []byte
	I   int // where it stands
	Err error
}

// Fail notes an error, unless there is one.
func (r *Reader) Fail(what string) {
	if r.Err == nil {
		r.Err = fmt.Errorf("%w: %s at byte %d", errMalformed, what, r.I)
	}
	r.I = len(r.B)
}

// peek returns the next byte, and that of an end at the end.
func (r *Reader) peek() byte {
	if r.I < len(r.B) {
		return r.B[r.I]
	}
	return stop
}

// enter moves behind the header of an envelope and the beginning of the map or the
// array in it. What it returns is for [Reader.Leave]; 0 is an error.
func (r *Reader) enter(begin byte) (end int) {
	end = r.envelope()
	if r.peek() != begin {
		r.Fail("want a map or an array")
	}
	if r.Err != nil {
		return 0
	}
	r.I++
	return end
}

// Leave is called where a map or an array has ended: its envelope ends there, too.
// Else who reads it and who passes over it would continue at different bytes.
func (r *Reader) Leave(end int) {
	if r.I != end {
		r.Fail("an envelope of a wrong length")
	}
}

// envelope moves behind the header of an envelope, and returns where it ends; -1
// if there is none.
func (r *Reader) envelope() int {
	if len(r.B)-r.I <= HeaderLength || r.B[r.I] != tagEnvelope || r.B[r.I+1] != envelope || r.B[r.I+2] != length32 {
		r.Fail("want an envelope")
		return -1
	}
	end := r.I + HeaderLength + int(binary.BigEndian.Uint32(r.B[r.I+3:]))
	if end > len(r.B) || end < r.I+HeaderLength+2 {
		r.Fail("an envelope of a wrong length")
		return -1
	}
	r.I += HeaderLength
	return end
}

// More reports whether another element follows, and moves behind the end if none does.
func (r *Reader) More() bool {
	if r.Err != nil {
		return false
	}
	if r.I >= len(r.B) {
		r.Fail("unexpected end")
		return false
	}
	if r.B[r.I] == stop {
		r.I++
		return false
	}
	return true
}

// Object calls field with each member's name, which must consume its value.
func (r *Reader) Object(field func(name []byte)) {
	end := r.enter(mapBegin)
	for r.More() {
		major, text := r.text()
		if major != textOf {
			r.Fail("want a name")
			return
		}
		field(text)
	}
	r.Leave(end)
}

// Array calls element before each element, which it must consume.
func (r *Reader) Array(element func()) {
	end := r.enter(arrayBegin)
	for r.More() {
		element()
	}
	r.Leave(end)
}

// EnterArray moves to the first element of an array; More tells whether there is one.
// What it returns is for [Reader.Leave].
func (r *Reader) EnterArray() (end int) { return r.enter(arrayBegin) }

// head reads a major type and its number.
func (r *Reader) head() (major byte, n uint64) {
	b := r.B[min(r.I, len(r.B)):]
	if len(b) == 0 {
		r.Fail("unexpected end")
		return 0, 0
	}
	major, short := b[0]>>5, b[0]&31
	switch {
	case short < 24:
		r.I++
		return major, uint64(short)
	case short == 24 && len(b) > 1:
		r.I += 2
		return major, uint64(b[1])
	case short == 25 && len(b) > 2:
		r.I += 3
		return major, uint64(binary.BigEndian.Uint16(b[1:]))
	case short == 26 && len(b) > 4:
		r.I += 5
		return major, uint64(binary.BigEndian.Uint32(b[1:]))
	case short == 27 && len(b) > 8:
		r.I += 9
		return major, binary.BigEndian.Uint64(b[1:])
	}
	r.Fail("a bad length")
	return 0, 0
}

// text reads a string, in UTF-8 or in UTF-16, whose bytes are the input's.
func (r *Reader) text() (major byte, text []byte) {
	major, n := r.head()
	if r.Err != nil || major != textOf && major != bytesOf || n > uint64(len(r.B)-r.I) || major == bytesOf && n%2 != 0 {
		r.Fail("want a string")
		return 0, nil
	}
	text = r.B[r.I : r.I+int(n)]
	r.I += int(n)
	return major, text
}

// Text reads a string, whose bytes are the input's, in UTF-8 or if it is wide in UTF-16.
func (r *Reader) Text() (text []byte, wide bool) {
	major, text := r.text()
	return text, major == bytesOf
}

// Int reads a whole number of 32 bits.
func (r *Reader) Int() int32 {
	major, n := r.head()
	switch {
	case r.Err == nil && major == unsigned && n <= math.MaxInt32:
		return int32(n)
	case r.Err == nil && major == negative && n <= math.MaxInt32:
		return int32(-1 - int64(n))
	}
	r.Fail("want a whole number")
	return 0
}

// Float reads a number.
func (r *Reader) Float() float64 {
	if r.peek() == float64Head && len(r.B)-r.I > 8 {
		r.I += 9
		return math.Float64frombits(binary.BigEndian.Uint64(r.B[r.I-8:]))
	}
	return float64(r.Int())
}

// Skip passes over a value, and returns its bytes.
func (r *Reader) Skip() []byte {
	start := r.I
	switch c := r.peek(); c {
	case tagEnvelope:
		if end := r.envelope(); end >= 0 {
			r.I = end
		}
	case valueFalse, valueTrue, valueNull:
		r.I++
	case float64Head:
		r.Float()
	default:
		if c == tagBase64 {
			r.I++
			r.binary()
			break
		}
		switch c >> 5 {
		case unsigned, negative:
			r.Int()
		case bytesOf, textOf:
			r.text()
		default:
			r.Fail("a value of an unknown kind")
		}
	}
	if r.Err != nil {
		return nil
	}
	return r.B[start:r.I]
}

// binary reads a byte string that is no text.
func (r *Reader) binary() []byte {
	major, n := r.head()
	if r.Err != nil || major != bytesOf || n > uint64(len(r.B)-r.I) {
		r.Fail("want bytes")
		return nil
	}
	r.I += int(n)
	return r.B[r.I-int(n) : r.I]
}
