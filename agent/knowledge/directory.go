package knowledge

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mostFile bounds a file, in bytes.
const mostFile = 1 << 20

// Dir returns a store in a directory, which it creates if needed, for this user
// alone. Several processes may share it. An origin has a folder, and each version of its
// site a file there, of which the newest is read: a file gets its name when it is
// whole, and no second one gets the same, so that nothing is lost where two
// write at once. You may remove folders at any time. The file system has to know
// hard links.
func Dir(path string) (Store, error) {
	if path == "" {
		return nil, errors.New("knowledge: no directory is named; give its path")
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("knowledge: %w", err)
	}
	return &directory{path}, nil
}

type directory struct{ path string }

// folder is an origin's. Origins come from addresses, and may be anything: what is no
// lower-case letter, digit, dot within or hyphen is written as its number.
func (d *directory) folder(origin string) string {
	var b strings.Builder
	b.WriteString("site-") // con and nul are no names on Windows
	for i := range len(origin) {
		c := origin[i]
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '.' && i > 0 && i < len(origin)-1 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	name := b.String()
	if len(name) > 120 {
		sum := sha256.Sum256([]byte(origin))
		name = name[:80] + "_" + hex.EncodeToString(sum[:16])
	}
	return filepath.Join(d.path, name)
}

func file(folder string, version int) string {
	return filepath.Join(folder, strconv.Itoa(version)+".json")
}

// versions are those that are there.
func versions(folder string) (all []int, _ error) {
	list, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range list {
		name, ok := strings.CutSuffix(entry.Name(), ".json")
		if n, err := strconv.Atoi(name); ok && err == nil {
			all = append(all, n)
		}
	}
	return all, nil
}

// newest returns the newest version that is there; 0 is none.
func newest(folder string) (int, error) {
	all, err := versions(folder)
	return slices.Max(append(all, 0)), err
}

func (d *directory) Get(ctx context.Context, origin string) (*Site, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := latest(d.folder(origin))
	switch {
	case err != nil:
		return nil, fmt.Errorf("knowledge of %s: %w", origin, err)
	case s == nil:
		return &Site{}, nil
	}
	return s.Site, nil
}

// latest reads the newest version; nil is none.
func latest(folder string) (*stored, error) {
	for {
		version, err := newest(folder)
		if err != nil || version == 0 {
			return nil, err
		}
		s, err := read(file(folder, version), version)
		if !errors.Is(err, fs.ErrNotExist) { // or a newer one took its place meanwhile
			return s, err
		}
	}
}

// A stored site is a file: the site, and who put the versions up to this one.
type stored struct {
	*Site
	Trail []string `json:"trail"` // a mark of each of the last puts
}

func read(path string, version int) (*stored, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	damaged := func(why string) error {
		return fmt.Errorf("%w: %s %s; remove it to begin anew", ErrDamaged, path, why)
	}
	if info.Size() > mostFile {
		return nil, damaged("is too large")
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := stored{Site: &Site{}}
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, damaged("is no JSON of a site")
	}
	if s.Site == nil || s.Version != version {
		return nil, damaged("is of another version than it says")
	}
	return &s, nil
}

func (d *directory) Put(ctx context.Context, origin string, s *Site) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.put(d.folder(origin), s); err != nil {
		return fmt.Errorf("knowledge of %s: %w", origin, err)
	}
	return nil
}

func (d *directory) put(folder string, s *Site) error {
	next := stored{Site: s.clone()}
	next.Version++
	if s.Version > 0 {
		before, err := read(file(folder, s.Version), s.Version)
		if errors.Is(err, fs.ErrNotExist) {
			return ErrConflict
		} else if err != nil {
			return err
		}
		next.Trail = before.Trail[max(0, len(before.Trail)-mostTrail+1):]
	}
	mark := rand.Text()[:10]
	next.Trail = append(next.Trail, mark)
	raw, err := json.MarshalIndent(next, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if version, err := newest(folder); err != nil || version != s.Version {
		return errors.Join(err, ErrConflict)
	}
	temp, err := os.CreateTemp(folder, "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // its name of the while; what is linked stays
	_, err = temp.Write(raw)
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	path := file(folder, next.Version)
	if err := os.Link(temp.Name(), path); errors.Is(err, fs.ErrExist) {
		return ErrConflict
	} else if err != nil {
		return err
	}
	switch mine, err := descends(folder, next.Version, mark); {
	case err != nil:
		return err
	case !mine:
		_ = os.Remove(path) // of no use to anybody: a newer one is there
		return ErrConflict
	}
	return forget(folder, next.Version-keptVersions)
}

// descends reports whether the newest version is one that was put, or made from it.
// Others may have gone on before the link, and the name was free because they had
// removed that version again.
func descends(folder string, put int, mark string) (bool, error) {
	now, err := latest(folder)
	return now != nil && (now.Version == put || slices.Contains(now.Trail, mark)), err
}

const (
	// keptVersions are how many older ones stay for a while, for those that read them.
	keptVersions = 8
	// mostTrail is how far a version knows the ones before it.
	mostTrail = 40
)

// forget removes versions up to one.
func forget(folder string, last int) error {
	all, err := versions(folder)
	for _, n := range all {
		if n <= last {
			_ = os.Remove(file(folder, n)) // another writer removes it, too
		}
	}
	return err
}
