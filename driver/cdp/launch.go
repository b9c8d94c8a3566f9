package cdp

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Launch is a driver whose browsers are Chrome processes of their own. The
// zero value finds an installed Chrome and runs it without a window.
//
// Chrome is spoken to over a pipe, so nothing on the machine can reach it, and
// it ends when this program does, however that happens.
type Launch struct {
	// ExecutablePath is the program to run. Empty: the environment variable
	// WAYFINDER_CHROME or CHROME_PATH, then PATH, then the usual places.
	ExecutablePath string

	// Args are added to the command line. Where the browser's options name a
	// proxy, or a policy's gate is one, arguments about proxies are left out.
	Args []string

	// IgnoreDefaultArgs are flags of ours that are left out, by name
	// ("--mute-audio") or whole. IgnoreAllDefaultArgs leaves out all but what
	// the connection and a proxy need.
	IgnoreDefaultArgs    []string
	IgnoreAllDefaultArgs bool

	// UserDataDir is the profile directory; it is made if it is not there.
	// Empty: a temporary one. After Close it is removed, unless
	// PreserveUserDataDir is set or the directory was there before.
	UserDataDir         string
	PreserveUserDataDir bool

	Headed   bool // with a window
	Devtools bool // opens the developer tools for each page; implies Headed

	// Sandbox says whether Chrome's own sandbox is used. nil: it is, except
	// where it cannot work: as root, or without user namespaces.
	Sandbox *bool

	// Port, if not zero, opens a debugging port on the loopback interface for
	// others to attach to, besides the pipe; -1 lets the system choose. See
	// [Chrome.Endpoint].
	Port int

	// Env are further environment variables, as "NAME=value".
	Env []string

	// ConnectTimeout bounds the start; 0 is 30 s.
	ConnectTimeout time.Duration

	// Logger gets what is worth knowing about the process; nil: nothing.
	Logger *slog.Logger
}

var (
	_ driver.Driver = Launch{}
	_ driver.Driver = (*Chrome)(nil)
)

// String returns "chrome".
func (l Launch) String() string { return "chrome" }

// Open starts a Chrome and gives its one profile as a browser; Close ends the process.
func (l Launch) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	var b *browser
	c, err := start(ctx, l, opts, func(c *Chrome) *browser {
		b = newBrowser(c, opts)
		b.owner = true
		return b
	})
	if err != nil {
		return nil, opError("open", "", err)
	}
	if err := b.begin(ctx, opts); err != nil {
		return nil, opError("open", "", closing(c, err))
	}
	return b, nil
}

// Start runs one Chrome for many isolated browsers: Open of the result takes
// tens of milliseconds, and the browsers share nothing but the program.
//
// ctx bounds the start alone.
func Start(ctx context.Context, l Launch) (*Chrome, error) {
	c, err := start(ctx, l, nil, func(*Chrome) *browser { return nil })
	return c, opError("start", "", err)
}

// start runs Chrome and gets it to the point where browsers can be opened.
// base makes the browser that is the profile's own, if there is to be one.
func start(ctx context.Context, l Launch, opts *driver.BrowserOptions, base func(*Chrome) *browser) (*Chrome, error) {
	l.Args, l.Env = slices.Clone(l.Args), slices.Clone(l.Env)
	l.Headed = l.Headed || l.Devtools
	if l.ConnectTimeout <= 0 {
		l.ConnectTimeout = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, l.ConnectTimeout)
	defer cancel()
	p, err := startProcess(&l, opts)
	if err != nil {
		return nil, err
	}
	log := logger(l.Logger)
	log.Debug("cdp: started", "path", p.cmd.Path, "pid", p.cmd.Process.Pid, "profile", p.profile.dir)
	c := newChrome(newMux(p.link, log), p)
	if err := c.begin(ctx, base(c)); err != nil {
		killGroup(p.cmd.Process) // it has not answered, so it would not obey
		return nil, closing(c, p.explain(err))
	}
	if l.Port != 0 {
		if c.address, err = p.words.endpoint(ctx); err != nil {
			return nil, closing(c, p.explain(err))
		}
	}
	return c, nil
}

func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// cloneOptions copies what outlives the call of Open.
func cloneOptions(o *driver.BrowserOptions) driver.BrowserOptions {
	c := *o
	c.Headers = maps.Clone(o.Headers)
	c.InitScripts = slices.Clone(o.InitScripts)
	if o.Proxy != nil {
		p := *o.Proxy
		c.Proxy = &p
	}
	c.StorageState = nil // restored at once
	return c
}
