package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// Attach is a driver for a Chrome that somebody else has started, with
// --remote-debugging-port.
//
// Open takes over the profile that is there, with its cookies and with the
// pages that are open: that is what people expect who name a running browser.
// Options that are zero leave its windows as they are. Dialogs are answered in the
// pages that were opened or used through this browser; those of other pages are not
// told, and stay with their owner. Close ends the pages
// that were opened through this browser, and the connection, and leaves all
// else.
type Attach struct {
	// URL is "http://host:port", or the browser's own "ws://host:port/devtools/browser/…".
	URL string

	// Headers are sent when connecting.
	Headers http.Header

	// Isolated makes a browser of its own within the running Chrome, which
	// sees nothing of its profile and which Close removes.
	Isolated bool

	// ConnectTimeout bounds the connecting; 0 is 30 s.
	ConnectTimeout time.Duration

	// Logger gets what is worth knowing; nil: nothing.
	Logger *slog.Logger
}

var _ driver.Driver = Attach{}

// String returns "chrome at" and the host, without what may be secret in the address.
func (a Attach) String() string { return "chrome at " + hostOf(a.URL) }

// Open connects to the Chrome.
func (a Attach) Open(ctx context.Context, opts *driver.BrowserOptions) (_ driver.Browser, err error) {
	defer inOp("attach", hostOf(a.URL), &err)
	limit := a.ConnectTimeout
	if limit <= 0 {
		limit = conn.CommandLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	address, err := endpoint(ctx, a.URL, a.Headers)
	if err != nil {
		return nil, err
	}
	link, err := conn.Dial(ctx, address, a.Headers)
	if err != nil {
		return nil, err
	}
	c := newChrome(link, cmp.Or(a.Logger, noLog), nil)
	c.address = address
	b := newBrowser(c, opts)
	b.owner = true
	if a.Isolated {
		err = c.begin(ctx, nil)
		if err == nil {
			err = c.isolate(ctx, b, opts)
		}
	} else {
		b.foreign = true
		err = c.begin(ctx, b)
		if err == nil {
			err = b.takeOver(ctx, opts)
		}
	}
	if err != nil {
		return nil, closing(b, err)
	}
	return b, nil
}

// endpoint returns the websocket address of the browser that listens at an
// http:// address; a websocket address is returned as it is.
func endpoint(ctx context.Context, address string, header http.Header) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	switch u.Scheme {
	case "ws", "wss":
		return address, nil
	case "http", "https":
	default:
		return "", fmt.Errorf("%q is no http, https, ws or wss address", address)
	}
	found, err := askEndpoint(ctx, u, header)
	if err != nil {
		return "", err
	}
	ws, err := url.Parse(found)
	if err != nil {
		return "", err
	}
	// Chrome names itself as it was asked for, which is not how it is reached
	// where a tunnel or a proxy lies between.
	ws.Host, ws.User, ws.Scheme = u.Host, u.User, strings.Replace(u.Scheme, "http", "ws", 1)
	return ws.String(), nil
}

// maxVersionReply is far more than the answer to /json/version has.
const maxVersionReply = 1 << 20

func askEndpoint(ctx context.Context, base *url.URL, header http.Header) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath("json", "version").String(), nil)
	if err != nil {
		return "", err
	}
	req.Header = header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	if h := req.Header.Get("Host"); h != "" {
		req.Host = h
	} else if net.ParseIP(base.Hostname()) == nil && base.Hostname() != "localhost" {
		// Chrome answers only to an address or to localhost.
		req.Host = "localhost"
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxVersionReply))
	if err != nil {
		return "", err
	}
	var version struct {
		WebSocketDebuggerURL string `json:"webSocketDebuggerUrl"`
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answers %s", req.URL, res.Status)
	}
	if err := json.Unmarshal(body, &version); err != nil || version.WebSocketDebuggerURL == "" {
		return "", errors.Join(fmt.Errorf("%s does not name a browser", req.URL), err)
	}
	return version.WebSocketDebuggerURL, nil
}

// hostOf is what may be shown of an address: the rest may hold a secret.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an unreadable address"
	}
	return u.Host
}

// Endpoint returns the address at which others can attach to the Chrome of a
// browser of this package, or below wrappers ([driver.BrowserAs]); it is empty
// where there is none: [Launch].Port was not set, or the browser is another
// driver's.
func Endpoint(b driver.Browser) string {
	own, ok := driver.BrowserAs[*browser](b)
	if !ok {
		return ""
	}
	return own.chrome.Endpoint()
}
