package cdp

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A page whose script never ends can be left, by every way: the
// script that holds it up is ended.
func TestPageThatNeverEndsIsLeft(t *testing.T) {
	base := site{
		"/":      "<title>calm</title>",
		"/loop":  `<title>loop</title><script>onload = () => setTimeout(() => { for (;;); })</script>`,
		"/leave": `<title>loop</title><script>onbeforeunload = () => {}; onload = () => setTimeout(() => { for (;;); })</script>`,
	}.serve(t)
	for _, path := range []string{"/loop", "/leave"} {
		for name, leave := range map[string]func(*page) (*driver.Response, error){
			"navigate":   func(p *page) (*driver.Response, error) { return p.Navigate(t.Context(), base+"/", nil) },
			"other site": func(p *page) (*driver.Response, error) { return p.Navigate(t.Context(), elsewhere(base)+"/", nil) },
			"back":       func(p *page) (*driver.Response, error) { return p.Back(t.Context(), nil) },
		} {
			t.Run(path+" "+name, func(t *testing.T) {
				p := visit(t, base+"/")
				goTo(t, p, base+path)
				if _, err := leave(p); err != nil {
					t.Fatal(err)
				}
				if got := evaluate(t, p, "document.title"); got != "calm" {
					t.Errorf("the page shows %q", got)
				}
			})
		}
	}
}
