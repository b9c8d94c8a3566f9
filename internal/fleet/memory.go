package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Memory is a Store within one process, for a fleet of one node and for tests.
// The zero value is empty and ready. What is in it ends with the process.
//
// Changes are reported before the call that made them returns.
type Memory struct {
	mu       sync.Mutex // protects what follows; held while watchers are called
	records  map[string]Record
	revision uint64
	watchers []*watcher
}

// A watcher is one call to Watch.
type watcher struct {
	prefix  string
	changed func(Record)
}

var _ Store = (*Memory)(nil)

// Get implements Store.
func (m *Memory) Get(ctx context.Context, key string) (Record, error) {
	if err := CheckCall(ctx, key); err != nil {
		return Record{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.records[key]
	if !ok {
		return Record{}, fmt.Errorf("%w: %s", ErrNotFound, key)
	}
	r.Value = slices.Clone(r.Value)
	return r, nil
}

// Put implements Store.
func (m *Memory) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if err := CheckCall(ctx, key); err != nil {
		return 0, err
	}
	if len(value) > MaxValue {
		return 0, fmt.Errorf("fleet: %s: %d bytes are more than the %d of a record", key, len(value), MaxValue)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[key].Revision != revision {
		return 0, fmt.Errorf("%w: %s", ErrConflict, key)
	}
	if m.records == nil {
		m.records = map[string]Record{}
	}
	m.revision++
	r := Record{Key: key, Value: slices.Clone(value), Revision: m.revision}
	m.records[key] = r
	m.report(r)
	return r.Revision, nil
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, key string, revision uint64) error {
	if err := CheckCall(ctx, key); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.records[key]; !ok || r.Revision != revision {
		return fmt.Errorf("%w: %s", ErrConflict, key)
	}
	delete(m.records, key)
	m.revision++
	m.report(Record{Key: key, Revision: m.revision, Deleted: true})
	return nil
}

// report tells the watchers of a change. m.mu is held.
func (m *Memory) report(r Record) {
	for _, w := range m.watchers {
		if strings.HasPrefix(r.Key, w.prefix) {
			own := r
			own.Value = slices.Clone(r.Value)
			w.changed(own)
		}
	}
}

// Watch implements Store.
func (m *Memory) Watch(ctx context.Context, prefix string, changed func(Record)) (stop func(), err error) {
	if err := CheckCall(ctx, strings.TrimSuffix(prefix, ".")); err != nil {
		return nil, err
	}
	w := &watcher{prefix, changed}
	m.mu.Lock()
	defer m.mu.Unlock()
	var present []Record
	for key, r := range m.records {
		if strings.HasPrefix(key, prefix) {
			r.Value = slices.Clone(r.Value)
			present = append(present, r)
		}
	}
	slices.SortFunc(present, func(a, b Record) int { return int(a.Revision) - int(b.Revision) })
	for _, r := range present {
		changed(r)
	}
	m.watchers = append(m.watchers, w)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.watchers = slices.DeleteFunc(m.watchers, func(one *watcher) bool { return one == w })
	}, nil
}
