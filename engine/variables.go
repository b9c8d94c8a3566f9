package engine

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// A Variable stands in an instruction as %name%. The model sees its name and
// description, never its value. It prints without its value.
type Variable struct {
	Value       string
	Description string

	// TOTP makes the value at the moment it is typed, in place of Value.
	TOTP *TOTP

	// Hosts are where the value may be typed, written like those of a [Policy]:
	// "shop.example", or "*.shop.example" for its subdomains. The document that
	// contains the element counts, which may be in a frame. Empty is
	// everywhere.
	Hosts []string
}

// Format writes only the description, for every verb.
func (v Variable) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "{*** %s}", v.Description) // the printer handles write errors
}

// LogValue logs only the description.
func (v Variable) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(v)) }

// Format writes *** instead of the key, for every verb.
func (t TOTP) Format(f fmt.State, _ rune) { io.WriteString(f, "{***}") } // the printer handles write errors

// LogValue logs *** instead of the key.
func (t TOTP) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(t)) }

var placeholder = regexp.MustCompile(`%([A-Za-z_][A-Za-z0-9_]*)%`)

// Placeholders returns the names that appear as %name% in a text, in order. The
// engine only treats the names of a call's variables as placeholders; the rest
// is text.
func Placeholders(text string) []string {
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// substitute replaces %name% by the variable's value. Other names stay: a
// percent sign is a percent sign.
func substitute(args []string, vars map[string]Variable) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = placeholder.ReplaceAllStringFunc(arg, func(m string) string {
			if v, ok := vars[m[1:len(m)-1]]; ok {
				return v.Value
			}
			return m
		})
	}
	return out
}

// checkVariables rejects names that cannot be placeholders, invalid hosts, and
// unusable TOTP settings.
func checkVariables(vars map[string]Variable) error {
	for name, v := range vars {
		if !slices.Equal(Placeholders("%"+name+"%"), []string{name}) {
			return fmt.Errorf("%w: variable name %q; a name is letters, digits and _, and begins with a letter", ErrInvalid, name)
		}
		if _, err := policy.ParseHosts(v.Hosts); err != nil {
			return fmt.Errorf("%w: variable %s: %w", ErrInvalid, name, err)
		}
		if v.TOTP == nil {
			continue
		}
		if v.Value != "" {
			return fmt.Errorf("%w: variable %s has a value and a TOTP; give one", ErrInvalid, name)
		}
		if err := v.TOTP.check(); err != nil {
			return fmt.Errorf("variable %s: %w", name, err)
		}
	}
	return nil
}

// variableParts lists for a model the placeholders that it may use.
func variableParts(vars map[string]Variable) []llm.Part {
	if len(vars) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("Placeholders that stand for values you are not shown. Use them in arguments exactly as written:\n")
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		fmt.Fprintf(&b, "%%%s%%", name)
		if d := vars[name].Description; d != "" {
			b.WriteString(": " + d)
		}
		b.WriteByte('\n')
	}
	return []llm.Part{llm.Text{Text: b.String()}}
}

// usedVariables returns the names of the variables that appear in arguments.
func usedVariables(args []string, vars map[string]Variable) []string {
	var names []string
	for _, arg := range args {
		for _, name := range Placeholders(arg) {
			if _, ok := vars[name]; ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// A TOTP generates the one-time codes of an authenticator app (RFC 6238).
// Nearly every site needs only Secret. It prints without its secret.
type TOTP struct {
	// Secret is the shared key in base32, as sites show it; spaces, dashes,
	// lower case and missing padding do not matter.
	Secret string
	// Digits is the length of a code; 0 is 6. It is 6, 7 or 8.
	Digits int
	// Period is how long a code is valid; 0 is 30 s. It is in whole seconds, at
	// least 5.
	Period time.Duration
	// Algorithm is SHA1, SHA256 or SHA512; empty is SHA1.
	Algorithm string
}

// minCodeLife is how long a code must still be valid when it is typed. One that
// expires sooner is waited out, because a server need not accept the next one
// early.
const minCodeLife = 2 * time.Second

const (
	totpDigits   = 6
	totpPeriod   = 30 * time.Second
	shortestTOTP = 5 * time.Second
)

var totpHashes = map[string]func() hash.Hash{"": sha1.New, "SHA1": sha1.New, "SHA256": sha256.New, "SHA512": sha512.New}

// ParseTOTP parses what a site gives for an authenticator app: the key in
// base32, or an otpauth://totp/ address. Its errors do not repeat the key.
func ParseTOTP(text string) (*TOTP, error) {
	text = strings.TrimSpace(text)
	t := &TOTP{Secret: text}
	if strings.HasPrefix(strings.ToLower(text), "otpauth:") {
		u, err := url.Parse(text)
		if err != nil || !strings.EqualFold(u.Host, "totp") {
			return nil, fmt.Errorf("totp: %w: the address is not of the form otpauth://totp/…?secret=…", ErrInvalid)
		}
		q := u.Query()
		t = &TOTP{Secret: q.Get("secret"), Algorithm: strings.ToUpper(q.Get("algorithm"))}
		if t.Digits, err = optionalNumber(q.Get("digits")); err != nil {
			return nil, fmt.Errorf("totp: %w: digits are no number", ErrInvalid)
		}
		seconds, err := optionalNumber(q.Get("period"))
		if err != nil {
			return nil, fmt.Errorf("totp: %w: the period is no number of seconds", ErrInvalid)
		}
		t.Period = time.Duration(seconds) * time.Second
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("totp: %w", err)
	}
	return t, nil
}

func optionalNumber(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	return strconv.Atoi(text)
}

// Code returns the code that is valid at a time.
func (t *TOTP) Code(at time.Time) (string, error) {
	if err := t.check(); err != nil {
		return "", fmt.Errorf("totp: %w", err)
	}
	key, err := t.key()
	if err != nil {
		return "", fmt.Errorf("totp: %w", err)
	}
	digits, period := t.form()
	mac := hmac.New(totpHashes[t.Algorithm], key)
	var counter [8]byte
	binary.BigEndian.PutUint64(counter[:], uint64(at.Unix()/int64(period/time.Second)))
	mac.Write(counter[:]) // never fails
	sum := mac.Sum(nil)
	// RFC 4226 §5.3: the last four bits are the offset.
	offset := sum[len(sum)-1] & 0xf
	number := binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff
	modulus := uint32(1)
	for range digits {
		modulus *= 10
	}
	return fmt.Sprintf("%0*d", digits, number%modulus), nil
}

// next returns a code that is valid for at least minCodeLife. It may wait for
// it.
func (t *TOTP) next(ctx context.Context) (string, error) {
	_, period := t.form()
	now := time.Now()
	into := time.Duration(now.Unix()%int64(period/time.Second))*time.Second + time.Duration(now.Nanosecond())
	if left := period - into; left < minCodeLife {
		if !pause.For(ctx, left) {
			return "", fmt.Errorf("waiting for the next code: %w", context.Cause(ctx))
		}
		now = time.Now()
	}
	return t.Code(now)
}

func (t *TOTP) form() (digits int, period time.Duration) {
	return cmp.Or(t.Digits, totpDigits), cmp.Or(t.Period, totpPeriod)
}

func (t *TOTP) check() error {
	digits, period := t.form()
	switch {
	case digits < 6 || digits > 8:
		return fmt.Errorf("%w: a code has 6 to 8 digits, not %d", ErrInvalid, digits)
	case period < shortestTOTP || period%time.Second != 0:
		return fmt.Errorf("%w: a period is whole seconds and at least %v, not %v", ErrInvalid, shortestTOTP, period)
	case totpHashes[t.Algorithm] == nil:
		return fmt.Errorf("%w: the algorithm is SHA1, SHA256 or SHA512, not %q", ErrInvalid, t.Algorithm)
	}
	_, err := t.key()
	return err
}

func (t *TOTP) key() ([]byte, error) {
	text := strings.TrimRight(cleanBase32(t.Secret), "=")
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text)
	if err != nil || len(key) == 0 { // the cause would reveal a part of it
		return nil, fmt.Errorf("%w: the key is not base32, the letters A to Z and the digits 2 to 7", ErrInvalid)
	}
	return key, nil
}

// cleanBase32 undoes formatting for readability.
func cleanBase32(key string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "\n", "").Replace(key))
}
