// Package databases has the scripts that read and write what an origin keeps in
// IndexedDB, to be evaluated in a world of ours in a document of that origin. They
// leave nothing behind there.
package databases

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

//go:embed databases.js
var script string

// Contents are what an origin has.
type Contents struct {
	Origin    string            `json:"origin"`
	Databases []driver.Database `json:"databases"`
	LeftOut   []driver.LeftOut  `json:"leftOut,omitempty"`
	Again     bool              `json:"again"` // another reading may have more
}

// Keep adds what an earlier reading had of databases that this one had no time for,
// where nothing has changed since.
func (c *Contents) Keep(before *Contents) {
	now := driver.OriginStorage{IndexedDB: c.Databases, LeftOut: c.LeftOut}.After(driver.OriginStorage{IndexedDB: before.Databases})
	c.Databases = now.IndexedDB
	c.LeftOut = slices.DeleteFunc(slices.Clone(c.LeftOut), func(l driver.LeftOut) bool {
		return l.Records == 0 && slices.ContainsFunc(c.Databases, func(d driver.Database) bool { return d.Name == l.Database && l.Database != "" })
	})
}

// Reading is an expression whose value is a promise of a text for [Parse]. What takes
// longer than wait, and than several other answers of IndexedDB then, or is more than
// limit bytes, is left out.
func Reading(limit int64, wait time.Duration) string {
	return fmt.Sprintf("%s.read(%d, %d)", strings.TrimSpace(script), limit, max(1, wait.Milliseconds()))
}

// Parse reads what [Reading] gave, in the order of names.
func Parse(text string) (*Contents, error) {
	c := new(Contents)
	if err := json.Unmarshal([]byte(text), c); err != nil {
		return nil, fmt.Errorf("the databases of an origin: unexpected answer: %w", err)
	}
	slices.SortFunc(c.Databases, func(a, b driver.Database) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(c.LeftOut, func(a, b driver.LeftOut) int {
		return strings.Compare(a.Database+"\x00"+a.Store, b.Database+"\x00"+b.Store)
	})
	return c, nil
}

// Check reports what cannot be a database.
func Check(list []driver.Database) error {
	names := map[string]bool{}
	for _, d := range list {
		switch {
		case d.Version < 1:
			return fmt.Errorf("database %q has the version %d", d.Name, d.Version)
		case names[d.Name]:
			return fmt.Errorf("there are two databases %q", d.Name)
		}
		names[d.Name] = true
	}
	return nil
}

// Writing is an expression whose value is a promise of a text that says what went
// wrong, empty if nothing did. Each database is written whole or not at all, in the
// place of one that is there, within wait.
func Writing(list []driver.Database, wait time.Duration) (string, error) {
	raw, err := json.Marshal(list)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(string(raw))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s.write(%s, %d)", strings.TrimSpace(script), text, max(1, wait.Milliseconds())), nil
}
