package cdp

import (
	"errors"
	"net"
	"net/http"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// nowhere is an address at which nobody listens.
func nowhere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String() + "/"
}

// A page that asks to go elsewhere while it is parsed, and does not get there,
// stays as far as it was parsed, and holds up nobody: Chrome fires neither
// DOMContentLoaded nor load then.
func TestPageGoesNowhere(t *testing.T) {
	dead := nowhere(t)
	pages := map[string]string{
		"no-content":       `<script>location = "/204"</script>`,
		"no-content-later": `<script>onload = () => setTimeout(() => location = "/204")</script>`,
		"download":         `<script>location = "/download"</script>`,
		"download-link":    `<a id=a download href=/download></a><script>a.click()</script>`,
		"refused":          `<script>location = "/forbidden"</script>`,
		"file-form":        `<form id=f action="file:///etc/passwd"></form><script>f.submit()</script>`,
		"file":             `<script>location = "file:///etc/passwd"</script>`,
		"data":             `<script>location = "data:text/html,x"</script>`,
		"script":           `<script>location = "javascript:void 0"</script>`,
		"form-action":      `<meta http-equiv=Content-Security-Policy content="form-action 'none'"><form id=f action=/x></form><script>f.submit()</script>`,
		"other-program":    `<script>location = "nosuchscheme://x"</script>`,
		"mail":             `<a id=a href="mailto:ada@example.org"></a><script>a.click()</script>`,
		"stopped":          `<script>location = "/slow"; setTimeout(() => stop(), 50)</script>`,
		"stopped-loading":  `<script>setTimeout(() => stop(), 50)</script><img src=/slow>`,
		"superseded":       `<script>location = "/slow"; setTimeout(() => location = "/204", 50)</script>`,
		"frame-no-content": `<iframe src=/204></iframe>`,
		"frame-refused":    `<iframe src=/forbidden></iframe>`,
		"frame-download":   `<iframe src=/download></iframe>`,
		"frame-goes":       `<iframe srcdoc="<script>location = '/204'</script>"></iframe>`,
	}
	base := handle(t, map[string]http.HandlerFunc{
		"/":    func(w http.ResponseWriter, r *http.Request) { html(pages[r.URL.RawQuery])(w, r) },
		"/204": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"/download": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Disposition", "attachment; filename=x")
		},
		"/slow": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	})
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{Allow: (&policy{}).allow})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for name := range pages {
		t.Run(name, func(t *testing.T) {
			opened, err := b.NewPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			p := opened.(*page)
			defer p.Close(t.Context())
			r := recording(t, b)
			goTo(t, p, base+"/?"+name)
			if got := p.Frames()[0]; got.URL != base+"/?"+name || got.Failed != nil {
				t.Errorf("the page shows %+v", got)
			}
			await(t, r, func(e driver.Loaded) bool { return e.Frame == p.main.id })
			if name == "no-content-later" {
				await[driver.NavigationEnded](t, r, nil)
			}
			goTo(t, p, "about:blank") // nothing is left behind that holds the next one up
		})
	}
	for how, script := range map[string]string{
		"script":  `<script>location = "` + dead + `"</script>`,
		"form":    `<form id=f method=post action="` + dead + `"></form><script>f.submit()</script>`,
		"refresh": `<script>location = "` + dead + `"</script><img src=/slow>`,
	} {
		t.Run("dead port by "+how, func(t *testing.T) {
			p := testPage(t)
			pages[how] = script
			_, err := p.Navigate(t.Context(), base+"/?"+how, nil)
			var failed *driver.NavigationError
			if !errors.As(err, &failed) || failed.URL != dead || failed.Reason != driver.ReasonRefused {
				t.Errorf("Navigate = %v, want the reason why %s is not shown", err, dead)
			}
			if got := p.Frames()[0].Failed; got == nil || got.URL != dead {
				t.Errorf("Frame.Failed = %v, want the same reason", got)
			}
			goTo(t, p, base+"/?frame-no-content")
			if got := p.Frames()[0].Failed; got != nil {
				t.Errorf("Frame.Failed = %v, want none on a document", got)
			}
		})
	}
}

// What a click begins and what comes to nothing is told to have ended, also
// where Chrome sends no request for it.
func TestRequestedNavigationEnds(t *testing.T) {
	base := handle(t, map[string]http.HandlerFunc{
		"/": html(`<meta http-equiv=Content-Security-Policy content="form-action file:">
			<form id=file action="file:///etc/passwd"></form><form id=policy action=/x></form><a id=mail href="mailto:a@b"></a>`),
	})
	p := visit(t, base)
	for _, script := range []string{"file.submit()", "policy.submit()", "mail.click()"} {
		r := recording(t, p.browser)
		evaluate(t, p, script)
		await[driver.NavigationRequested](t, r, nil)
		await[driver.NavigationEnded](t, r, nil)
	}
}
