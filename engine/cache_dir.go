package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A DirCache is a [Cache] in a directory: a JSON file for each entry, named by
// the hash of its key. Several processes may share the directory: a file is
// written whole or not at all. Files are never removed but by Delete; remove
// what is not wanted at any time.
type DirCache struct{ dir string }

var _ Cache = (*DirCache)(nil)

// NewDirCache returns a cache in a directory, which it makes if it is not
// there, for this user alone.
func NewDirCache(dir string) (*DirCache, error) {
	if dir == "" {
		return nil, fmt.Errorf("act cache: %w: no directory is named", ErrInvalid)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("act cache: %w", err)
	}
	return &DirCache{dir: dir}, nil
}

// Dir returns the directory.
func (c *DirCache) Dir() string { return c.dir }

// cacheFile is what a file holds.
type cacheFile struct {
	Version int         `json:"version"`
	Key     CacheKey    `json:"key"`
	Entry   *CacheEntry `json:"entry"`
}

const (
	cacheVersion    = 1
	mostOfCacheFile = 1 << 20 // bytes
)

func (c *DirCache) path(key CacheKey) string { return filepath.Join(c.dir, key.Hash()+".json") }

// Get reads an entry. A file that is not whole, or of another form or key, is
// an error that names it; the next Put replaces it.
func (c *DirCache) Get(_ context.Context, key CacheKey) (*CacheEntry, error) {
	path := c.path(key)
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("act cache: %w", err)
	}
	defer file.Close() // it was only read
	data, err := io.ReadAll(io.LimitReader(file, mostOfCacheFile+1))
	if err != nil {
		return nil, fmt.Errorf("act cache: %w", err)
	}
	if len(data) > mostOfCacheFile {
		return nil, fmt.Errorf("act cache: %s: more than %d bytes", path, mostOfCacheFile)
	}
	var content cacheFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&content); err != nil {
		return nil, fmt.Errorf("act cache: %s: %w", path, err)
	}
	if content.Version != cacheVersion || content.Key != key || content.Entry == nil {
		return nil, fmt.Errorf("act cache: %s: another version, or of another act", path)
	}
	return content.Entry, nil
}

// Put writes an entry into a file of its own and gives that its name.
func (c *DirCache) Put(_ context.Context, key CacheKey, entry *CacheEntry) error {
	text, err := json.MarshalIndent(cacheFile{cacheVersion, key, entry}, "", "  ")
	if err != nil {
		return fmt.Errorf("act cache: %w", err)
	}
	file, err := os.CreateTemp(c.dir, "*.tmp") // for this user alone
	if err != nil {
		return fmt.Errorf("act cache: %w", err)
	}
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), c.path(key))
	}
	if err != nil {
		return fmt.Errorf("act cache: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}

// Delete removes an entry's file.
func (c *DirCache) Delete(_ context.Context, key CacheKey) error {
	if err := os.Remove(c.path(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("act cache: %w", err)
	}
	return nil
}
