package server

import (
	"errors"
	"os"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// checkBrowser refuses a browser that the operator does not leave to clients, or
// whose settings do not go together.
func (s *core) checkBrowser(b *wire.Browser, traced bool) error {
	if err := s.checkAllowed(b); err != nil {
		return err
	}
	if b.Profile != "" {
		if err := checkProfileFits(b); err != nil {
			return err
		}
	}
	if traced {
		return s.checkTrace(b)
	}
	return nil
}

// checkAllowed refuses what the operator does not leave to clients.
func (s *core) checkAllowed(b *wire.Browser) error {
	allow, o := s.opts.Allow, b.LaunchOptions
	for _, option := range []struct {
		name    string
		asked   bool
		allowed bool
	}{
		{"cdpUrl", b.CDPURL != "" || o.CDPURL != "", allow.CDPURL},
		{"executablePath", o.ExecutablePath != "", allow.ExecutablePath},
		{"args", o.Args != nil, allow.Args},
		{"userDataDir", o.UserDataDir != "", allow.UserDataDir},
		{"port", o.Port != nil, allow.Port},
		{"downloadsPath", o.DownloadsPath != "", allow.DownloadsPath},
		{"ignoreDefaultArgs", ignoresArgs(o), allow.IgnoreDefaultArgs},
		{"chromiumSandbox", o.ChromiumSandbox != nil, allow.ChromiumSandbox},
		{"preserveUserDataDir", o.PreserveUserDataDir, allow.PreserveUserDataDir},
		{"pageTools", o.PageTools, allow.PageTools},
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

// driverFor returns the driver that opens the browser asked for.
func (s *core) driverFor(b *wire.Browser) (driver.Driver, error) {
	o := b.LaunchOptions
	own := ownProcess(o)
	address := b.CDPURL
	if address == "" {
		address = o.CDPURL
	}
	switch {
	case b.CDPURL != "" && o.CDPURL != "" && b.CDPURL != o.CDPURL:
		return nil, invalid([]any{"browser", "launchOptions", "cdpUrl"}, "is another address than browser.cdpUrl")
	case address != "" && own != "":
		return nil, invalid([]any{"browser", "launchOptions", own}, "has no meaning for a browser that runs already; leave it out, or cdpUrl")
	case address != "":
		if s.opts.Browsers.Attach == nil {
			return nil, newFault(wire.NotImplemented, "this server can't attach to a running browser")
		}
		d, err := s.opts.Browsers.Attach(Address{URL: address, Headers: o.CDPHeaders, Timeout: o.ConnectTimeoutMs.Duration()})
		return unfit(d, err, "browser", "cdpUrl")
	case own != "":
		if s.opts.Browsers.Launch == nil {
			return nil, newFault(wire.NotImplemented, "this server can't launch a browser of its own for a session, which launchOptions.%s needs", own)
		}
		d, err := s.opts.Browsers.Launch(*o)
		return unfit(d, err, "browser", "launchOptions")
	}
	return s.driver, nil
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

// downloads says where a session's downloads go; nil refuses them. remove takes
// a directory away that was made for the session.
func (s *core) downloads(o *wire.LaunchOptions) (_ *engine.Downloads, remove func(), _ error) {
	d := &engine.Downloads{Dir: o.DownloadsPath, MaxBytes: s.limits.Download}
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

// policyFor is the operator's, as it can be kept for a browser: one that runs
// already takes no gate.
func (s *core) policyFor(b *wire.Browser) *engine.Policy {
	if b.CDPURL == "" && b.LaunchOptions.CDPURL == "" {
		return s.opts.Browsers.Policy
	}
	p := *s.opts.Browsers.Policy
	p.NoGate = true
	return &p
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
