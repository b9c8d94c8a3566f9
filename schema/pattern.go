package schema

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Patterns of JSON Schema are regular expressions of ECMA-262. They are
// translated, and compiled by the standard library, whose time is linear, if
// it can; lookarounds and backreferences, which schema generators write (a
// common one for e-mail addresses does), need a backtracking engine, and that
// one gets a limit.

// patternTimeout ends a match that backtracks without end; the value then counts
// as not matching.
const patternTimeout = time.Second

// compilePattern compiles a regular expression of a schema.
func compilePattern(source string) (jsonschema.Regexp, error) {
	t := translator{source: []rune(source)}
	if err := t.translate(); err != nil {
		return nil, err
	}
	if !t.backtracks {
		re, err := regexp.Compile(t.out.String())
		return linear{re, source}, err
	}
	re, err := regexp2.Compile(t.out.String())
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = patternTimeout
	return backtracking{re, source}, nil
}

func isPattern(s string) bool {
	_, err := compilePattern(s)
	return err == nil
}

type linear struct {
	*regexp.Regexp
	source string
}

// String returns the expression as the schema has it.
func (l linear) String() string { return l.source }

type backtracking struct {
	re     *regexp2.Regexp
	source string
}

func (b backtracking) String() string { return b.source }

func (b backtracking) MatchString(s string) bool {
	matched, err := b.re.MatchString(s)
	return err == nil && matched // an error is the timeout
}

// What ECMA-262 means by its classes, for use within brackets.
const (
	space    = `\t\n\v\f\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}`
	newlines = `\n\r\x{2028}\x{2029}`
)

// translator writes an expression of ECMA-262 in the syntax that both engines
// share, as far as they do.
type translator struct {
	source     []rune
	at         int
	out        strings.Builder
	backtracks bool
	inClass    bool
}

func (t *translator) peek(text string) bool {
	return strings.HasPrefix(string(t.source[t.at:min(len(t.source), t.at+len(text))]), text)
}

func (t *translator) translate() error {
	t.backtracks = needsBacktracking(t.source)
	for t.at < len(t.source) {
		c := t.source[t.at]
		t.at++
		switch {
		case c == '\\':
			if err := t.escape(); err != nil {
				return err
			}
		case t.inClass:
			t.inClass = c != ']'
			if c == '[' || c == '&' {
				t.out.WriteByte('\\') // they have a meaning in other syntaxes
			}
			t.out.WriteRune(c)
		case c == '[':
			t.openClass()
		case c == '.':
			t.class("^" + newlines)
		case c == '$':
			t.out.WriteString(`\z`)
		case c == '(' && t.peek("?"):
			if !t.peek("?:") && !t.peek("?=") && !t.peek("?!") && !t.peek("?<") {
				return errors.New("unknown kind of group")
			}
			t.out.WriteRune(c)
		default:
			t.out.WriteRune(c)
		}
	}
	return nil
}

// needsBacktracking looks for lookarounds and backreferences.
func needsBacktracking(source []rune) bool {
	inClass := false
	for i := 0; i < len(source); i++ {
		rest := string(source[i:min(len(source), i+4)])
		switch {
		case source[i] == '\\':
			if !inClass && i+1 < len(source) && (source[i+1] == 'k' || '1' <= source[i+1] && source[i+1] <= '9') {
				return true
			}
			i++
		case source[i] == '[':
			inClass = true
		case source[i] == ']':
			inClass = false
		case inClass:
		case strings.HasPrefix(rest, "(?="), strings.HasPrefix(rest, "(?!"), strings.HasPrefix(rest, "(?<="), strings.HasPrefix(rest, "(?<!"):
			return true
		}
	}
	return false
}

// openClass handles the two classes that only ECMA-262 allows, [] and [^].
func (t *translator) openClass() {
	switch {
	case t.peek("]"):
		t.at++
		t.class(`^\x00-\x{10FFFF}`)
	case t.peek("^]"):
		t.at += 2
		t.class(`\x00-\x{10FFFF}`)
	default:
		t.inClass = true
		t.out.WriteByte('[')
		if t.peek("^") {
			t.at++
			t.out.WriteByte('^')
		}
	}
}

// class writes a class, in brackets unless it stands within some already.
func (t *translator) class(members string) {
	if !t.inClass {
		members = "[" + members + "]"
	}
	if t.backtracks {
		members = codePoint.ReplaceAllStringFunc(members, func(s string) string {
			n, err := strconv.ParseInt(s[3:len(s)-1], 16, 32)
			if err != nil {
				return s // the constants above parse
			}
			return string(rune(n))
		})
	}
	t.out.WriteString(members)
}

var codePoint = regexp.MustCompile(`\\x\{[0-9A-F]+\}`)

func (t *translator) escape() error {
	if t.at >= len(t.source) {
		return errors.New("ends in a backslash")
	}
	c := t.source[t.at]
	t.at++
	switch c {
	case 'd':
		t.class(`0-9`)
	case 'w':
		t.class(`0-9A-Za-z_`)
	case 's':
		t.class(space)
	case 'D', 'W', 'S':
		return t.negated(c)
	case 'c':
		if t.at >= len(t.source) || !unicode.IsLetter(t.source[t.at]) || t.source[t.at] > unicode.MaxASCII {
			return errors.New(`\c needs a letter`)
		}
		t.literal(t.source[t.at] % 32)
		t.at++
	case 'x':
		return t.hex(2)
	case 'u':
		return t.unicode()
	case 'p', 'P':
		return t.property(c)
	case 't', 'n', 'v', 'f', 'r':
		t.out.WriteString(`\` + string(c))
	case 'b':
		if t.inClass {
			t.literal('\b')
		} else {
			t.out.WriteString(`\b`)
		}
	case 'B':
		t.out.WriteString(`\B`)
	case '0':
		t.literal(0)
	case 'k':
		t.out.WriteString(`\k`)
	default:
		switch {
		case '1' <= c && c <= '9':
			t.out.WriteString(`\` + string(c))
		case c <= unicode.MaxASCII && unicode.IsLetter(c):
			return fmt.Errorf(`unknown escape \%c`, c)
		default:
			t.literal(c)
		}
	}
	return nil
}

// negated writes \D, \W and \S; within brackets only as far as both engines
// have a class for it.
func (t *translator) negated(c rune) error {
	members := map[rune]string{'D': `0-9`, 'W': `0-9A-Za-z_`, 'S': space}[c]
	if !t.inClass {
		t.class("^" + members)
		return nil
	}
	t.out.WriteString(`\` + string(c))
	return nil
}

// literal writes one character that has no meaning of its own.
func (t *translator) literal(r rune) {
	switch {
	case r < ' ':
		fmt.Fprintf(&t.out, `\x%02x`, r)
	case r <= unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != ' ':
		t.out.WriteString(`\` + string(r))
	default:
		t.out.WriteRune(r)
	}
}

func (t *translator) hex(digits int) error {
	if t.at+digits > len(t.source) {
		return errors.New("too few hexadecimal digits")
	}
	n, err := strconv.ParseUint(string(t.source[t.at:t.at+digits]), 16, 32)
	if err != nil {
		return errors.New("no hexadecimal digits")
	}
	t.at += digits
	t.literal(rune(n))
	return nil
}

// unicode reads \u0041, \u{1F600} and the two halves \uD83D\uDE00.
func (t *translator) unicode() error {
	if t.peek("{") {
		end := t.at
		for end < len(t.source) && t.source[end] != '}' {
			end++
		}
		n, err := strconv.ParseUint(string(t.source[t.at+1:min(end, len(t.source))]), 16, 32)
		if err != nil || end == len(t.source) || n > unicode.MaxRune {
			return errors.New(`no character in \u{}`)
		}
		t.at = end + 1
		t.literal(rune(n))
		return nil
	}
	if t.at+10 <= len(t.source) && t.source[t.at+4] == '\\' && t.source[t.at+5] == 'u' {
		high, errHigh := strconv.ParseUint(string(t.source[t.at:t.at+4]), 16, 32)
		low, errLow := strconv.ParseUint(string(t.source[t.at+6:t.at+10]), 16, 32)
		if r := utf16.DecodeRune(rune(high), rune(low)); errHigh == nil && errLow == nil && r != unicode.ReplacementChar {
			t.at += 10
			t.literal(r)
			return nil
		}
	}
	return t.hex(4)
}

// property writes \p{…} under the names that the engines know.
func (t *translator) property(kind rune) error {
	end := t.at
	for end < len(t.source) && t.source[end] != '}' {
		end++
	}
	if !t.peek("{") || end == len(t.source) {
		return fmt.Errorf(`\%c needs a property in braces`, kind)
	}
	name := string(t.source[t.at+1 : end])
	t.at = end + 1
	if key, value, ok := strings.Cut(name, "="); ok {
		switch key {
		case "Script", "sc", "General_Category", "gc":
			name = value
		default:
			return fmt.Errorf("unknown property %s", key)
		}
	}
	name = cmp.Or(unicode.CategoryAliases[name], letters[name], name)
	t.out.WriteString(`\` + string(kind) + `{` + name + `}`)
	return nil
}

// letters are the properties that stand for a category of letters, nearly.
var letters = map[string]string{"Uppercase": "Lu", "Lowercase": "Ll", "Alphabetic": "L"}
