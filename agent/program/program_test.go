package program

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// TestPrimitives: what programs do on the page, and what they read of it.
func TestPrimitives(t *testing.T) {
	for _, c := range []struct {
		name, program string
		done, log     []string
		stop          string // part of it
	}{
		{
			name: "rows", program: `
for row in find("row"):
	log(row["Customer"], number(row["Total"]), row["action"])`,
			done: []string{`find{"role":"row"}`}, log: []string{"Ada (new) 1200.5 Delete", "Bob 80.0 Delete", "Cleo 19.5 Delete"},
		},
		{
			name: "within a row", program: `click("button: Delete", within=find("row", text="bob")[0])`,
			done: []string{`find{"role":"row"}`, `click{"ref":$button/Delete/1}`},
		},
		{name: "two fit", program: `click("button: Delete")`, stop: `3 elements are button "Delete"`},
		{name: "none fits", program: "x = 1\nclick('button: Remove')", stop: `there is no button "Remove"`},
		{name: "a name alone", program: `click("Save")`, stop: "as \"button: Save\""},
		{name: "a sign for a name", program: `click("button: ×")`, done: []string{`click{"ref":$button/×/0}`}},
		{name: "a list", program: `click(find("button"))`, done: []string{`find{"role":"button"}`}, stop: "a list of 5 elements"},
		{name: "a number", program: `click(3)`, stop: "a int is no element"},
		{
			name: "states", program: `
b = find("button", "Delete")
log([x.disabled for x in b], find("checkbox")[0].checked, find("textbox")[0].value, b[0].checked)`,
			done: []string{`find{"query":"Delete","role":"button"}`, `find{"role":"checkbox"}`, `find{"role":"textbox"}`}, log: []string{`[False, False, True] True %password% None`},
		},
		{
			name: "fields", program: `
fill("textbox: Note", "hello")
fill("textbox: Note", var("password"))
fill("checkbox: Paid", False)
press("Enter", "textbox: Note")`,
			done: []string{`fillForm{"fields":[{"ref":$textbox/Note/0,"value":"hello"}]}`, `fillForm{"fields":[{"ref":$textbox/Note/0,"value":"%password%"}]}`,
				`fillForm{"fields":[{"ref":$checkbox/Paid/0,"value":"false"}]}`, `press{"keys":"Enter","ref":$textbox/Note/0}`},
		},
		{
			name: "a page's text is no placeholder", program: `fill("textbox: Note", "so: " + find("textbox")[0].value)`,
			done: []string{`find{"role":"textbox"}`}, stop: `holds the placeholder %password%`,
		},
		{name: "no placeholder in keys", program: `press("%password%")`, stop: "holds the placeholder"},
		{name: "an unknown variable", program: `var("pin")`, stop: `no variable "pin"`},
		{name: "a variable is no text", program: `x = var("password") + "!"`, stop: "unknown binary op: variable + string"},
		{name: "a variable is printed by name", program: `log(var("password"), str(var("password")), [var("password")])`, log: []string{"%password% %password% [%password%]"}},
		{name: "waits", program: "wait(text='Saved', seconds=2)\nwait()\nwait(gone='x', text='y')", done: []string{`wait{"for":"text","seconds":2,"value":"Saved"}`, `wait{"for":"quiet"}`}, stop: "one thing at a time"},
		{name: "travel", program: "navigate('/x')\nback()\nreload()\ntabs('switch', 2)\ndialog(True)\nlog(address())",
			done: []string{`navigate{"url":"/x"}`, `back{}`, `reload{}`, `tabs{"action":"switch","tab":2}`, `dialog{"accept":true,"text":""}`}, log: []string{"https://site.test/"}},
		{name: "a column that is not there", program: `log(find("row")[1]["Sum"])`, done: []string{`find{"role":"row"}`}, stop: `has no column "Sum"`},
		{name: "elements compare by what they are", program: `log(find("button")[0] == find("button")[0], find("button")[0] != find("button")[1], {find("button")[0]: 1}[find("button")[0]])`,
			done: slices.Repeat([]string{`find{"role":"button"}`}, 6), log: []string{"True True 1"}},
		{name: "read", program: `log(read())`, done: []string{`read{}`}, log: []string{"done"}},
		{name: "own end", program: `fail("no more drafts")`, stop: "no more drafts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := onPaper(t, table)
			report := run(t.Context(), c.program, p, Limits{})
			var want []string
			for _, line := range c.done {
				if before, rest, ok := strings.Cut(line, "$"); ok {
					what, after, _ := strings.Cut(rest, "/")
					name, rest, _ := strings.Cut(after, "/")
					nth := int(rest[0] - '0')
					line = before + p.ref(t, what, name, nth) + rest[1:]
				}
				want = append(want, line)
			}
			if !slices.Equal(p.done, want) {
				t.Errorf("it did\n %q, want\n %q", p.done, want)
			}
			if !slices.Equal(report.Log, c.log) {
				t.Errorf("it logged %q, want %q", report.Log, c.log)
			}
			switch {
			case c.stop == "" && report.Stop != nil:
				t.Errorf("it stopped: %v", report.Stop)
			case c.stop != "" && (report.Stop == nil || !strings.Contains(report.Stop.Error(), c.stop)):
				t.Errorf("it stopped with %v, want %q", report.Stop, c.stop)
			}
		})
	}
}

// TestStop: a stop names the line, and what the variables were there.
func TestStop(t *testing.T) {
	p := onPaper(t, table)
	p.after = func(string) (*step, error) {
		if len(p.done) == 2 {
			return &step{Number: 9, Surprise: "a dialog came"}, nil
		}
		return &step{}, nil
	}
	report := run(t.Context(), "total = 7\ndef remove(row, why):\n\tn = 1\n\tclick('button: Delete', within=row)\nfor i in range(3):\n\tremove(find('row')[i + 1], 'old')\n", p, Limits{})
	s := report.Stop
	if s.Line != 4 || s.Source != "click('button: Delete', within=row)" || !errors.Is(s, ErrSurprise) || s.Error() != "line 4: a surprise: step 9: a dialog came" {
		t.Errorf("Stop = line %d, %q: %v", s.Line, s.Source, s)
	}
	var got []string
	for _, v := range s.Variables {
		got = append(got, v.Name+"="+v.Value)
	}
	ref := strings.Trim(p.ref(t, "row", "2 |  | CHF 80.00 | ", 0), `"`)
	if want := []string{`row=<row "2 | Bob | CHF 80.00 | Delete" [` + ref + `]>`, `why="old"`, "n=1", "i=0", "total=7"}; !slices.Equal(got, want) {
		t.Errorf("the variables were %q, want %q", got, want)
	}
}

// TestStopOfTheInterpreter: what no function of ours finds has a line, too.
func TestStopOfTheInterpreter(t *testing.T) {
	for program, want := range map[string]string{
		"x = 1\nx()":                                "line 2: invalid call of non-function (int)",
		"a, b = [1, 2, 3]":                          "line 1: too many values to unpack",
		"def f():\n\treturn f()\nf()":               "line 2: function f called recursively",
		"x = [1][\n3]":                              "line 1: list index 3 out of range",
		"\n\nif True\n\tpass":                       "invalid: program:4:1: got newline, want ':'",
		"\nfoo(1)":                                  "line 2: invalid: program:2:1: undefined: foo",
		"import os":                                 "line 1: invalid: program:1:1: got import",
		"load('x.star', 'y')":                       "invalid: line 1: nothing can be loaded",
		"f = open('/etc/passwd')":                   "undefined: open",
		"x = getattr([], 'append')":                 "line 1: invalid: getattr is not there",
		"x = {}.__class__":                          "line 1: a dict has no .__class__",
		"x = find.__globals__":                      "a builtin_function_or_method has no .__globals__",
		"x = 1\nx.y = 2":                            "invalid: line 2: that cannot be assigned to",
		"def f(*args): pass":                        "invalid: line 1: *args and **kwargs are not there",
		"x = max(*[1, 2])":                          "invalid: line 1: *args and **kwargs are not there",
		"x = set([1])":                              "is not there",
		"x = b'abc'":                                "invalid: line 1: bytes are not there",
		"x = $attr":                                 "unexpected input character '$'",
		strings.Repeat("(", 5000):                   "brackets are nested deeper",
		"x = " + strings.Repeat("-", 5000) + "1":    "excessive nesting",
		"x = " + strings.Repeat("1+", 5000) + "1":   "nested deeper than 400",
		"x = " + strings.Repeat("not ", 5000) + "1": "excessive nesting",
		strings.Repeat("x = 1\n", 10000):            "at most 32768",
	} {
		s := run(t.Context(), program, nil, Limits{}).Stop
		if s == nil || !strings.Contains(s.Error(), want) {
			t.Errorf("Run(%.40q) stopped with %.200v, want %q", program, s, want)
		}
	}
}

// bombs are programs that would never end, or fill the memory, in one step of the
// interpreter or in few.
var bombs = map[string]string{
	"a loop":                     "while True:\n\tpass",
	"a long range":               "for i in range(10000000000):\n\tpass",
	"nested loops":               "[1 for a in range(100000) for b in range(100000)]",
	"a text doubled":             "x = 'ab'\nwhile True:\n\tx = x + x",
	"a text doubled in place":    "x = 'ab'\nwhile True:\n\tx += x",
	"a list doubled":             "x = [1]\nwhile True:\n\tx = x + x",
	"a list doubled in place":    "x = [1]\nwhile True:\n\tx += x",
	"a list in a list":           "x = [[1]]\nwhile True:\n\tx[0] += x[0]",
	"extended by itself":         "x = [1]\nwhile True:\n\tx.extend(x)",
	"a list repeated":            "x = [0] * 1000000000",
	"a list repeated, turned":    "x = 1000000000 * [0]",
	"a tuple repeated":           "x = (0,) * 1000000000",
	"a text repeated":            "x = 'a' * 1000000000",
	"a text repeated often":      "x = ['a' * 200000 for i in range(1000000)]",
	"repeated by a large number": "x = 'a' * (1 << 500)",
	"shifted":                    "x = 1 << 1000000000",
	"shifted on":                 "x = 1\nwhile True:\n\tx = x << 400",
	"squared":                    "x = 3\nwhile True:\n\tx = x * x",
	"squared in place":           "x = 3\nwhile True:\n\tx *= x",
	"a long number read":         "x = int('9' * 1000000)",
	"all of a range":             "x = all(range(1, 1 << 60))",
	"any of a range":             "x = any([0] and range(1 << 60) or range(0, 1 << 60, 1))\nx = max(range(1 << 60))",
	"a list of a range":          "x = list(range(1 << 50))",
	"a tuple of a range":         "x = tuple(range(1 << 40))",
	"a range sorted":             "x = sorted(range(1 << 40))",
	"a range reversed":           "x = reversed(range(1 << 40))",
	"a range numbered":           "x = enumerate(range(1 << 40))",
	"ranges zipped":              "x = zip(range(1 << 40), range(1 << 40))",
	"a sum of a range":           "x = sum(range(1 << 40))",
	"extended by a range":        "x = []\nx.extend(range(1 << 40))",
	"added a range":              "x = []\nx += range(1 << 40)",
	"a slice of itself":          "x = [0] * 1000\ny = []\nwhile True:\n\ty.append(x[:])",
	"a text backwards":           "x = 'a' * 100000\ny = []\nwhile True:\n\ty.append(x[::-1])",
	"joined":                     "x = ('a' * 1000).join(['b' * 1000] * 100000)",
	"replaced":                   "x = ('a' * 100000).replace('a', 'b' * 100000)",
	"replaced nothing":           "x = ('a' * 100000).replace('', 'b' * 100000)",
	"formatted":                  "x = ('{0}' * 1000).format('a' * 100000)",
	"formatted by percent":       "x = ('%s' * 100) % tuple(['a' * 100000] * 100)",
	"split to letters":           "x = [('a ' * 100000).split(' ') for i in range(100)]",
	"laughs":                     "x = ['ha'] * 10\nfor i in range(30):\n\tx = [x] * 10\ny = str(x)",
	"laughs logged":              "x = ['ha'] * 10\nfor i in range(30):\n\tx = [x] * 10\nlog(x)\nwhile True:\n\tlog(x)",
	"laughs in a failure":        "x = ['ha'] * 10\nfor i in range(30):\n\tx = [x] * 10\nfail(x)",
	"laughs compared":            "x = ['ha'] * 10\ny = ['ha'] * 10\nfor i in range(30):\n\tx = [x] * 10\n\ty = [y] * 10\nz = x == y",
	"laughs ordered":             "x = ['ha'] * 100\ny = ['ha'] * 100\nfor i in range(8):\n\tx = [x] * 100\n\ty = [y] * 100\nz = sorted([x, y])",
	"laughs looked for":          "x = ['ha'] * 10\ny = ['ha'] * 10\nfor i in range(30):\n\tx = [x] * 10\n\ty = [y] * 10\nz = x in [y]",
	"laughs indexed":             "x = ['ha'] * 10\ny = ['ha'] * 10\nfor i in range(30):\n\tx = [x] * 10\n\ty = [y] * 10\nz = [y].index(x)",
	"laughs hashed":              "x = (1, 2)\nfor i in range(60):\n\tx = (x, x)\nz = {x: 1}",
	"laughs as a key":            "x = (1, 2)\nz = {}\nfor i in range(60):\n\tx = (x, x)\nz[x] = 1",
	"laughs got":                 "x = (1, 2)\nfor i in range(60):\n\tx = (x, x)\nz = {}.get(x)",
	"laughs in a dict":           "x = (1, 2)\nfor i in range(60):\n\tx = (x, x)\nz = dict([(x, 1)])",
	"laughs in a comprehension":  "x = (1, 2)\nfor i in range(60):\n\tx = (x, x)\nz = {k: 1 for k in [x]}",
	"laughs numbered":            "x = (1, 2)\nfor i in range(60):\n\tx = zip([x], [x])[0]\nz = x in {}",
	"deep":                       "x = []\nfor i in range(200000):\n\tx = [x]\ny = str(x)",
	"deep, compared":             "x = []\ny = []\nfor i in range(100000):\n\tx = [x]\n\ty = [y]\nz = x == y",
	"deep, hashed":               "x = ()\nfor i in range(200000):\n\tx = (x,)\nz = {x: 1}",
	"itself":                     "x = []\nx.append(x)\nwhile True:\n\ty = str(x)\n\tz = x == x",
	"dicts":                      "x = []\nwhile True:\n\tx.append({})",
	"closures":                   "x = []\nwhile True:\n\tx.append(lambda: x)",
	"large letters":              "x = []\nwhile True:\n\tx.append(('ŉ' * 100000).upper())",
	"an exponential call":        "def a(x): return x + x\ndef b(x): return a(a(x))\ndef c(x): return b(b(x))\ndef d(x): return c(c(x))\ndef e(x): return d(d(x))\nx = e(e('abcdefgh'))",
	"a key function":             "x = sorted(range(1000), key=lambda n: 'a' * 100000)",
	"letters":                    "x = [c for i in range(1000) for c in ('a' * 100000).elems()]",
	"found again and again":      "while True:\n\tfind('button')",
	"kept elements":              "x = []\nwhile True:\n\tx.extend(find('button'))",
}

// mostAllocated is what a program may make the process allocate in all, however
// it is written: what is charged, what steps take by themselves, and readings of
// the page. It is far above what is held at once.
const mostAllocated = 1 << 30

// TestBombs: each ends by a bound, in bounded memory.
func TestBombs(t *testing.T) {
	for name, program := range bombs {
		t.Run(name, func(t *testing.T) {
			p := onPaper(t, table)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			report := run(t.Context(), program, p, Limits{})
			runtime.ReadMemStats(&after)
			if s := report.Stop; s == nil || !errors.Is(s, ErrMemory) && !errors.Is(s, ErrSteps) && !errors.Is(s, ErrCalls) && !errors.Is(s, ErrInvalid) && !strings.Contains(s.Error(), "recursion depth") && name != "laughs in a failure" {
				t.Errorf("stopped with %.300v, want a bound", s)
			}
			if made := after.TotalAlloc - before.TotalAlloc; made > mostAllocated {
				t.Errorf("it allocated %d MiB", made>>20)
			}
			if report.Bytes > 64<<20 || report.Steps > 1_200_000 {
				t.Errorf("it took %d bytes and %d steps", report.Bytes, report.Steps)
			}
		})
	}
}

// TestEnded: a program ends when its context does, wherever it is.
func TestEnded(t *testing.T) {
	for _, program := range []string{"find('button')\nwhile True:\n\tpass", "find('button')\nx = 'a'\nwhile True:\n\tx = ('a' * 1000 + x)[:2000]", "while True:\n\tclick('button: Save')"} {
		p := onPaper(t, table)
		ctx, cancel := context.WithCancel(t.Context())
		p.after = func(string) (*step, error) { cancel(); return &step{}, nil }
		report := run(ctx, program, p, Limits{Steps: math.MaxUint64, Memory: math.MaxInt, Calls: math.MaxInt})
		if report.Stop == nil || !errors.Is(report.Stop, context.Canceled) || len(p.done) != 1 {
			t.Errorf("Run(%q) did %q and stopped with %v", program, p.done, report.Stop)
		}
	}
}

// TestSame: guards change nothing of what a program means. Each runs in ours, and
// as the interpreter has it.
func TestSame(t *testing.T) {
	for _, program := range []string{
		"x = 1 + 2 * 3 - 4 // 3 % 2\ny = 7 / 2\nz = 1 << 4 | 3 & 2 ^ 1\nprint(x, y, z, -x, ~x, not x)",
		"x = 'a' + 'b' * 3\nprint(x, 'b' in x, 'c' not in x, x < 'b', x == 'abbb', x != 'a')",
		"x = [1, 2]\ny = x\nx += [3]\nx.append(4)\nprint(x, y, x == y, 2 in x, 9 not in x)\nx[0] += 5\nx[-1] *= 2\nprint(x)",
		"d = {'a': 1, (1, 2): [3]}\nd['a'] += 1\nd['b'] = 2\nd[(1, 2)] += [4]\nprint(d, d.get('x', 0), d.keys(), 'a' in d, d.items(), d | {'z': 9})",
		"a, (b, c) = 1, (2, 3)\n[d, e] = [4, 5]\nfor i, x in enumerate(['p', 'q']):\n\tprint(i, x)\nprint(a, b, c, d, e)",
		"def f(a, b=2, c=[1]):\n\treturn a + b + c[0] if a else None\nprint(f(1), f(1, c=[7]), f(0))\ng = lambda x: x * 2\nprint([g(i) for i in range(5) if i % 2 == 0 and i or False])",
		"print({k: v for k, v in zip('ab'.elems(), [1, 2])}, sorted([3, 1, 2], reverse=True), max([1, 5], key=lambda x: -x), min(3, 1))",
		"s = 'Hello, World'\nprint(s[1:4], s[::-1], s[-3:], s.split(', '), s.replace('l', 'L'), s.upper(), '{} {x}'.format(1, x=2), '%s=%d' % ('a', 3), ', '.join(['a', 'b']), s.find('o'))",
		"x = 0\nwhile x < 5:\n\tx += 1\n\tif x == 2:\n\t\tcontinue\n\tif x == 4:\n\t\tbreak\n\tprint(x)",
		"print(list((1, 2)), tuple([1]), dict([('a', 1)], b=2), bool(''), int('12'), float('1.5'), str([1, 'a', None]), repr('a'), len('abc'), type([]), abs(-3), any([0, 1]), all([1, 0]), list(reversed([1, 2])), chr(65), ord('A'))",
		"x = [3, 1, 2]\nx.insert(0, 9)\nx.remove(1)\nprint(x.pop(), x.index(3), x)\nx.clear()\nprint(x, hasattr(x, 'pop'))",
		"x = 5\nx -= 2\nx *= 3\nx //= 2\nx %= 3\nx |= 4\nx &= 6\nx ^= 1\nx <<= 2\nx >>= 1\nprint(x)\ny = 7\ny /= 2\nprint(y)",
	} {
		var want []string
		thread := &starlark.Thread{Print: func(_ *starlark.Thread, msg string) { want = append(want, msg) }}
		options := &syntax.FileOptions{While: true, TopLevelControl: true, GlobalReassign: true}
		if _, err := starlark.ExecFileOptions(options, thread, "x", program, nil); err != nil {
			t.Fatalf("%q: %v", program, err)
		}
		report := run(t.Context(), program, nil, Limits{})
		if report.Stop != nil || !slices.Equal(report.Log, want) {
			t.Errorf("%q logged\n %q, want\n %q\n%v", program, report.Log, want, report.Stop)
		}
	}
}

// TestNumber: numbers as pages write them.
func TestNumber(t *testing.T) {
	for text, want := range map[string]string{
		"CHF 1'234.50": "1234.5", "1,234.50": "1234.5", "1.234,50 €": "1234.5", "12": "12", "-3.5": "-3.5", "−3,5": "-3.5", "1,234": "1234", "1,234,567": "1234567",
		"1.234.567": "1234567", "0.125": "0.125", "0,125": "0.125", "12,5": "12.5", "12345.678": "12345.678", "A-12": "12", "CHF -12.-": "-12", "1\u00a0234,50": "1234.5", "1 234": "",
		"1.234": "", "1 of 3": "", "none": "", "2026-09-08": "", "": "",
	} {
		got, err := readNumber(text)
		if s := fmt.Sprint(got); err == nil && s != want || err != nil && want != "" {
			t.Errorf("number(%q) = %v, %v, want %q", text, got, err, want)
		}
	}
}
