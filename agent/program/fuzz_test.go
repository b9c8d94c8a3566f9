package program

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// An author writes programs: of operations on everything that there is, also on
// what does not fit, in loops that grow what they have.
type author struct {
	r     *rand.Rand
	out   strings.Builder
	depth int
}

func (a *author) of(list ...string) string { return list[a.r.IntN(len(list))] }

func (a *author) name() string { return a.of("x", "y", "z", "s", "l", "d", "t") }

func (a *author) expr(depth int) string {
	if depth <= 0 {
		return a.of("x", "y", "z", "s", "l", "d", "t", "0", "1", "-3", "2.5", "1000000007", "'ab'", "'{}{}'", "'%s'", "[]", "{}", "()", "None", "True", "range(1000000000)", "i")
	}
	sub := func() string { return a.expr(depth - 1 - a.r.IntN(2)) }
	switch a.r.IntN(14) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", sub(), a.of("+", "*", "-", "%", "//", "/", "<<", ">>", "|", "&", "^", "==", "<", "in", "not in", "and", "or"), sub())
	case 3:
		return fmt.Sprintf("[%s, %s]", sub(), sub())
	case 4:
		return fmt.Sprintf("(%s, %s)", sub(), sub())
	case 5:
		return fmt.Sprintf("{%s: %s}", sub(), sub())
	case 6:
		return fmt.Sprintf("%s[%s]", sub(), sub())
	case 7:
		return fmt.Sprintf("%s[%s:%s]", sub(), a.of("", "0", "1"), a.of("", "-1", "5"))
	case 8:
		return fmt.Sprintf("[%s for i in %s]", sub(), sub())
	case 9:
		return fmt.Sprintf("%s(%s)", a.of("str", "repr", "list", "tuple", "dict", "sorted", "max", "any", "all", "len", "enumerate", "reversed", "int", "sum", "number", "type", "zip", "log", "find"), sub())
	case 10:
		return fmt.Sprintf("%s.%s(%s)", sub(), a.of("append", "extend", "join", "format", "replace", "split", "get", "update", "upper", "index", "insert", "pop", "items", "keys", "elems", "setdefault"), a.of("", sub(), sub()+", "+sub()))
	case 11:
		return fmt.Sprintf("(%s if %s else %s)", sub(), sub(), sub())
	case 12:
		return fmt.Sprintf("f(%s)", sub())
	}
	return fmt.Sprintf("{k: %s for k in %s}", sub(), sub())
}

func (a *author) line(text string) {
	fmt.Fprintf(&a.out, "%s%s\n", strings.Repeat("\t", a.depth), text)
}

func (a *author) block(n int) {
	a.depth++
	for range n {
		a.statement()
	}
	a.depth--
}

func (a *author) statement() {
	kind := a.r.IntN(10)
	if a.depth > 3 {
		kind %= 5
	}
	switch kind {
	case 0, 1:
		a.line(fmt.Sprintf("%s = %s", a.name(), a.expr(3)))
	case 2:
		a.line(fmt.Sprintf("%s %s %s", a.name(), a.of("+=", "*=", "-=", "|=", "<<=", "%="), a.expr(2)))
	case 3:
		a.line(fmt.Sprintf("%s[%s] %s %s", a.name(), a.expr(1), a.of("=", "+=", "*="), a.expr(2)))
	case 4:
		a.line(a.expr(3))
	case 5:
		a.line(fmt.Sprintf("for i in %s:", a.of("range(1000)", "range(1000000000)", a.expr(1), "[1, 2, 3]")))
		a.block(1 + a.r.IntN(3))
	case 6:
		a.line("while " + a.of("True", a.expr(1)) + ":")
		a.block(1 + a.r.IntN(3))
	case 7, 8:
		// Growth that keeps to types, so that it gets far.
		a.line(a.of("for i in range(1000):", "while True:", "for i in range(40):"))
		a.depth++
		a.line(a.of("s = s + s", "s += s", "l = l + l", "l += l", "l.extend(l)", "l.append(l)", "l = [l, l]", "t = (t, t)", "x = x * x", "x = x << 60", "s = s * 3", "d[t] = d", "d = {1: d, 2: d}",
			"s = s.replace('a', s)", "s = s.join([s, s])", "s = '%s%s' % (s, s)", "l = [l] * 9", "s = str([s, s])", "l = sorted(l + [s])", "t = t + t", "d.update([(i, l)])"))
		if a.r.IntN(2) == 0 {
			a.line(a.of("str(l)", "l == [l]", "t in d", "log(l, t, d, s)", "d[t] = 1", "sorted([l, l])", "l.index(s)", "repr(d)", "max([t, t])", "x = len(s)"))
		}
		a.depth--
	case 9:
		a.line("if " + a.expr(1) + ":")
		a.block(1)
	}
}

// write is a program.
func write(seed uint64) string {
	a := &author{r: rand.New(rand.NewPCG(seed, 17))}
	a.line("x, y, z, s, l, d, t, i = 3, 2, 1.5, 'ab', [1, 2], {'a': 1}, (1, 2), 0")
	a.line("def f(v):\n\treturn " + a.of("v", "[v, v]", "v + v", "str(v)", "{v: v}"))
	for range 3 + a.r.IntN(6) {
		a.statement()
	}
	return a.out.String()
}

// hold runs a program and holds it to what every program is held to.
func hold(t *testing.T, p *paper, program string) *report {
	t.Helper()
	limits := Limits{Steps: 100_000, Memory: 8 << 20, Calls: 20}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	report := run(t.Context(), program, p, limits)
	runtime.ReadMemStats(&after)
	if report.Stop != nil && strings.Contains(report.Stop.Error(), "the interpreter failed") {
		t.Errorf("%v\n%s", report.Stop, program)
	}
	if report.Bytes > limits.Memory || report.Calls > limits.Calls+1 {
		t.Errorf("it took %d bytes and made %d calls\n%s", report.Bytes, report.Calls, program)
	}
	if made := after.TotalAlloc - before.TotalAlloc; made > 512<<20 {
		t.Errorf("it allocated %d MiB\n%s", made>>20, program)
	}
	size := 0
	for _, line := range report.Log {
		size += len(line)
	}
	if size > mostLog+mostLine {
		t.Errorf("it logged %d bytes\n%s", size, program)
	}
	for _, step := range p.done {
		if !strings.HasPrefix(step, "find{") {
			t.Errorf("it did %s\n%s", step, program)
		}
	}
	p.done = nil
	return report
}

// TestGenerated: programs as they come end in bounded memory, fail in no other
// way than by a stop, and come to nothing else than what they were given.
func TestGenerated(t *testing.T) {
	p := onPaper(t, table)
	ends := map[error]int{}
	for seed := range uint64(800) {
		report := hold(t, p, write(seed))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		for _, bound := range []error{ErrSteps, ErrMemory} {
			if report.Stop != nil && errors.Is(report.Stop, bound) {
				ends[bound]++
			}
		}
	}
	if ends[ErrSteps] < 20 || ends[ErrMemory] < 80 {
		t.Errorf("%v: too few of the programs come to a bound", ends)
	}
}

func FuzzRun(f *testing.F) {
	for _, program := range bombs {
		f.Add(program)
	}
	for seed := range uint64(20) {
		f.Add(write(seed))
	}
	f.Fuzz(func(t *testing.T, program string) {
		for _, act := range []string{"click", "fill", "select", "press", "navigate", "back", "reload", "tabs", "dialog", "extract", "wait", "read"} {
			if strings.Contains(program, act) {
				t.Skip()
			}
		}
		hold(t, onPaper(t, table), program)
	})
}

// TestFigures prints how long programs go on after their context has ended, and
// what they make meanwhile; WAYFINDER_FIGURES=1 runs it.
func TestFigures(t *testing.T) {
	if os.Getenv("WAYFINDER_FIGURES") != "1" {
		t.Skip("set WAYFINDER_FIGURES=1")
	}
	p := onPaper(t, table)
	var worst time.Duration
	worstOf := ""
	measure := func(name, program string) {
		for _, after := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond} {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan time.Time, 1)
			time.AfterFunc(after, func() { ended <- time.Now(); cancel() })
			run(ctx, program, p, Limits{Steps: 1 << 40, Calls: 1 << 30})
			select {
			case at := <-ended:
				if took := time.Since(at); took > worst {
					worst, worstOf = took, name
				}
			default: // it ended before
			}
			cancel()
			p.done = nil
		}
	}
	for name, program := range bombs {
		measure(name, program)
	}
	for seed := range uint64(300) {
		measure(fmt.Sprint("generated ", seed), write(seed))
	}
	t.Logf("the longest that a program went on after its context had ended: %v (%s)", worst, worstOf)
}
