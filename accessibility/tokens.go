package accessibility

import "unicode/utf8"

// Tokens estimates how many tokens of a language model a text takes. It has
// no tokenizer: it counts what the tokenizers of today's models have in common
// (a word with the space before it is one token unless it is long, digits go in
// threes, a sign is one) and errs on the high side, so that a text that
// fits by the estimate fits in truth.
func Tokens(text string) int {
	return (weigh(text) + unit - 1) / unit
}

// unit is the weight of a token.
const unit = 100

// The weights of what a text consists of.
const (
	wordWeight    = 100 // a word's first letters
	wordLength    = 7   // how many those are
	letterWeight  = 28  // each letter beyond
	digitWeight   = 45
	signWeight    = 85
	spaceWeight   = 60 // two or more spaces
	newlineWeight = 80
	latinWeight   = 60  // a letter of two bytes
	wideWeight    = 115 // a character of three bytes
	emojiWeight   = 260 // a character of four bytes
)

// weigh returns a text's weight. It is that of the lines together, each with
// its newline: no count goes over the end of a line.
func weigh(s string) int {
	w, word := 0, 0
	for i := 0; i < len(s); {
		b := s[i]
		switch class := classes[b]; class {
		case letterClass:
			if word++; word == 1 {
				w += wordWeight
			} else if word > wordLength {
				w += letterWeight
			}
			i++
			continue
		case spaceClass:
			j := i + 1
			for j < len(s) && s[j] == ' ' {
				j++
			}
			if j > i+1 {
				w += spaceWeight + (j-i)/16*spaceWeight
			}
			i, word = j, 0
			continue
		case wideClass:
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case n <= 1:
				w += wideWeight
			case r < 0x800:
				w += latinWeight
			case r < 0x10000:
				w += wideWeight
			default:
				w += emojiWeight
			}
			i += n
		default:
			w += int(classWeights[class])
			i++
		}
		word = 0
	}
	return w
}

const (
	signClass = iota
	letterClass
	digitClass
	spaceClass
	newlineClass
	wideClass
)

var classWeights = [...]uint8{signClass: signWeight, digitClass: digitWeight, newlineClass: newlineWeight, wideClass: 0}

var classes = func() (t [256]uint8) {
	for b := range t {
		switch {
		case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z':
			t[b] = letterClass
		case b >= '0' && b <= '9':
			t[b] = digitClass
		case b == ' ':
			t[b] = spaceClass
		case b == '\n':
			t[b] = newlineClass
		case b >= utf8.RuneSelf:
			t[b] = wideClass
		}
	}
	return t
}()
