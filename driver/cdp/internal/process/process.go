// Package process starts a Chrome and ends it: its flags, its profile directory,
// its pipes, and what the machine allows.
package process

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const (
	// endLimit is how long Chrome may take to end by itself after Close.
	endLimit = 5 * time.Second
	// killLimit is how long it may take to vanish once killed.
	killLimit = 5 * time.Second
)

// Options are how a Chrome is started.
type Options struct {
	Path string // of the program

	Args                 []string // besides ours
	IgnoreDefaultArgs    []string // ours that are left out
	IgnoreAllDefaultArgs bool

	UserDataDir         string // empty: a temporary directory
	PreserveUserDataDir bool   // it is not removed at the end

	Headed   bool
	Devtools bool
	Sandbox  *bool // nil: where it works
	Port     int   // 0: none, -1: any
	Env      []string
	Log      *slog.Logger

	// Browser has the options of the one browser that the process is for; nil
	// where several share it.
	Browser *driver.BrowserOptions
}

// A Process is a Chrome that we started.
type Process struct {
	From, To *os.File // our ends of the pipes: what Chrome writes, and what it reads

	// Patience is how long Chrome may take to end by itself.
	Patience time.Duration

	cmd     *exec.Cmd
	profile *profile
	words   *tail
	log     *slog.Logger
	exited  chan struct{} // closed when the process has been waited for
}

// Start runs Chrome with its ends of the pipes.
func Start(o *Options) (p *Process, err error) {
	prof, err := newProfile(o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, prof.remove())
		}
	}()
	m := inspect(o.Sandbox, o.Log)
	m.dir = prof.dir
	p = &Process{profile: prof, words: newTail(), log: o.Log, exited: make(chan struct{}), Patience: endLimit}
	p.cmd = exec.Command(o.Path, o.flags(m)...)
	p.cmd.Env, err = noOtherPrograms(append(append(os.Environ(), prof.env()...), o.Env...), prof)
	if err != nil {
		return nil, err
	}
	p.cmd.Stderr = p.words
	p.cmd.WaitDelay = time.Second
	ends, err := givePipe(p.cmd)
	if err != nil {
		return nil, err
	}
	ownGroup(p.cmd)
	endWithUs(p.cmd)
	if err := p.run(); err != nil {
		ends.closeAll()
		return nil, fmt.Errorf("starting %s: %w", o.Path, err)
	}
	ends.closeTheirs()
	p.From, p.To = ends.from, ends.to
	p.log.Debug("cdp: started", "path", p.cmd.Path, "pid", p.Pid(), "profile", prof.dir)
	return p, nil
}

// run starts the process, and waits for its end on a thread of its own: Linux
// ends the process with the thread that started it, see endWithUs.
func (p *Process) run() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends here
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		defer close(p.exited)
		// How it ended is read from ProcessState; the error says nothing more.
		_ = p.cmd.Wait()
	}()
	return <-started
}

// End waits for the process to go by itself, then ends the whole group, and
// removes what it leaves.
func (p *Process) End() error {
	if !p.gone(p.Patience) {
		killGroup(p.cmd.Process)
		if !p.gone(killLimit) {
			return fmt.Errorf("process %d does not end", p.cmd.Process.Pid)
		}
	}
	// Helpers that outlive the main process would write into the profile.
	killGroup(p.cmd.Process)
	return p.profile.remove()
}

// gone waits for the end of the process.
func (p *Process) gone(limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// Cause says what the end of the connection means: a Chrome that ended well
// was closed by somebody, any other crashed.
func (p *Process) Cause() error {
	if !p.gone(time.Second) {
		return fmt.Errorf("the connection to Chrome broke: %w", driver.ErrCrashed)
	}
	if p.cmd.ProcessState.Success() {
		//lint:ignore ST1005 Chrome is a name
		return fmt.Errorf("Chrome has ended: %w", driver.ErrClosed)
	}
	//lint:ignore ST1005 Chrome is a name
	return p.Explain(fmt.Errorf("Chrome has ended (%v): %w", p.cmd.ProcessState, driver.ErrCrashed))
}

// Explain adds a line of Chrome's last words to an error that does not have it
// yet. All of them are in the log.
func (p *Process) Explain(err error) error {
	line := p.words.last()
	if line == "" || strings.Contains(err.Error(), line) {
		return err
	}
	p.log.Warn("cdp: Chrome's last words", "pid", p.cmd.Process.Pid, "words", p.words.String())
	return fmt.Errorf("%w; its last words: %s", err, line)
}

// Pid is the number of the process, and of its group.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Kill ends the process and its children at once.
func (p *Process) Kill() { killGroup(p.cmd.Process) }

// Endpoint waits until Chrome says where it listens.
func (p *Process) Endpoint(ctx context.Context) (string, error) {
	select {
	case <-p.words.found:
		p.words.mu.Lock()
		defer p.words.mu.Unlock()
		return p.words.address, nil
	case <-ctx.Done():
		//lint:ignore ST1005 Chrome is a name
		return "", errors.Join(errors.New("Chrome does not open its port"), ctx.Err())
	}
}

// A tail keeps the end of what Chrome writes to its standard error, and looks
// for the address that it listens at.
type tail struct {
	found chan struct{} // closed when address is set

	mu      sync.Mutex // protects the following
	buf     []byte
	address string
}

func newTail() *tail { return &tail{found: make(chan struct{})} }

// tailLength is about what a person reads of a program's last words.
const tailLength = 4 << 10

var listening = regexp.MustCompile(`DevTools listening on (ws://\S+)`)

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if t.address == "" {
		if m := listening.FindSubmatch(t.buf); m != nil {
			t.address = string(m[1])
			close(t.found)
		}
	}
	if over := len(t.buf) - tailLength; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(bytes.ToValidUTF8(t.buf, []byte("?"))))
}

// mostLastWords bounds, in bytes, what an error repeats of them.
const mostLastWords = 200

// last is the line that most likely says why Chrome ended: the last that Chrome
// itself calls an error, or else the last.
func (t *tail) last() string {
	var last, worst string
	for line := range strings.Lines(t.String()) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		last = line
		if strings.Contains(line, ":ERROR:") || strings.Contains(line, ":FATAL:") {
			worst = line
		}
	}
	line := cmp.Or(worst, last)
	if len(line) > mostLastWords {
		line = strings.ToValidUTF8(line[:mostLastWords], "") + "…"
	}
	return line
}

// desktopScript stands for the desktop's xdg-settings. Chrome asks that one
// whether it is itself what opens the addresses of a scheme that it does not
// know, like "zoommtg:". If not, it puts a dialog that nobody sees over the
// page, which takes no input from then on; if so, it opens nothing.
const desktopScript = "#!/bin/sh\necho yes\n"

// noOtherPrograms has Chrome open no address with another program, and returns
// the environment for that. Other systems than Linux are asked by calls that
// nobody can answer in their place.
func noOtherPrograms(env []string, p *profile) ([]string, error) {
	if runtime.GOOS != "linux" {
		return env, nil
	}
	path := ""
	for _, e := range env { // the last one counts
		if value, ok := strings.CutPrefix(e, "PATH="); ok {
			path = value
		}
	}
	dir := filepath.Join(p.dir, "wayfinder-desktop")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	env = append(env, "PATH="+dir+string(filepath.ListSeparator)+path)
	return env, os.WriteFile(filepath.Join(dir, "xdg-settings"), []byte(desktopScript), 0o700)
}

// pipeEnds are the four ends of two pipes.
type pipeEnds struct {
	from, to          *os.File // ours
	theirOut, theirIn *os.File // Chrome's
}

func openPipes() (*pipeEnds, error) {
	var e pipeEnds
	var err error
	if e.theirIn, e.to, err = os.Pipe(); err != nil {
		return nil, err
	}
	if e.from, e.theirOut, err = os.Pipe(); err != nil {
		return nil, errors.Join(err, e.theirIn.Close(), e.to.Close())
	}
	return &e, nil
}

// closeTheirs closes the ends that only Chrome may hold: the end of the one
// process must be seen by the other.
func (e *pipeEnds) closeTheirs() {
	// A failed close of a pipe loses nothing.
	_ = e.theirIn.Close()
	_ = e.theirOut.Close()
}

func (e *pipeEnds) closeAll() {
	e.closeTheirs()
	_ = e.to.Close() // as theirs
	_ = e.from.Close()
}

// flags returns the command line of a launch.
func (o *Options) flags(m machine) []string {
	features := slices.Clone(quietFeatures)
	var args, wanted []string
	if o.Browser != nil && o.Browser.PageTools {
		wanted = append(wanted, "WebMCP")
	}
	for _, a := range o.Args {
		if o.Browser != nil && o.Browser.Proxy != nil && aboutProxies(a) {
			continue
		}
		// Chrome obeys the last --disable-features alone: join the caller's to ours.
		// It does so with --enable-features.
		if list, ok := strings.CutPrefix(a, "--disable-features="); ok {
			features = append(features, strings.Split(list, ",")...)
		} else if list, ok := strings.CutPrefix(a, "--enable-features="); ok {
			wanted = append(wanted, strings.Split(list, ",")...)
		} else {
			args = append(args, a)
		}
	}
	if len(wanted) > 0 {
		args = slices.Insert(args, 0, "--enable-features="+strings.Join(wanted, ","))
	}
	all := append(slices.Clone(quietFlags), "--disable-features="+strings.Join(features, ","))
	if !o.Headed {
		all = append(all, "--headless=new", "--hide-scrollbars", "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4")
	}
	if o.Devtools {
		all = append(all, "--auto-open-devtools-for-tabs")
	}
	if m.noSandbox {
		all = append(all, "--no-sandbox")
	}
	if m.smallShm {
		all = append(all, "--disable-dev-shm-usage")
	}
	if o.Browser != nil && o.Browser.Locale != "" {
		all = append(all, "--lang="+o.Browser.Locale)
	}
	all = o.keep(all)

	// What the connection itself needs cannot be left out, nor what keeps the
	// browser's requests on the way that was chosen for them: a policy's gate is
	// a proxy.
	all = append(all, "--remote-debugging-pipe=cbor", "--user-data-dir="+m.dir)
	if o.Port != 0 {
		all = append(all, fmt.Sprintf("--remote-debugging-port=%d", max(o.Port, 0)))
	}
	// Not after the arguments: behind a "--" Chrome takes nothing for a flag.
	return append(append(all, proxyFlags(o.Browser)...), args...)
}

// keep leaves out the flags that the caller does not want.
func (o *Options) keep(all []string) []string {
	if o.IgnoreAllDefaultArgs {
		return nil
	}
	return slices.DeleteFunc(all, func(flag string) bool {
		name, _, _ := strings.Cut(flag, "=")
		return slices.Contains(o.IgnoreDefaultArgs, flag) || slices.Contains(o.IgnoreDefaultArgs, name)
	})
}
