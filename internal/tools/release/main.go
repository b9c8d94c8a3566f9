// Command release prepares a version: it tags all modules of this repository
// together and builds what is published beside them.
//
//	go run ./internal/tools/release v0.1.0
//	go run ./internal/tools/release -out dist v0.1.0
//
// In the tree the modules find each other by replace lines. Those who depend on a
// module do not see these, but 'go install …@version' refuses them. So the commit
// that is tagged is one beside the branch: HEAD's tree, whose go.mod files require
// the version and replace nothing. It has HEAD's date: the same HEAD gives the same
// commit, and the same binaries. Nothing is pushed; the last line that it prints is
// the command that does.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	modzip "golang.org/x/mod/zip"
)

func main() {
	out := flag.String("out", "", "build archives, checksums, SBOMs and notes into this new folder")
	targets := flag.String("targets", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64", "the systems to build for")
	again := flag.Bool("again", true, "build the first target a second time from an empty cache, and compare")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/tools/release [-out DIR] v0.1.0")
		os.Exit(2)
	}
	r := &repository{dir: ".", version: flag.Arg(0)}
	if err := r.run(context.Background(), *out, strings.Split(*targets, ","), *again); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run tags the version and, with a folder, builds what is published. The notes are
// looked for first, so that a version without notes leaves no tags.
func (r *repository) run(ctx context.Context, out string, targets []string, again bool) error {
	var notes string
	if out != "" {
		changelog, err := os.ReadFile(filepath.Join(r.dir, "CHANGELOG.md"))
		if err != nil {
			return err
		}
		if notes, err = notesOf(string(changelog), r.version); err != nil {
			return err
		}
	}
	tags, err := r.release(ctx)
	if err != nil {
		return err
	}
	if out != "" {
		d := &distribution{repository: r, out: out, tags: tags}
		if err := d.build(ctx, targets, again, notes); err != nil {
			return fmt.Errorf("%w\nthe tags are made: git tag -d %s", err, strings.Join(tags, " "))
		}
	}
	fmt.Println("git push origin " + strings.Join(tags, " "))
	return nil
}

// unpublished are the modules that only work on this repository needs.
var unpublished = map[string]bool{"internal/tools": true, "bench": true, "examples": true}

// A repository is a checkout with a go.work file, and the version to be.
type repository struct {
	dir     string
	version string
}

// release makes the commit and the tags, and returns the tags.
func (r *repository) release(ctx context.Context) ([]string, error) {
	if semver.Canonical(r.version) != r.version {
		return nil, fmt.Errorf("%q is no version, as v0.1.0 is", r.version)
	}
	if changed, err := r.git(ctx, nil, "status", "--porcelain"); err != nil || changed != "" {
		return nil, errors.Join(err, errors.New("the checkout has changes that are not committed"))
	}
	folders, err := r.modules()
	if err != nil {
		return nil, err
	}
	commit, err := r.commit(ctx, folders)
	if err != nil {
		return nil, err
	}
	var tags []string
	for _, folder := range folders {
		if !unpublished[folder] {
			tags = append(tags, path.Join(folder, r.version))
		}
	}
	for _, tag := range tags {
		if _, err := r.git(ctx, nil, "tag", "-a", "-m", "Release "+tag, tag, commit); err != nil {
			return nil, err
		}
	}
	return tags, nil
}

// modules lists the folders of go.work, the root first, as "".
func (r *repository) modules() ([]string, error) {
	data, err := os.ReadFile(filepath.Join(r.dir, "go.work"))
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork("go.work", data, nil)
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, use := range work.Use {
		folders = append(folders, strings.TrimPrefix(path.Clean(use.Path), "."))
	}
	return folders, nil
}

// commit writes HEAD's tree with the go.mod files of the release, and returns the
// commit. The checkout, its index and its branch stay as they are.
func (r *repository) commit(ctx context.Context, folders []string) (string, error) {
	own, err := r.paths(folders)
	if err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp("", "release")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp) // left over it would only cost room
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(temp, "index")}
	if _, err := r.git(ctx, env, "read-tree", "HEAD"); err != nil {
		return "", err
	}
	for _, folder := range folders {
		name := path.Join(folder, "go.mod")
		data, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			return "", err
		}
		if data, err = released(name, data, own, r.version); err != nil {
			return "", err
		}
		file := filepath.Join(temp, "go.mod")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return "", err
		}
		blob, err := r.git(ctx, env, "hash-object", "-w", file)
		if err != nil {
			return "", err
		}
		if _, err := r.git(ctx, env, "update-index", "--cacheinfo", "100644,"+blob+","+name); err != nil {
			return "", err
		}
	}
	tree, err := r.git(ctx, env, "write-tree")
	if err != nil {
		return "", err
	}
	date, err := r.date(ctx)
	if err != nil {
		return "", err
	}
	env = append(env, "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	return r.git(ctx, env, "commit-tree", "-p", "HEAD", "-m", "Release "+r.version, tree)
}

// date is when HEAD was committed.
func (r *repository) date(ctx context.Context) (string, error) {
	return r.git(ctx, nil, "log", "-1", "--format=%cI", "HEAD")
}

// paths are the module paths of the folders.
func (r *repository) paths(folders []string) (map[string]bool, error) {
	own := map[string]bool{}
	for _, folder := range folders {
		data, err := os.ReadFile(filepath.Join(r.dir, folder, "go.mod"))
		if err != nil {
			return nil, err
		}
		own[modfile.ModulePath(data)] = true
	}
	return own, nil
}

// released is a go.mod file as it is tagged: it requires the modules of the
// repository in the version, and replaces none of them.
func released(name string, data []byte, own map[string]bool, version string) ([]byte, error) {
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		return nil, err
	}
	for _, replaced := range file.Replace {
		if !own[replaced.Old.Path] {
			return nil, fmt.Errorf("%s replaces %s, which a release cannot", name, replaced.Old.Path)
		}
		if err := file.DropReplace(replaced.Old.Path, replaced.Old.Version); err != nil {
			return nil, err
		}
	}
	for _, required := range file.Require {
		if own[required.Mod.Path] {
			if err := file.AddRequire(required.Mod.Path, version); err != nil {
				return nil, err
			}
		}
	}
	file.Cleanup()
	return file.Format()
}

// git runs git in the checkout, and returns its output without the last line break.
func (r *repository) git(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), env...)
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, failed.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// publish writes the modules of the checkout that have tags into a folder that
// serves as a module proxy: file://FOLDER in GOPROXY.
func (r *repository) publish(proxy string, tags []string) error {
	for _, tag := range tags {
		if err := r.publishModule(proxy, strings.TrimSuffix(path.Dir(tag), ".")); err != nil {
			return err
		}
	}
	return nil
}

func (r *repository) publishModule(proxy, folder string) error {
	data, err := os.ReadFile(filepath.Join(r.dir, folder, "go.mod"))
	if err != nil {
		return err
	}
	m := module.Version{Path: path.Join("github.com/wayfinder-engine/wayfinder", folder), Version: r.version}
	at := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(at, 0o700); err != nil {
		return err
	}
	archive, err := os.Create(filepath.Join(at, r.version+".zip"))
	if err != nil {
		return err
	}
	err = modzip.CreateFromDir(archive, m, filepath.Join(r.dir, folder))
	if cerr := archive.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		r.version + ".mod":  string(data),
		r.version + ".info": fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, r.version),
		"list":              r.version + "\n",
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
