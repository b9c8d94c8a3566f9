package cdp

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestUserDataDir(t *testing.T) {
	parent := shortDir(t)
	for _, c := range []struct {
		name           string
		exists, keep   bool
		stays          bool
		launchAgainToo bool
	}{
		{name: "made", stays: false},
		{name: "preserved", keep: true, stays: true, launchAgainToo: true},
		{name: "standing", exists: true, stays: true},
	} {
		dir := filepath.Join(parent, c.name)
		if c.exists {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		b := launch(t, Launch{UserDataDir: dir, PreserveUserDataDir: c.keep})
		cookie := driver.Cookie{Name: "kept", Value: "1", URL: "http://example.test", Expires: time.Now().Add(time.Hour)}
		if err := b.SetCookies(t.Context(), cookie); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); (err == nil) != c.stays {
			t.Errorf("%s: after Close Stat = %v", c.name, err)
		}
		if c.launchAgainToo {
			b := launch(t, Launch{UserDataDir: dir, PreserveUserDataDir: true})
			if got, err := b.Cookies(t.Context()); err != nil || len(got) != 1 {
				t.Errorf("the profile's cookies = %+v, %v, want the one that was set", got, err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
