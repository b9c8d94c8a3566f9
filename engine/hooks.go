package engine

import "context"

// JoinHooks returns hooks that call those of a and then those of b. Either may
// be nil.
func JoinHooks(a, b *Hooks) *Hooks {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &Hooks{
		Began: func(ctx context.Context, e Entry) context.Context {
			for _, h := range []*Hooks{a, b} {
				if h.Began == nil {
					continue
				}
				if inner := h.Began(ctx, e); inner != nil {
					ctx = inner
				}
			}
			return ctx
		},
		Ended: func(ctx context.Context, e Entry, err error) {
			for _, h := range []*Hooks{a, b} {
				if h.Ended != nil {
					h.Ended(ctx, e, err)
				}
			}
		},
		Looked: join(a.Looked, b.Looked),
		Asked:  join(a.Asked, b.Asked),
		Cached: join(a.Cached, b.Cached),
		Acted:  join(a.Acted, b.Acted),
		Refused: func(r Refusal) {
			for _, h := range []*Hooks{a, b} {
				if h.Refused != nil {
					h.Refused(r)
				}
			}
		},
	}
}

func join[T any](a, b func(context.Context, T)) func(context.Context, T) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(ctx context.Context, v T) {
		a(ctx, v)
		b(ctx, v)
	}
}
