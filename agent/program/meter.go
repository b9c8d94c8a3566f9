package program

import (
	"fmt"

	"go.starlark.net/starlark"
)

const (
	// mostString bounds one text, in bytes.
	mostString = 256 << 10
	// mostAtOnce bounds what one operation may make, in bytes: it cannot be ended.
	mostAtOnce = 8 << 20
	// mostBits bounds a whole number.
	mostBits = 2048
	// mostWalked bounds what one operation may look at: values within values,
	// each as often as it is reached.
	mostWalked = 100_000
	// deepest bounds how far values are nested where an operation looks into them.
	deepest = 64
	// slot is what an element of a list takes, in bytes.
	slot = 16
	// readStep is how many bytes are read, searched, compared or hashed as one step:
	// at a nanosecond a byte, which the slowest of these takes, the time of a few
	// steps of the interpreter, so that a million of them stay below a second.
	readStep = 256
	// moveStep is how many elements of a list are moved as one step: 1 KiB, which
	// takes a tenth of a microsecond.
	moveStep = 1024 / slot
)

// A meter counts what a program takes. Operations whose results have no natural
// bound are charged before they are done, with the most that they can come to;
// the sum only grows, so that what a program holds is never more than that.
type meter struct {
	most, used int // bytes
	thread     *starlark.Thread
	steps      uint64 // of the thread, at most
}

// charge counts bytes that an operation may take.
func (m *meter) charge(bytes int) error {
	if bytes > mostAtOnce {
		return fmt.Errorf("%w: %d bytes at once; at most %d", ErrMemory, bytes, mostAtOnce)
	}
	if bytes > m.most-m.used {
		return fmt.Errorf("%w: it has used %d of %d bytes, and this may take %d more", ErrMemory, m.used, m.most, bytes)
	}
	m.used += bytes
	return nil
}

// text charges a text that is about to be made.
func (m *meter) text(bytes int) error {
	if bytes > mostString {
		return fmt.Errorf("%w: a text of %d bytes; at most %d", ErrMemory, bytes, mostString)
	}
	return m.charge(bytes)
}

// spend counts steps for what an operation touches beyond the one that it is, and
// refuses it where no so many are left: an operation under way cannot be ended.
func (m *meter) spend(steps int) error {
	if left := m.steps - min(m.thread.Steps, m.steps); uint64(steps) > left {
		return fmt.Errorf("%w: an operation touches as much as %d steps do; %d of %d are left", ErrSteps, steps, left, m.steps)
	}
	m.thread.Steps += uint64(steps)
	return nil
}

// touch counts bytes that an operation reads.
func (m *meter) touch(bytes int) error { return m.spend(bytes / readStep) }

// A weight is what values come to if each is written out wherever it is reached.
type weight struct{ values, bytes int }

// steps are those of walking what has the weight once.
func (w weight) steps() int { return w.values/8 + w.bytes/readStep }

// weigh walks values, and counts the walk, and their bytes, as steps. Lists that hold the same list
// many times over are small, and endless to print, compare or hash: the walk
// refuses them, and anything nested too deep for the stack.
func (m *meter) weigh(values ...starlark.Value) (weight, error) {
	var w weight
	for _, v := range values {
		if err := w.add(v, 0); err != nil {
			return w, err
		}
	}
	return w, m.spend(w.steps())
}

func (w *weight) add(v starlark.Value, depth int) error {
	if w.values++; w.values > mostWalked || depth > deepest {
		return fmt.Errorf("%w: a value of more than %d parts, or nested deeper than %d", ErrMemory, mostWalked, deepest)
	}
	w.bytes += slot
	switch v := v.(type) {
	case starlark.String:
		w.bytes += len(v)
	case starlark.Int:
		w.bytes += bits(v)/3 + 1
	case *starlark.List, starlark.Tuple:
		for i := range starlark.Len(v) {
			if err := w.add(v.(starlark.Indexable).Index(i), depth+1); err != nil {
				return err
			}
		}
	case *starlark.Dict:
		for k, item := range v.Entries() {
			if err := w.add(k, depth+1); err != nil {
				return err
			}
			if err := w.add(item, depth+1); err != nil {
				return err
			}
		}
	case starlark.NoneType, starlark.Bool, starlark.Float:
	default:
		w.bytes += 2 * mostShown // an element, at most
	}
	return nil
}

// count says how many values iterating over one gives, and refuses too many.
func (m *meter) count(v starlark.Value) (int, error) {
	n := starlark.Len(v)
	if n < 0 {
		return 0, fmt.Errorf("a %s cannot be gone through", v.Type())
	}
	if n > mostWalked {
		return 0, fmt.Errorf("%w: %d values at once; at most %d", ErrMemory, n, mostWalked)
	}
	return n, m.spend(n / 8)
}

// bits is the length of a whole number.
func bits(i starlark.Int) int { return i.BigInt().BitLen() }
