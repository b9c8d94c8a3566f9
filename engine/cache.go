package engine

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/wayfinder-engine/wayfinder/internal/files"
)

// A Cache stores what Act did for instructions, so that it can be replayed
// without a model. [NewMemoryCache] and [NewDirCache] are implementations;
// others may store entries elsewhere. It must be safe for concurrent use, also
// by several sessions.
//
// A cache decides nothing. The engine verifies each entry against the page
// before it sends any input, and the outcome against the recorded one, so a
// cache may drop entries at will. Its errors never fail an act: an error of Get
// counts as a miss and is its reason, others are logged.
//
// Neither entries nor keys hold values of variables. Whoever can write to a
// cache decides what Act does: protect it like the program itself.
type Cache interface {
	// Get returns the entry of a key, or nil. The engine does not modify it.
	Get(ctx context.Context, key CacheKey) (*CacheEntry, error)
	// Put stores an entry and replaces an earlier one. The cache owns the entry
	// from then on.
	Put(ctx context.Context, key CacheKey, entry *CacheEntry) error
	// Delete removes the entry of a key, if there is one.
	Delete(ctx context.Context, key CacheKey) error
}

// A CacheKey says which acts are the same. The model, the viewport and the
// values of variables are not part of it: an entry is verified against the page
// in any case.
type CacheKey struct {
	// Instruction is what was asked for, with single spaces.
	Instruction string `json:"instruction"`
	// Address is the page's address without what changes from visit to visit:
	// user and password, query parameters for tracking, sessions, tokens and
	// times, and a fragment unless it is a route such as "#/cart".
	Address string `json:"address"`
	// Variables are the names of the variables, sorted, joined by commas.
	Variables string `json:"variables,omitempty"`
	// Selector is that of ActOptions.
	Selector string `json:"selector,omitempty"`
}

// Hash is a name for the key: 64 hexadecimal digits.
func (k CacheKey) Hash() string {
	text, _ := json.Marshal(k) // strings alone always marshal
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// A CacheEntry is what Act did for one instruction.
type CacheEntry struct {
	// Instruction is the one that the entry was made for, as it was written.
	Instruction string `json:"instruction"`
	// Steps are the actions in order: usually one, more if one opens what the
	// next acts on.
	Steps []CachedStep `json:"steps"`
}

// A CachedStep is one action, how to tell its element from others, and its
// outcome.
type CachedStep struct {
	Action Action `json:"action"`
	// Surroundings is a hash of the text around an element that had the same
	// role and name as others, such as the button of one of several products.
	// Empty if it was the only one; then it must still be.
	Surroundings string `json:"surroundings,omitempty"`
	// State is what the choice may have depended on: whether the element was
	// checked or expanded, and a hash of its value unless the instruction says
	// what to enter.
	State   string  `json:"state,omitempty"`
	Outcome Outcome `json:"outcome"`
}

// An Outcome is how an action ended. A replay must end the same way.
type Outcome struct {
	Effect Effect `json:"effect"`
	// Address is where a navigation led: host and path, with * for a part
	// that holds a digit. Empty if it was not known yet.
	Address string `json:"address,omitempty"`
	// Failed reports that the navigation's status was 400 or more.
	Failed bool `json:"failed,omitempty"`
	// Dialog is the kind of a dialog that opened.
	Dialog string `json:"dialog,omitempty"`
}

func (e *CacheEntry) clone() *CacheEntry {
	c := *e
	c.Steps = slices.Clone(e.Steps)
	for i := range c.Steps {
		a := &c.Steps[i].Action
		a.Arguments = slices.Clone(a.Arguments)
		if a.Fingerprint != nil {
			print := *a.Fingerprint
			a.Fingerprint = &print
		}
	}
	return &c
}

// check rejects an entry that the engine would not have made.
func (e *CacheEntry) check() error {
	if len(e.Steps) == 0 || len(e.Steps) > maxSteps {
		return fmt.Errorf("%w: the entry has %d steps", ErrInvalid, len(e.Steps))
	}
	for i := range e.Steps {
		a := &e.Steps[i].Action
		if err := a.Check(); err != nil {
			return err
		}
		a.Method, _ = ParseMethod(string(a.Method)) // checked above
		if a.Fingerprint == nil || a.Method.spec().perCall {
			return fmt.Errorf("%w: a step of the entry cannot be done again", ErrInvalid)
		}
	}
	return nil
}

// volatile are names of query parameters that change at each visit and do not
// identify the page.
var volatile = regexp.MustCompile(`(?i)^(utm_.*|mtm_.*|pk_.*|hsa_.*|_hs.*|[dgf]?clid|gclsrc|fbclid|[gw]braid|msclkid|yclid|ttclid|twclid|igshid|li_fat_id|mc_[ce]id|_g[al]|_openstat|vero_id|wickedid|s_cid|` +
	`.*sess(ion)?_?id|sid|phpsessid|aspsessionid.*|cfid|cftoken|.*csrf.*|.*xsrf.*|authenticity_token|.*nonce|` +
	`(access|id|auth|refresh|security|verification)_?token|token|jwt|ticket|sig|signature|hmac|otp|samlresponse|relaystate|` +
	`_|cb|cachebust(er)?|nocache|rnd|rand|random|timestamp|request_?id|trace_?id|correlation_?id|x-amz-.*)$`)

// perhapsVolatile are names of parameters that identify the page if the value
// is a word, and not if it is a time or random.
var perhapsVolatile = regexp.MustCompile(`(?i)^(t|ts|time|v|ver|r|key|code|state|session|s|hash|expires)$`)

var (
	momentary = regexp.MustCompile(`^1[0-9]{9}([0-9]{3})?$`) // seconds or milliseconds since 1970
	randomish = regexp.MustCompile(`^[A-Za-z0-9_.~=+/-]{16,}$`)
)

// pathSession is a session ID that a server puts into the path.
var pathSession = regexp.MustCompile(`(?i);(jsessionid|phpsessid|sid)=[^;/]*`)

// stableAddress returns the parts of an address that identify the page.
// Parameters are sorted by name; hide hides values of variables.
func stableAddress(address string, hide func(string) string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return hide(address)
	case u.Scheme == "data" || u.Scheme == "blob":
		return u.Scheme + ":" + digest(hide(address))
	case u.Host == "":
		return hide(address)
	}
	lasting := strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host)
	for i, part := range strings.Split(pathSession.ReplaceAllString(u.EscapedPath(), ""), "/") {
		if i > 0 {
			lasting += "/"
		}
		lasting += hide(part)
	}
	if strings.HasSuffix(lasting, "://"+strings.ToLower(u.Host)) {
		lasting += "/"
	}
	queries := u.Query()
	separator := "?"
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		for _, value := range queries[name] {
			if isVolatile(name, value) {
				continue
			}
			shown := hide(value)
			if shown == value {
				shown = url.QueryEscape(value)
			}
			lasting += separator + hide(url.QueryEscape(name)) + "=" + shown
			separator = "&"
		}
	}
	if f := u.EscapedFragment(); strings.HasPrefix(f, "/") || strings.HasPrefix(f, "!") {
		lasting += "#" + hide(f)
	}
	return lasting
}

// isVolatile reports a query parameter that changes at each visit.
func isVolatile(name, value string) bool {
	if volatile.MatchString(name) {
		return true
	}
	return perhapsVolatile.MatchString(name) && (momentary.MatchString(value) ||
		randomish.MatchString(value) && strings.ContainsFunc(value, unicode.IsDigit) && strings.ContainsFunc(value, unicode.IsLetter))
}

// addressShape returns where an address leads, with * for the parts that differ
// between things of a kind.
func addressShape(address string, hide func(string) string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		scheme, _, _ := strings.Cut(address, ":")
		return scheme + ":"
	}
	parts := strings.Split(pathSession.ReplaceAllString(u.Path, ""), "/")
	for i, part := range parts {
		if strings.ContainsFunc(part, unicode.IsDigit) {
			parts[i] = "*"
		}
	}
	return strings.ToLower(u.Host) + hide(strings.Join(parts, "/"))
}

// digest is a short hash.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// defaultCacheEntries is how many entries a memory cache keeps by default.
const defaultCacheEntries = 1000

// A MemoryCache is a [Cache] that lives as long as the program. Several
// sessions may share it.
type MemoryCache struct {
	limit int

	mu      sync.Mutex // protects what follows
	entries map[CacheKey]*CacheEntry
	order   []CacheKey // used last behind
}

var _ Cache = (*MemoryCache)(nil)

// NewMemoryCache returns a cache of at most limit entries; 0 is 1,000. It
// evicts the least recently used entry.
func NewMemoryCache(limit int) *MemoryCache {
	return &MemoryCache{limit: cmp.Or(max(limit, 0), defaultCacheEntries), entries: map[CacheKey]*CacheEntry{}}
}

// Get returns a copy of an entry.
func (c *MemoryCache) Get(_ context.Context, key CacheKey) (*CacheEntry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry := c.entries[key]
	if entry == nil {
		return nil, nil
	}
	c.forget(key)
	c.order = append(c.order, key)
	return entry.clone(), nil
}

// Put keeps an entry.
func (c *MemoryCache) Put(_ context.Context, key CacheKey, entry *CacheEntry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(key)
	c.entries[key], c.order = entry, append(c.order, key)
	if len(c.order) > c.limit {
		delete(c.entries, c.order[0])
		c.order = c.order[1:]
	}
	return nil
}

// Delete forgets an entry.
func (c *MemoryCache) Delete(_ context.Context, key CacheKey) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, key)
	c.forget(key)
	return nil
}

// forget takes a key out of the order. The caller holds mu.
func (c *MemoryCache) forget(key CacheKey) {
	c.order = slices.DeleteFunc(c.order, func(k CacheKey) bool { return k == key })
}

// Len returns how many entries there are.
func (c *MemoryCache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.order)
}

// A DirCache is a [Cache] in a directory, with a JSON file for each entry,
// named by the hash of its key. Several processes may share it, because files
// are written atomically. Only Delete removes files; you may remove any of them
// at any time.
type DirCache struct{ dir string }

var _ Cache = (*DirCache)(nil)

// NewDirCache returns a cache in a directory. It creates the directory if
// needed, accessible only to this user.
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
	cacheVersion = 1
	maxCacheFile = 1 << 20 // bytes
)

func (c *DirCache) path(key CacheKey) string { return filepath.Join(c.dir, key.Hash()+".json") }

// Get reads an entry. A truncated file, or one of another version or key, is an
// error that names it; the next Put replaces it.
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
	data, err := io.ReadAll(io.LimitReader(file, maxCacheFile+1))
	if err != nil {
		return nil, fmt.Errorf("act cache: %w", err)
	}
	if len(data) > maxCacheFile {
		return nil, fmt.Errorf("act cache: %s: more than %d bytes", path, maxCacheFile)
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

// Put writes an entry's file, for this user alone.
func (c *DirCache) Put(_ context.Context, key CacheKey, entry *CacheEntry) error {
	text, err := json.MarshalIndent(cacheFile{cacheVersion, key, entry}, "", "  ")
	if err != nil {
		return fmt.Errorf("act cache: %w", err)
	}
	err = files.Replace(c.path(key), "*.tmp", func(f *os.File) error {
		_, err := f.Write(append(text, '\n'))
		return err
	})
	if err != nil {
		return fmt.Errorf("act cache: %w", err)
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

// differs says what differs from the recorded outcome, or "". A stronger effect
// than recorded is fine: evidence ends at the first effect, and which comes
// first is a matter of milliseconds. href is where the element leads, if it is
// a link: a link with a new target is still the link.
func (o *Outcome) differs(method Method, ev *Evidence, href string, hide func(string) string) string {
	switch {
	case o.Effect == EffectNavigation && ev.Navigation == nil:
		return "it led to " + o.Address + " before, and stays where it is now"
	case o.Effect == EffectNewPage && len(ev.NewPages) == 0:
		return "it opened a page before, and none now"
	case o.Effect == EffectDownload && len(ev.Downloads) == 0:
		return "a download began before, and none now"
	case o.Dialog != "" && (len(ev.Dialogs) == 0 || ev.Dialogs[0].Kind != o.Dialog):
		return "it opened a dialog (" + o.Dialog + ") before, and none of the kind now"
	case o.Effect != EffectNone && ev.Effect == EffectNone && method.spec().confirms < byElement:
		return fmt.Sprintf("it had an effect (%s) before, and none now", o.Effect)
	}
	n := ev.Navigation
	if n == nil || n.Pending || o.Address == "" {
		return ""
	}
	if got := addressShape(n.To, hide); got != o.Address && (href == "" || got != addressShape(href, hide)) {
		return "it led to " + o.Address + " before, and to " + got + " now"
	}
	if n.Status >= http.StatusBadRequest && !o.Failed {
		return fmt.Sprintf("it led to a page before, and to an error (%d) now", n.Status)
	}
	return ""
}
