package server

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/server/internal/ledger"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// ParseKeys reads a list of keys as sha256sum writes it: a line for each, with
// the digest in hexadecimal digits and, behind white space, the name. Empty
// lines and those that begin with # are skipped.
func ParseKeys(r io.Reader) ([]Key, error) {
	var keys []Key
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		digest, name, _ := strings.Cut(line, " ")
		raw, err := hex.DecodeString(digest)
		if err != nil || len(raw) != sha256.Size {
			// The line is not quoted: it may be a key that was meant to be digested.
			return nil, fmt.Errorf("server: keys, line %d: not a SHA-256 in hexadecimal digits; printf %%s KEY | sha256sum gives one", n)
		}
		key := Key{Name: strings.TrimLeft(name, " *"), Digest: [sha256.Size]byte(raw)}
		if key.Name == "" || key.Name == "-" { // sha256sum's name for its input
			key.Name = fmt.Sprintf("key-%d", n)
		}
		keys = append(keys, key)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("server: keys: %w", err)
	}
	return keys, nil
}

// bearer is the key in the header Authorization; empty if there is none.
func bearer(r *http.Request) string {
	scheme, key, _ := strings.Cut(r.Header.Get("authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.TrimSpace(key)
}

// authenticate finds the holder of the request's key.
func (h *holders) authenticate(c *call) (*holder, error) {
	if c.pass != nil {
		return h.of(c.pass.Caller)
	}
	r := c.r
	list := h.all()
	if len(list) == 0 {
		return h.anyone, nil
	}
	shown := cmp.Or(r.Header.Get("x-svc-api-key"), r.Header.Get("x-bb-api-key"), bearer(r))
	if shown == "" {
		return nil, newFault(wire.Unauthorized, "a key is needed, in the header x-svc-api-key, or as Authorization: Bearer")
	}
	digest := sha256.Sum256([]byte(shown))
	var found *holder
	for _, one := range list { // to the end: the time must not tell which fits
		if subtle.ConstantTimeCompare(one.digest[:], digest[:]) == 1 {
			found = one
		}
	}
	if found == nil {
		return nil, newFault(wire.Unauthorized, "the key is not known here")
	}
	return found, nil
}

// holders are those that may ask.
type holders struct {
	anyone *holder // where no keys are configured
	ledger *ledger.Ledger
	take   takePart

	mu     sync.RWMutex // protects what follows
	known  map[[sha256.Size]byte]*holder
	active []*holder
}

// set replaces the keys that are accepted. A key that was known before keeps its
// counts, also if it was not accepted in between.
func (h *holders) set(keys []Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil {
		h.known = map[[sha256.Size]byte]*holder{}
	}
	h.active = nil
	for _, key := range keys {
		one := h.known[key.Digest]
		if one == nil {
			one = &holder{digest: key.Digest, ledger: h.ledger, take: h.take}
			h.known[key.Digest] = one
		}
		one.setKey(key)
		h.active = append(h.active, one)
	}
}

// all returns those that may ask. The list is not changed any more.
func (h *holders) all() []*holder {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.active
}

// of returns the holder that a program of this process names by its caller.
func (h *holders) of(caller string) (*holder, error) {
	list := h.all()
	if len(list) == 0 && caller == "" {
		return h.anyone, nil
	}
	for _, one := range list {
		if one.caller() == caller {
			return one, nil
		}
	}
	return nil, newFault(wire.Unauthorized, "the key is not known here any more")
}
