package cdp

import (
	"testing"
	"time"

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
	before := time.Now()
	drawn(t, p)
	b := activity(t, p)
	if b.Mutated <= a.Mutated || b.Mutated > a.Mutated+time.Since(before)+time.Second {
		t.Errorf("a change %v ago is %v ago a frame later", a.Mutated, b.Mutated)
	}
	inMain(t, p, "void f.contentDocument.body.append(f.contentDocument.createElement('hr'))")
	if c := activity(t, p); c.Mutated < 0 || c.Mutated >= b.Mutated {
		t.Errorf("after a change in the frame: %v, before it %v", c.Mutated, b.Mutated)
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
	first := activity(t, p).Mutated
	inMain(t, p, "clock.textContent = 'again'")
	if now := activity(t, p).Mutated; now < first {
		t.Errorf("the clock counts as novel: %v, then %v ago", first, now)
	}
	tick("list.append(document.createElement('li'))")
	before := activity(t, p).Mutated
	inMain(t, p, "list.append(document.createElement('li'))")
	if now := activity(t, p).Mutated; now >= before {
		t.Errorf("elements that come do not count: %v, then %v ago", before, now)
	}
}
