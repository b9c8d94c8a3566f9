package cbor

import (
	"bytes"
	"encoding/json"
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
		{"\xd8\x18\x5a\x00\x00\x00\x12\xbf\x62id\x01\x66result\xd8\x18\x5a\x00\x00\x00\x02\xbf\xff\xff", `{"id":1,"result":{}}`},
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

// Whatever Chrome sends, nothing panics, and what is written is JSON.
func FuzzAppendJSON(f *testing.F) {
	f.Add([]byte("\xd8\x18\x5a\x00\x00\x00\x12\xbf\x62id\x01\x66result\xd8\x18\x5a\x00\x00\x00\x02\xbf\xff\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := AppendJSON(nil, raw)
		if err == nil && !json.Valid(got) {
			t.Errorf("AppendJSON(%q) = %s", raw, got)
		}
		(&Reader{B: raw}).Skip()
	})
}
