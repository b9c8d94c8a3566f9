package parts

import (
	"context"
	"sync"
	"sync/atomic"
)

// A Reader reads a page part by part, one page at a time.
type Reader struct {
	// Ask reads one part. It is called from several goroutines at once. Its
	// context ends when another part fails.
	Ask func(ctx context.Context, p Part) (Answer, error)

	AtOnce int // most calls of Ask at a time; at least 1

	// Smaller reports whether an error of Ask may not come again for a smaller
	// part. The part is then read in two halves. nil is never.
	Smaller func(err error) bool

	// Ends reports whether an error of Ask says that a bound is reached. The
	// part, and those that were not begun, stay unread then. nil is never.
	Ends func(err error) bool

	ended atomic.Bool // a bound is reached
}

// Read asks for the parts, in page order as far as one begins before another,
// and returns the answers in page order. The parts that a bound left unread are
// no error. Any other error of Ask ends all calls under way, and the first one
// is returned. When Read returns, no call is under way.
func (r *Reader) Read(ctx context.Context, d *Division, all []Part) (answers []Answer, unread []Part, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.ended.Store(false)
	results := make([]result, len(all))
	var next atomic.Int32
	var workers sync.WaitGroup
	for range min(max(r.AtOnce, 1), len(all)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(all) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if err := r.part(ctx, d, all[i], &results[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	for _, one := range results {
		answers = append(answers, one.answers...)
		unread = append(unread, one.unread...)
	}
	return answers, unread, nil
}

// A result is what was read of a part.
type result struct {
	answers []Answer
	unread  []Part
}

// part reads a part, in halves if it is too large.
func (r *Reader) part(ctx context.Context, d *Division, p Part, to *result) error {
	if r.ended.Load() {
		to.unread = append(to.unread, p)
		return nil
	}
	answer, err := r.Ask(ctx, p)
	switch {
	case err == nil:
		to.answers = append(to.answers, answer)
		return nil
	case r.Ends != nil && r.Ends(err):
		r.ended.Store(true)
		to.unread = append(to.unread, p)
		return nil
	case r.Smaller == nil || !r.Smaller(err) || ctx.Err() != nil:
		return err
	}
	first, second, ok := d.Halve(p)
	if !ok {
		return err
	}
	if err := r.part(ctx, d, first, to); err != nil {
		return err
	}
	return r.part(ctx, d, second, to)
}
