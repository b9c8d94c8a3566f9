package wire

import (
	"encoding/json"
	"time"
)

// A Profile is what the service tells of what browsers remember under a name:
// nothing that is in it.
type Profile struct {
	Name    string       `json:"name"`
	Created time.Time    `json:"createdAt"`
	Saved   time.Time    `json:"savedAt"`
	Size    int          `json:"size"`              // bytes
	LeftOut int          `json:"leftOut,omitempty"` // databases and records of IndexedDB that it does not have
	InUse   *ProfileUser `json:"inUse,omitempty"`   // nil: it can be had
}

// A ProfileUser is the session that has a profile.
type ProfileUser struct {
	Session string    `json:"sessionId"`
	Since   time.Time `json:"since"`
}

// ProfilePut says what a profile is from now on.
type ProfilePut struct {
	StorageState *StorageState `json:"storageState,omitempty"` // nil is an empty one
}

// ProfileRename gives a profile another name.
type ProfileRename struct {
	Name string `json:"name"`
}

// ProfileData is the answer to what is done with one profile.
type ProfileData struct {
	Profile Profile `json:"profile"`
}

// ProfileList are the profiles of a key, in the order of their names.
type ProfileList struct {
	Profiles []Profile `json:"profiles"` // never nil
}

// StorageState is what a browser remembers: that of package driver, and that which
// other tools write.
type StorageState struct {
	Cookies []Cookie        `json:"cookies,omitempty"`
	Origins []OriginStorage `json:"origins,omitempty"`
}

// Cookie is one of a browser's.
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"`
	Path     string  `json:"path"`
	Expires  *Expiry `json:"expires,omitempty"` // nil: with the browser
	Secure   bool    `json:"secure,omitempty"`
	HTTPOnly bool    `json:"httpOnly,omitempty"`
	SameSite string  `json:"sameSite,omitempty"` // Strict, Lax, None or empty
}

// OriginStorage is what an origin has stored.
type OriginStorage struct {
	Origin       string         `json:"origin"`
	LocalStorage []StorageEntry `json:"localStorage"`
	IndexedDB    []Database     `json:"indexedDB,omitempty"`
	LeftOut      []LeftOut      `json:"leftOut,omitempty"`
}

// Database is one of IndexedDB.
type Database struct {
	Name    string        `json:"name"`
	Version int64         `json:"version"`
	Stores  []ObjectStore `json:"stores"`
}

// ObjectStore holds the records of a database.
type ObjectStore struct {
	Name          string           `json:"name"`
	KeyPath       *string          `json:"keyPath,omitempty"` // may be empty
	KeyPathArray  []string         `json:"keyPathArray,omitempty"`
	AutoIncrement bool             `json:"autoIncrement"`
	Indexes       []DatabaseIndex  `json:"indexes"`
	Records       []DatabaseRecord `json:"records"`
}

// DatabaseIndex finds the records of a store by another key.
type DatabaseIndex struct {
	Name         string   `json:"name"`
	KeyPath      *string  `json:"keyPath,omitempty"`
	KeyPathArray []string `json:"keyPathArray,omitempty"`
	MultiEntry   bool     `json:"multiEntry"`
	Unique       bool     `json:"unique"`
}

// DatabaseRecord is a value of a store, and its key unless that is in the value; each
// as it stands or encoded.
type DatabaseRecord struct {
	Key          json.RawMessage `json:"key,omitempty"`
	KeyEncoded   json.RawMessage `json:"keyEncoded,omitempty"`
	Value        json.RawMessage `json:"value,omitempty"`
	ValueEncoded json.RawMessage `json:"valueEncoded,omitempty"`
}

// LeftOut is something of IndexedDB that a state does not hold: a database, or
// records of a store.
type LeftOut struct {
	Database string `json:"database"`
	Store    string `json:"store,omitempty"`
	Records  int    `json:"records,omitempty"`
	Why      string `json:"why"`
}

// StorageEntry is one key of a local storage.
type StorageEntry struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// An Expiry is when a cookie ends: in JSON a time as text, or seconds since 1970,
// where those that are not positive stand for the end of the browser.
type Expiry struct{ time.Time }

// UnmarshalJSON reads either.
func (e *Expiry) UnmarshalJSON(raw []byte) error {
	var seconds float64
	if json.Unmarshal(raw, &seconds) != nil {
		return e.Time.UnmarshalJSON(raw)
	}
	if seconds > 0 {
		const last = 253402300799 // of the year 9999
		seconds = min(seconds, last)
		e.Time = time.UnixMilli(int64(seconds * 1000)).UTC()
	}
	return nil
}
