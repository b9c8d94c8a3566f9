package cbor

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// What is translated there and back is what it was.
func TestThereAndBack(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{}`, ``}, {`[]`, ``}, {`{"a":[1,{"b":[]}],"c":null}`, ``},
		{`[0,23,24,255,256,65535,65536,2147483647,-1,-24,-25,-256,-257,-2147483648]`, ``},
		{`[2147483648,-2147483649,1700000000000,9007199254740991,0.1,-0.5,1e+300]`, ``},
		{`[ 1.0 , 2e2 ]`, `[1,200]`}, {`-0.0`, `-0`},
		{`["","a","\"\\","ä","😀","\u0001"]`, ``}, {`"\u00e4\/\b\f\n\r\t\u007f"`, `"ä/\u0008\u000c\u000a\u000d\u0009` + "\x7f" + `"`},
		{`"\ud83d\ude00"`, `"😀"`}, {`"\ud83d"`, ``}, {`"x\ude00\ud83d"`, ``},
		{`[true,false,null]`, ``}, {`"` + strings.Repeat("long ", 20_000) + `"`, ``}, {`{"ä":1}`, ``},
	} {
		value, err := Append(nil, []byte(tt.in))
		if err != nil {
			t.Errorf("Append(%.40s): %v", tt.in, err)
			continue
		}
		got, err := AppendJSON(nil, value)
		if want := tt.want; err != nil || want == "" && string(got) != tt.in || want != "" && string(got) != want {
			t.Errorf("%.60s became %.60s, %v", tt.in, got, err)
		}
	}
}

// What Chromium 156 sends.
func TestAppendJSON(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"\xd8\x18\x5a\x00\x00\x00\x16\xbf\x62id\x01\x66result\xd8\x18\x5a\x00\x00\x00\x02\xbf\xff\xff", `{"id":1,"result":{}}`},
		{"\xd6\x43abc", `"YWJj"`},
		{"\x44\xe4\x00\x3d\xd8", `"ä\ud83d"`},
		{"\x62\xc3\xa4", `"ä"`},
		{"\x62\xc3\x41", "\"\uFFFDA\""},
		{string(appendDouble(nil, math.NaN())), `null`},
		{string(appendDouble(nil, 12)), `12`},
		{string(appendDouble(nil, 1700000000000)), `1700000000000`},
		{string(appendDouble(nil, 1e21)), `1e+21`},
	} {
		if got, err := AppendJSON(nil, []byte(tt.in)); err != nil || string(got) != tt.want {
			t.Errorf("AppendJSON(%q) = %s, %v, want %s", tt.in, got, err, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, bad := range []string{
		"", "{", `{"a"}`, `{"a":1,}`, `[1 2]`, `"`, `"\x"`, `"\u12"`, `tru`, `1x`, `-`, `{} {}`, `{1:2}`, strings.Repeat("[", 5000),
	} {
		if _, err := Append(nil, []byte(bad)); err == nil {
			t.Errorf("Append(%.20q) succeeds", bad)
		}
	}
	good, err := Append(nil, []byte(`{"a":[1,2.5,"x","ä"],"b":{"c":true}}`))
	if err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if _, err := AppendJSON(nil, good[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are taken for a value", n, len(good))
		}
	}
	for _, bad := range []string{"\xf7", "\x9f\xff", "\x1b\x00\x00\x00\x01\x00\x00\x00\x00", "\x41a", "\x7b\xff\xff\xff\xff\xff\xff\xff\xff", string(good) + "\x00"} {
		if got, err := AppendJSON(nil, []byte(bad)); err == nil {
			t.Errorf("AppendJSON(%q) = %s", bad, got)
		}
	}
}

// inEnvelope puts a container around elements.
func inEnvelope(what byte, elements string) string {
	b, at := begin(nil, what)
	return string(End(append(b, elements...), at))
}

// What Chrome never sends is an error, and is taken for nothing else.
func TestHostile(t *testing.T) {
	empty := inEnvelope(arrayBegin, "")
	deep := func(n int) string {
		value := empty
		for range n {
			value = inEnvelope(arrayBegin, value)
		}
		return value
	}
	shifted := func(value string, at int, by byte) string {
		b := []byte(value)
		b[at+6] += by // the last byte of a length
		return string(b)
	}
	for name, bad := range map[string]string{
		"a text longer than all":            "\x7a\xff\xff\xff\xffabc",
		"a text of 2^63 bytes":              "\x7b\x80\x00\x00\x00\x00\x00\x00\x00abc",
		"bytes longer than all":             "\xd6\x5b\xff\xff\xff\xff\xff\xff\xff\xffabc",
		"an envelope longer than all":       "\xd8\x18\x5a\xff\xff\xff\xff\x9f\xff",
		"an envelope of 0":                  "\xd8\x18\x5a\x00\x00\x00\x00\x9f\xff",
		"an envelope of a number":           "\xd8\x18\x5a\x00\x00\x00\x02\x18\x20",
		"an envelope with a short length":   "\xd8\x18\x42\x9f\xff",
		"a text of unknown length":          "\x7f\x61a\xff",
		"bytes of unknown length":           "\x5f\x42ab\xff",
		"base64 of unknown length":          "\xd6\x5f\x41a\xff",
		"a number of unknown length":        "\x1f",
		"a reserved length":                 "\x1c\x00\x00\x00\x00\x00\x00\x00\x00",
		"a container of known length":       "\x82\x01\x02",
		"a map of known length":             "\xa1\x61a\x01",
		"a container without its envelope":  "\x9f\x01\xff",
		"half a float":                      "\xf9\x3c\x00",
		"a float of 32 bits":                "\xfa\x3f\x80\x00\x00",
		"a float that is cut":               "\xfb\x3f\xf0\x00",
		"a number of 33 bits":               "\x1b\x00\x00\x00\x01\x00\x00\x00\x00",
		"2^31":                              "\x1a\x80\x00\x00\x00",
		"-2^31-1":                           "\x3a\x80\x00\x00\x00",
		"another tag":                       "\xc1\x1a\x00\x00\x00\x00",
		"a tag of 64 bits":                  "\xdb\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"the tag of base64 before a number": "\xd6\x01",
		"undefined":                         "\xf7",
		"a stop alone":                      "\xff",
		"a name without a value":            inEnvelope(mapBegin, "\x61a"),
		"a name that is a number":           inEnvelope(mapBegin, "\x01\x01"),
		"UTF-16 of three bytes":             "\x43abc",
		"two values":                        "\x01\x01",
		"no end of a container":             "\xd8\x18\x5a\x00\x00\x00\x02\x9f\x01",
		"an envelope that ends early":       shifted(inEnvelope(arrayBegin, "\x01\x02"), 0, 255),
		"one in another that ends early":    inEnvelope(arrayBegin, shifted(inEnvelope(arrayBegin, "\x01\x02"), 0, 255)),
		"one in another that ends late":     inEnvelope(arrayBegin, shifted(inEnvelope(arrayBegin, "\x01\x02"), 0, 1)+"\x03\x04"),
		"containers that are too deep":      deep(deepest + 1),
		"ten thousand containers":           deep(10_000),
	} {
		if got, err := AppendJSON(nil, []byte(bad)); !errors.Is(err, errMalformed) {
			t.Errorf("%s: AppendJSON = %.60s, %v", name, got, err)
		}
		r := &Reader{B: []byte(bad)}
		if r.Skip(); r.I > len(r.B) {
			t.Errorf("%s: Skip goes to byte %d of %d", name, r.I, len(r.B))
		}
	}
	if _, err := AppendJSON(nil, []byte(deep(deepest))); err != nil {
		t.Errorf("%d deep: %v", deepest, err)
	}
}

// No memory is allocated for a declared length before its bytes are there.
func TestToldLength(t *testing.T) {
	for _, told := range []string{
		"\x7a\x7f\xff\xff\xff", "\xd6\x5a\x7f\xff\xff\xff", "\xd8\x18\x5a\x7f\xff\xff\xff\x9f",
		inEnvelope(mapBegin, "\x7a\x7f\xff\xff\xff"), inEnvelope(arrayBegin, "\x5a\x7f\xff\xff\xfe"),
	} {
		dst := make([]byte, 0, 64)
		if n := testing.AllocsPerRun(1, func() { AppendJSON(dst, []byte(told)) }); n > 10 {
			t.Errorf("AppendJSON(%q) makes %v allocations", told, n)
		}
		if got, _ := AppendJSON(nil, []byte(told)); cap(got) > 1024 {
			t.Errorf("AppendJSON(%q) takes %d bytes", told, cap(got))
		}
	}
}

// Whatever encoding/json takes means the same afterwards.
func FuzzThereAndBack(f *testing.F) {
	f.Add([]byte(`{"id":1,"x":[1.5,-3,"\ud83d\ude00ä",null,true,1e9]}`))
	f.Add([]byte(`" \ud800 "`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want any
		if json.Unmarshal(raw, &want) != nil {
			return
		}
		value, err := Append(nil, raw)
		if err != nil {
			if bytes.Count(raw, []byte("["))+bytes.Count(raw, []byte("{")) > deepest {
				return
			}
			t.Fatalf("Append(%s): %v", raw, err)
		}
		back, err := AppendJSON(nil, value)
		if err != nil {
			t.Fatalf("AppendJSON: %v", err)
		}
		var got any
		if err := json.Unmarshal(back, &got); err != nil {
			t.Fatalf("%s became %s: %v", raw, back, err)
		}
		a, _ := json.Marshal(want)
		if b, _ := json.Marshal(got); !bytes.Equal(a, b) {
			t.Errorf("%s became %s", a, b)
		}
	})
}

// Whatever Chrome sends, nothing panics. What is taken is written as JSON, which said
// in CBOR is the same again; and who passes over it comes as far as who reads it.
func FuzzAppendJSON(f *testing.F) {
	f.Add([]byte("\xd8\x18\x5a\x00\x00\x00\x16\xbf\x62id\x01\x66result\xd8\x18\x5a\x00\x00\x00\x02\xbf\xff\xff"))
	f.Add([]byte(inEnvelope(arrayBegin, "\x44\xe4\x00\x3d\xd8\xd6\x43abc\x62\xc3\x41\xfb\x7f\xf0\x00\x00\x00\x00\x00\x00\x39\x01\x00")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := AppendJSON(nil, raw)
		r := &Reader{B: raw}
		skipped := r.Skip()
		if err != nil {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("AppendJSON(%q) = %s", raw, got)
		}
		if r.Err != nil || len(skipped) != len(raw) {
			t.Errorf("Skip passes over %d of %d bytes of %q: %v", len(skipped), len(raw), raw, r.Err)
		}
		again, err := Append(nil, got)
		if err != nil {
			t.Fatalf("Append(%s): %v", got, err)
		}
		if twin, err := AppendJSON(nil, again); err != nil || !bytes.Equal(twin, got) {
			t.Errorf("%s became %s, %v", got, twin, err)
		}
	})
}
