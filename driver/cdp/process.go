package cdp

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const (
	// endLimit is how long Chrome may take to end by itself after Close.
	endLimit = 5 * time.Second
	// killLimit is how long it may take to vanish once killed.
	killLimit = 5 * time.Second
)

// A process is a Chrome that we started.
type process struct {
	cmd     *exec.Cmd
	link    link
	profile *profile
	words   *tail
	log     *slog.Logger
	exited  chan struct{} // closed when the process has been waited for

	patience time.Duration // with a Chrome that was told to end
}

// startProcess runs Chrome with one end of the pipe.
func startProcess(l *Launch, opts *driver.BrowserOptions) (p *process, err error) {
	path, err := find(l.ExecutablePath)
	if err != nil {
		return nil, err
	}
	prof, err := newProfile(l)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, prof.remove())
		}
	}()
	m := inspect(l.Sandbox, logger(l.Logger))
	m.dir = prof.dir
	p = &process{profile: prof, words: newTail(), log: logger(l.Logger), exited: make(chan struct{}), patience: endLimit}
	p.cmd = exec.Command(path, l.flags(m, opts)...)
	p.cmd.Env, err = noOtherPrograms(append(append(os.Environ(), prof.env()...), l.Env...), prof)
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
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	ends.closeTheirs()
	p.link = newPipe(ends.from, ends.to)
	return p, nil
}

// run starts the process, and waits for its end on a thread of its own: Linux
// ends the process with the thread that started it, see endWithUs.
func (p *process) run() error {
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

// end waits for the process to go by itself, then ends the whole group, and
// removes what it leaves.
func (p *process) end() error {
	if !p.gone(p.patience) {
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
func (p *process) gone(limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// cause says what the end of the connection means: a Chrome that ended well
// was closed by somebody, any other crashed.
func (p *process) cause() error {
	if !p.gone(time.Second) {
		return fmt.Errorf("the connection to Chrome broke: %w", driver.ErrCrashed)
	}
	if p.cmd.ProcessState.Success() {
		return fmt.Errorf("Chrome has ended: %w", driver.ErrClosed)
	}
	return p.explain(fmt.Errorf("Chrome has ended (%v): %w", p.cmd.ProcessState, driver.ErrCrashed))
}

// explain adds a line of Chrome's last words to an error that does not have it
// yet. All of them are in the log.
func (p *process) explain(err error) error {
	line := p.words.last()
	if line == "" || strings.Contains(err.Error(), line) {
		return err
	}
	p.log.Warn("cdp: Chrome's last words", "pid", p.cmd.Process.Pid, "words", p.words.String())
	return fmt.Errorf("%w; its last words: %s", err, line)
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
	_ = e.to.Close()
	_ = e.from.Close()
}
