package runs

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Memory is a store in memory, for tests. It ends with its process.
type Memory struct {
	mu   sync.Mutex // protects logs
	logs map[string][]Record
}

var _ Store = (*Memory)(nil)

// NewMemory returns a store without runs.
func NewMemory() *Memory { return &Memory{logs: map[string][]Record{}} }

// Append implements [Store].
func (m *Memory) Append(ctx context.Context, run string, rec Record) error {
	if err := check(ctx, run); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if have := len(m.logs[run]); rec.Revision != have+1 {
		return Conflict(run, rec, have)
	}
	rec.Data = bytes.Clone(rec.Data)
	m.logs[run] = append(m.logs[run], rec)
	return nil
}

// Load implements [Store].
func (m *Memory) Load(ctx context.Context, run string) ([]Record, error) {
	if err := check(ctx, run); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	log, ok := m.logs[run]
	if !ok {
		return nil, fmt.Errorf("run %s: %w", run, ErrNotFound)
	}
	out := slices.Clone(log)
	for i := range out {
		out[i].Data = bytes.Clone(out[i].Data)
	}
	return out, nil
}

// Runs implements [Store].
func (m *Memory) Runs(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.logs)), nil
}

// Remove implements [Store].
func (m *Memory) Remove(ctx context.Context, run string) error {
	if err := check(ctx, run); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.logs, run)
	return nil
}

func check(ctx context.Context, run string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return CheckName(run)
}
