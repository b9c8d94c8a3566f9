package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

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
