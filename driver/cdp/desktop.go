package cdp

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

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
