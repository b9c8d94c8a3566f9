package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxDepth is how deep a document or a schema may nest. People's data does not
// come near it; what does is an attempt to use up the stack.
const maxDepth = 512

// maxExponent bounds numbers: the validator computes with exact fractions, and
// 1e999999999 is an exact number of a billion digits.
const maxExponent = 5000

var errTooDeep = fmt.Errorf("it nests deeper than %d levels", maxDepth)

// decode reads exactly one JSON value, with numbers kept as they are written.
func decode(raw []byte) (any, error) {
	if err := bound(raw); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, readable(err, len(raw))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("there is more after the JSON value, at byte %d", dec.InputOffset())
	}
	return v, nil
}

// readable puts the decoder's complaint in words that a person and a model
// can act on.
func readable(err error, size int) error {
	syntax, isSyntax := errors.AsType[*json.SyntaxError](err)
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty, not JSON")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("it is no complete JSON: it ends too soon, at byte %d", size)
	case isSyntax:
		return fmt.Errorf("it is not JSON: %s, at byte %d", syntax.Error(), syntax.Offset)
	default:
		return fmt.Errorf("it is not JSON: %w", err)
	}
}

// bound looks at the bytes alone, so that a hostile document is turned away
// before anything recurses into it.
func bound(raw []byte) error {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return errTooDeep
			}
		case c == '}' || c == ']':
			depth--
		case c == 'e' || c == 'E':
			if exponent(raw[i+1:]) > maxExponent {
				return fmt.Errorf("it holds a number with an exponent beyond %d, at byte %d", maxExponent, i)
			}
		}
	}
	return nil
}

// exponent reads the size of an exponent. The e of true and false gives 0.
func exponent(raw []byte) int {
	digits := strings.TrimLeft(string(raw[:min(len(raw), 24)]), "+-0")
	end := 0
	for end < len(digits) && '0' <= digits[end] && digits[end] <= '9' {
		end++
	}
	if end == 0 {
		return 0
	}
	n, err := strconv.Atoi(digits[:end])
	if err != nil {
		return maxExponent + 1 // more digits than an int holds
	}
	return n
}

// describe names a JSON value's type with its article.
func describe(v any) string {
	if _, ok := v.(json.Number); ok {
		return "a number"
	}
	return article(typeOf(v))
}
