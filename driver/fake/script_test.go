package fake_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// scripted is a web of one page with a script.
func scripted(page string, script func(*fake.Document)) *fake.Driver {
	return fake.New(fake.Options{
		Web:     fake.Web{"https://a.test/": page, "https://a.test/next": "<h1>next</h1>"},
		Scripts: map[string]func(*fake.Document){"https://a.test/": script},
	})
}

func TestLateRendering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := scripted(`<button id=b>Load</button><ul id=l></ul>`, func(d *fake.Document) {
			d.On("click", "#b", func(*fake.Event) {
				for i := range 3 {
					d.After(time.Duration(3-i)*time.Second, func() { d.Find("#l").Append(fmt.Sprintf("<li>row %d</li>", i)) })
				}
			})
		})
		_, p := open(t, d, "https://a.test/")
		a, err := p.Activity(t.Context())
		if err != nil || a.Mutated >= 0 || !a.Idle {
			t.Errorf("Activity at first = %+v, %v, want no mutation, idle", a, err)
		}
		click(t, p, "#b")
		if a, err = p.Activity(t.Context()); err != nil || a.Idle {
			t.Errorf("Activity with timers = %+v, %v, want it not idle", a, err)
		}
		var got []string
		for range 4 {
			got = append(got, shown(capture(t, p)))
			time.Sleep(time.Second) // virtual
		}
		want := []string{"Load|", "Load|• |row 2|", "Load|• |row 2|• |row 1|", "Load|• |row 2|• |row 1|• |row 0|"}
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], "•|", "• |")
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("shown second by second = %q, want %q", got, want)
		}
	})
}

// What a script sends at a press is told before the input returns: a click that only
// sends something has that for its effect, however busy the machine is.
func TestFetchIsToldWithTheInput(t *testing.T) {
	d := scripted(`<button id=b>Like</button>`, func(d *fake.Document) {
		d.On("click", "#b", func(*fake.Event) { d.Fetch("POST", "/like", "", "", nil) })
	})
	b, p := open(t, d, "https://a.test/")
	var told atomic.Int32
	b.Listen(func(e driver.Event) {
		if _, ok := e.(driver.RequestStarted); ok {
			told.Add(1)
		}
	})
	for n := range int32(100) {
		click(t, p, "#b")
		if got := told.Load(); got != n+1 {
			t.Fatalf("%d requests are told after %d presses", got, n+1)
		}
	}
}

// What is due wakes the page although nobody calls.
func TestTimersTellEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := scripted(`<p>x`, func(d *fake.Document) { d.After(2*time.Second, func() { d.Navigate("/next") }) })
		b, _ := open(t, d, "https://a.test/")
		start, at := time.Now(), make(chan time.Duration, 1)
		b.Listen(func(e driver.Event) {
			if e, ok := e.(driver.Navigated); ok && strings.HasSuffix(e.URL, "/next") {
				at <- time.Since(start)
			}
		})
		if got := <-at; got != 2*time.Second {
			t.Errorf("navigated after %v, want 2s", got)
		}
	})
}

// A document that is gone does nothing any more; one that comes back goes on.
func TestTimersOfLeftDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int32
		d := scripted(`<a href=/next>next</a><p id=p>x`, func(d *fake.Document) {
			d.After(time.Second, func() { ran.Add(1); d.Find("#p").SetText("ran") })
		})
		_, p := open(t, d, "https://a.test/")
		old := find(t, p, "#p")
		click(t, p, "a")
		time.Sleep(time.Minute)
		if ran.Load() != 0 {
			t.Error("the timer of a page that was left has run")
		}
		if _, err := p.State(t.Context(), old); err == nil {
			t.Error("a reference into the page that was left is good")
		}
		if _, err := p.Back(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if s, err := p.State(t.Context(), old); err != nil || s.Tag != "p" {
			t.Errorf("the page came back as another: %+v, %v", s, err)
		}
		time.Sleep(time.Minute)
		if ran.Load() != 1 {
			t.Errorf("the timer ran %d times, want once", ran.Load())
		}
	})
}

func TestRerenderMakesStale(t *testing.T) {
	d := scripted(`<div id=app><button>Buy</button></div>`, func(d *fake.Document) {})
	_, p := open(t, d, "https://a.test/")
	before := find(t, p, "button")
	if err := fake.Change(t.Context(), p, func(d *fake.Document) { d.Find("#app").Rerender() }); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Locate(t.Context(), before, nil); err == nil {
		t.Error("Locate of a button that was rendered anew gave no error")
	}
	if after := find(t, p, "button"); after == before {
		t.Error("the new button has the old one's reference")
	}
}

func TestPreventDefaultAndOrder(t *testing.T) {
	var log []string
	d := scripted(`<form id=f><label id=l>Mail <input id=i name=m></label><button id=b>Send</button></form><a id=a href=/next>next</a>`,
		func(d *fake.Document) {
			for _, kind := range []string{"mousedown", "mouseup", "click", "keydown", "beforeinput", "input", "change", "focus", "blur", "submit"} {
				d.On(kind, "*", func(e *fake.Event) {
					if e.Current == e.Target {
						log = append(log, e.Type+" "+e.Target.Attr("id"))
					}
				})
			}
			d.On("submit", "#f", func(e *fake.Event) { e.PreventDefault() })
			d.On("click", "#a", func(e *fake.Event) { e.PreventDefault() })
		})
	_, p := open(t, d, "https://a.test/")
	click(t, p, "#i")
	if err := p.Input(t.Context(), driver.KeyDown{Key: "x"}, driver.KeyUp{Key: "x"}); err != nil {
		t.Fatal(err)
	}
	click(t, p, "#b")
	click(t, p, "#a")
	want := "mousedown i|focus i|mouseup i|click i|keydown i|beforeinput i|input i|mousedown b|change i|blur i|focus b|mouseup b|click b|submit f|mousedown a|blur b|focus a|mouseup a|click a"
	if got := strings.Join(log, "|"); got != want {
		t.Errorf("events =\n%s, want\n%s", got, want)
	}
	if got := address(t, p); got != "https://a.test/" {
		t.Errorf("the page went to %s", got)
	}
}

func TestEvaluateAnswersRegistered(t *testing.T) {
	d := fake.New(fake.Options{Web: fake.Web{"https://a.test/": "<p>hello"}, Expressions: map[string]func(*fake.Document, []any) (any, error){
		"text": func(d *fake.Document, args []any) (any, error) {
			return map[string]any{"text": d.Find("p").Text(), "n": len(args)}, nil
		},
	}})
	_, p := open(t, d, "https://a.test/")
	got, err := p.Evaluate(t.Context(), "text", &driver.EvaluateOptions{Args: []any{1, 2}})
	if err != nil || string(got) != `{"n":2,"text":"hello"}` {
		t.Errorf("Evaluate = %s, %v", got, err)
	}
}

// A dialog that a person answers holds the page, and not the caller.
func TestDialogHoldsThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := scripted(`<button>Delete</button><p>kept`, func(d *fake.Document) {
			d.On("click", "button", func(*fake.Event) {
				if d.Confirm("Sure?") {
					d.Find("p").SetText("deleted")
				}
			})
		})
		_, p := open(t, d, "https://a.test/")
		p.OnDialog(func(driver.Dialog) driver.DialogAnswer {
			time.Sleep(10 * time.Second) // a person thinks
			return driver.DialogAnswer{Accept: true}
		})
		start := time.Now()
		click(t, p, "button")
		if got := time.Since(start); got != 0 {
			t.Errorf("Input returned after %v, want at once", got)
		}
		if got := shown(capture(t, p)); got != "Delete|deleted|" || time.Since(start) != 10*time.Second {
			t.Errorf("after %v the page shows %q", time.Since(start), got)
		}
	})
}

// The same acts give the same events and the same captures.
func TestDeterminism(t *testing.T) {
	d := fake.New(fake.Options{
		Web: fake.Web{
			"https://a.test/": `<style>.x:hover{display:inline-block}</style><iframe srcdoc="<p>in"></iframe><form action=/next><input name=a><input type=radio name=r><input type=radio name=r checked><select name=s><option>1<option>2</select><button>go</button></form>
				<div id=h><template shadowrootmode=closed><slot name=b></slot><slot></slot></template><i slot=b>one</i>two</div>`,
			"https://a.test/next": `HTTP/1.1 200 OK` + "\nSet-Cookie: a=1\nSet-Cookie: b=2\n\n<h1>next</h1>",
		},
	})
	run := func() string {
		var sb strings.Builder
		b, p := open(t, d, "")
		b.Listen(func(e driver.Event) { fmt.Fprintf(&sb, "%T%+v\n", e, e) })
		if _, err := p.Navigate(t.Context(), "https://a.test/", nil); err != nil {
			t.Fatal(err)
		}
		write := func(c *driver.Capture) {
			for _, d := range c.Documents {
				for _, n := range d.Nodes {
					st, rare := n.Style, n.Rare
					n.Style, n.Rare = nil, nil
					fmt.Fprintf(&sb, "%+v %+v", n, st)
					if rare != nil {
						fmt.Fprintf(&sb, " %+v %+v", rare.Invalid, rare.Scroll)
					}
					sb.WriteByte('\n')
				}
			}
		}
		write(capture(t, p))
		click(t, p, "input")
		keys(t, p, "h", "i", "Tab", "ArrowUp", "Tab", "2", "Tab")
		write(capture(t, p))
		keys(t, p, "Enter")
		write(capture(t, p))
		cookies, err := b.Cookies(t.Context())
		fmt.Fprintf(&sb, "%+v %v %s", cookies, err, address(t, p))
		return sb.String()
	}
	first := run()
	if !strings.Contains(first, "https://a.test/next?a=hi&r=on&s=2") {
		t.Errorf("the run does not end where it should:\n%s", first[max(0, len(first)-300):])
	}
	for i := range 1000 {
		if again := run(); again != first {
			t.Fatalf("run %d differs", i+2)
		}
	}
}

// Load comes once, when the document and its frames are there, also for a
// document that is fetched again.
func TestOnLoad(t *testing.T) {
	loads := 0
	d := scripted(`<p id=p>waiting</p><iframe srcdoc="<p>in"></iframe>`, func(d *fake.Document) {
		d.On("load", "", func(*fake.Event) {
			loads++
			d.Find("#p").SetText(fmt.Sprint("loaded ", loads))
		})
	})
	_, p := open(t, d, "https://a.test/")
	for want := 1; want <= 2; want++ {
		if got := fmt.Sprint("loaded ", want); !strings.Contains(shown(capture(t, p)), got) {
			t.Errorf("shown = %s, want %s in it", shown(capture(t, p)), got)
		}
		if _, err := p.Reload(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if loads != 3 {
		t.Errorf("%d load events for three loads", loads)
	}
}

// A row that becomes another between press and release has no click; one that the press
// itself changes has it.
func TestRowUnderThePress(t *testing.T) {
	for event, want := range map[string]string{"timer": "mousedown up ", "mousedown": "mousedown click "} {
		synctest.Test(t, func(t *testing.T) {
			var log strings.Builder
			d := scripted(`<p><i id=n>Anna</i><button id=b>Open</button></p>`, func(d *fake.Document) {
				next := func() { d.Find("#n").SetText("Bob") }
				d.On("mousedown", "#b", func(*fake.Event) {
					log.WriteString("mousedown ")
					if event == "timer" {
						d.After(50*time.Millisecond, next)
					} else {
						next()
					}
				})
				d.On("click", "#b", func(*fake.Event) { log.WriteString("click ") })
				d.On("mouseup", "", func(e *fake.Event) {
					if e.Target == nil {
						log.WriteString("up ")
					}
				})
			})
			_, p := open(t, d, "https://a.test/")
			b := find(t, p, "#b")
			at, err := p.Locate(t.Context(), b, nil)
			if err != nil {
				t.Fatal(err)
			}
			err = p.Input(t.Context(), driver.Target{At: b, Beside: &driver.Beside{Up: 1, Texts: []string{"Anna"}}},
				driver.MouseDown{At: at.At, Clicks: 1}, driver.Pause{For: 100 * time.Millisecond}, driver.MouseUp{At: at.At, Clicks: 1})
			missed, ok := errors.AsType[*driver.MissedError](err)
			if changed := ok && missed.Taken && errors.Is(err, driver.ErrChanged); changed != (event == "timer") || err != nil && !changed {
				t.Errorf("by %s: Input = %v", event, err)
			}
			if log.String() != want {
				t.Errorf("by %s the page felt %q, want %q", event, log.String(), want)
			}
		})
	}
}
