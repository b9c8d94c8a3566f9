package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// One entry serves whatever the values of variables are, and holds none: also
// not where the page shows them in names and addresses.
func TestCacheVariables(t *testing.T) {
	onBoth(t, map[string]string{
		"/": `<title>Sign in</title><form action="/hello"><label>User <input name=user></label><button>Sign in</button></form>`,
	}, func(b *cacheBench) {
		instruction := "type %user% as the user"
		for i, user := range []string{"Annabel Lee", "Bartholomew & sons"} {
			b.set("/hello", fmt.Sprintf(`<title>Hello %[1]s</title><a href="/u/%[1]s">Profile of %[1]s</a>`, user))
			b.set("/u/"+user, "Profile")
			want, reason, choices := engine.CacheMiss, engine.ReasonAbsent, []string{`textbox User fill %user%`, `button "Sign in" click`, `link "Profile of %user%" click`}
			if i > 0 {
				want, reason, choices = engine.CacheHit, "", nil
			}
			page := b.open("/", choices...)
			opts := &engine.ActOptions{Variables: map[string]engine.Variable{"user": {Value: user}}}
			for _, what := range []string{instruction, "sign in", "open the profile of %user%"} {
				r, err := page.Act(b.Context(), what, opts)
				if err != nil {
					b.Fatalf("Act(%q) as %s = %v", what, user, err)
				}
				b.wantUse(page, r, want, reason)
			}
			if got, err := page.Extract(b.Context(), "", nil); err != nil || !strings.Contains(string(got.Data), "Profile") {
				b.Errorf("the page is %s, %v, want the profile", got.Data, err)
			}
		}
		_, other := b.open("/").Act(b.Context(), instruction, nil)
		if other == nil {
			b.Error("an act with other variables was served")
		}
		dir, ok := b.cache.(*engine.DirCache)
		if !ok {
			return
		}
		for path, text := range filesOf(b.T, dir) {
			if strings.Contains(text, "Annabel") || strings.Contains(text, "Bartholomew") {
				b.Errorf("%s holds a value:\n%s", path, text)
			}
		}
	})
}

func filesOf(t *testing.T, c *engine.DirCache) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(c.Dir(), "*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files: %v", err)
	}
	files := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = string(text)
	}
	return files
}

// Whatever stands in a file, the act is carried out, the reason told, and the
// file replaced.
func TestCacheCorruptFiles(t *testing.T) {
	dir := t.TempDir()
	cache, err := engine.NewDirCache(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := inMemory(t, cacheShop, cache)
	b.act("/", "open the cart", engine.CacheMiss, engine.ReasonAbsent, `link Cart click`)
	var path, good string
	for path, good = range filesOf(t, cache) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v, %v, want one for this user alone", path, info.Mode(), err)
		}
	}
	for name, content := range map[string]string{
		"empty":            "",
		"cut off":          good[:len(good)/2],
		"no JSON":          "<html>",
		"null":             "null",
		"another key":      strings.Replace(good, "open the cart", "delete the account", 1),
		"another version":  strings.Replace(good, `"version": 1`, `"version": 2`, 1),
		"unknown member":   strings.Replace(good, `"version": 1`, `"version": 1, "more": 1`, 1),
		"unknown method":   strings.Replace(good, `"click"`, `"launch"`, 1),
		"no fingerprint":   strings.Replace(good, `"fingerprint"`, `"description"`, 1),
		"files to give":    strings.Replace(good, `"method": "click"`, `"method": "setInputFiles", "arguments": ["/etc/passwd"]`, 1),
		"too many letters": good + strings.Repeat(" ", 2<<20),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			b := *b
			b.T = t
			r := b.act("/", "open the cart", engine.CacheMiss, engine.ReasonUnreadable, `link Cart click`)
			if !r.Cache.Kept || r.Cache.Detail == "" {
				t.Errorf("cache = %+v, want the file replaced, and why", r.Cache)
			}
			b.act("/", "open the cart", engine.CacheHit, "")
		})
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if r := b.act("/", "open the cart", engine.CacheMiss, engine.ReasonAbsent, `link Cart click`); r.Cache.Kept {
		t.Error("an entry was kept in a directory that is gone")
	}
}
