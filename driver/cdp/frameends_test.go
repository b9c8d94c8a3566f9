package cdp

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// withFrame is a page with a frame in a process of its own.
func withFrame(t *testing.T, outer, inner string) (*page, frameState) {
	t.Helper()
	base := site{"/": "<body style='margin: 0'><iframe id=f style='border: 0' src='" + elsewhere(site{"/": inner}.serve(t)) + "/'></iframe>" + outer, "/next": "next"}.serve(t)
	p := visit(t, base)
	f, err := p.frame(p.Frames()[1].ID)
	if err != nil || f.session == p.session {
		t.Fatalf("the frame = %+v, %v, want one in a process of its own", f, err)
	}
	return p, f
}

// What a frame's process says of its end is said of the frame, and the page's own
// operations succeed without it, whether Chrome has told us of it or not.
func TestPageOfAFrameThatEnded(t *testing.T) {
	ends := map[string]func(*testing.T, *page, frameState){
		"crashed": func(t *testing.T, p *page, f frameState) {
			if err := f.session.Call(t.Context(), "Page.crash", nil, nil); !errors.Is(err, driver.ErrDetached) {
				t.Errorf("Page.crash = %v, want ErrDetached", err)
			}
		},
		"not told yet": func(t *testing.T, p *page, f frameState) {
			unknown := &session{chrome: f.session.chrome, kind: f.session.kind, target: f.session.target, parent: f.session.parent, page: p, browser: p.browser}
			unknown.Session = p.browser.chrome.conn.Open("that Chrome does not know", unknown)
			p.browser.locked(func() {
				p.extra = append(p.extra, unknown)
				p.frames[f.ID].session = unknown
				clear(p.frames[f.ID].worlds)
			})
		},
	}
	for how, end := range ends {
		for name, use := range map[string]func(*page) error{
			"Capture":  func(p *page) error { _, err := p.Capture(t.Context()); return err },
			"Revision": func(p *page) error { _, err := p.Revision(t.Context()); return err },
			"Activity": func(p *page) error { _, err := p.Activity(t.Context()); return err },
			"HitTest":  func(p *page) error { _, err := p.HitTest(t.Context(), driver.Point{X: 20, Y: 20}); return err },
			"Glance": func(p *page) error {
				_, err := p.Glance(t.Context(), driver.GlanceOptions{Selector: driver.Selector{Kind: driver.CSS, Text: "#f"}})
				return err
			},
			"Screenshot":    func(p *page) error { _, err := p.Screenshot(t.Context(), nil); return err },
			"Emulate":       func(p *page) error { return p.Emulate(t.Context(), &driver.Emulation{ColorScheme: driver.DarkScheme}) },
			"AddInitScript": func(p *page) error { return p.AddInitScript(t.Context(), "0") },
			"StorageState":  func(p *page) error { _, err := p.browser.StorageState(t.Context()); return err },
			"Intercept": func(p *page) error {
				stop, err := p.browser.Intercept(t.Context(), &driver.Handler{})
				if err == nil {
					stop()
				}
				return err
			},
			"Input": func(p *page) error {
				found, err := p.Find(t.Context(), driver.NodeRef{}, driver.Selector{Kind: driver.CSS, Text: "button"})
				if err != nil {
					return err
				}
				l, err := p.Locate(t.Context(), found[0], nil)
				if err != nil {
					return err
				}
				return p.Input(t.Context(), append([]driver.InputEvent{driver.Target{At: found[0]}}, clickAt(l.At)...)...)
			},
			"Navigate": func(p *page) error { _, err := p.Navigate(t.Context(), p.Frames()[0].URL+"next", nil); return err },
			"Reload":   func(p *page) error { _, err := p.Reload(t.Context(), nil); return err },
		} {
			t.Run(how+"/"+name, func(t *testing.T) {
				p, f := withFrame(t, "<button>Press</button>", "<p>inner")
				end(t, p, f)
				if err := use(p); err != nil {
					t.Errorf("%s = %v", name, err)
				}
			})
		}
	}
}

// A press that takes its frame away was made, although the frame's process has had no
// time to say so.
func TestPressThatEndsItsFrame(t *testing.T) {
	for name, leave := range map[string]string{
		"removed":       "top.location = document.referrer + '#remove'",
		"the page left": "top.location = '/?top'",
	} {
		for event, press := range map[string]func(driver.Point) []driver.InputEvent{
			"mousedown":  clickAt,
			"mouseup":    clickAt,
			"touchstart": func(at driver.Point) []driver.InputEvent { return []driver.InputEvent{driver.Tap{At: at}} },
		} {
			for _, aimed := range []bool{false, true} {
				t.Run(fmt.Sprint(name, "/", event, "/", aimed), func(t *testing.T) {
					p, f := withFrame(t, "<script>onhashchange = () => f.remove()</script>",
						"<body style='margin: 0'><button style='width: 100px; height: 50px'>Press</button><script>on"+event+" = () => { "+leave+"; for (;;); }</script>")
					events := press(driver.Point{Frame: f.ID, X: 20, Y: 15})
					if aimed {
						found, err := p.Find(t.Context(), driver.NodeRef{Frame: f.ID, Doc: f.Doc}, driver.Selector{Kind: driver.CSS, Text: "button"})
						if err != nil {
							t.Fatal(err)
						}
						events = append([]driver.InputEvent{driver.Target{At: found[0]}}, events...)
					}
					if err := p.Input(t.Context(), events...); err != nil {
						t.Errorf("Input = %v", err)
					}
				})
			}
		}
	}
}

// A tool that was called may have worked although its frame's process has ended: nothing
// says that it was gone before.
func TestToolOfAFrameThatEnded(t *testing.T) {
	for name, end := range map[string]func(*page, *session){
		"removed": func(p *page, _ *session) { evaluate(t, p, "f.remove()") },
		"crashed": func(_ *page, s *session) { s.Post(untyped("Page.crash").With(nil)) },
		"left":    func(p *page, s *session) { p.removeSession(s) },
	} {
		t.Run(name, func(t *testing.T) {
			b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{PageTools: true})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if chromeMajor(t, b.Version()) < firstWithTools {
				t.Skip("there is no WebMCP")
			}
			inner := site{"/": "<script>document.modelContext?.registerTool({name: 'endless', description: 'd', execute: () => { for (;;); }})</script>"}.serve(t)
			p := b.Pages()[0].(*page)
			goTo(t, p, site{"/": "<iframe id=f allow=tools src='" + elsewhere(inner) + "/'></iframe>"}.serve(t))
			tools, err := p.Tools(t.Context())
			if err != nil || len(tools) != 1 {
				t.Fatalf("Tools() = %+v, %v, want one", tools, err)
			}
			f, err := p.frame(tools[0].Frame)
			if err != nil || f.session == p.session {
				t.Fatalf("the frame = %+v, %v, want one in a process of its own", f, err)
			}
			before, _ := f.session.Sent()
			var r *driver.ToolResult
			var calling sync.WaitGroup
			calling.Go(func() { r, err = p.CallTool(t.Context(), tools[0].ToolRef, "{}") })
			for sent := before; sent == before; sent, _ = f.session.Sent() {
				runtime.Gosched()
			}
			end(p, f.session)
			calling.Wait()
			if err != nil || r.State != driver.ToolLeft {
				t.Errorf("CallTool() = %+v, %v, want that its document was left", r, err)
			}
		})
	}
}
