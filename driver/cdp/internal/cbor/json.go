package cbor

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// deepest bounds how deep values stand in one another. Chrome's own bound is lower.
const deepest = 1000

// AppendJSON appends a value as JSON to dst.
func AppendJSON(dst, value []byte) ([]byte, error) {
	r := &Reader{B: value}
	dst = appendValue(dst, r, 0)
	if r.Err == nil && r.I != len(value) {
		r.Fail("something behind the end")
	}
	return dst, r.Err
}

func appendValue(dst []byte, r *Reader, depth int) []byte {
	if depth > deepest {
		r.Fail("values too deep in one another")
		return dst
	}
	switch c := r.peek(); {
	case c == tagEnvelope:
		return appendContainer(dst, r, depth)
	case c == valueFalse:
		r.I++
		return append(dst, "false"...)
	case c == valueTrue:
		r.I++
		return append(dst, "true"...)
	case c == valueNull:
		r.I++
		return append(dst, "null"...)
	case c == float64Head:
		return appendFloat(dst, r.Float())
	case c == tagBase64:
		r.I++
		dst = append(dst, '"')
		return append(base64.StdEncoding.AppendEncode(dst, r.binary()), '"')
	case c>>5 == unsigned, c>>5 == negative:
		return strconv.AppendInt(dst, int64(r.Int()), 10)
	default:
		text, wide := r.Text()
		return appendString(dst, text, wide)
	}
}

func appendContainer(dst []byte, r *Reader, depth int) []byte {
	begin := byte(arrayBegin)
	if at := r.I + HeaderLength; at < len(r.B) && r.B[at] == mapBegin {
		begin = mapBegin
	}
	end := r.enter(begin)
	if r.Err != nil {
		return dst
	}
	brackets := "[]"
	if begin == mapBegin {
		brackets = "{}"
	}
	dst = append(dst, brackets[0])
	for first := true; r.More(); first = false {
		if !first {
			dst = append(dst, ',')
		}
		if begin == mapBegin {
			name, wide := r.Text()
			dst = append(appendString(dst, name, wide), ':')
		}
		dst = appendValue(dst, r, depth+1)
	}
	r.Leave(end)
	return append(dst, brackets[1])
}

// appendFloat writes a number as Chrome does: whole ones without an exponent, and
// null for what JSON does not have.
func appendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	case f == math.Trunc(f) && math.Abs(f) < 1<<63:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}

const hex = "0123456789abcdef"

// appendString writes a string as JSON. A lone half of a surrogate pair stays one.
func appendString(dst, text []byte, wide bool) []byte {
	dst = append(dst, '"')
	if wide {
		for len(text) > 0 {
			c, n := wideRune(text)
			text = text[n:]
			if utf16.IsSurrogate(c) {
				dst = append(dst, '\\', 'u', hex[c>>12], hex[c>>8&15], hex[c>>4&15], hex[c&15])
			} else {
				dst = appendRune(dst, c)
			}
		}
		return append(dst, '"')
	}
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			dst = appendRune(dst, rune(c))
			i++
			continue
		}
		c, n := utf8.DecodeRune(text[i:])
		dst = utf8.AppendRune(dst, c)
		i += n
	}
	return append(dst, '"')
}

// AppendUTF8 appends a string of a [Reader]. A lone half of a surrogate pair becomes
// U+FFFD, and so does what is no UTF-8.
func AppendUTF8(dst, text []byte, wide bool) []byte {
	if !wide {
		return append(dst, bytes.ToValidUTF8(text, []byte("\uFFFD"))...)
	}
	for len(text) > 0 {
		c, n := wideRune(text)
		text = text[n:]
		dst = utf8.AppendRune(dst, c)
	}
	return dst
}

// wideRune reads the first character of a string in UTF-16, which may be a lone half of a
// surrogate pair, and returns how many bytes it takes.
func wideRune(text []byte) (rune, int) {
	c := rune(binary.LittleEndian.Uint16(text))
	if utf16.IsSurrogate(c) && len(text) >= 4 {
		if pair := utf16.DecodeRune(c, rune(binary.LittleEndian.Uint16(text[2:]))); pair != utf8.RuneError {
			return pair, 4
		}
	}
	return c, 2
}

func appendRune(dst []byte, c rune) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', byte(c))
	case c >= ' ' && c < utf8.RuneSelf:
		return append(dst, byte(c))
	case c < ' ':
		return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
	return utf8.AppendRune(dst, c)
}
