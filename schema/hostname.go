package schema

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

var hostLabel = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)

// isHostname is RFC 1123 §2.1, with labels beyond ASCII in their Punycode form.
func isHostname(s string) bool {
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if !hostLabel.MatchString(label) {
			return false
		}
		if len(label) > 3 && label[2] == '-' && label[3] == '-' && !isIDNLabel(label) {
			return false
		}
	}
	return isBidi(s)
}

// fullStops are the separators of RFC 3490 §3.1.
var fullStops = strings.NewReplacer("。", ".", "．", ".", "｡", ".")

// isIDNHostname is RFC 5890 §2.3.2.3.
func isIDNHostname(s string) bool {
	s = fullStops.Replace(s)
	for label := range strings.SplitSeq(s, ".") {
		if !isIDNLabel(label) {
			return false
		}
	}
	return isBidi(s)
}

// isBidi holds the whole name against the rules of RFC 5893, and its length
// against that of DNS.
func isBidi(s string) bool {
	ascii, err := idna.Registration.ToASCII(strings.ToLower(s))
	return err == nil && len(ascii) <= 253
}

// isIDNLabel checks one label in either of its forms.
func isIDNLabel(label string) bool {
	label = strings.ToLower(label)
	if len(label) == 0 {
		return false
	}
	ascii, err := idna.Registration.ToASCII(label)
	if err != nil || len(ascii) > 63 || !hostLabel.MatchString(ascii) {
		return false
	}
	text, err := idna.Registration.ToUnicode(ascii)
	if err != nil {
		return false
	}
	back, err := idna.Registration.ToASCII(text)
	return err == nil && back == ascii && fitsContext([]rune(text))
}

// fitsContext holds a label against what package idna leaves out of RFC 5892:
// the exceptions of §2.6 and the contextual rules of appendix A.
func fitsContext(label []rune) bool {
	for i, r := range label {
		switch r {
		case '-', '་', '〇', '۽', '۾', '\u200c', '\u200d': // §2.6; the joiners are checked by idna
		case 'ـ', 'ߺ', 0x302E, 0x302F, 0x3031, 0x3032, 0x3033, 0x3034, 0x3035, 0x303B:
			return false
		case '·': // A.3
			if i == 0 || i == len(label)-1 || label[i-1] != 'l' || label[i+1] != 'l' {
				return false
			}
		case '͵': // A.4
			if i == len(label)-1 || !unicode.Is(unicode.Greek, label[i+1]) {
				return false
			}
		case '׳', '״': // A.5, A.6
			if i == 0 || !unicode.Is(unicode.Hebrew, label[i-1]) {
				return false
			}
		case '・': // A.7
			if !slices.ContainsFunc(label, func(r rune) bool { return r != '・' && unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) }) {
				return false
			}
		default: // §2.1
			if !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
				return false
			}
		}
	}
	arabic := func(r rune) bool { return 0x660 <= r && r <= 0x669 }
	extended := func(r rune) bool { return 0x6F0 <= r && r <= 0x6F9 }
	return !slices.ContainsFunc(label, arabic) || !slices.ContainsFunc(label, extended) // A.8, A.9
}

func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is6() && addr.Zone() == ""
}
