package driver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// names are the databases of an origin with their versions, and what is left out.
func names(o OriginStorage) string {
	var list []string
	for _, d := range o.IndexedDB {
		list = append(list, fmt.Sprint(d.Name, d.Version))
	}
	for _, l := range o.LeftOut {
		list = append(list, "-"+l.Database)
	}
	return strings.Join(list, " ")
}

func TestOriginStorage(t *testing.T) {
	large := []Record{{Value: json.RawMessage(`"` + strings.Repeat("x", 1000) + `"`)}}
	before := OriginStorage{IndexedDB: []Database{{Name: "a", Version: 1}, {Name: "b", Version: 1}, {Name: "c", Version: 1}}}
	now := OriginStorage{IndexedDB: []Database{{Name: "b", Version: 2}}}
	busy, all, records := now, now, now
	busy.LeftOut = []LeftOut{{Database: "c", Why: "busy"}, {Database: "d", Why: "busy"}}
	all.LeftOut = []LeftOut{{Why: "busy"}}
	records.LeftOut = []LeftOut{{Database: "a", Store: "s", Records: 1, Why: "a CryptoKey"}}
	size := OriginStorage{IndexedDB: []Database{{Name: "a", Stores: []ObjectStore{{Records: large}}}, {Name: "b"}, {Name: "c", Stores: []ObjectStore{{}}}}}
	for _, c := range []struct {
		what, got, want string
	}{
		{"After, with one that is gone", names(now.After(before)), "b2"},
		{"After, with one that is busy", names(busy.After(before)), "b2 c1 -c -d"},
		{"After, with a page that did not answer", names(all.After(before)), "a1 b2 c1 -"},
		{"After, with a record that has no form", names(records.After(before)), "b2 -a"},
		{"Within 500 bytes", names(size.Within(500, "too large")), "b0 c0 -a"},
		{"Within 50 bytes", names(size.Within(50, "too large")), "b0 -c -a"},
		{"Within 5000 bytes", names(size.Within(5000, "too large")), "a0 b0 c0"},
	} {
		if c.got != c.want {
			t.Errorf("%s = %s, want %s", c.what, c.got, c.want)
		}
	}
	if names(before) != "a1 b1 c1" || names(now) != "b2" || names(size) != "a0 b0 c0" {
		t.Errorf("what was given has changed: %s, %s, %s", names(before), names(now), names(size))
	}
}

func TestCookieJSON(t *testing.T) {
	at := time.Date(2026, 10, 1, 12, 0, 0, 500e6, time.UTC)
	for text, want := range map[string]time.Time{
		`"expires":"2026-10-01T12:00:00.5Z"`: at, fmt.Sprintf(`"expires":%d.5`, at.Unix()): at, `"path":"/"`: {},
		`"expires":-1`: {}, `"expires":0`: {}, `"expires":null`: {}, `"expires":1e300`: time.Unix(253402300799, 0),
	} {
		var c Cookie
		if err := json.Unmarshal([]byte(`{"name":"a","secure":true,`+text+`}`), &c); err != nil || !c.Expires.Equal(want) || c.Name != "a" || !c.Secure {
			t.Errorf("%s = %+v, %v, want %v", text, c, err, want)
		}
	}
	raw, err := json.Marshal(Cookie{Name: "a", Expires: at})
	var c Cookie
	if err != nil || json.Unmarshal(raw, &c) != nil || !c.Expires.Equal(at) {
		t.Errorf("%s, %v is read as %+v", raw, err, c)
	}
	if err := json.Unmarshal([]byte(`{"expires":"soon"}`), &c); err == nil {
		t.Error("an end that is none was taken")
	}
}

func TestLeftOut(t *testing.T) {
	for want, l := range map[string]LeftOut{
		`2 records of "s" in database "d": a CryptoKey`: {"d", "s", 2, "a CryptoKey"},
		`database "d": more than 5 bytes`:               {Database: "d", Why: "more than 5 bytes"},
		`databases: busy`:                               {Why: "busy"},
	} {
		if got := l.String(); got != want {
			t.Errorf("String() = %s, want %s", got, want)
		}
	}
}
