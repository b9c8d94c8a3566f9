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

// counters are those that count at one place of the tree.
type counters struct{ list []counter }

// count does what the style of a child of a box asks of counters.
func (c *counters) count(in int32, s *css.Style) {
	eachCounter(s.CounterReset, 0, func(name string, value int) {
		for i := len(c.list) - 1; i >= 0 && c.list[i].in == in; i-- {
			if c.list[i].name == name {
				c.list[i].value = value
				return
			}
		}
		if len(c.list) < maxCounts {
			c.list = append(c.list, counter{name, value, in})
		}
	})
	eachCounter(s.CounterIncrement, 1, func(name string, by int) { c.counter(in, name).value += by })
	eachCounter(s.CounterSet, 0, func(name string, to int) { c.counter(in, name).value = to })
}

// counter is the innermost of a name; a new one if there is none.
func (c *counters) counter(in int32, name string) *counter {
	for i := len(c.list) - 1; i >= 0; i-- {
		if c.list[i].name == name {
			return &c.list[i]
		}
	}
	if len(c.list) >= maxCounts {
		return &counter{}
	}
	c.list = append(c.list, counter{name: name, in: in})
	return &c.list[len(c.list)-1]
}

// uncount drops the counters that ended with a box.
func (c *counters) uncount(in int32) {
	for len(c.list) > 0 && c.list[len(c.list)-1].in == in {
		c.list = c.list[:len(c.list)-1]
	}
}

// counted is what counter() shows, and counters() where join is not empty.
func (c *counters) counted(name, join, style string) string {
	name = strings.ToLower(name)
	var values []string
	for i := range c.list {
		if c := &c.list[i]; c.name == name {
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

// Bounds: counters that a style names, and those that count at one place.
const (
	maxNamed  = 32
	maxCounts = 1000
)

// eachCounter reads "name 2 other".
func eachCounter(value string, otherwise int, f func(name string, n int)) {
	words := strings.Fields(value)
	words = words[:min(len(words), maxNamed)]
	for i := 0; i < len(words) && words[i] != "none"; i++ {
		name, n := words[i], otherwise
		if i+1 < len(words) {
			if given, err := strconv.Atoi(words[i+1]); err == nil {
				n = given
				i++
			}
		}
		f(name, n)
	}
}

// sign writes a counter as a list style has it.
func sign(n int, style string) string {
	if bullet, ok := listBullets[style]; ok {
		return strings.TrimSpace(bullet)
	}
	return ordinal(n, style)
}
