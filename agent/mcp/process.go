package mcp

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// How long a program may take to end: by itself once its input is closed, and
// then once it was asked to.
const (
	patience  = 2 * time.Second
	killLimit = 5 * time.Second
)

// inherited are the variables of our environment that a program gets. Others may
// be keys.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "LANG", "LC_ALL", "TZ",
	"APPDATA", "LOCALAPPDATA", "HOMEDRIVE", "HOMEPATH", "USERPROFILE", "USERNAME", "SYSTEMROOT", "SYSTEMDRIVE", "PROGRAMFILES", "PROCESSOR_ARCHITECTURE", "TEMP", "TMP", "PATHEXT", "COMSPEC",
}

// A process is a server that we started.
type process struct {
	cmd    *exec.Cmd
	words  tail
	exited chan struct{} // closed when the process has been waited for
	ours   [2]*os.File   // what it writes, and what it reads
}

// run starts the process, and waits for its end on a thread of its own: Linux
// ends the process with the thread that started it, see ownGroup.
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
		killGroup(p.cmd.Process) // helpers that it left hold the pipes
	}()
	return <-started
}

// end has the process end, and waits for it. Its connection calls it once.
func (p *process) end() error {
	_ = p.ours[1].Close() // this asks it to end; where it fails, the signal below does
	if !p.gone(patience) {
		askGroup(p.cmd.Process)
		if !p.gone(patience) {
			killGroup(p.cmd.Process)
		}
	}
	if !p.gone(killLimit) {
		return fmt.Errorf("process %d does not end", p.cmd.Process.Pid)
	}
	_ = p.ours[0].Close() // a stray helper may still write to it
	return nil
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

// fate says how the process ended; it is empty while it runs.
func (p *process) fate() string {
	if !p.gone(time.Second) {
		return ""
	}
	text := p.cmd.ProcessState.String()
	if words := p.words.last(); words != "" {
		text += "; its last words: " + words
	}
	return text
}

// counted counts what is written to a server.
type counted struct {
	io.WriteCloser
	guard *guard
}

func (c *counted) Write(p []byte) (int, error) {
	c.guard.sent.Add(1)
	return c.WriteCloser.Write(p)
}

// A tail keeps the end of what a program wrote to its standard error.
type tail struct {
	mu   sync.Mutex // guards text
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const most = 4 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-most):]...)
	t.text = bytes.Clone(t.text[max(0, len(t.text)-most):])
	return len(p), nil
}

// last is the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return oneLine(lines[len(lines)-1], 300)
}
