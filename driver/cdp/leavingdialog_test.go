package cdp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// TestDialogOfALeavingDocument: a dialog that opens while the next document is on its way,
// and is answered when that one has come, keeps neither from its place. Chrome takes no
// answer to it any more by then.
func TestDialogOfALeavingDocument(t *testing.T) {
	for _, c := range []struct {
		name  string
		move  func(context.Context, *page, string) error
		shown string // title
		sent  int32  // requests for documents
	}{
		{"navigate", func(ctx context.Context, p *page, base string) error {
			_, err := p.Navigate(ctx, base+"/next", nil)
			return err
		}, "second", 3},
		{"reload", func(ctx context.Context, p *page, _ string) error {
			_, err := p.Reload(ctx, nil)
			return err
		}, "second", 3},
		// What the page sends by itself is sent once.
		{"the page itself", func(ctx context.Context, p *page, _ string) error {
			evaluate(t, p, "location.href = '/next'; 1")
			return p.until(func() (bool, error) { return p.main.url == "about:blank", nil }).wait(ctx)
		}, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked, told, ask := make(chan struct{}), make(chan struct{}), make(chan struct{})
			var documents atomic.Int32 // asked for
			mux := http.NewServeMux()
			mux.HandleFunc("/favicon.ico", http.NotFound)
			mux.HandleFunc("/ask", func(http.ResponseWriter, *http.Request) { <-ask })
			mux.HandleFunc("/{page}", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("content-type", "text/html")
				n := documents.Add(1)
				if n == 1 {
					w.Write([]byte("<title>first</title><script>fetch('/ask').then(() => confirm('sure?'))</script>"))
					return
				}
				if n == 2 {
					close(ask)
					<-asked
					defer close(told)
				}
				w.Write([]byte("<title>second</title>"))
			})
			server := httptest.NewServer(mux)
			defer server.Close()
			b := openWith(t, &driver.BrowserOptions{Dialog: func(driver.Dialog) driver.DialogAnswer {
				close(asked)
				<-told
				time.Sleep(500 * time.Millisecond) // Chrome has the answer by then
				return driver.DialogAnswer{Accept: true}
			}})
			opened, err := b.NewPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			p := opened.(*page)
			goTo(t, p, server.URL+"/first")
			if err := c.move(t.Context(), p, server.URL); err != nil {
				t.Fatal(err)
			}
			if got := evaluate(t, p, "document.title"); got != c.shown || documents.Load() != c.sent {
				t.Errorf("the page shows %q after %d requests, want %q after %d", got, documents.Load(), c.shown, c.sent)
			}
		})
	}
}
