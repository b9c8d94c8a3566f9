package driver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"
)

// A StorageState is what a browser remembers of its visits. Its JSON is the
// form that other tools write, too.
type StorageState struct {
	Cookies []Cookie        `json:"cookies"`
	Origins []OriginStorage `json:"origins"`
}

// An OriginStorage is what an origin has stored.
type OriginStorage struct {
	Origin       string         `json:"origin"`
	LocalStorage []StorageEntry `json:"localStorage"`
	IndexedDB    []Database     `json:"indexedDB,omitempty"`

	// LeftOut says what the origin has in IndexedDB that is not here.
	LeftOut []LeftOut `json:"leftOut,omitempty"`
}

// Within returns o with the databases alone that fit into limit bytes, about, the
// smallest first. The others are left out, and why says so.
func (o OriginStorage) Within(limit int, why string) OriginStorage {
	bySize := slices.SortedStableFunc(slices.Values(o.IndexedDB), func(a, b Database) int { return cmp.Compare(a.Size(), b.Size()) })
	fit := map[string]bool{}
	o.LeftOut = slices.Clone(o.LeftOut)
	for i := range bySize {
		if limit -= bySize[i].Size(); limit >= 0 {
			fit[bySize[i].Name] = true
		} else {
			o.LeftOut = append(o.LeftOut, LeftOut{Database: bySize[i].Name, Why: why})
		}
	}
	o.IndexedDB = slices.DeleteFunc(slices.Clone(o.IndexedDB), func(d Database) bool { return !fit[d.Name] })
	return o
}

// After returns o, where what it says of databases that are left out is what it was
// before: a page may have kept them busy, or they are too large by now.
func (o OriginStorage) After(before OriginStorage) OriginStorage {
	left, all := map[string]bool{}, false
	for _, l := range o.LeftOut {
		if l.Records == 0 {
			left[l.Database], all = true, all || l.Database == ""
		}
	}
	for _, d := range o.IndexedDB {
		left[d.Name] = false
	}
	o.IndexedDB = slices.Clone(o.IndexedDB)
	for _, d := range before.IndexedDB {
		if missing, said := left[d.Name]; missing || all && !said {
			o.IndexedDB = append(o.IndexedDB, d)
		}
	}
	slices.SortFunc(o.IndexedDB, func(a, b Database) int { return cmp.Compare(a.Name, b.Name) })
	return o
}

// A StorageEntry is one key of a local storage.
type StorageEntry struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Database is one of IndexedDB, whole.
type Database struct {
	Name    string        `json:"name"`
	Version int64         `json:"version"`
	Stores  []ObjectStore `json:"stores"`
}

// Size is about how many bytes the database has as JSON.
func (d *Database) Size() int {
	size := len(d.Name) + 40
	for _, s := range d.Stores {
		size += len(s.Name) + 100 + 100*len(s.Indexes)
		for _, r := range s.Records {
			size += len(r.Key) + len(r.KeyEncoded) + len(r.Value) + len(r.ValueEncoded) + 20
		}
	}
	return size
}

// An ObjectStore holds the records of a database. The keys that it makes itself
// continue after the highest that is there.
type ObjectStore struct {
	Name string `json:"name"`

	// Where in its value a record has its key: at KeyPath, which may be empty,
	// or at several places. Without either, keys are beside their values.
	KeyPath      *string  `json:"keyPath,omitempty"`
	KeyPathArray []string `json:"keyPathArray,omitempty"`

	AutoIncrement bool     `json:"autoIncrement"` // it makes keys itself
	Indexes       []Index  `json:"indexes"`
	Records       []Record `json:"records"`
}

// An Index finds the records of a store by another key.
type Index struct {
	Name         string   `json:"name"`
	KeyPath      *string  `json:"keyPath,omitempty"`
	KeyPathArray []string `json:"keyPathArray,omitempty"`
	MultiEntry   bool     `json:"multiEntry"`
	Unique       bool     `json:"unique"`
}

// A Record is a value of a store, with its key where that is not in the value.
// Of key and value each is either JSON as it stands or, encoded, what JSON has no
// form for:
//
//	{"v": "undefined"}           also "null", "NaN", "Infinity", "-Infinity", "-0"
//	{"bi": "12"}                 a BigInt
//	{"d": "2026-10-01T…Z"}       a Date; null for an invalid one
//	{"r": {"p": "a+", "f": "i"}} a RegExp
//	{"e": {"n", "m", "s"}}       an Error: name, message, stack
//	{"o": [{"k", "v"}], "id": 1} an object, its members encoded
//	{"a": […], "id": 2}          an array
//	{"ref": 1}                   what has that id, again
//	{"ab": {"b"}}                an ArrayBuffer, in base64
//	{"ta": {"b", "k": "ui8"}}    a typed array, by its kind
//
// Those are also what other tools write. Beside them there are
//
//	{"m": [[key, value]], "id"}  a Map
//	{"s": […], "id"}             a Set
//	{"dv": {"b"}}                a DataView
//	{"bl": {"b", "t"}}           a Blob of a type; with a name "n" and a time "l" a File
//	{"w": 1}                     a Boolean, Number, String or BigInt that is an object
//
// and an array that has more than its elements has those as "p", members as of an
// object; {"v": "hole"} in it is a place without an element.
type Record struct {
	Key          json.RawMessage `json:"key,omitempty"`
	KeyEncoded   json.RawMessage `json:"keyEncoded,omitempty"`
	Value        json.RawMessage `json:"value,omitempty"`
	ValueEncoded json.RawMessage `json:"valueEncoded,omitempty"`
}

// A LeftOut is something of IndexedDB that a state does not hold: records of a
// store, or with Records 0 a whole database. A database without a name stands for
// all that are not there.
type LeftOut struct {
	Database string `json:"database"`
	Store    string `json:"store,omitempty"`
	Records  int    `json:"records,omitempty"`
	Why      string `json:"why"` // as "a CryptoKey", "more than 4194304 bytes"
}

// String is the thing and the reason, for people.
func (l LeftOut) String() string {
	switch {
	case l.Records > 0:
		return fmt.Sprintf("%d records of %q in database %q: %s", l.Records, l.Store, l.Database, l.Why)
	case l.Database == "":
		return "databases: " + l.Why
	}
	return fmt.Sprintf("database %q: %s", l.Database, l.Why)
}

// A Cookie is one cookie of a browser.
type Cookie struct {
	Name     string    `json:"name"`
	Value    string    `json:"value"`
	Domain   string    `json:"domain"` // with a leading dot: also its subdomains
	Path     string    `json:"path"`
	Expires  time.Time `json:"expires,omitzero"` // zero: ends with the browser
	Secure   bool      `json:"secure,omitempty"`
	HTTPOnly bool      `json:"httpOnly,omitempty"`
	SameSite string    `json:"sameSite,omitempty"` // "Strict", "Lax", "None" or empty

	// URL may stand in place of Domain, Path and Secure when a cookie is set.
	URL string `json:"url,omitempty"`
}

// UnmarshalJSON reads a cookie as it is written here and by other tools, whose
// expires is a number of seconds since 1970, and negative for a cookie that ends
// with the browser.
func (c *Cookie) UnmarshalJSON(raw []byte) error {
	type plain Cookie
	read := struct {
		*plain
		Expires json.RawMessage `json:"expires"`
	}{plain: (*plain)(c)}
	if err := json.Unmarshal(raw, &read); err != nil {
		return err
	}
	var seconds float64
	switch {
	case len(read.Expires) == 0:
	case json.Unmarshal(read.Expires, &seconds) != nil:
		return json.Unmarshal(read.Expires, &c.Expires)
	case seconds > 0:
		const last = 253402300799 // of the year 9999
		whole, part := math.Modf(min(seconds, last))
		c.Expires = time.Unix(int64(whole), int64(part*1e9)).UTC()
	}
	return nil
}
