package cdp

import (
	"os/exec"
)

func find(path string) (string, error) {
	if path != "" {
		return path, nil
	}
	return exec.LookPath("chromium")
}

func inspect(sandbox *bool) machine {
	return machine{noSandbox: true}
}
