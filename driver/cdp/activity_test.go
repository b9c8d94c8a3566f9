package cdp

import (
	"strconv"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func activity(t testing.TB, p *page) *driver.Activity {
	t.Helper()
	a, err := p.Activity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestActivity(t *testing.T) {
	p := open(t, `<!doctype html><style>#t {width: 10px; transition: width 30s}</style><body><div id=t></div><p id=p>p</p><iframe id=f srcdoc="<p id=in>in</p>"></iframe>`)
	if a := activity(t, p); a.Mutated >= 0 || a.Transition || a.Busy || a.Parsing {
		t.Errorf("a page at rest: %+v", a)
	}
	inMain(t, p, "p.textContent = 'x'")
	a := activity(t, p)
	if a.Mutated < 0 {
		t.Errorf("after a change: %+v", a)
	}
	at := mutatedAt(t, p, "")
	drawn(t, p)
	if b := activity(t, p); b.Mutated <= a.Mutated || mutatedAt(t, p, "") != at {
		t.Errorf("a change %v ago is %v ago a frame later", a.Mutated, b.Mutated)
	}
	frame := p.Frames()[1].ID
	inMain(t, p, "void f.contentDocument.body.append(f.contentDocument.createElement('hr'))")
	if mutatedAt(t, p, frame) < 0 {
		t.Error("a change in the frame was not noticed")
	}
	inMain(t, p, "t.style.width = '500px'")
	drawn(t, p)
	if a := activity(t, p); !a.Transition {
		t.Errorf("while a transition runs: %+v", a)
	}
	for _, mark := range []string{
		`<div aria-busy=true>loading</div>`, `<div role=progressbar>50%</div>`, `<progress></progress>`,
		`<div class="card Skeleton-line" style="height:10px"></div>`, `<i class=spinner>o</i>`,
	} {
		inMain(t, p, "void (p.innerHTML = `"+mark+"`)")
		if a := activity(t, p); !a.Busy {
			t.Errorf("%s is not busy", mark)
		}
		inMain(t, p, "void (p.style.display = 'none')")
		if a := activity(t, p); a.Busy {
			t.Errorf("%s is busy without being seen", mark)
		}
		inMain(t, p, "void (p.style.display = '')")
	}
}

func TestYield(t *testing.T) {
	p := open(t, `<!doctype html><p id=p></p><iframe id=f srcdoc="<p>in</p>"></iframe>`)
	for i, frame := range []driver.FrameID{p.Frames()[0].ID, p.Frames()[1].ID} {
		word := strconv.Itoa(i)
		inMain(t, p, "void setTimeout(() => setTimeout(() => { p.textContent = '"+word+"'; history.pushState(0, '', '#"+word+"') }))")
		if err := p.Yield(t.Context(), frame); err != nil {
			t.Fatal(err)
		}
		if got := inMain(t, p, "p.textContent"); got != word {
			t.Errorf("frame %d: the page shows %q after its turn, want %q", i, got, word)
		}
	}
}

// A node that changes again and again stops to count, unless elements come.
func TestActivityHabit(t *testing.T) {
	p := open(t, `<!doctype html><p id=clock>0</p><ul id=list></ul>`)
	activity(t, p)
	// Each change is a batch of its own, all at once as clocks go.
	tick := func(statement string) {
		t.Helper()
		inMain(t, p, "(async () => { for (let i = 0; i < 12; i++) { "+statement+"; await new Promise((done) => setTimeout(done)); } })()")
	}
	tick("clock.textContent = i")
	first := mutatedAt(t, p, "")
	inMain(t, p, "clock.textContent = 'again'")
	if now := mutatedAt(t, p, ""); now != first || first < 0 {
		t.Errorf("the clock counts as novel: at %v, then at %v", first, now)
	}
	tick("list.append(document.createElement('li'))")
	before := mutatedAt(t, p, "")
	inMain(t, p, "list.append(document.createElement('li'))")
	if now := mutatedAt(t, p, ""); now <= before || before <= first {
		t.Errorf("elements that come do not count: at %v, %v, %v", first, before, now)
	}
}

// mutatedAt is the page's own time of the last novel change, -1 if there was none.
func mutatedAt(t testing.TB, p *page, frame driver.FrameID) float64 {
	t.Helper()
	raw, err := p.Evaluate(t.Context(), "Math.max(-1, wayfinder.mutated)", &driver.EvaluateOptions{Frame: frame})
	if err != nil {
		t.Fatal(err)
	}
	at, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
