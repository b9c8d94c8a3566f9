package engine

import (
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The vectors of RFC 6238, appendix B. The keys are those of its reference
// implementation: as long as the hash.
func TestTOTPCode(t *testing.T) {
	key := func(length int) string {
		return base32.StdEncoding.EncodeToString([]byte(strings.Repeat("1234567890", 7)[:length]))
	}
	keys := map[string]string{"SHA1": key(20), "SHA256": key(32), "SHA512": key(64)}
	for _, test := range []struct {
		at                   int64
		sha1, sha256, sha512 string
	}{
		{59, "94287082", "46119246", "90693936"},
		{1111111109, "07081804", "68084774", "25091201"},
		{1111111111, "14050471", "67062674", "99943326"},
		{1234567890, "89005924", "91819424", "93441116"},
		{2000000000, "69279037", "90698825", "38618901"},
		{20000000000, "65353130", "77737706", "47863826"},
	} {
		for algorithm, want := range map[string]string{"SHA1": test.sha1, "SHA256": test.sha256, "SHA512": test.sha512} {
			totp := &TOTP{Secret: keys[algorithm], Digits: 8, Algorithm: algorithm}
			if got, err := totp.Code(time.Unix(test.at, 0)); got != want || err != nil {
				t.Errorf("%s code at %d = %q, %v, want %q", algorithm, test.at, got, err, want)
			}
		}
	}
	short := &TOTP{Secret: keys["SHA1"]}
	if got, err := short.Code(time.Unix(59, 0)); got != "287082" || err != nil {
		t.Errorf("code of six digits = %q, %v, want 287082", got, err)
	}
}

func TestParseTOTP(t *testing.T) {
	for text, want := range map[string]TOTP{
		"jbsw y3dp-ehpk3pxp\n": {Secret: "jbsw y3dp-ehpk3pxp"},
		"otpauth://totp/Shop:ann?secret=JBSWY3DPEHPK3PXP&issuer=Shop": {Secret: "JBSWY3DPEHPK3PXP"},
		"otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&digits=8&period=60&algorithm=sha256": {
			Secret: "JBSWY3DPEHPK3PXP", Digits: 8, Period: time.Minute, Algorithm: "SHA256"},
	} {
		got, err := ParseTOTP(text)
		if err != nil || *got != want {
			t.Errorf("ParseTOTP(%q) = %+v, %v, want what it says", text, got, err)
			continue
		}
		if _, err := got.Code(time.Unix(0, 0)); err != nil {
			t.Errorf("Code of %q = %v", text, err)
		}
	}
	const key = "SECRETKEY1890"
	for _, text := range []string{"", key, "otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP&counter=1", "otpauth://totp/x?issuer=" + key,
		"otpauth://totp/x?secret=" + key, "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&digits=9",
		"otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&period=0.5", "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&period=-30",
		"otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&algorithm=md5"} {
		_, err := ParseTOTP(text)
		if !errors.Is(err, ErrInvalid) || strings.Contains(err.Error(), key) {
			t.Errorf("ParseTOTP(%q) = %v, want %v without the key", text, err, ErrInvalid)
		}
	}
}

// A code that is good for less than two seconds is waited out, as long as the
// context lets it.
func TestTOTPNext(t *testing.T) {
	totp := &TOTP{Secret: "JBSWY3DPEHPK3PXP"}
	for into, wait := range map[time.Duration]time.Duration{
		0: 0, 15 * time.Second: 0, 28 * time.Second: 0,
		28*time.Second + time.Millisecond: 1999 * time.Millisecond,
		29500 * time.Millisecond:          500 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(into) // the bubble's clock begins at a full minute
			begin := time.Now()
			got, err := totp.next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if waited := time.Since(begin); waited != wait {
				t.Errorf("%v into its period, waited %v, want %v", into, waited, wait)
			}
			if want, _ := totp.Code(time.Now()); got != want {
				t.Errorf("%v into its period, the code is %q, want that of now, %q", into, got, want)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(29 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := totp.next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("next = %v, want %v", err, context.DeadlineExceeded)
		}
	})
}

// A variable prints without what it hides.
func TestVariablePrints(t *testing.T) {
	vars := map[string]Variable{
		"pass": {Value: "hunter2", Description: "the password"},
		"otp":  {TOTP: &TOTP{Secret: "JBSWY3DPEHPK3PXP"}},
	}
	text := fmt.Sprintf("%v %+v %#v %s %v %v", vars, vars, vars, vars["pass"], *vars["otp"].TOTP, vars["otp"].TOTP)
	if strings.Contains(text, "hunter2") || strings.Contains(text, "JBSW") {
		t.Errorf("variables print as %s", text)
	}
	if !strings.Contains(text, "the password") {
		t.Errorf("variables print as %s, want the description", text)
	}
}

func TestCheckVariables(t *testing.T) {
	for _, v := range []Variable{
		{Value: "x", Hosts: []string{"https://shop.example/"}},
		{Value: "x", Hosts: []string{""}},
		{Value: "x", TOTP: &TOTP{Secret: "JBSWY3DPEHPK3PXP"}},
		{TOTP: &TOTP{}},
		{TOTP: &TOTP{Secret: "JBSWY3DPEHPK3PXP", Digits: 5}},
	} {
		if err := checkVariables(map[string]Variable{"v": v}); !errors.Is(err, ErrInvalid) {
			t.Errorf("checkVariables(%v) = %v, want %v", v, err, ErrInvalid)
		}
	}
}
