package program

import (
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

const (
	// mostShown bounds a value in a report, in bytes.
	mostShown = 160
	// mostLine bounds a line of the log, mostLog all of it, in bytes.
	mostLine = 2_000
	mostLog  = 16_000
)

// short writes a value, however large, in a few bytes.
func short(v starlark.Value) string {
	b := brief{most: mostShown}
	b.value(v, 0)
	return b.String()
}

// A brief is a text that ends where it is long enough.
type brief struct {
	strings.Builder
	most int
	full bool
}

func (b *brief) put(text string) {
	if b.full {
		return
	}
	if left := b.most - b.Len(); len(text) > left {
		text, b.full = cut(text, left), true
	}
	b.WriteString(text)
}

func (b *brief) value(v starlark.Value, depth int) {
	if b.full {
		return
	}
	if depth > deepest {
		b.put("…")
		return
	}
	switch v := v.(type) {
	case starlark.String:
		b.put(strconv.Quote(cut(string(v), b.most)))
	case starlark.Int:
		if n := bits(v); n > 256 {
			b.put(fmt.Sprintf("(a number of %d bits)", n))
			return
		}
		b.put(v.String())
	case *starlark.List:
		b.sequence("[", v, "]", depth)
	case starlark.Tuple:
		end := ")"
		if len(v) == 1 {
			end = ",)"
		}
		b.sequence("(", v, end, depth)
	case *starlark.Dict:
		b.put("{")
		first := true
		for k, item := range v.Entries() {
			if b.full {
				return
			}
			if !first {
				b.put(", ")
			}
			first = false
			b.value(k, depth+1)
			b.put(": ")
			b.value(item, depth+1)
		}
		b.put("}")
	case starlark.Callable:
		b.put("(a function)")
	default:
		b.put(v.String())
	}
}

func (b *brief) sequence(open string, v starlark.Indexable, end string, depth int) {
	b.put(open)
	for i := range v.Len() {
		if b.full {
			return
		}
		if i > 0 {
			b.put(", ")
		}
		b.value(v.Index(i), depth+1)
	}
	b.put(end)
}

// cut shortens a text to about so many bytes, and marks it.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(most, 0)], "") + "…"
}

// A log is what a program wrote, up to a bound.
type log struct {
	list []string
	size int
	left int // lines that were left out
}

func (l *log) add(text string) {
	text = cut(text, mostLine)
	if l.size+len(text) > mostLog {
		l.left++
		l.size = mostLog // what comes later would stand in the wrong place
		return
	}
	l.list = append(l.list, text)
	l.size += len(text) + 1
}

func (l *log) lines() []string {
	if l.left == 0 {
		return l.list
	}
	return append(l.list, fmt.Sprintf("… %d more lines were left out", l.left))
}
