package cdp

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/process"
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

	// AnswerLimit is how long Chrome may say nothing at all, although it was
	// asked, before it is ended as crashed; 0 is a minute.
	AnswerLimit time.Duration

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
	path, err := find(l.ExecutablePath)
	if err != nil {
		return nil, err
	}
	log := cmp.Or(l.Logger, noLog)
	p, err := process.Start(&process.Options{
		Path: path, Args: l.Args, IgnoreDefaultArgs: l.IgnoreDefaultArgs, IgnoreAllDefaultArgs: l.IgnoreAllDefaultArgs,
		UserDataDir: l.UserDataDir, PreserveUserDataDir: l.PreserveUserDataDir,
		Headed: l.Headed, Devtools: l.Devtools, Sandbox: l.Sandbox, Port: l.Port, Env: l.Env, Log: log, Browser: opts,
	})
	if err != nil {
		return nil, err
	}
	c := newChrome(conn.NewPipe(p.From, p.To), log, p)
	if err := c.begin(ctx, base(c)); err != nil {
		p.Kill() // it has not answered, so it would not obey
		return nil, closing(c, p.Explain(err))
	}
	if l.Port != 0 {
		if c.address, err = p.Endpoint(ctx); err != nil {
			return nil, closing(c, p.Explain(err))
		}
	}
	c.watched = make(chan struct{})
	go c.watch(cmp.Or(max(l.AnswerLimit, 0), time.Minute) / mostOwed)
	return c, nil
}

// noLog takes what nobody wants to know.
var noLog = slog.New(slog.DiscardHandler)

// A NotFoundError says that no Chrome is installed where one was looked for.
// It wraps fs.ErrNotExist.
type NotFoundError struct {
	Looked []string // names on PATH, and paths
	Hint   string   // how to install one on this system
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no Chrome, Chromium or Edge found (looked for %s); %s", strings.Join(e.Looked, ", "), e.Hint)
}

// Unwrap returns fs.ErrNotExist.
func (e *NotFoundError) Unwrap() error { return fs.ErrNotExist }

// pathVariables name the program to run before anything is looked for.
var pathVariables = []string{"WAYFINDER_CHROME", "CHROME_PATH"}

// commands are the names that Chrome and its kin have on PATH.
var commands = []string{
	"google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome",
	"google-chrome-beta", "google-chrome-unstable", "chrome-headless-shell",
	"microsoft-edge", "microsoft-edge-stable", "msedge",
}

// Find returns the path of the Chrome that a [Launch] without ExecutablePath
// runs. If there is none the error is a *[NotFoundError].
func Find() (string, error) {
	return locate(os.Getenv, exec.LookPath, runtime.GOOS)
}

// find returns the program to run; path is the caller's wish.
func find(path string) (string, error) {
	if path == "" {
		return Find()
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return "", &NotFoundError{Looked: []string{path}, Hint: "ExecutablePath names no program"}
	}
	return found, nil
}

// locate is Find on a system that is given by its environment and files.
func locate(getenv func(string) string, look func(string) (string, error), goos string) (string, error) {
	e := &NotFoundError{Hint: hints[goos]}
	if e.Hint == "" {
		e.Hint = "install Chromium, or name one by WAYFINDER_CHROME"
	}
	for _, name := range pathVariables {
		if path := getenv(name); path != "" {
			found, err := look(path)
			if err != nil {
				return "", &NotFoundError{Looked: []string{path}, Hint: name + " names no program"}
			}
			return found, nil
		}
	}
	for _, c := range append(commands[:len(commands):len(commands)], places(getenv, goos)...) {
		e.Looked = append(e.Looked, c)
		// A name found in the working directory is not meant: that is exec.ErrDot.
		if found, err := look(c); err == nil {
			return found, nil
		}
	}
	return "", e
}

var hints = map[string]string{
	"linux":   `install one, as "apt-get install chromium" or "dnf install chromium", or name one by WAYFINDER_CHROME`,
	"darwin":  `install one, as "brew install --cask google-chrome", or name one by WAYFINDER_CHROME`,
	"windows": `install one, as "winget install Google.Chrome", or name one by WAYFINDER_CHROME`,
}

// places are where Chrome is without being on PATH.
func places(getenv func(string) string, goos string) (list []string) {
	switch goos {
	case "darwin":
		for _, root := range []string{"/Applications", filepath.Join(getenv("HOME"), "Applications")} {
			for _, app := range []string{"Google Chrome", "Chromium", "Google Chrome Canary", "Microsoft Edge"} {
				list = append(list, filepath.Join(root, app+".app", "Contents", "MacOS", app))
			}
		}
		return list
	case "windows":
		for _, root := range []string{"PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"} {
			if dir := getenv(root); dir != "" {
				for _, p := range []string{`Google\Chrome\Application\chrome.exe`, `Chromium\Application\chrome.exe`, `Microsoft\Edge\Application\msedge.exe`} {
					list = append(list, dir+`\`+p)
				}
			}
		}
		return list
	}
	return []string{
		"/opt/google/chrome/chrome", "/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser",
		"/usr/lib64/chromium-browser/chromium-browser", "/snap/bin/chromium", "/opt/microsoft/msedge/msedge",
		"/var/lib/flatpak/exports/bin/org.chromium.Chromium", "/headless-shell/headless-shell",
	}
}
