package profiles

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// keysOf returns keys made of letters.
func keysOf(t testing.TB, letters string) *Keys {
	t.Helper()
	var lines []string
	for _, c := range letters {
		lines = append(lines, fmt.Sprintf("%x", strings.Repeat(string(c), keySize)))
	}
	k, err := ParseKeys(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestParseKeys(t *testing.T) {
	const hex, base64 = "6161616161616161616161616161616161616161616161616161616161616161", "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE="
	for _, test := range []struct {
		text string
		n    int // 0: an error
	}{
		{hex, 1}, {base64, 1}, {strings.TrimRight(base64, "="), 1}, {strings.ToUpper(hex), 1},
		{"# the new one\n" + hex + "\n\n  " + base64 + "  \n", 2}, {hex + "," + base64, 2}, {"-" + base64[1:], 1},
		{"", 0}, {"# " + hex, 0}, {hex[2:], 0}, {hex + "00", 0}, {"correct horse battery staple", 0}, {hex + "," + "secret-word", 0},
	} {
		k, err := ParseKeys(strings.NewReader(test.text))
		switch {
		case test.n == 0 && err == nil:
			t.Errorf("ParseKeys(%q) = nil, want an error", test.text)
		case err != nil && (strings.Contains(err.Error(), hex[4:20]) || strings.Contains(err.Error(), "secret-word") || strings.Contains(err.Error(), "horse")):
			t.Errorf("ParseKeys(%q) = %v, which shows it", test.text, err)
		case test.n > 0 && (err != nil || len(k.ring) != test.n):
			t.Errorf("ParseKeys(%q) = %v, %v, want %d keys", test.text, k, err, test.n)
		}
		if k != nil && strings.Contains(fmt.Sprintf("%v %+v %#v %s", k, k, k, k), "97 97") {
			t.Error("the keys are shown")
		}
	}
}

// TestMAC: the same text has the same MAC under the same key, for what it is about
// alone.
func TestMAC(t *testing.T) {
	mac := func(letters, text string, about ...string) [][]byte {
		t.Helper()
		all, err := keysOf(t, letters).MAC([]byte(text), about...)
		if err != nil || len(all) != len(letters) {
			t.Fatalf("MAC = %x, %v", all, err)
		}
		return all
	}
	want := mac("a", "4711", "run", "x")[0]
	if got := mac("ba", "4711", "run", "x"); !bytes.Equal(got[1], want) || bytes.Equal(got[0], want) {
		t.Errorf("MAC by two keys = %x, want %x second alone", got, want)
	}
	for _, other := range [][]byte{mac("a", "4712", "run", "x")[0], mac("a", "4711", "run", "y")[0], mac("a", "4711", "run")[0], mac("a", "x4711", "run", "")[0], mac("a", "4711", "runx")[0]} {
		if bytes.Equal(other, want) {
			t.Errorf("two MACs are %x", other)
		}
	}
}

func TestSeal(t *testing.T) {
	a := keysOf(t, "a")
	plain := []byte("session=4711")
	sealed, err := a.Seal(plain, "profile", "alice", "shop")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := a.Seal(plain, "profile", "alice", "shop"); err != nil || bytes.Equal(again[headerSize:], sealed[headerSize:]) {
		t.Errorf("two seals of one text are the same, %v", err)
	}
	if bytes.Contains(sealed, plain) || bytes.Contains(sealed, []byte("4711")) {
		t.Error("the text is there in clear")
	}
	for _, test := range []struct {
		name  string
		keys  *Keys
		about []string
		want  error
	}{
		{"as it was sealed", a, []string{"profile", "alice", "shop"}, nil},
		{"an older key among others", keysOf(t, "cba"), []string{"profile", "alice", "shop"}, nil},
		{"another key", keysOf(t, "b"), []string{"profile", "alice", "shop"}, ErrKey},
		{"another's", a, []string{"profile", "bob", "shop"}, ErrDamaged},
		{"another name", a, []string{"profile", "alice", "bank"}, ErrDamaged},
		{"parts that run together", a, []string{"profile", "alices", "hop"}, ErrDamaged},
		{"nothing", a, nil, ErrDamaged},
	} {
		got, err := test.keys.Open(sealed, test.about...)
		if !errors.Is(err, test.want) || err == nil && !bytes.Equal(got, plain) {
			t.Errorf("%s: Open = %q, %v, want %v", test.name, got, err, test.want)
		}
	}
	for i := range sealed {
		spoilt := bytes.Clone(sealed)
		spoilt[i] ^= 1
		if got, err := a.Open(spoilt, "profile", "alice", "shop"); err == nil {
			t.Fatalf("with byte %d changed, Open = %q", i, got)
		}
		if got, err := a.Open(sealed[:i], "profile", "alice", "shop"); err == nil {
			t.Fatalf("of %d bytes, Open = %q", i, got)
		}
	}
}

// FuzzOpen gives bytes to the opener that no key has sealed.
func FuzzOpen(f *testing.F) {
	a := keysOf(f, "ab")
	sealed, err := a.Seal([]byte("{}"), "x")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	f.Add([]byte{})
	f.Add([]byte(magic))
	f.Add(sealed[:headerSize])
	f.Add(append(bytes.Clone(sealed), 0))
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		plain, err := a.Open(raw, "x")
		if err == nil && !bytes.Equal(raw, sealed) {
			t.Errorf("Open(%x) = %q", raw, plain)
		}
		if err != nil && !errors.Is(err, ErrKey) && !errors.Is(err, ErrDamaged) {
			t.Errorf("Open(%x) = %v", raw, err)
		}
		if !bytes.Equal(raw, before) {
			t.Error("Open changed what it was given")
		}
	})
}
