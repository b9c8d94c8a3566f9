package engine

import (
	"cmp"
	"container/list"
	"context"
	"sync"
)

// defaultCacheEntries is how many entries a memory cache keeps by default.
const defaultCacheEntries = 1000

// A MemoryCache is a [Cache] that lives as long as the program. Several
// sessions may share it.
type MemoryCache struct {
	limit int

	mu      sync.Mutex // protects what follows
	entries map[CacheKey]*list.Element
	order   list.List // of *kept, used last in front
}

type kept struct {
	key   CacheKey
	entry *CacheEntry
}

var _ Cache = (*MemoryCache)(nil)

// NewMemoryCache returns a cache of at most limit entries; 0 is 1,000. The one
// that was not used for longest goes first.
func NewMemoryCache(limit int) *MemoryCache {
	return &MemoryCache{limit: cmp.Or(max(limit, 0), defaultCacheEntries), entries: map[CacheKey]*list.Element{}}
}

// Get returns a copy of an entry.
func (c *MemoryCache) Get(_ context.Context, key CacheKey) (*CacheEntry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return nil, nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*kept).entry.clone(), nil
}

// Put keeps an entry.
func (c *MemoryCache) Put(_ context.Context, key CacheKey, entry *CacheEntry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		e.Value.(*kept).entry = entry
		c.order.MoveToFront(e)
		return nil
	}
	c.entries[key] = c.order.PushFront(&kept{key, entry})
	if c.order.Len() > c.limit {
		oldest := c.order.Back()
		delete(c.entries, oldest.Value.(*kept).key)
		c.order.Remove(oldest)
	}
	return nil
}

// Delete forgets an entry.
func (c *MemoryCache) Delete(_ context.Context, key CacheKey) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		delete(c.entries, key)
		c.order.Remove(e)
	}
	return nil
}

// Len returns how many entries there are.
func (c *MemoryCache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len()
}
