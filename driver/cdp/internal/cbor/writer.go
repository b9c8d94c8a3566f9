package cbor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Begin appends the beginning of a map; what it returns is for [End].
func Begin(dst []byte) (more []byte, at int) { return begin(dst, mapBegin) }

func begin(dst []byte, what byte) ([]byte, int) {
	return append(dst, tagEnvelope, envelope, length32, 0, 0, 0, 0, what), len(dst)
}

// End appends the end of what began at a place.
func End(dst []byte, at int) []byte {
	dst = append(dst, stop)
	binary.BigEndian.PutUint32(dst[at+3:], uint32(len(dst)-at-HeaderLength))
	return dst
}

// AppendInt appends a whole number, as a float if it has more than 32 bits.
func AppendInt(dst []byte, n int64) []byte {
	switch {
	case n != int64(int32(n)):
		return appendDouble(dst, float64(n))
	case n < 0:
		return appendHead(dst, negative, uint32(-1-n))
	}
	return appendHead(dst, unsigned, uint32(n))
}

// AppendText appends a string of ASCII.
func AppendText(dst []byte, ascii string) []byte {
	return append(appendHead(dst, textOf, uint32(len(ascii))), ascii...)
}

func appendHead(dst []byte, major byte, n uint32) []byte {
	major <<= 5
	switch {
	case n < 24:
		return append(dst, major|byte(n))
	case n < 1<<8:
		return append(dst, major|24, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(dst, major|26), n)
}

func appendDouble(dst []byte, f float64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, float64Head), math.Float64bits(f))
}

var errJSON = errors.New("malformed JSON")

// Append appends a value that is given as JSON to dst.
func Append(dst, json []byte) ([]byte, error) {
	p := &parser{b: json}
	dst = p.value(dst, 0)
	if p.space(); p.err == nil && p.i != len(json) {
		p.fail()
	}
	return dst, p.err
}

// A parser reads JSON and writes CBOR.
type parser struct {
	b    []byte
	i    int
	err  error
	wide []uint16 // room for a string
}

func (p *parser) fail() {
	if p.err == nil {
		p.err = fmt.Errorf("%w at byte %d", errJSON, p.i)
	}
	p.i = len(p.b)
}

// space passes over white space and returns what follows, 0 at the end.
func (p *parser) space() byte {
	for ; p.i < len(p.b); p.i++ {
		switch c := p.b[p.i]; c {
		case ' ', '\n', '\r', '\t':
		default:
			return c
		}
	}
	return 0
}

func (p *parser) value(dst []byte, depth int) []byte {
	if depth > deepest {
		p.fail()
		return dst
	}
	switch c := p.space(); c {
	case '{':
		return p.container(dst, mapBegin, '}', depth)
	case '[':
		return p.container(dst, arrayBegin, ']', depth)
	case '"':
		return p.text(dst)
	case 't':
		return p.word(dst, "true", valueTrue)
	case 'f':
		return p.word(dst, "false", valueFalse)
	case 'n':
		return p.word(dst, "null", valueNull)
	default:
		return p.number(dst)
	}
}

func (p *parser) word(dst []byte, word string, as byte) []byte {
	if len(p.b)-p.i < len(word) || string(p.b[p.i:p.i+len(word)]) != word {
		p.fail()
		return dst
	}
	p.i += len(word)
	return append(dst, as)
}

func (p *parser) container(dst []byte, what, closing byte, depth int) []byte {
	p.i++
	dst, at := begin(dst, what)
	for more := p.space() != closing; more; {
		if what == mapBegin {
			if p.space() != '"' {
				p.fail()
				return dst
			}
			dst = p.text(dst)
			if p.space() != ':' {
				p.fail()
				return dst
			}
			p.i++
		}
		if dst = p.value(dst, depth+1); p.err != nil {
			return dst
		}
		switch p.space() {
		case ',':
			p.i++
		case closing:
			more = false
		default:
			p.fail()
			return dst
		}
	}
	p.i++
	return End(dst, at)
}

func (p *parser) number(dst []byte) []byte {
	start := p.i
	n, i := int64(0), start // short whole numbers, as nearly all are, are read in place
	for ; i < len(p.b) && i < start+9 && p.b[i]-'0' <= 9; i++ {
		n = 10*n + int64(p.b[i]-'0')
	}
	if i > start && i < len(p.b) && (p.b[i] == ',' || p.b[i] == ']' || p.b[i] == '}') {
		p.i = i
		return AppendInt(dst, n)
	}
	for p.i < len(p.b) {
		if c := p.b[p.i]; (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		p.i++
	}
	f, err := strconv.ParseFloat(string(p.b[start:p.i]), 64)
	if err != nil {
		p.fail()
		return dst
	}
	if f == float64(int32(f)) && (f != 0 || !math.Signbit(f)) {
		return AppendInt(dst, int64(f))
	}
	return appendDouble(dst, f)
}

// text writes a string: in UTF-8 what is ASCII and has no escapes, in UTF-16 the rest.
func (p *parser) text(dst []byte) []byte {
	p.i++
	start := p.i
	for ; p.i < len(p.b) && p.b[p.i] != '"' && p.b[p.i] != '\\' && p.b[p.i] < utf8.RuneSelf; p.i++ {
	}
	if p.i < len(p.b) && p.b[p.i] == '"' {
		plain := p.b[start:p.i]
		p.i++
		return append(appendHead(dst, textOf, uint32(len(plain))), plain...)
	}
	p.i, p.wide = start, p.wide[:0]
	ascii := true
	for p.i < len(p.b) && p.b[p.i] != '"' {
		c := p.character()
		ascii = ascii && c < utf8.RuneSelf
		p.wide = utf16.AppendRune(p.wide, c)
		if utf16.IsSurrogate(c) {
			p.wide[len(p.wide)-1] = uint16(c) // AppendRune makes U+FFFD of a half
		}
	}
	if p.i >= len(p.b) {
		p.fail()
		return dst
	}
	p.i++
	if ascii {
		dst = appendHead(dst, textOf, uint32(len(p.wide)))
		for _, c := range p.wide {
			dst = append(dst, byte(c))
		}
		return dst
	}
	dst = appendHead(dst, bytesOf, uint32(2*len(p.wide)))
	for _, c := range p.wide {
		dst = binary.LittleEndian.AppendUint16(dst, c)
	}
	return dst
}

// character reads one of a string, which may be a half of a surrogate pair.
func (p *parser) character() rune {
	c := p.b[p.i]
	if c != '\\' {
		r, n := utf8.DecodeRune(p.b[p.i:])
		p.i += n
		return r
	}
	if p.i+1 >= len(p.b) {
		p.fail()
		return 0
	}
	p.i += 2
	switch c := p.b[p.i-1]; c {
	case '"', '\\', '/':
		return rune(c)
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'u':
		if p.i+4 <= len(p.b) {
			if n, err := strconv.ParseUint(string(p.b[p.i:p.i+4]), 16, 16); err == nil {
				p.i += 4
				return rune(n)
			}
		}
	}
	p.fail()
	return 0
}
