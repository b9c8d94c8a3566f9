package layout

import (
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/css"
)

// A counter is one that a style made. It counts for the children of the box
// that its element stands in, and for what is below them.
type counter struct {
	name  string
	value int
	in    int32
}

// count does what the style of a child of a box asks of counters.
func (v *View) count(in int32, s *css.Style) {
	r := s.Rare
	if r == nil {
		return
	}
	eachCounter(r.CounterReset, 0, func(name string, value int) {
		for i := len(v.counts) - 1; i >= 0 && v.counts[i].in == in; i-- {
			if v.counts[i].name == name {
				v.counts[i].value = value
				return
			}
		}
		if len(v.counts) < maxCounts {
			v.counts = append(v.counts, counter{name, value, in})
		}
	})
	eachCounter(r.CounterIncrement, 1, func(name string, by int) { v.counter(in, name).value += by })
	eachCounter(r.CounterSet, 0, func(name string, to int) { v.counter(in, name).value = to })
}

// counter is the innermost of a name; a new one if there is none.
func (v *View) counter(in int32, name string) *counter {
	for i := len(v.counts) - 1; i >= 0; i-- {
		if v.counts[i].name == name {
			return &v.counts[i]
		}
	}
	if len(v.counts) >= maxCounts {
		return &counter{}
	}
	v.counts = append(v.counts, counter{name: name, in: in})
	return &v.counts[len(v.counts)-1]
}

// uncount drops the counters that ended with a box.
func (v *View) uncount(in int32) {
	for len(v.counts) > 0 && v.counts[len(v.counts)-1].in == in {
		v.counts = v.counts[:len(v.counts)-1]
	}
}

// Bounds: counters that a style names, and those that count at one place.
const (
	maxNamed  = 32
	maxCounts = 1000
)

// eachCounter reads "name 2 other".
func eachCounter(value string, otherwise int, f func(name string, n int)) {
	words := strings.Fields(value)
	words = words[:min(len(words), maxNamed)]
	for i := 0; i < len(words); i++ {
		if words[i] == "none" {
			return
		}
		n := otherwise
		if i+1 < len(words) {
			if given, err := strconv.Atoi(words[i+1]); err == nil {
				f(words[i], given)
				i++
				continue
			}
		}
		f(words[i], n)
	}
}

// counted is what counter() shows, and counters() where join is not empty.
func (v *View) counted(name, join, style string) string {
	name = strings.ToLower(name)
	var values []string
	for i := range v.counts {
		if c := &v.counts[i]; c.name == name {
			values = append(values, sign(c.value, style))
		}
	}
	switch {
	case len(values) == 0:
		return sign(0, style)
	case join == "":
		return values[len(values)-1]
	}
	return strings.Join(values, join)
}

// sign writes a counter as a list style has it.
func sign(n int, style string) string {
	if bullet, ok := listBullets[style]; ok {
		return strings.TrimSpace(bullet)
	}
	return ordinal(n, style)
}
