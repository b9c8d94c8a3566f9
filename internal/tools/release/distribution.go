package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// command is the module whose program is built.
const command = "cmd/wayfinder"

// A distribution is what is published beside the tags: archives for each system,
// SBOMs, checksums and notes.
type distribution struct {
	*repository
	out  string
	tags []string

	work  string    // a folder for what is built on the way
	clone string    // the tagged commit, checked out
	proxy string    // the modules of the version, as a module proxy on disk
	date  time.Time // of the commit, and so of each file
}

// build fills the folder. A binary that differs when it is built again is an error.
func (d *distribution) build(ctx context.Context, targets []string, again bool, notes string) error {
	if err := os.Mkdir(d.out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer removeAll(work)
	d.work = work
	if err := d.prepare(ctx); err != nil {
		return err
	}
	host := runtime.GOOS + "/" + runtime.GOARCH
	targets = slices.DeleteFunc(targets, func(t string) bool { return t == host })
	targets = slices.Insert(targets, 0, host) // its program writes the completions and manual pages
	var extras []extra
	for i, target := range targets {
		fmt.Println("building for", target)
		binary, err := d.binary(ctx, target, filepath.Join(d.work, "build"), "")
		if err != nil {
			return err
		}
		if i == 0 {
			if extras, err = d.extras(ctx, binary); err != nil {
				return err
			}
			if again {
				fmt.Println("building again, from an empty cache")
				if err := d.same(ctx, target, binary); err != nil {
					return err
				}
			}
		}
		if err := d.pack(target, binary, extras); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(d.out, "NOTES.md"), []byte(notes), 0o644); err != nil {
		return err
	}
	return checksums(d.out)
}

// prepare clones the tagged commit and publishes its modules on disk.
func (d *distribution) prepare(ctx context.Context) error {
	date, err := d.repository.date(ctx)
	if err != nil {
		return err
	}
	if d.date, err = time.Parse(time.RFC3339, date); err != nil {
		return err
	}
	d.clone, d.proxy = filepath.Join(d.work, "clone"), filepath.Join(d.work, "proxy")
	if _, err := d.git(ctx, nil, "clone", "-q", "--shared", ".", d.clone); err != nil {
		return err
	}
	tagged := &repository{dir: d.clone, version: d.version}
	if _, err := tagged.git(ctx, nil, "checkout", "-q", d.version); err != nil {
		return err
	}
	return tagged.publish(d.proxy, d.tags)
}

// binary builds the command for a system, as it is tagged: own modules come from
// the proxy on disk, so that the program knows their versions.
func (d *distribution) binary(ctx context.Context, target, dir, cache string) (string, error) {
	system, machine, ok := strings.Cut(target, "/")
	if !ok {
		return "", fmt.Errorf("%q is no system, as linux/amd64 is", target)
	}
	name := filepath.Join(dir, system+"-"+machine, "wayfinder")
	if system == "windows" {
		name += ".exe"
	}
	// go.mod and go.sum beside the checkout leave that unchanged, as Git sees it.
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	modfile := filepath.Join(dir, "go.mod")
	for _, file := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(d.clone, command, file))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), data, 0o644)
		}
		if err != nil {
			return "", err
		}
	}
	env, err := proxyEnv(ctx, d.proxy, filepath.Join(d.work, "modules"))
	if err != nil {
		return "", err
	}
	env = append(env, "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=0")
	if cache != "" {
		env = append(env, "GOCACHE="+cache)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=mod", "-modfile="+modfile, "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", name, ".")
	cmd.Dir, cmd.Env = filepath.Join(d.clone, command), env
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build for %s: %w\n%s", target, err, text)
	}
	return name, nil
}

// proxyEnv is an environment in which own modules come from a proxy on disk, all
// others from where they are cached or usually come from.
func proxyEnv(ctx context.Context, proxy, modules string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		return nil, err
	}
	folder, usual, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return append(os.Environ(), "GOWORK=off", "GOMODCACHE="+modules, "GONOSUMDB=github.com/wayfinder-engine/*", "GOFLAGS=-mod=mod -modcacherw",
		"GOPROXY=file://"+proxy+",file://"+folder+"/cache/download,"+usual), nil
}

// same builds a binary a second time, in another folder and with an empty cache.
func (d *distribution) same(ctx context.Context, target, binary string) error {
	second, err := d.binary(ctx, target, filepath.Join(d.work, "again"), filepath.Join(d.work, "cache"))
	if err != nil {
		return err
	}
	first, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(second)
	if err != nil {
		return err
	}
	if !bytes.Equal(first, data) {
		return fmt.Errorf("the program for %s is another one when it is built again", target)
	}
	return nil
}

// An extra is a file that each archive has.
type extra struct {
	name string
	data []byte
}

// extras are the licence, the completions of four shells and the manual pages.
func (d *distribution) extras(ctx context.Context, binary string) ([]extra, error) {
	license, err := os.ReadFile(filepath.Join(d.clone, "LICENSE"))
	if err != nil {
		return nil, err
	}
	all := []extra{{"LICENSE", license}}
	for _, shell := range [][2]string{{"bash", "wayfinder.bash"}, {"zsh", "_wayfinder"}, {"fish", "wayfinder.fish"}, {"powershell", "wayfinder.ps1"}} {
		data, err := exec.CommandContext(ctx, binary, "completion", shell[0]).Output()
		if err != nil {
			return nil, err
		}
		all = append(all, extra{"completions/" + shell[1], data})
	}
	manual := filepath.Join(d.work, "man")
	if out, err := exec.CommandContext(ctx, binary, "man", manual, "--date", d.date.UTC().Format(time.DateOnly)).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	pages, err := filepath.Glob(filepath.Join(manual, "*.1"))
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		all = append(all, extra{"man/" + filepath.Base(page), data})
	}
	return all, nil
}

// pack writes the archive of a system, and its SBOM beside it. Nothing in it tells
// when or by whom it was written.
func (d *distribution) pack(target, binary string, extras []extra) error {
	name := filepath.Join(d.out, "wayfinder_"+d.version+"_"+strings.ReplaceAll(target, "/", "_"))
	sbom, err := sbomOf(binary, d.date)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+".cdx.json", sbom, 0o644); err != nil {
		return err
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	files := slices.Insert(slices.Clone(extras), 0, extra{filepath.Base(binary), data})
	var archive bytes.Buffer
	if strings.HasPrefix(target, "windows/") {
		name += ".zip"
		err = zipped(&archive, files, d.date)
	} else {
		name += ".tar.gz"
		err = tarred(&archive, files, d.date)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(name, archive.Bytes(), 0o644)
}

// mode is executable for the program alone, which is first.
func mode(i int) fs.FileMode {
	if i == 0 {
		return 0o755
	}
	return 0o644
}

func tarred(w io.Writer, files []extra, date time.Time) error {
	packed := gzip.NewWriter(w)
	t := tar.NewWriter(packed)
	for i, f := range files {
		if err := t.WriteHeader(&tar.Header{Name: f.name, Mode: int64(mode(i)), Size: int64(len(f.data)), ModTime: date, Format: tar.FormatPAX}); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), packed.Close())
}

func zipped(w io.Writer, files []extra, date time.Time) error {
	z := zip.NewWriter(w)
	for i, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		h.SetMode(mode(i))
		part, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := part.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// checksums writes SHA256SUMS of all files of a folder, as sha256sum -c reads it.
func checksums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// notesOf is a version's part of the changelog, which begins with "## v0.1.0".
func notesOf(changelog, version string) (string, error) {
	for part := range strings.SplitSeq("\n"+changelog, "\n## ") {
		title, text, _ := strings.Cut(part, "\n")
		if name, _, _ := strings.Cut(title, " "); name == version { // behind it stands the date
			return strings.TrimSpace(text) + "\n", nil
		}
	}
	return "", fmt.Errorf("CHANGELOG.md has no part %q", "## "+version)
}

// removeAll removes a module cache, too, whose folders can be read-only.
func removeAll(dir string) {
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(name, 0o755) // what stays is in a temporary folder
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
