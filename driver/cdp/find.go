package cdp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

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

// locate is Find on a system whose environment and files it is told.
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
		// A name found in the working directory is not meant, as package exec says.
		if found, err := look(c); err == nil || errors.Is(err, exec.ErrDot) {
			if err == nil {
				return found, nil
			}
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
func places(getenv func(string) string, goos string) []string {
	switch goos {
	case "darwin":
		return macPlaces(getenv("HOME"))
	case "windows":
		var list []string
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

func macPlaces(home string) []string {
	var list []string
	for _, root := range []string{"/Applications", filepath.Join(home, "Applications")} {
		for _, app := range []string{"Google Chrome", "Chromium", "Google Chrome Canary", "Microsoft Edge"} {
			list = append(list, filepath.Join(root, app+".app", "Contents", "MacOS", app))
		}
	}
	return list
}
