package schema

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/unicode/norm"
)

// formats are those that the validator does not have, or reads more loosely
// than their standards do.
var formats = []*jsonschema.Format{
	format("duration", durationForm.MatchString),
	format("ipv4", isIPv4),
	format("hostname", isHostname),
	format("idn-hostname", isIDNHostname),
	format("email", func(s string) bool { return isEmail(s, localForm, isHostname) }),
	format("idn-email", func(s string) bool { return isEmail(norm.NFC.String(s), idnLocalForm, isIDNHostname) }),
	format("uri", uriForms.isAbsolute),
	format("url", uriForms.isAbsolute), // not in the standard, but written by many
	format("uri-reference", uriForms.isReference),
	format("iri", iriForms.isAbsolute),
	format("iri-reference", iriForms.isReference),
	format("uri-template", templateForm.MatchString),
	format("regex", isPattern),
}

var errFormat = errors.New("not of the format")

// format makes a rule for strings; other values pass any format.
func format(name string, valid func(string) bool) *jsonschema.Format {
	return &jsonschema.Format{Name: name, Validate: func(v any) error {
		if s, ok := v.(string); ok && !valid(s) {
			return errFormat
		}
		return nil
	}}
}

// durationForm is appendix A of RFC 3339: no unit may be left out in between.
var durationForm = func() *regexp.Regexp {
	const clock = `T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)`
	const date = `(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)`
	return regexp.MustCompile(`^P(?:\d+W|` + date + `(?:` + clock + `)?|` + clock + `)$`)
}()

var fourNumbers = regexp.MustCompile(`^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$`)

func isIPv4(s string) bool {
	if !fourNumbers.MatchString(s) {
		return false
	}
	_, err := netip.ParseAddr(s)
	return err == nil
}

// The local parts of RFC 5321 §4.1.2 and RFC 6531 §3.3.
var localForm, idnLocalForm = local(``), local(`\x{80}-\x{10FFFF}`)

func local(more string) *regexp.Regexp {
	atom := "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~" + more + `-]+`
	quoted := `"(?:[ !#-\[\]-~` + more + `]|\\[ -~])*"`
	return regexp.MustCompile(`^(?:` + atom + `(?:\.` + atom + `)*|` + quoted + `)$`)
}

func isEmail(s string, local *regexp.Regexp, domain func(string) bool) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 || !local.MatchString(s[:at]) {
		return false
	}
	host := s[at+1:]
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		if v6, tagged := strings.CutPrefix(inner, "IPv6:"); tagged {
			return ok && isIPv6(v6)
		}
		return ok && isIPv4(inner)
	}
	return domain(host)
}

// templateForm is RFC 6570 §2.
var templateForm = func() *regexp.Regexp {
	const (
		percent  = `%[0-9A-Fa-f]{2}`
		literal  = `[!#$&()*+,\-./0-9:;=?@A-Z\[\]_a-z~'\x{A0}-\x{10FFFF}]|` + percent
		name     = `(?:[A-Za-z0-9_]|` + percent + `)(?:\.?(?:[A-Za-z0-9_]|` + percent + `))*`
		variable = name + `(?::[1-9][0-9]{0,3}|\*)?`
	)
	return regexp.MustCompile(`^(?:` + literal + `|\{[+#./;?&=,!@|]?` + variable + `(?:,` + variable + `)*\})*$`)
}()
