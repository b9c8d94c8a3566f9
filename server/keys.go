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

// SetKeys replaces the keys. Sessions stay those of the keys that started them;
// a key that is gone reaches none. It may be called at any time.
func (s *core) SetKeys(keys []Key) {
	s.holders.set(keys)
}

// bearer is the key in the header Authorization; empty if there is none.
func bearer(r *http.Request) string {
	scheme, key, _ := strings.Cut(r.Header.Get("authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.TrimSpace(key)
}

// checkMetricsToken accepts requests that show the token for the metrics.
func (s *Server) checkMetricsToken(r *http.Request) error {
	want, shown := sha256.Sum256([]byte(s.opts.Probes.MetricsToken)), sha256.Sum256([]byte(bearer(r)))
	if subtle.ConstantTimeCompare(want[:], shown[:]) != 1 {
		return newFault(wire.Unauthorized, "the metrics need their token, as Authorization: Bearer")
	}
	return nil
}

// authenticate finds the holder of the request's key.
func (s *Server) authenticate(c *call) (*holder, error) {
	if c.pass != nil {
		return s.holders.of(c.pass.Caller)
	}
	r := c.r
	list := s.holders.all()
	if len(list) == 0 {
		return s.holders.anyone, nil
	}
	shown := cmp.Or(r.Header.Get("x-svc-api-key"), r.Header.Get("x-bb-api-key"), bearer(r))
	if shown == "" {
		return nil, newFault(wire.Unauthorized, "a key is needed, in the header x-svc-api-key, or as Authorization: Bearer")
	}
	digest := sha256.Sum256([]byte(shown))
	var found *holder
	for _, h := range list { // to the end: the time must not tell which fits
		if subtle.ConstantTimeCompare(h.digest[:], digest[:]) == 1 {
			found = h
		}
	}
	if found == nil {
		return nil, newFault(wire.Unauthorized, "the key is not known here")
	}
	return found, nil
}
