package cdp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mafredri/cdp/protocol/domsnapshot"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/snapshot"
)

// largePage has about n elements of the usual kinds.
func largePage(n int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang=en><head><title>Large</title><style>.hid{display:none}</style></head><body>`)
	for i := 0; i*12 < n; i++ {
		fmt.Fprintf(&b, `<div class="card c%d" id="card%d"><h3>Card number %d</h3><p>Some text of the card <b>%d</b> and <a href="/a/%d?q=a-long-parameter-value-%d">link %d</a></p>`+
			`<ul><li>one %d</li><li>two</li></ul><label>Field <input name="f%d" value="v%d"></label><button id="b%d" aria-label="Press %d">Go</button><span class="hid">hidden %d</span></div>`+"\n",
			i%7, i, i, i, i, i, i, i, i, i, i, i, i)
	}
	return b.String()
}

// duel measures two ways to the same thing by turns, so that whatever else the
// machine does burdens both; "ratio" is ours by the bare one.
func duel(b *testing.B, ours, bare func() error) {
	b.Helper()
	var we, they stopwatch
	timed := func(s *stopwatch, f func() error) {
		var err error
		s.time(func() { err = f() })
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		timed(&they, bare)
		timed(&we, ours)
	}
	b.ReportMetric(we.median()/1e6, "ms/ours")
	b.ReportMetric(they.median()/1e6, "ms/bare")
	b.ReportMetric(we.median()/they.median(), "ratio")
}

// BenchmarkCapture compares a capture with Chrome's own part of it.
func BenchmarkCapture(b *testing.B) {
	for _, n := range []int{1000, 10000, 50000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := open(b, largePage(n))
			capture(b, p)
			b.ReportAllocs()
			duel(b,
				func() error { _, err := p.Capture(b.Context()); return err },
				func() error {
					_, err := protocol.DOMSnapshotCaptureSnapshot.Do(b.Context(), p.session, domsnapshot.CaptureSnapshotArgs{ComputedStyles: snapshot.ComputedStyles[:]})
					return err
				})
		})
	}
}

func BenchmarkRevision(b *testing.B) {
	p := open(b, largePage(1000))
	capture(b, p)
	duel(b,
		func() error { _, err := p.Revision(b.Context()); return err },
		func() error { return p.session.Call(b.Context(), "Performance.getMetrics", nil, nil) })
}

// BenchmarkClick compares a checked click with what a bare program would do:
// one evaluation that finds the element and its middle, and three events.
func BenchmarkClick(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := open(b, largePage(n))
			d := &capture(b, p).Documents[0]
			node := d.Ref(byID(b, d, "b3"))
			duel(b,
				func() error {
					l, err := p.Locate(b.Context(), node, &driver.LocateOptions{Scroll: true})
					if err != nil {
						return err
					}
					return p.Input(b.Context(), clickAt(l.At)...)
				},
				func() error { return bareClick(b, p, `//button[@id="b3"]`) })
		})
	}
}

func bareClick(b *testing.B, p *page, xpath string) error {
	var reply struct{ Result struct{ Value [2]float64 } }
	err := p.session.Call(b.Context(), "Runtime.evaluate", map[string]any{"returnByValue": true, "expression": `(() => {
		const e = document.evaluate('` + xpath + `', document, null, 9, null).singleNodeValue;
		e.scrollIntoView({block: 'nearest', behavior: 'instant'});
		const r = e.getBoundingClientRect();
		const at = [r.left + r.width / 2, r.top + r.height / 2];
		if (document.elementFromPoint(...at) !== e) throw 'covered';
		return at;
	})()`}, &reply)
	if err != nil {
		return err
	}
	var commands []conn.Command
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		commands = append(commands, untyped("Input.dispatchMouseEvent").With(map[string]any{
			"type": kind, "x": reply.Result.Value[0], "y": reply.Result.Value[1], "button": "left", "clickCount": 1,
		}))
	}
	return p.session.Batch(b.Context(), commands...)
}
