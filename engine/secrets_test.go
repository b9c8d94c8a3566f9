package engine

import (
	"encoding/json"
	"fmt"
	"testing"
)

// What is not the value is left alone.
func TestSecretsHideNothingElse(t *testing.T) {
	var s secrets
	s.add(map[string]Variable{"pin": {Value: "123"}, "n": {Value: "7"}, "pass": {Value: "hunter2"}, "blank": {Value: "   "}, "none": {}})
	for text, want := range map[string]string{
		"hunter 2, 50%, a+b, \\n, &amp; 100%25": "hunter 2, 50%, a+b, \\n, &amp; 100%25",
		"call 0123456, or 1234":                 "call 0123456, or 1234",
		"the code 123, again: 123":              "the code %pin%, again: %pin%",
		"?pin=123&x=7":                          "?pin=%pin%&x=7",
		"7":                                     "7",
		"a   b":                                 "a   b",
		"":                                      "",
	} {
		if got := s.hide(text); got != want {
			t.Errorf("hide(%q) = %q, want %q", text, got, want)
		}
	}
	if got := s.hideShown("7"); got != "%n%" {
		t.Errorf("hideShown(7) = %q, want the placeholder", got)
	}
	if got, want := s.hideShown(`no option "7"; the options are "17", "x 7"`), `no option "%n%"; the options are "17", "x 7"`; got != want {
		t.Errorf("hideShown = %q, want %q", got, want)
	}
	var other secrets
	if got := other.hide("hunter2"); got != "hunter2" {
		t.Errorf("hide without values = %q", got)
	}
}

// A placeholder is not searched again.
func TestSecretsOverlap(t *testing.T) {
	var s secrets
	s.add(map[string]Variable{"c": {Value: "pass"}, "pass": {Value: "xyzzy"}})
	for text, want := range map[string]string{"xyzzy": "%pass%", "pass": "%c%"} {
		if got := s.hide(text); got != want {
			t.Errorf("hide(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSecretsHideJSON(t *testing.T) {
	var s secrets
	s.add(map[string]Variable{"pass": {Value: "a\"b\\c"}, "pin": {Value: "1234"}})
	in := `{"text":"it is a\"b\\c!","a\"b\\c":[1234,"1234",true],"x":"\\"}`
	want := `{"text":"it is %pass%!","%pass%":[1234,"%pin%",true],"x":"\\"}`
	if got := string(s.hideJSON([]byte(in))); got != want || !json.Valid([]byte(got)) {
		t.Errorf("hideJSON = %s, want %s", got, want)
	}
}

// No data stays no data: an empty text in its place is no JSON.
func TestSecretsHideNoJSON(t *testing.T) {
	var s secrets
	s.add(map[string]Variable{"pass": {Value: "hunter2"}})
	if got := s.hideJSON(nil); got != nil {
		t.Errorf("hideJSON(nil) = %q, want nil", got)
	}
}

// One-time codes of long ago are forgotten, values are not.
func TestSecretsForgetCodes(t *testing.T) {
	var s secrets
	s.add(map[string]Variable{"pass": {Value: "hunter2"}})
	for i := range 2 * maxCodes {
		s.addCode("otp", fmt.Sprintf("9%05d", i))
	}
	if got, want := s.hide("hunter2 900000 900063"), "%pass% 900000 %otp%"; got != want {
		t.Errorf("hide = %q, want %q", got, want)
	}
}
