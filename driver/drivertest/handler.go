package drivertest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// handles has a handler take part in the requests whose path ends as given.
func handles(path string, handle func(context.Context, *driver.Request) (*driver.Reply, error)) func(*trial, *driver.BrowserOptions) {
	return func(_ *trial, o *driver.BrowserOptions) {
		o.Handler = &driver.Handler{
			Match:  func(r driver.RequestInfo) bool { return strings.HasSuffix(r.URL, path) },
			Handle: handle,
		}
	}
}

var htmlHeader = http.Header{"Content-Type": {"text/html; charset=utf-8"}}

var errHandler = errors.New("not today")

// guarded is a page behind HTTP authentication.
func guarded(w http.ResponseWriter, r *http.Request) {
	if user, password, _ := r.BasicAuth(); user != "ann" || password != "s3cret" {
		w.Header().Set("WWW-Authenticate", `Basic realm="house"`)
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte("<p id=p>who are you?")) // a reader that is gone is no matter of ours
		return
	}
	w.Header().Set("Content-Type", "text/html")
	_, _ = w.Write([]byte("<p id=p>welcome"))
}

var handlerCases = rows(Case{Doc: "Handler.Handle", pages: pages{"/": "<p id=p>server"}},
	rule("handler/answer", "A reply of a handler is what the page gets, and no server sees the request.").
		under(handles("/made", func(_ context.Context, r *driver.Request) (*driver.Reply, error) {
			return &driver.Reply{Status: http.StatusTeapot, Header: htmlHeader, Body: []byte("<p id=p>made for " + r.Method)}, nil
		})).
		checks(func(t *trial) {
			t.equal("Status", t.open("/made").Status, http.StatusTeapot)
			t.equal("text", t.text("#p"), "made for GET")
			t.unasked("/made")
			t.open("/")
			t.equal("text of what does not match", t.text("#p"), "server")
		}),
	rule("handler/pass", "Neither reply nor error lets a request go on, changed as the handler changed it.").
		under(handles("/", func(_ context.Context, r *driver.Request) (*driver.Reply, error) {
			r.Header.Set("X-Probe", "added")
			return nil, nil
		})).
		opens(func(t *trial) {
			t.equal("text", t.text("#p"), "server")
			t.equal("X-Probe", t.request("/").Header.Get("X-Probe"), "added")
		}),
	rule("handler/elsewhere", "A request that a handler sends to another address keeps its own for the page.").at("Request").
		with(pages{"/real": "<p id=p>real"}).
		under(handles("/asked", func(_ context.Context, r *driver.Request) (*driver.Reply, error) {
			r.URL = strings.Replace(r.URL, "/asked", "/real", 1)
			return nil, nil
		})).
		checks(func(t *trial) {
			resp := t.open("/asked")
			t.equal("text", t.text("#p"), "real")
			t.equal("URL", resp.URL, t.url("/asked"))
			t.unasked("/asked")
		}),
	rule("handler/elsewhere-refused", "An address that a handler changed has to pass Allow, too.").at("Request").
		with(pages{"/": "<p id=p>one", "/secret": "<p id=p>secret"}).
		under(func(tr *trial, o *driver.BrowserOptions) {
			keepSecret(tr, o)
			handles("/asked", func(_ context.Context, r *driver.Request) (*driver.Reply, error) {
				r.URL = strings.Replace(r.URL, "/asked", "/secret", 1)
				return nil, nil
			})(tr, o)
		}).
		opens(func(t *trial) {
			t.fails("Navigate", errOf(t.page.Navigate(t.ctx, t.url("/asked"), nil)), errNotHere)
			t.equal("text", t.text("#p"), "one")
			t.unasked("/secret")
		}),
	rule("handler/read", "Send gives the handler the server's answer, which the page gets where the handler returns nothing else.").at("Request.Send").checks(func(t *trial) {
		var mu sync.Mutex // protects got
		var got []string
		opts := &driver.BrowserOptions{}
		handles("/", func(ctx context.Context, r *driver.Request) (*driver.Reply, error) {
			reply, err := r.Send(ctx)
			if err != nil {
				return nil, err
			}
			mu.Lock()
			defer mu.Unlock()
			got = append(got, string(reply.Body))
			return nil, nil
		})(t, opts)
		t.page = t.openBrowser(opts).Pages()[0]
		t.open("/")
		t.equal("text", t.text("#p"), "server")
		mu.Lock()
		defer mu.Unlock()
		t.must(len(got) == 1 && strings.Contains(got[0], "<p id=p>server"), "the handler read %q", got)
	}),
	rule("handler/change", "A handler may change what came back.").at("Request.Send").
		under(handles("/", func(ctx context.Context, r *driver.Request) (*driver.Reply, error) {
			reply, err := r.Send(ctx)
			if err == nil {
				reply.Body = []byte(strings.Replace(string(reply.Body), "server", "changed", 1))
			}
			return reply, err
		})).
		checks(func(t *trial) {
			t.equal("Status", t.open("/").Status, http.StatusOK)
			t.equal("text", t.text("#p"), "changed")
		}),
	rule("handler/fail", "An error of a handler has the request fail; a navigation's error wraps it.").
		on("<p id=p>one").
		under(handles("/bad", func(context.Context, *driver.Request) (*driver.Reply, error) {
			return nil, errHandler
		})).
		opens(func(t *trial) {
			t.fails("Navigate", errOf(t.page.Navigate(t.ctx, t.url("/bad"), nil)), errHandler)
			t.equal("text", t.text("#p"), "one")
			t.unasked("/bad")
		}),
	rule("handler/form", "A handler sees the method and the body of a form that is sent, and may change the body.").at("Request").
		with(pages{"/": `<form method=post action=/sent><input name=a value=1><button id=b>send</button></form>`, "/sent": "<p id=p>sent"}).
		under(handles("/sent", func(_ context.Context, r *driver.Request) (*driver.Reply, error) {
			if r.Method != http.MethodPost {
				return nil, errHandler
			}
			r.Body = []byte(string(r.Body) + "&b=2")
			return nil, nil
		})).
		opens(func(t *trial) {
			t.click("#b")
			t.equal("Body", t.request("/sent").Body, "a=1&b=2")
		}),
	rule("handler/redirect", "A redirect is a request of its own, with Redirected set; Send returns the redirect.").
		with(pages{"/moved": redirect("/there", http.StatusFound), "/there": "<p id=p>there"}).
		checks(func(t *trial) {
			var mu sync.Mutex // protects seen
			var seen []string
			opts := &driver.BrowserOptions{Handler: &driver.Handler{
				Match: func(r driver.RequestInfo) bool { return r.Kind == driver.RequestDocument },
				Handle: func(ctx context.Context, r *driver.Request) (*driver.Reply, error) {
					reply, err := r.Send(ctx)
					if err != nil {
						return nil, err
					}
					mu.Lock()
					defer mu.Unlock()
					line := http.StatusText(reply.Status)
					if r.Redirected {
						line = "redirected: " + line
					}
					seen = append(seen, line)
					return nil, nil
				},
			}}
			t.page = t.openBrowser(opts).Pages()[0]
			t.open("/moved")
			t.equal("text", t.text("#p"), "there")
			mu.Lock()
			defer mu.Unlock()
			t.must(slices.Equal(seen, []string{"Found", "redirected: OK"}), "the handler saw %q", seen)
		}),
	rule("handler/stylesheet", "A handler takes part in subresources.").at("Handler").
		on(`<link rel=stylesheet href=/style.css><p id=p>one`).
		under(handles("/style.css", func(context.Context, *driver.Request) (*driver.Reply, error) {
			return &driver.Reply{Header: http.Header{"Content-Type": {"text/css"}}, Body: []byte("p { display: none }")}, nil
		})).
		opens(func(t *trial) {
			t.later("the style of the handler", func() bool { return !t.capture().element("p").Rendered })
			t.unasked("/style.css")
		}),
	rule("credentials/origin", "Credentials answer a server of their origin that asks for them, and no other.").at("BrowserOptions.Credentials").
		with(pages{"/house": guarded}).
		under(func(t *trial, o *driver.BrowserOptions) {
			o.Credentials = []driver.Credentials{{Origin: t.site.Origin, Username: "ann", Password: "s3cret"}}
		}).
		checks(func(t *trial) {
			t.equal("Status", t.open("/house").Status, http.StatusOK)
			t.equal("text", t.text("#p"), "welcome")
			resp, err := t.page.Navigate(t.ctx, t.elsewhere("/house"), nil)
			t.ok("Navigate to another origin", err)
			t.equal("Status at another origin", resp.Status, http.StatusUnauthorized)
		}),
	rule("credentials/none", "Without credentials the answer is the server's 401.").at("BrowserOptions.Credentials").
		with(pages{"/house": guarded}).
		checks(func(t *trial) { t.equal("Status", t.open("/house").Status, http.StatusUnauthorized) }),
	rule("credentials/wrong", "Wrong credentials are offered once.").at("BrowserOptions.Credentials").
		with(pages{"/house": guarded}).
		under(func(t *trial, o *driver.BrowserOptions) {
			o.Credentials = []driver.Credentials{{Origin: t.site.Origin, Username: "ann", Password: "wrong"}}
		}).
		checks(func(t *trial) { t.equal("Status", t.open("/house").Status, http.StatusUnauthorized) }),
	rule("console/message", "What a script writes to the console is an event, where the options ask for it.").at("ConsoleMessage").
		on(`<button id=b>write</button>`).
		doing(on("click", "#b", Action{Kind: WriteConsole, Name: "warn", Text: "careful"})).
		under(func(_ *trial, o *driver.BrowserOptions) { o.Console = true }).
		opens(func(t *trial) {
			t.trigger("#b")
			e := wait[driver.ConsoleMessage](t, nil)
			t.equal("Level", e.Level, driver.ConsoleWarning)
			t.equal("Text", e.Text, "careful 1")
			t.equal("Frame", e.Frame, t.main().ID)
		}),
	rule("console/error", "An error that nothing catches is an event, where the options ask for it.").at("PageError").
		on(`<button id=b>fail</button>`).
		doing(on("click", "#b", Action{Kind: ThrowError, Text: "broken"})).
		under(func(_ *trial, o *driver.BrowserOptions) { o.Console = true }).
		opens(func(t *trial) {
			t.trigger("#b")
			e := wait[driver.PageError](t, nil)
			t.equal("Text", e.Text, "Error: broken")
			t.equal("Frame", e.Frame, t.main().ID)
		}),
	rule("console/off", "Without being asked for, the console is left alone.").at("BrowserOptions.Console").
		with(pages{"/": `<button id=b>write</button>`, "/two": "<p>two"}).
		doing(on("click", "#b", Action{Kind: WriteConsole, Name: "log", Text: "hello"}, Action{Kind: GoTo, Text: "/two"})).
		opens(func(t *trial) {
			t.trigger("#b")
			t.request("/two")
			for _, e := range t.events.since() {
				_, wrote := e.(driver.ConsoleMessage)
				t.must(!wrote, "event %+v", e)
			}
		}),
	rule("intercept/later", "A handler that comes while the browser is open takes part in the requests that begin from then on, until it is stopped.").at("Interceptor").
		with(pages{"/": "<form method=post action=/sent><input name=a value=1><button id=b>send</button></form>", "/sent": "<p id=p>sent"}).
		opens(func(t *trial) {
			stop, held := intercepts(t, func(_ context.Context, r *driver.Request) (*driver.Reply, error) {
				return nil, errHandler
			})
			t.click("#b")
			r := t.held(held)
			t.equal("Method", r.Method, http.MethodPost)
			t.equal("Body", string(r.Body), "a=1")
			t.equal("Kind", r.Kind, driver.RequestDocument)
			stop()
			t.unasked("/sent")
			t.open("/")
			t.click("#b")
			t.request("/sent")
		}),
	rule("intercept/stop", "stop ends the contexts of calls under way, and what they held does not go out.").at("Interceptor").
		with(pages{"/": "<form method=post action=/sent><button id=b>send</button></form>", "/sent": "<p id=p>sent"}).
		opens(func(t *trial) {
			stop, held := intercepts(t, func(ctx context.Context, _ *driver.Request) (*driver.Reply, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			})
			t.click("#b")
			t.held(held)
			stop()
			t.open("/")
			t.unasked("/sent")
		}),
	rule("intercept/covers", "A document that begins after an Intercept that seals is covered.").at("Interceptor").
		on("<p>one").
		checks(func(t *trial) {
			b, ok := driver.BrowserAs[driver.Interceptor](t.browser)
			if !ok {
				t.fatalf("the browser is no driver.Interceptor")
			}
			stop, err := b.Intercept(t.ctx, &driver.Handler{Seal: true, Handle: func(context.Context, *driver.Request) (*driver.Reply, error) { return nil, nil }})
			t.ok("Intercept", err)
			t.cleanup(stop)
			t.open("/")
			t.must(b.Covers(t.page.ID()), "Covers(a new document) = false")
		}),
)

// intercepts has a handler take part in the requests from now on, if the browser
// can do so, and passes them on.
func intercepts(t *trial, handle func(context.Context, *driver.Request) (*driver.Reply, error)) (stop func(), held <-chan *driver.Request) {
	b, ok := driver.BrowserAs[driver.Interceptor](t.browser)
	if !ok {
		t.fatalf("the browser is no driver.Interceptor")
	}
	got := make(chan *driver.Request, 10)
	stop, err := b.Intercept(t.ctx, &driver.Handler{
		Match: func(r driver.RequestInfo) bool { return strings.HasSuffix(r.URL, "/sent") },
		Handle: func(ctx context.Context, r *driver.Request) (*driver.Reply, error) {
			got <- r
			return handle(ctx, r)
		},
	})
	t.ok("Intercept", err)
	t.cleanup(stop)
	return stop, got
}
