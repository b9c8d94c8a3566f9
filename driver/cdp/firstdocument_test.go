package cdp

import (
	"errors"
	"net/http"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A frame's window goes on from its first, empty document to another of the
// same origin, and our world with it. Who has looked at the first is shown the
// second.
func TestFrameLookedAtBeforeItsDocument(t *testing.T) {
	answer := make(chan struct{})
	base := handle(t, map[string]http.HandlerFunc{
		"/": html(`<body style="margin:0"><iframe src=/late style="border:0;width:200px;height:100px"></iframe><script>
			var log = [];
		</script>`),
		"/late": func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-answer:
			case <-r.Context().Done():
			}
			html(`<body style="margin:0"><button id=a style="position:absolute;left:0;top:0;width:50px;height:50px">Anna</button>
				<button id=b style="position:absolute;left:100px;top:0;width:50px;height:50px" onclick="top.log.push('wrong')">Bob</button>`)(w, r)
		},
	})
	p := testPage(t)
	r := recording(t, p.browser)
	if _, err := p.Navigate(t.Context(), base, &driver.NavigateOptions{WaitUntil: driver.WaitCommit}); err != nil {
		t.Fatal(err)
	}
	attached := await[driver.FrameAttached](t, r, nil)
	look := func() {
		t.Helper()
		if _, err := p.Activity(t.Context()); err != nil {
			t.Errorf("Activity: %v", err)
		}
		if _, err := p.Capture(t.Context()); err != nil {
			t.Errorf("Capture: %v", err)
		}
	}
	look()
	close(answer)
	await(t, r, func(e driver.Loaded) bool { return e.Frame == attached.Frame })
	look()
	frame := p.Frames()[1]
	nodes, err := p.Find(t.Context(), driver.NodeRef{Frame: frame.ID, Doc: frame.Doc}, driver.Selector{Text: "#a"})
	if err != nil || len(nodes) != 1 {
		t.Fatalf("Find = %v, %v", nodes, err)
	}
	err = p.Input(t.Context(), append([]driver.InputEvent{driver.Target{At: nodes[0]}}, clickAt(driver.Point{X: 120, Y: 20})...)...)
	if !errors.Is(err, driver.ErrObscured) {
		t.Errorf("Input = %v, want %v", err, driver.ErrObscured)
	}
	if got := inMain(t, p, "log.join()"); got != "" {
		t.Errorf("the page felt %q", got)
	}
}
