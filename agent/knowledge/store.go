package knowledge

import (
	"context"
	"errors"
	"sync"
)

// A Store keeps sites by origin, as "https://shop.test" or "http://shop.test:8443". Its
// methods may be called from several goroutines at once, and several programs may share
// what is behind it. [Memory] and [Dir] make two.
type Store interface {
	// Get returns what is kept of an origin, for the caller to change; never nil without
	// an error. The Version of an origin of which nothing is kept is 0.
	Get(ctx context.Context, origin string) (*Site, error)
	// Put keeps a site in the place of the one that it was made from, and counts its
	// Version up. If the version that is kept is not s.Version by now, it keeps
	// nothing and returns an error that wraps [ErrConflict]. The store does not
	// hold on to s.
	Put(ctx context.Context, origin string, s *Site) error
}

// Errors of stores.
var (
	// ErrConflict: what is kept has changed since it was read.
	ErrConflict = errors.New("changed since it was read")
	// ErrDamaged: what is kept cannot be read. It stays as it is until somebody
	// removes it.
	ErrDamaged = errors.New("damaged")
)

// Memory returns a store that lives as long as the program.
func Memory() Store { return &memory{sites: map[string]*Site{}} }

type memory struct {
	mu    sync.Mutex // protects sites
	sites map[string]*Site
}

func (m *memory) Get(_ context.Context, origin string) (*Site, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sites[origin]; s != nil {
		return s.clone(), nil
	}
	return &Site{}, nil
}

func (m *memory) Put(_ context.Context, origin string, s *Site) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	version := 0
	if kept := m.sites[origin]; kept != nil {
		version = kept.Version
	}
	if s.Version != version {
		return ErrConflict
	}
	next := s.clone()
	next.Version++
	m.sites[origin] = next
	return nil
}
