package program

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// held are programs of few operations, each of which touches much: a loop goes over
// so much as bounds no memory and makes no text. Each would come to its end within
// the default limits if what an operation touches cost nothing.
var held = map[string]string{
	"insert at the front":        "x = [0] * 200000\nfor i in range(800):\n\tx.insert(0, 1)",
	"insert in the middle":       "x = [0] * 200000\nfor i in range(1600):\n\tx.insert(-100000, 1)",
	"pop from the front":         "x = [0] * 200000\nfor i in range(800):\n\tx.pop(0)",
	"in a text":                  "s = 'a' * 250000\nfor i in range(2000):\n\t'b' in s",
	"not in a text":              "s = 'a' * 250000\nfor i in range(2000):\n\t'b' not in s",
	"equal texts":                "s = 'a' * 250000\nt = 'a' * 250000\nfor i in range(2000):\n\ts == t",
	"texts in order":             "s = 'a' * 250000\nt = 'a' * 250000\nfor i in range(2000):\n\ts < t",
	"in a list of texts":         "s = 'a' * 250000\nt = 'a' * 250000\nx = [t] * 1100\ns in x",
	"in a tuple of texts":        "s = 'a' * 250000\nt = 'a' * 249999 + 'b'\nx = (t,) * 10000\ns in x",
	"index of a text":            "s = 'a' * 250000\nt = 'a' * 249999 + 'b'\nx = [t] * 10000\nx.append(s)\nx.index(s)",
	"remove of a text":           "s = 'a' * 250000\nt = 'a' * 249999 + 'b'\nx = [t] * 10000\nx.append(s)\nx.remove(s)",
	"equal lists":                "x = ['a' * 250000] * 10000\ny = ['a' * 250000] * 10000\nx == y",
	"sorted texts":               "s = 'a' * 250000\nt = 'a' * 250000\nx = sorted([s, t] * 50)",
	"sorted by texts":            "s = 'a' * 250000\nt = 'a' * 250000\nx = sorted(range(100), key=lambda n: s if n % 2 else t)",
	"sorted by texts, by place":  "s = 'a' * 250000\nt = 'a' * 250000\nx = sorted(range(100), lambda n: s if n % 2 else t)",
	"the least by texts":         "s = 'a' * 250000\nt = 'a' * 250000\nx = min(range(2000), key=lambda n: s if n % 2 else t)",
	"the most of texts":          "s = 'a' * 250000\nt = 'a' * 250000\nx = max([s, t] * 1000)",
	"sorted numbers":             "x = [0, 1] * 20000\nfor i in range(10):\n\tsorted(x)",
	"a key":                      "s = 'a' * 250000\nd = {}\nfor i in range(2000):\n\td[s] = i",
	"a key got":                  "s = 'a' * 250000\nd = {}\nfor i in range(2000):\n\td.get(s)",
	"a key in a dict":            "s = 'a' * 250000\nd = {}\nfor i in range(2000):\n\ts in d",
	"keys of two dicts":          "s = 'a' * 200000\nd = {s + str(i): i for i in range(20)}\nfor i in range(100):\n\td | d",
	"keys of a dict that is new": "s = 'a' * 200000\nd = {s + str(i): i for i in range(20)}\nfor i in range(100):\n\tdict(d)",
	"keys of an update":          "s = 'a' * 200000\nd = {s + str(i): i for i in range(20)}\nfor i in range(100):\n\td.update(d)",
	"a dict cleared, with keys":  "s = 'a' * 250000\nd = {}\nfor i in range(700):\n\td[s] = 1\n\td.clear()",
	"keys of one hash":           "d = {}\nfor i in range(2000):\n\td[i << 32] = 1",
	"keys of one hash, at once":  "d = dict([(i << 32, 1) for i in range(2000)])",
	"keys of one hash, updated":  "d = {}\nd.update([(i << 32, 1) for i in range(2000)])",
	"keys of one hash, joined":   "d = {i << 32: 1 for i in range(1000)}\ne = {(i + 1000) << 32: 1 for i in range(300)}\nd | e",
	"tuples of one hash":         "d = {}\nfor i in range(2000):\n\td[(i << 32,)] = 1",
	"a prefix of many":           "s = 'a' * 250000\nt = ('a' * 249999 + 'b',) * 10000\ns.startswith(t)",
	"a suffix of many":           "s = 'a' * 250000\nt = ('b' + 'a' * 249999,) * 10000\ns.endswith(t)",
	"stripped of letters":        "s = 'a' * 50000\nt = 'é' * 50000 + 'a'\ns.strip(t)",
	"stripped of letters, right": "s = 'a' * 50000\nt = 'é' * 50000 + 'a'\ns.rstrip(t)",
	"counted in a text":          "s = 'a' * 250000\nfor i in range(2000):\n\ts.count('b')",
	"found in a text":            "s = 'a' * 250000\nfor i in range(2000):\n\ts.rfind('b')",
	"a number in a text":         "s = 'a' * 250000\nfor i in range(100):\n\tnumber('1' + s)",
}

// TestHeld: what an operation touches counts as steps, before it is done.
func TestHeld(t *testing.T) {
	for name, program := range held {
		t.Run(name, func(t *testing.T) {
			report := run(t.Context(), program, nil, Limits{})
			if s := report.Stop; s == nil || !errors.Is(s, ErrSteps) {
				t.Errorf("stopped with %.300v after %d steps and %d bytes, want %v", s, report.Steps, report.Bytes, ErrSteps)
			}
			if report.Steps > 1_000_100 { // an operation for which no steps are left is not done
				t.Errorf("it took %d steps", report.Steps)
			}
		})
	}
}

// TestCheap: what programs do with the lists and texts of pages costs few steps.
func TestCheap(t *testing.T) {
	for name, c := range map[string]struct {
		program string
		steps   uint64
	}{
		"a queue":              {"q = list(range(1000))\nwhile q:\n\tq.pop(0)", 30_000},
		"a stack":              {"q = [0] * 100000\nfor i in range(1000):\n\tq.pop()\n\tq.append(1)\n\tq.insert(len(q), 2)", 60_000},
		"rows in order":        {"x = sorted(['row %d of a table' % (i * 7919 % 1000) for i in range(1000)])", 40_000},
		"a word in a page":     {"s = 'a line of a page\\n' * 2000\nn = [i for i in range(100) if 'word' in s]", 20_000},
		"lines":                {"s = 'a line of a page\\n' * 2000\nx = [l.strip(' \\n') for l in s.split('\\n') if l.startswith('a')]", 60_000},
		"counted by their key": {"d = {}\nfor i in range(1000):\n\tk = 'customer %d' % (i % 50)\n\td[k] = d.get(k, 0) + 1", 40_000},
		"a dict cleared":       {"d = {}\nfor i in range(100):\n\td[i] = 1\n\td.clear()", 4_000},
	} {
		t.Run(name, func(t *testing.T) {
			if report := run(t.Context(), c.program, nil, Limits{}); report.Stop != nil || report.Steps > c.steps {
				t.Errorf("it took %d steps of %d: %v", report.Steps, c.steps, report.Stop)
			}
		})
	}
}

// TestNested: a value that is nested too deep for the stack is refused where an
// operation looks into it, and one of usual depth is not.
func TestNested(t *testing.T) {
	const nest = "x = []\nfor i in range(%d):\n\tx = [x]\n"
	for depth, refused := range map[int]bool{deepest - 4: false, deepest + 4: true} {
		for _, operation := range []string{"y = str(x)", "y = repr([x])"} {
			stop := run(t.Context(), fmt.Sprintf(nest, depth)+operation, nil, Limits{}).Stop
			if (stop != nil && errors.Is(stop, ErrMemory)) != refused || !refused && stop != nil {
				t.Errorf("%s of %d levels: %v, want it refused: %v", operation, depth, stop, refused)
			}
		}
	}
}

// TestCleared: a dict that was large once is emptied in what it has now.
func TestCleared(t *testing.T) {
	const grown = "d = {i: i for i in range(50000)}\nd.clear()\n"
	with := run(t.Context(), grown+strings.Repeat("d.clear()\n", 100)+"log(len(d), d)\nd['a'] = 1\nlog(d)", nil, Limits{})
	if with.Stop != nil || len(with.Log) != 2 || with.Log[0] != "0 {}" || with.Log[1] != `{"a": 1}` {
		t.Errorf("logged %q: %v", with.Log, with.Stop)
	}
	if s := run(t.Context(), "d = {1: 1}\nfor k in d:\n\td.clear()", nil, Limits{}).Stop; s == nil {
		t.Error("a dict was emptied while it was gone through")
	}
}
