package server

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// Browsers say which browsers sessions have, and what these may reach.
type Browsers struct {
	// Launch makes a driver for a session that wants a browser process of its
	// own, by arguments, a profile, a port, a window. nil refuses such
	// sessions. What Allow does not allow has been refused before. An error
	// goes to the client: it says what is wrong with the options, or wraps
	// [errors.ErrUnsupported] where no such browser can be had here.
	Launch func(wire.LaunchOptions) (driver.Driver, error)

	// Attach makes a driver for a running browser. nil refuses such sessions;
	// an error is as one of Launch.
	Attach func(Address) (driver.Driver, error)

	// Endpoint returns the address at which others can attach to a session's
	// browser, empty if there is none. nil is none.
	Endpoint func(driver.Browser) string

	// Policy says which addresses the sessions' browsers may ask for. nil is
	// the zero policy: the public Internet, and nothing on the server's own
	// networks.
	Policy *engine.Policy

	// FilesDir is the directory whose files clients may have given to pages
	// (setInputFiles), by their paths. Empty: none, or a client could read
	// every file that the server can, by giving it to a page of its own.
	FilesDir string
}

// checkAction refuses what needs no page to be refused.
func (b *Browsers) checkAction(a engine.Action) error {
	if err := a.Check(); err != nil {
		return invalid([]any{"input"}, "%v", err)
	}
	if method, err := engine.ParseMethod(string(a.Method)); err != nil || method != engine.SetInputFiles {
		return err
	}
	for _, path := range a.Arguments {
		if strings.Contains(path, "%") {
			continue // a variable may stand there; the engine asks when its value is known
		}
		if err := b.checkFile(path); err != nil {
			return newFault(wire.Forbidden, "%v", err)
		}
	}
	return nil
}

// checkFile decides which of the server's files may be given to pages.
func (b *Browsers) checkFile(path string) error {
	if b.FilesDir == "" {
		return errors.New("this server's operator gives no files to pages")
	}
	dir, err := filepath.EvalSymlinks(b.FilesDir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return fmt.Errorf("the directory for files can't be read: %w", err)
	}
	// A missing path gets the same answer as one outside.
	real, err := filepath.EvalSymlinks(path)
	if err == nil && filepath.IsAbs(real) {
		if rel, err := filepath.Rel(dir, real); err == nil && filepath.IsLocal(rel) {
			return nil
		}
	}
	return fmt.Errorf("there is no such file in %s, the only directory whose files are given to pages", b.FilesDir)
}

// driverFor returns the driver that opens the browser asked for: usual, where a browser
// of the server's own does.
func (b *Browsers) driverFor(asked *wire.Browser, usual driver.Driver) (driver.Driver, error) {
	o := asked.LaunchOptions
	own := ownProcess(o)
	address := cmp.Or(asked.CDPURL, o.CDPURL)
	switch {
	case asked.CDPURL != "" && o.CDPURL != "" && asked.CDPURL != o.CDPURL:
		return nil, invalid([]any{"browser", "launchOptions", "cdpUrl"}, "is another address than browser.cdpUrl")
	case address != "" && own != "":
		return nil, invalid([]any{"browser", "launchOptions", own}, "has no meaning for a browser that runs already; leave it out, or cdpUrl")
	case address != "":
		if b.Attach == nil {
			return nil, newFault(wire.NotImplemented, "this server can't attach to a running browser")
		}
		d, err := b.Attach(Address{URL: address, Headers: o.CDPHeaders, Timeout: o.ConnectTimeoutMs.Duration()})
		return unfit(d, err, "browser", "cdpUrl")
	case own != "":
		if b.Launch == nil {
			return nil, newFault(wire.NotImplemented, "this server can't launch a browser of its own for a session, which launchOptions.%s needs", own)
		}
		d, err := b.Launch(*o)
		return unfit(d, err, "browser", "launchOptions")
	}
	return usual, nil
}

// policyFor is the operator's, as it can be kept for a browser: one that runs
// already takes no gate.
func (b *Browsers) policyFor(asked *wire.Browser) *engine.Policy {
	if asked.CDPURL == "" && asked.LaunchOptions.CDPURL == "" {
		return b.Policy
	}
	p := *b.Policy
	p.NoGate = true
	return &p
}

// Address is where a running browser is.
type Address struct {
	URL     string            // http://host:port or ws://…
	Headers map[string]string // sent when connecting
	Timeout time.Duration     // 0 is the driver's own
}

// Allow says what a client may ask for beyond a browser of the server's own making.
// Each member gives clients a part of the machine: which programs run on it and how
// they are confined, which of its files are read and written, which addresses it
// dials.
type Allow struct {
	ExecutablePath      bool
	Args                bool
	IgnoreDefaultArgs   bool
	ChromiumSandbox     bool
	UserDataDir         bool
	PreserveUserDataDir bool
	Port                bool
	DownloadsPath       bool
	CDPURL              bool
	PageTools           bool // pages may offer tools to agents, in sessions that ask for it
}

// check refuses what the operator does not leave to clients.
func (a *Allow) check(b *wire.Browser) error {
	o := b.LaunchOptions
	for _, option := range []struct {
		name    string
		asked   bool
		allowed bool
	}{
		{"cdpUrl", b.CDPURL != "" || o.CDPURL != "", a.CDPURL},
		{"executablePath", o.ExecutablePath != "", a.ExecutablePath},
		{"args", o.Args != nil, a.Args},
		{"userDataDir", o.UserDataDir != "", a.UserDataDir},
		{"port", o.Port != nil, a.Port},
		{"downloadsPath", o.DownloadsPath != "", a.DownloadsPath},
		{"ignoreDefaultArgs", ignoresArgs(o), a.IgnoreDefaultArgs},
		{"chromiumSandbox", o.ChromiumSandbox != nil, a.ChromiumSandbox},
		{"preserveUserDataDir", o.PreserveUserDataDir, a.PreserveUserDataDir},
		{"pageTools", o.PageTools, a.PageTools},
	} {
		if option.asked && !option.allowed {
			return newFault(wire.Forbidden, "%s is not left to clients by this server's operator", option.name)
		}
	}
	if o.PreserveUserDataDir && o.UserDataDir == "" {
		return invalid([]any{"browser", "launchOptions", "preserveUserDataDir"}, "needs userDataDir: nobody would find a profile without a place again")
	}
	return nil
}

func ignoresArgs(o *wire.LaunchOptions) bool {
	return o.IgnoreDefaultArgs != nil && (o.IgnoreDefaultArgs.All || len(o.IgnoreDefaultArgs.List) > 0)
}

// unfit is an error of what an operator's function made of a client's wishes.
func unfit(d driver.Driver, err error, path ...any) (driver.Driver, error) {
	switch {
	case err == nil:
		return d, nil
	case errors.Is(err, errors.ErrUnsupported):
		return nil, &fault{code: wire.NotImplemented, message: err.Error(), cause: err}
	}
	return nil, invalid(path, "%v", err)
}

// downloads says where a session's downloads go, each of most bytes at most; nil
// refuses them. remove takes a directory away that was made for the session.
func downloads(o *wire.LaunchOptions, most int64) (_ *engine.Downloads, remove func(), _ error) {
	d := &engine.Downloads{Dir: o.DownloadsPath, MaxBytes: most}
	accept := o.AcceptDownloads
	switch {
	case accept != nil && !*accept, accept == nil && d.Dir == "":
		return nil, func() {}, nil
	case d.Dir != "":
		return d, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "wayfinder-downloads-")
	if err != nil {
		return nil, nil, err
	}
	d.Dir = dir
	return d, func() { os.RemoveAll(dir) }, nil // what stays is the system's to clean
}

// ownBrowser reports a session whose browser is not that of the server.
func ownBrowser(b *wire.Browser) bool {
	return b.CDPURL != "" || b.LaunchOptions.CDPURL != "" || ownProcess(b.LaunchOptions) != ""
}

// ownProcess names an option that only a process of the session's own can
// have; empty if there is none.
func ownProcess(o *wire.LaunchOptions) string {
	for _, option := range []struct {
		name  string
		asked bool
	}{
		{"args", o.Args != nil},
		{"executablePath", o.ExecutablePath != ""},
		{"port", o.Port != nil},
		{"userDataDir", o.UserDataDir != ""},
		{"preserveUserDataDir", o.PreserveUserDataDir},
		{"headless", o.Headless != nil && !*o.Headless},
		{"devtools", o.Devtools},
		{"chromiumSandbox", o.ChromiumSandbox != nil},
		{"ignoreDefaultArgs", ignoresArgs(o)},
	} {
		if option.asked {
			return option.name
		}
	}
	return ""
}

// browserOptions are those of the session's isolated browser.
func browserOptions(req *wire.SessionStart) driver.BrowserOptions {
	o := req.Browser.LaunchOptions
	b := driver.BrowserOptions{IgnoreHTTPSErrors: o.IgnoreHTTPSErrors, PageTools: o.PageTools}
	b.Locale = o.Locale
	b.Scale = o.DeviceScaleFactor
	b.Touch = o.HasTouch || req.UseTouch
	if v := o.Viewport; v != nil {
		b.Viewport = driver.Size{Width: float64(v.Width), Height: float64(v.Height)}
	}
	b.Proxy = proxyOf(o)
	return b
}

func proxyOf(o *wire.LaunchOptions) *driver.Proxy {
	if p := o.Proxy; p != nil {
		return &driver.Proxy{Server: p.Server, Bypass: p.Bypass, Username: p.Username, Password: p.Password}
	}
	return nil
}
