package databases

import (
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// What the scripts do is tested in package cdp, in a browser.

func TestParse(t *testing.T) {
	c, err := Parse(`{"origin":"https://a.test","again":true,"databases":[{"name":"b","version":1,"stores":[]},{"name":"a","version":2,"stores":[]}],
		"leftOut":[{"database":"d","why":"x"},{"database":"c","store":"s","records":2,"why":"a CryptoKey"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if c.Origin != "https://a.test" || !c.Again || c.Databases[0].Name != "a" || c.LeftOut[0].Database != "c" {
		t.Errorf("Parse() = %+v, want the databases and what is left out by their names", c)
	}
	if _, err := Parse(`{"databases":1}`); err == nil {
		t.Error("Parse took what is no answer")
	}
}

func TestKeep(t *testing.T) {
	before := &Contents{Databases: []driver.Database{{Name: "calm", Version: 1}, {Name: "gone", Version: 1}}}
	c := &Contents{
		Databases: []driver.Database{{Name: "other", Version: 2}},
		LeftOut:   []driver.LeftOut{{Database: "busy", Why: "late"}, {Database: "calm", Why: "late"}, {Database: "other", Store: "s", Records: 1, Why: "a CryptoKey"}},
		Again:     true,
	}
	c.Keep(before)
	if len(c.Databases) != 2 || c.Databases[0].Name != "calm" || len(c.LeftOut) != 2 || c.LeftOut[0].Database != "busy" || !c.Again {
		t.Errorf("Keep() = %+v, want calm and other, and without busy", c)
	}
}

func TestCheck(t *testing.T) {
	for want, list := range map[string][]driver.Database{
		"version 0": {{Name: "a", Version: 0}},
		"two":       {{Name: "a", Version: 1}, {Name: "a", Version: 2}},
		"":          {{Name: "a", Version: 1}, {Name: "", Version: 1}},
	} {
		if err := Check(list); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("Check(%v) = %v, want %q", list, err, want)
		}
	}
}

func TestExpressions(t *testing.T) {
	text, err := Writing([]driver.Database{{Name: "</script>\u2028", Version: 1}}, 0)
	if err != nil || !strings.HasSuffix(text, ", 1)") || strings.ContainsAny(text, "\u2028") {
		t.Errorf("Writing() ends with %q, %v", text[max(0, len(text)-80):], err)
	}
	if got := Reading(7, 3*time.Second); !strings.HasSuffix(got, "})().read(7, 3000)") {
		t.Errorf("Reading() ends with %q", got[len(got)-40:])
	}
}
