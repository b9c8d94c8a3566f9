package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestParseMethod(t *testing.T) {
	for name, want := range map[string]Method{
		"":                         Click,
		"click":                    Click,
		"selectOption":             SelectOption,
		"selectOptionFromDropdown": SelectOption,
		"mouse.wheel":              ScrollByPixelOffset,
		"scroll":                   ScrollTo,
		"scrollByPixelOffset":      ScrollByPixelOffset,
		"setInputFiles":            SetInputFiles,
	} {
		if got, err := ParseMethod(name); got != want || err != nil {
			t.Errorf("ParseMethod(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	_, err := ParseMethod("clik")
	if !errors.Is(err, ErrInvalid) {
		t.Fatalf("ParseMethod(clik) = %v, want %v", err, ErrInvalid)
	}
	for _, m := range Methods() {
		if !strings.Contains(err.Error(), string(m)) {
			t.Errorf("ParseMethod(clik) = %v, which does not name %s", err, m)
		}
		if s := m.spec(); s.perform == nil || s.done == "" || s.sends == "" {
			t.Errorf("method %s has no performer or no words", m)
		}
	}
}

func TestCheckArguments(t *testing.T) {
	for _, test := range []struct {
		method Method
		args   []string
		ok     bool
	}{
		{Click, nil, true},
		{Click, []string{"twice"}, false},
		{Fill, nil, false},
		{Fill, []string{""}, true},
		{SelectOption, []string{"a", "b", "c"}, true},
		{ScrollByPixelOffset, []string{"0", "100"}, true},
		{ScrollByPixelOffset, []string{"0", "100", "2"}, false},
	} {
		if err := test.method.checkArguments(test.args); (err == nil) != test.ok {
			t.Errorf("%s.checkArguments(%q) = %v, want ok %t", test.method, test.args, err, test.ok)
		}
	}
}

func TestParseChord(t *testing.T) {
	down := func(k string, m driver.Modifiers) driver.InputEvent { return driver.KeyDown{Key: k, Modifiers: m} }
	up := func(k string, m driver.Modifiers) driver.InputEvent { return driver.KeyUp{Key: k, Modifiers: m} }
	for chord, want := range map[string][]driver.InputEvent{
		"Enter": {down("Enter", 0), up("Enter", 0)},
		"a":     {down("a", 0), up("a", 0)},
		"+":     {down("+", 0), up("+", 0)},
		"esc":   {down("Escape", 0), up("Escape", 0)},
		"ctrl+a": {
			down("Control", driver.Control), down("a", driver.Control),
			up("a", driver.Control), up("Control", driver.Control),
		},
		"Control++": {
			down("Control", driver.Control), down("+", driver.Control),
			up("+", driver.Control), up("Control", driver.Control),
		},
		"Control+Shift+T": {
			down("Control", driver.Control), down("Shift", driver.Control|driver.Shift), down("T", driver.Control|driver.Shift),
			up("T", driver.Control|driver.Shift), up("Shift", driver.Control|driver.Shift), up("Control", driver.Control),
		},
	} {
		got, err := parseChord(chord)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("parseChord(%q) = %v\n%s", chord, err, diff)
		}
	}
	for chord, key := range map[string]string{"Control+A": "a", "Shift+a": "A", "Control + a": "a", "Meta+Shift+z": "Z", "A": "A"} {
		got, err := parseChord(chord)
		if err != nil {
			t.Errorf("parseChord(%q) = %v", chord, err)
			continue
		}
		if down := got[len(got)/2-1].(driver.KeyDown); down.Key != key {
			t.Errorf("parseChord(%q) presses %q, want %q", chord, down.Key, key)
		}
	}
	_, err := parseChord("Entr")
	for _, name := range []string{"Enter", "ArrowDown", "F12", "Space", "ControlOrMeta"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("parseChord(Entr) = %v, want the names, as %s", err, name)
		}
	}
	for _, chord := range []string{"", "Entr", "a+b", "Control+", "Control+Entr"} {
		if got, err := parseChord(chord); !errors.Is(err, ErrInvalid) {
			t.Errorf("parseChord(%q) = %v, %v, want %v", chord, got, err, ErrInvalid)
		}
	}
}

func TestSubstitute(t *testing.T) {
	vars := map[string]Variable{"user": {Value: "ann"}, "pass": {Value: "100%safe%user%"}}
	got := substitute([]string{"%user%", "x%user%y", "%pass%", "50%", "%other%", "%user%%user%"}, vars)
	want := []string{"ann", "xanny", "100%safe%user%", "50%", "%other%", "annann"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := checkVariables(map[string]Variable{"a b": {}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("checkVariables(a b) = %v, want %v", err, ErrInvalid)
	}
	if err := checkVariables(map[string]Variable{"x%ok%y": {}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("checkVariables(x%%ok%%y) = %v, want %v", err, ErrInvalid)
	}
}

func TestSecretsHide(t *testing.T) {
	var s secrets
	s.add(map[string]Variable{"pass": {Value: "hunter2"}, "long": {Value: "hunter2-extended"}, "pin": {Value: "12"}})
	got := s.hide("hunter2 and hunter2-extended and 12")
	if want := "%pass% and %long% and 12"; got != want {
		t.Errorf("hide = %q, want %q", got, want)
	}
}

// A form or a script that sends a value on puts it into an address.
func TestSecretsHideInAddresses(t *testing.T) {
	var s secrets
	s.add(map[string]Variable{"pass": {Value: "a b*c~d(ü)/&+"}})
	for _, text := range []string{
		"a b*c~d(ü)/&+",
		"a+b*c%7Ed%28%C3%BC%29%2F%26%2B", // a form
		"a%20b*c~d(%C3%BC)%2F%26%2B",     // encodeURIComponent
		"a%20b%2Ac~d%28%C3%BC%29%2F&+",   // a part of a path
		"a+b%2Ac~d%28%C3%BC%29%2F%26%2B", // package url
	} {
		if got := s.hide("?q=" + text); got != "?q=%pass%" {
			t.Errorf("hide(%q) = %q, want the placeholder", text, got)
		}
	}
}

func TestPickOption(t *testing.T) {
	options := []driver.OptionState{
		{Value: "ch", Label: "Switzerland"},
		{Value: "de", Label: "  Germany "},
		{Value: "2", Label: "Value two"},
		{Value: "at", Label: "Austria", Disabled: true},
		{Value: "gr-1", Label: "One", Group: "Group"},
		{Value: "a", Label: "Same", Group: "First"},
		{Value: "b", Label: "Same", Group: "Second"},
		{Value: "c", Label: "Able", Disabled: true},
		{Value: "d", Label: "Able"},
	}
	for want, value := range map[string]string{
		"Switzerland": "ch", "de": "de", "germany": "de", "2": "2", "0": "ch", "Group > One": "gr-1",
		"Second > Same": "b", "Able": "d",
	} {
		if i, err := pickOption(options, want); err != nil || options[i].Value != value {
			t.Errorf("pickOption(%q) = %d, %v, want value %q", want, i, err, value)
		}
	}
	if _, err := pickOption(options, "Austria"); !errors.Is(err, ErrDisabled) {
		t.Errorf("pickOption(Austria) = %v, want %v", err, ErrDisabled)
	}
	var ambiguous *AmbiguousError
	if _, err := pickOption(options, "Same"); !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 2 {
		t.Errorf("pickOption(Same) = %v, want both candidates", err)
	}
	_, err := pickOption(options, "France")
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), `"Switzerland"`) {
		t.Errorf("pickOption(France) = %v, want %v with the options", err, ErrNotFound)
	}
}

// A document that was shown stays in the evidence where another navigation
// begins behind it and comes to nothing.
func TestNavigationThatComesToNothingBehindAnother(t *testing.T) {
	c := &collector{from: "/a", failures: map[driver.DocID]*driver.NavigationError{"b": nil}}
	for _, e := range []driver.Event{
		driver.NavigationRequested{Frame: "p", URL: "/b"},
		driver.Navigated{Frame: "p", Doc: "b", URL: "/b", Status: 200},
		driver.NavigationRequested{Frame: "p", URL: "/c"},
		driver.NavigationEnded{Frame: "p"},
	} {
		c.foldEvent(e, "p")
	}
	if n := c.evidence.Navigation; n == nil || n.To != "/b" || n.Pending {
		t.Errorf("Navigation = %+v, want that to /b", n)
	}
}

// A document that could not be fetched is known before the browser shows its page about
// that, which it starts a process for: that page is waited for longer than an answer.
func TestNavigationUnanswered(t *testing.T) {
	requested := driver.NavigationRequested{Frame: "p", URL: "/b"}
	started := driver.RequestStarted{Page: "p", Frame: "p", ID: "1", Kind: driver.RequestDocument}
	failed := driver.RequestEnded{Page: "p", ID: "1", Failed: true}
	for name, tc := range map[string]struct {
		events []driver.Event
		want   bool
	}{
		"failed":            {[]driver.Event{requested, started, failed}, true},
		"under way":         {[]driver.Event{requested, started}, false},
		"redirected":        {[]driver.Event{requested, started, driver.RequestEnded{Page: "p", ID: "1", Status: 302}, started}, false},
		"failed behind it":  {[]driver.Event{requested, started, driver.RequestEnded{Page: "p", ID: "1", Status: 302}, started, failed}, true},
		"superseded":        {[]driver.Event{requested, started, failed, requested}, false},
		"a former one":      {[]driver.Event{requested, started, requested, failed}, false},
		"of a frame":        {[]driver.Event{requested, driver.RequestStarted{Page: "p", Frame: "f", ID: "1", Kind: driver.RequestDocument}, failed}, false},
		"data":              {[]driver.Event{requested, driver.RequestStarted{Page: "p", Frame: "p", ID: "1", Kind: driver.RequestFetch}, failed}, false},
		"given up":          {[]driver.Event{requested, started, failed, driver.NavigationEnded{Frame: "p"}}, false},
		"shown":             {[]driver.Event{requested, started, failed, driver.Navigated{Frame: "p", Doc: "error"}}, false},
		"of the page shown": {[]driver.Event{requested, driver.Navigated{Frame: "p", Doc: "error"}, started, failed}, false},
	} {
		c := &collector{failures: map[driver.DocID]*driver.NavigationError{"error": nil}}
		for _, e := range tc.events {
			c.foldEvent(e, "p")
		}
		if got := c.unanswered(); got != tc.want {
			t.Errorf("%s: unanswered = %v, want %v", name, got, tc.want)
		}
	}
}
