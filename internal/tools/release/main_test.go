package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// install has TestInstall compile the command, which takes minutes.
var install = flag.Bool("install", false, "install the command from a module proxy on disk")

// root is the path of the root module.
const root = "github.com/wayfinder-engine/wayfinder"

// copied clones this repository's HEAD into a folder of the test's.
func copied(t *testing.T) *repository {
	t.Helper()
	checkout, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.CommandContext(t.Context(), "git", "clone", "-q", "--shared", checkout, dir).CombinedOutput(); err != nil {
		t.Skipf("this is no checkout of git's: %v\n%s", err, out)
	}
	r := &repository{dir: dir, version: "v0.99.1"}
	for key, value := range map[string]string{"user.name": "Release", "user.email": "release@example.test"} {
		if _, err := r.git(t.Context(), nil, "config", key, value); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// TestRelease: all modules are tagged on one commit beside the branch, in which
// nothing is replaced.
func TestRelease(t *testing.T) {
	r := copied(t)
	before, err := r.git(t.Context(), nil, "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	tags, err := r.release(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"v0.99.1", "cmd/wayfinder/v0.99.1", "llm/openai/v0.99.1", "server/v0.99.1"} {
		if !slices.Contains(tags, want) {
			t.Errorf("the tags are %q, without %s", tags, want)
		}
	}
	for _, tag := range tags {
		folder := strings.TrimSuffix(path.Dir(tag), ".")
		text, err := r.git(t.Context(), nil, "show", tag+":"+path.Join(folder, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, "replace") || strings.Contains(text, "v0.0.0\n") {
			t.Errorf("%s is tagged with\n%s", tag, text)
		}
	}
	after, err := r.git(t.Context(), nil, "rev-parse", "HEAD")
	if status, serr := r.git(t.Context(), nil, "status", "--porcelain"); err != nil || serr != nil || after != before || status != "" {
		t.Errorf("the checkout was changed: %s, then %s, %q (%v, %v)", before, after, status, err, serr)
	}
	if _, err := r.release(t.Context()); err == nil {
		t.Error("a version was released twice")
	}
	if _, err := (&repository{dir: r.dir, version: "0.1"}).release(t.Context()); err == nil {
		t.Error("0.1 was released as a version")
	}
}

// TestInstall: the README's 'go get', and 'go install' at the version, work from a module
// proxy, here one on disk, as they do for somebody who has no checkout. They resolve and
// load every package; -install has it compile the command, which takes eight minutes of a
// processor.
func TestInstall(t *testing.T) {
	r := copied(t)
	tags, err := r.release(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.git(t.Context(), nil, "checkout", "-q", r.version); err != nil {
		t.Fatal(err)
	}
	proxy := t.TempDir()
	if err := r.publish(proxy, tags); err != nil {
		t.Fatal(err)
	}
	env, err := proxyEnv(t.Context(), proxy, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(r.dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	get := regexp.MustCompile(`(?m)^go (get) (\S+)`).FindStringSubmatch(string(readme))
	if get == nil {
		t.Fatal("README.md has no line 'go get …'")
	}
	program := t.TempDir()
	for _, args := range [][]string{
		{"mod", "init", "example.test/program"},
		get[1:],
		// Nothing else is asked for before the first build: go.sum has what these import.
		{"list", "-mod=readonly", "-deps", root + "/agent", root + "/driver/cdp", root + "/driver/fake", root + "/engine", root + "/llm/offline"},
	} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = program, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%.2000s", args, err, out)
		}
	}
	bin := t.TempDir()
	args := []string{"install", "github.com/wayfinder-engine/wayfinder/cmd/wayfinder@" + r.version}
	if !*install {
		args = slices.Insert(args, 1, "-n")
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = bin // in no module
	cmd.Env = append(env, "GOBIN="+bin)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	if !*install {
		return
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(bin, "wayfinder"), "--version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), r.version) {
		t.Errorf("wayfinder --version: %s, %v; want %s in it", out, err, r.version)
	}
}

// TestDistribution: a program is packed with its SBOM and checksums, and packed again
// into the same bytes. The program is this test's own, which takes no time to build.
func TestDistribution(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pack := func() (string, map[string]string) {
		d := &distribution{repository: &repository{version: "v0.99.1"}, out: t.TempDir(), date: time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)}
		for _, target := range []string{"linux/amd64", "windows/amd64"} {
			if err := d.pack(target, program, []extra{{"LICENSE", []byte("licence")}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := checksums(d.out); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		entries, err := os.ReadDir(d.out)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(d.out, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[e.Name()] = string(data)
		}
		return d.out, files
	}
	out, first := pack()
	_, second := pack()
	for name := range first {
		if first[name] != second[name] {
			t.Errorf("%s is another one when it is packed again", name)
		}
	}
	if len(first) != 5 {
		t.Errorf("%d files in %s, want two archives, two SBOMs and the checksums", len(first), out)
	}
	var list bom
	if err := json.Unmarshal([]byte(first["wayfinder_v0.99.1_linux_amd64.cdx.json"]), &list); err != nil || list.Format != "CycloneDX" || !slices.ContainsFunc(list.Components, func(c component) bool {
		return strings.HasPrefix(c.PURL, "pkg:golang/golang.org/x/mod@v")
	}) {
		t.Errorf("the SBOM lacks what is linked: %v, %+v", err, list)
	}
	packed, err := gzip.NewReader(bytes.NewReader([]byte(first["wayfinder_v0.99.1_linux_amd64.tar.gz"])))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for archive := tar.NewReader(packed); ; {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
	if want := []string{filepath.Base(program), "LICENSE"}; !slices.Equal(names, want) {
		t.Errorf("the archive has %q, want %q", names, want)
	}
}

// TestNotes: a version's part of the changelog ends where another version begins.
func TestNotes(t *testing.T) {
	changelog := "# Changelog\n\n## Unreleased\n\n- soon\n\n## v0.2.0 (2026-12-01)\n\n- two\n\n## v0.1.0\n\n- one\n"
	for version, want := range map[string]string{"v0.2.0": "- two\n", "v0.1.0": "- one\n"} {
		if got, err := notesOf(changelog, version); err != nil || got != want {
			t.Errorf("notesOf(%s) = %q, %v, want %q", version, got, err, want)
		}
	}
	if got, err := notesOf(changelog, "v0.3.0"); err == nil {
		t.Errorf("notesOf(v0.3.0) = %q, want an error", got)
	}
}
