package engine

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"hash"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A TOTP makes the one-time codes of an authenticator app (RFC 6238). The zero
// values of all but Secret are what nearly every site uses. It prints without
// its secret.
type TOTP struct {
	// Secret is the shared key in base32, as sites show it; spaces, dashes,
	// lower case and missing padding do not matter.
	Secret string
	// Digits is the length of a code; 0 is 6. It is 6, 7 or 8.
	Digits int
	// Period is how long a code is good; 0 is 30 s. It is whole seconds, at least 5.
	Period time.Duration
	// Algorithm is SHA1, SHA256 or SHA512; empty is SHA1.
	Algorithm string
}

// leastLife is how long a code must still be good when it is typed. One that is
// not is waited out: a server need not take the next one before its time.
const leastLife = 2 * time.Second

const (
	totpDigits   = 6
	totpPeriod   = 30 * time.Second
	shortestTOTP = 5 * time.Second
)

var totpHashes = map[string]func() hash.Hash{"": sha1.New, "SHA1": sha1.New, "SHA256": sha256.New, "SHA512": sha512.New}

// ParseTOTP reads what a site gives for an authenticator app: the key in
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

// Code returns the code that is good at a time.
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
	// RFC 4226 §5.3: the last four bits say where the number stands.
	offset := sum[len(sum)-1] & 0xf
	number := binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff
	modulus := uint32(1)
	for range digits {
		modulus *= 10
	}
	return fmt.Sprintf("%0*d", digits, number%modulus), nil
}

// next returns a code that is good for leastLife at least, for which it may wait.
func (t *TOTP) next(ctx context.Context) (string, error) {
	_, period := t.form()
	now := time.Now()
	into := time.Duration(now.Unix()%int64(period/time.Second))*time.Second + time.Duration(now.Nanosecond())
	if left := period - into; left < leastLife {
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case now = <-timer.C:
		case <-ctx.Done():
			return "", fmt.Errorf("waiting for the next code: %w", context.Cause(ctx))
		}
	}
	return t.Code(now)
}

func (t *TOTP) form() (digits int, period time.Duration) {
	digits, period = t.Digits, t.Period
	if digits == 0 {
		digits = totpDigits
	}
	if period == 0 {
		period = totpPeriod
	}
	return digits, period
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
	if err != nil || len(key) == 0 { // what is wrong with it would show a part of it
		return nil, fmt.Errorf("%w: the key is not base32, the letters A to Z and the digits 2 to 7", ErrInvalid)
	}
	return key, nil
}

// cleanBase32 undoes what people do to a key to read it.
func cleanBase32(key string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "\n", "").Replace(key))
}
