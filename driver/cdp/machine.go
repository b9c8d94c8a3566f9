package cdp

import "log/slog"

// A machine is what a command line depends on besides the caller's wishes.
type machine struct {
	noSandbox bool // Chrome's sandbox cannot work here
	smallShm  bool // the memory that Chrome's processes share is too little
	dir       string
}

// enoughShm is how much shared memory large pages need. Containers have 64 MB
// by default, and a renderer that runs out of it crashes.
const enoughShm = 512 << 20

// inspect looks at the machine.
func inspect(sandbox *bool, log *slog.Logger) machine {
	m := machine{smallShm: shmSize() < enoughShm}
	if sandbox != nil {
		m.noSandbox = !*sandbox
		return m
	}
	if why := noSandbox(); why != "" {
		m.noSandbox = true
		log.Warn("cdp: Chrome runs without its sandbox", "why", why)
	}
	return m
}
