package profiles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
)

// remembered is a state with one cookie.
func remembered(value string) *driver.StorageState {
	return &driver.StorageState{
		Cookies: []driver.Cookie{{Name: "session", Value: value, Domain: "shop.test", Path: "/"}},
		Origins: []driver.OriginStorage{{Origin: "https://shop.test", LocalStorage: []driver.StorageEntry{{Name: "token", Value: value + "-token"}}}},
	}
}

// value is that cookie's.
func value(s *driver.StorageState) string {
	if s == nil || len(s.Cookies) == 0 {
		return ""
	}
	return s.Cookies[0].Value
}

// A place is a store that several processes share.
type place struct {
	name string
	// process returns the store as another process has it, and what ends that.
	process func() (_ Store, kill func())
}

// A mortal is a node that dies when a test says so.
type mortal struct {
	life string
	dead *sync.Map
}

func (m mortal) Life() string { return m.life }

func (m mortal) Ended(_ context.Context, life string) (bool, error) {
	_, dead := m.dead.Load(life)
	return dead, nil
}

func places(t *testing.T) []place {
	dir := t.TempDir()
	var memory fleet.Memory
	var dead sync.Map
	n := 0
	return []place{
		{"directory", func() (Store, func()) {
			d, err := OpenDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { d.Close() })
			return d, func() { d.file.Close() } // as the system does
		}},
		{"fleet", func() (Store, func()) {
			n++
			m := mortal{fmt.Sprintf("n%d", n), &dead}
			return Shared(&memory, m), func() { dead.Store(m.life, true) }
		}},
	}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestProfiles(t *testing.T) {
	ctx := t.Context()
	for _, at := range places(t) {
		t.Run(at.name, func(t *testing.T) {
			store, _ := at.process()
			p := New(store, keysOf(t, "a"), &Options{MaxBytes: 2 << 20, Most: 3})
			for _, name := range []string{"", ".x", "a/b", "a b", strings.Repeat("n", 65), "ä"} {
				if _, err := p.Put(ctx, "alice", name, nil); !errors.Is(err, ErrName) {
					t.Errorf("Put(%q) = %v, want %v", name, err, ErrName)
				}
			}
			if created := must(p.Put(ctx, "alice", "Shop", remembered("1")))(t); !created {
				t.Error("Put says that the profile was there")
			}
			if created := must(p.Put(ctx, "alice", "Shop", remembered("2")))(t); created {
				t.Error("Put says that the profile was not there")
			}
			must(p.Put(ctx, "alice", "shop", nil))(t) // another one, also where files' names have no case
			must(p.Put(ctx, "bob", "Shop", remembered("bob's")))(t)
			list := must(p.List(ctx, "alice"))(t)
			if len(list) != 2 || list[0].Name != "Shop" || list[1].Name != "shop" || list[0].Size == 0 || list[0].Created.After(list[0].Saved) || list[0].Holder != nil {
				t.Errorf("List = %+v", list)
			}
			if _, err := p.Get(ctx, "carol", "Shop"); !errors.Is(err, ErrNotFound) {
				t.Errorf("Get of another's = %v, want %v", err, ErrNotFound)
			}
			hold := must(p.Hold(ctx, "alice", "Shop", "s1"))(t)
			if got := value(hold.State()); got != "2" {
				t.Errorf("it remembers %q, want 2", got)
			}
			if info := must(p.Get(ctx, "alice", "Shop"))(t); info.Holder == nil || info.Holder.By != "s1" {
				t.Errorf("Get = %+v, want its holder", info)
			}
			var used *InUseError
			_, held := p.Hold(ctx, "alice", "Shop", "s2")
			_, put := p.Put(ctx, "alice", "Shop", nil)
			for what, err := range map[string]error{"Hold": held, "Put": put, "Delete": p.Delete(ctx, "alice", "Shop"), "Rename": p.Rename(ctx, "alice", "Shop", "new"), "Rename to it": p.Rename(ctx, "alice", "shop", "Shop")} {
				if !errors.As(err, &used) || used.Holder.By != "s1" {
					t.Errorf("%s of one in use = %v, want one that tells of s1", what, err)
				}
			}
			// Large enough for two parts.
			large := remembered(strings.Repeat("x", partSize+partSize/2))
			for range 2 {
				hold.Set(large)
				if err := hold.Save(ctx); err != nil {
					t.Fatal(err)
				}
				large.Cookies[0].Value += "y"
			}
			if parts := must(store.List(ctx, partPrefix))(t); len(parts) != 4 { // base64 makes more of it
				t.Logf("%d parts", len(parts))
			}
			hold.Set(remembered(strings.Repeat("x", 3<<20)))
			if err := hold.Save(ctx); !errors.Is(err, ErrTooLarge) {
				t.Errorf("Save = %v, want %v", err, ErrTooLarge)
			}
			if err := hold.Close(ctx); !errors.Is(err, ErrTooLarge) {
				t.Errorf("Close = %v, want %v", err, ErrTooLarge)
			}
			if err := p.Rename(ctx, "alice", "Shop", "shop"); !errors.Is(err, ErrExists) {
				t.Errorf("Rename = %v, want %v", err, ErrExists)
			}
			if err := p.Rename(ctx, "alice", "Shop", "store"); err != nil {
				t.Error(err)
			}
			hold = must(p.Hold(ctx, "alice", "store", "s3"))(t)
			if got := value(hold.State()); !strings.HasSuffix(got, "xy") {
				t.Errorf("it remembers %d bytes, want what was saved last", len(got))
			}
			hold.Set(remembered("small"))
			if err := hold.Close(ctx); err != nil {
				t.Error(err)
			}
			if parts := must(store.List(ctx, partPrefix))(t); len(parts) > 0 {
				t.Errorf("%d parts are left", len(parts))
			}
			must(p.Put(ctx, "alice", "third", nil))(t)
			if _, err := p.Put(ctx, "alice", "fourth", nil); !errors.Is(err, ErrTooMany) {
				t.Errorf("Put = %v, want %v", err, ErrTooMany)
			}
			if err := p.Delete(ctx, "alice", "store"); err != nil {
				t.Error(err)
			}
			if err := p.Delete(ctx, "alice", "store"); !errors.Is(err, ErrNotFound) {
				t.Errorf("Delete = %v, want %v", err, ErrNotFound)
			}
			if got := value(must(p.Hold(ctx, "bob", "Shop", "s4"))(t).State()); got != "bob's" {
				t.Errorf("bob's remembers %q", got)
			}
		})
	}
}

// TestDeadHolder: a profile whose process is gone can be had, and what that process
// writes late is refused.
func TestDeadHolder(t *testing.T) {
	ctx := t.Context()
	for _, at := range places(t) {
		t.Run(at.name, func(t *testing.T) {
			one, kill := at.process()
			two, _ := at.process()
			first, second := New(one, keysOf(t, "a"), nil), New(two, keysOf(t, "a"), nil)
			must(first.Put(ctx, "", "shop", remembered("0")))(t)
			late := must(first.Hold(ctx, "", "shop", "late"))(t)
			late.Set(remembered("1"))
			if err := late.Save(ctx); err != nil {
				t.Fatal(err)
			}
			late.Set(remembered("late"))
			var used *InUseError
			if _, err := second.Hold(ctx, "", "shop", "next"); !errors.As(err, &used) || used.Holder.By != "late" {
				t.Errorf("Hold while it is held = %v", err)
			}
			if _, err := second.Put(ctx, "", "shop", nil); !errors.As(err, &used) {
				t.Errorf("Put while it is held = %v", err)
			}
			kill()
			next := must(second.Hold(ctx, "", "shop", "next"))(t)
			if got := value(next.State()); got != "1" {
				t.Errorf("it remembers %q, want what was saved", got)
			}
			if err := late.Save(ctx); !errors.Is(err, ErrLost) {
				t.Errorf("a late Save = %v, want %v", err, ErrLost)
			}
			next.Set(remembered("2"))
			if err := next.Close(ctx); err != nil {
				t.Error(err)
			}
			if err := late.Close(ctx); !errors.Is(err, ErrLost) {
				t.Errorf("a late Close = %v, want %v", err, ErrLost)
			}
			if got := value(must(second.Hold(ctx, "", "shop", "last"))(t).State()); got != "2" {
				t.Errorf("it remembers %q, want 2", got)
			}
		})
	}
}

// TestRace: of many that want a profile at once, from two processes, one at a time
// has it, and none of their writes is lost.
func TestRace(t *testing.T) {
	ctx := t.Context()
	for _, at := range places(t) {
		t.Run(at.name, func(t *testing.T) {
			var all []*Profiles
			for range 2 {
				s, _ := at.process()
				all = append(all, New(s, keysOf(t, "a"), nil))
			}
			must(all[0].Put(ctx, "", "shop", remembered("")))(t)
			var holders, done atomic.Int32
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					for mine := 0; mine < 5; {
						hold, err := all[i%2].Hold(ctx, "", "shop", "x")
						var used *InUseError
						if errors.As(err, &used) || errors.Is(err, fleet.ErrUnavailable) {
							continue
						}
						if err != nil {
							t.Error(err)
							return
						}
						if holders.Add(1) != 1 {
							t.Error("two have it at once")
						}
						hold.Set(remembered(value(hold.State()) + "x"))
						holders.Add(-1)
						if err := hold.Close(ctx); err != nil {
							t.Error(err)
							return
						}
						mine++
						done.Add(1)
					}
				})
			}
			wg.Wait()
			if got := value(must(all[0].Hold(ctx, "", "shop", "x"))(t).State()); len(got) != int(done.Load()) {
				t.Errorf("it remembers %d of %d writes", len(got), done.Load())
			}
		})
	}
}

// TestLostAnswers: the store's answers get lost, one after the other, with the
// write done or not. What was said to be saved is there, and the profile can be had.
func TestLostAnswers(t *testing.T) {
	for at := range 24 {
		synctest.Test(t, func(t *testing.T) { loseAnswer(t, at) })
	}
}

func loseAnswer(t *testing.T, at int) {
	ctx := t.Context()
	memory := &forgetful{Store: Shared(new(fleet.Memory), nil)}
	p := New(memory, keysOf(t, "a"), nil)
	must(p.Put(ctx, "", "shop", remembered("0")))(t)
	memory.at.Store(int32(at + 1))
	saved := "0"
	for n := range 4 {
		hold, err := p.Hold(ctx, "", "shop", "x")
		if err != nil {
			continue
		}
		for _, part := range []string{"a", "b"} {
			next := fmt.Sprint(n, part) + strings.Repeat("z", inHead)
			hold.Set(remembered(next))
			if hold.Save(ctx) == nil {
				saved = next
			}
		}
		if err := hold.Close(ctx); err != nil {
			t.Errorf("answer %d: Close = %v", at, err)
		} else {
			saved = value(hold.State())
		}
	}
	hold, err := p.Hold(ctx, "", "shop", "x")
	if err != nil {
		t.Errorf("answer %d: Hold = %v", at, err)
	} else if got := value(hold.State()); got != saved {
		t.Errorf("answer %d: it remembers %.4q, want %.4q", at, got, saved)
	}
}

// forgetful is a store that loses the answer to one write; every other time the
// write, too.
type forgetful struct {
	Store
	n, at atomic.Int32
}

func (f *forgetful) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if f.at.Load() > 0 && f.n.Add(1) == f.at.Load() {
		if f.at.Load()%2 == 0 {
			_, err := f.Store.Put(ctx, key, value, revision)
			return 0, errors.Join(fleet.ErrUnavailable, err)
		}
		return 0, fleet.ErrUnavailable
	}
	return f.Store.Put(ctx, key, value, revision)
}

// TestKeysOfProfiles: what cannot be opened is not overwritten, and what was sealed
// with an older key is sealed with the first one when it was used.
func TestKeysOfProfiles(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	with := func(letters string) *Profiles {
		d := must(OpenDir(dir))(t)
		t.Cleanup(func() { d.Close() })
		return New(d, keysOf(t, letters), nil)
	}
	old := with("a")
	must(old.Put(ctx, "", "shop", remembered("secret-4711")))(t)
	before := contents(t, dir)
	for what, text := range before {
		if strings.Contains(text, "4711") {
			t.Errorf("%s has the cookie in clear", what)
		}
	}
	wrong := with("b")
	_, held := wrong.Hold(ctx, "", "shop", "x")
	_, put := wrong.Put(ctx, "", "shop", remembered("mine"))
	for what, err := range map[string]error{"Hold": held, "Put": put, "Rename": wrong.Rename(ctx, "", "shop", "new")} {
		if !errors.Is(err, ErrKey) {
			t.Errorf("%s under another key = %v, want %v", what, err, ErrKey)
		}
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("it was written nevertheless: %s", diff)
	}
	if info, err := wrong.Get(ctx, "", "shop"); err != nil || info.Holder != nil {
		t.Errorf("Get = %+v, %v", info, err)
	}
	if err := must(with("ba").Hold(ctx, "", "shop", "x"))(t).Close(ctx); err != nil {
		t.Fatal(err)
	}
	if got := value(must(wrong.Hold(ctx, "", "shop", "x"))(t).State()); got != "secret-4711" {
		t.Errorf("it remembers %q under the new key", got)
	}
	if _, err := old.Hold(ctx, "", "shop", "x"); err == nil {
		t.Error("the old key opens it still")
	}
}

// contents are the records of a directory, without the lives.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range must(filepath.Glob(filepath.Join(dir, "*.record")))(t) {
		all[filepath.Base(name)] = string(must(os.ReadFile(name))(t))
	}
	return all
}

// TestDamaged: a profile that was changed on the disk, or put in another's place,
// is told to be damaged, and is left as it is.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) { damage(t, dir) })
}

func damage(t *testing.T, dir string) {
	ctx := t.Context()
	d := must(OpenDir(dir))(t)
	defer d.Close()
	p := New(d, keysOf(t, "a"), nil)
	for _, owner := range []string{"alice", "bob"} {
		must(p.Put(ctx, owner, "shop", remembered(owner)))(t)
	}
	path := func(owner string) string {
		return filepath.Join(dir, must(keyOf(owner, "shop"))(t)+".record")
	}
	bobs := string(must(os.ReadFile(path("bob")))(t))
	for what, text := range map[string]string{
		"another's": bobs, "empty": "", "no JSON": "5\n{", "cut off": bobs[:len(bobs)/2], "no seal": "5\n" + `{"name":"shop","sealed":"YWJj"}`,
		"parts that are not there": "5\n" + `{"name":"shop","write":"w","parts":1}`, "another name": "5\n" + `{"name":"shap"}`,
	} {
		if err := os.WriteFile(path("alice"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, held := p.Hold(ctx, "alice", "shop", "x")
		_, put := p.Put(ctx, "alice", "shop", nil)
		if !errors.Is(held, ErrDamaged) || !errors.Is(put, ErrDamaged) {
			t.Errorf("%s: Hold = %v, Put = %v, want %v", what, held, put, ErrDamaged)
		}
		if got := string(must(os.ReadFile(path("alice")))(t)); got != text {
			t.Errorf("%s: it was overwritten", what)
		}
		if _, err := p.List(ctx, "alice"); err != nil {
			t.Errorf("%s: List = %v", what, err)
		}
	}
}

func TestMerge(t *testing.T) {
	state := func(text string) *driver.StorageState {
		s := new(driver.StorageState)
		if err := json.Unmarshal([]byte(text), s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := state(`{"cookies":[{"name":"a","value":"1","domain":"a.test","path":"/"}],"origins":[
		{"origin":"https://a.test","localStorage":[{"name":"k","value":"1"}]},{"origin":"https://b.test","localStorage":[{"name":"k","value":"2"}]}]}`)
	now := state(`{"cookies":[{"name":"b","value":"2","domain":"b.test","path":"/"}],"origins":[
		{"origin":"https://b.test","localStorage":[{"name":"k","value":"3"}]},{"origin":"https://c.test","localStorage":[{"name":"k","value":"4"}]}]}`)
	want := state(`{"cookies":[{"name":"b","value":"2","domain":"b.test","path":"/"}],"origins":[
		{"origin":"https://a.test","localStorage":[{"name":"k","value":"1"}]},{"origin":"https://b.test","localStorage":[{"name":"k","value":"3"}]},
		{"origin":"https://c.test","localStorage":[{"name":"k","value":"4"}]}]}`)
	if diff := cmp.Diff(want, Merge(before, now)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, Merge(before, nil)); diff != "" {
		t.Error(diff)
	}

	// Databases count by origin, too; those that are left out are as they were.
	before = state(`{"cookies":[],"origins":[{"origin":"https://a.test","localStorage":[],"indexedDB":[{"name":"a","version":1,"stores":[]}]},
		{"origin":"https://b.test","localStorage":[],"indexedDB":[{"name":"busy","version":1,"stores":[]},{"name":"gone","version":1,"stores":[]}]}]}`)
	now = state(`{"cookies":[],"origins":[{"origin":"https://b.test","localStorage":[],"indexedDB":[{"name":"new","version":1,"stores":[]}],
		"leftOut":[{"database":"busy","why":"it did not answer"}]}]}`)
	want = state(`{"cookies":[],"origins":[{"origin":"https://a.test","localStorage":[],"indexedDB":[{"name":"a","version":1,"stores":[]}]},
		{"origin":"https://b.test","localStorage":[],"indexedDB":[{"name":"busy","version":1,"stores":[]},{"name":"new","version":1,"stores":[]}],
		"leftOut":[{"database":"busy","why":"it did not answer"}]}]}`)
	if diff := cmp.Diff(want, Merge(before, now)); diff != "" {
		t.Error(diff)
	}
}

// TestDatabasesThatDoNotFit are left out of a profile, the largest first, and
// counted; what else it has is saved.
func TestDatabasesThatDoNotFit(t *testing.T) {
	ctx := t.Context()
	p := New(Shared(new(fleet.Memory), nil), keysOf(t, "a"), &Options{MaxBytes: 4000})
	must(p.Put(ctx, "", "shop", nil))(t)
	hold := must(p.Hold(ctx, "", "shop", "x"))(t)
	database := func(name string, bytes int) driver.Database {
		return driver.Database{Name: name, Version: 1, Stores: []driver.ObjectStore{{Name: "s", Records: []driver.Record{{Key: []byte("1"), Value: fmt.Appendf(nil, "%q", strings.Repeat("x", bytes))}}}}}
	}
	state := remembered("4711")
	state.Origins = append(state.Origins, driver.OriginStorage{
		Origin: "https://a.test", IndexedDB: []driver.Database{database("cache", 9000), database("login", 100), database("more", 3000)},
		LeftOut: []driver.LeftOut{{Database: "login", Store: "keys", Records: 2, Why: "a CryptoKey"}},
	}, driver.OriginStorage{Origin: "https://b.test", IndexedDB: []driver.Database{database("other", 100), database("many", 2000)}})
	hold.Set(state)
	if err := hold.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if info := must(p.Get(ctx, "", "shop"))(t); info.LeftOut != 4 || info.Size > 4000 {
		t.Errorf("Get() = %+v, want 4 left out in up to 4000 bytes", info)
	}
	hold = must(p.Hold(ctx, "", "shop", "x"))(t)
	var names []string
	for _, o := range hold.State().Origins {
		for _, d := range o.IndexedDB {
			names = append(names, d.Name)
		}
	}
	if got := strings.Join(names, " "); got != "login other many" || value(hold.State()) != "4711" {
		t.Errorf("it has %s of %q, want login other many of 4711", got, value(hold.State()))
	}
	if len(state.Origins[1].IndexedDB) != 3 {
		t.Error("what the browser remembers was changed")
	}
	// Without a change nothing is written.
	before := must(p.Get(ctx, "", "shop"))(t)
	if err := hold.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if after := must(p.Get(ctx, "", "shop"))(t); !after.Saved.Equal(before.Saved) || after.LeftOut != 4 {
		t.Errorf("Get() = %+v, was %+v", after, before)
	}
	if _, err := p.Put(ctx, "", "shop", state); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Put() = %v, want %v: a client is told", err, ErrTooLarge)
	}
}

// TestKeep: what a browser remembers is saved while it is open, two seconds after
// the last write at the latest.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := New(Shared(new(fleet.Memory), nil), keysOf(t, "a"), nil)
		must(p.Put(ctx, "", "shop", nil))(t)
		hold := must(p.Hold(ctx, "", "shop", "x"))(t)
		b := must(fake.Web{}.Open(ctx, &driver.BrowserOptions{}))(t)
		defer b.Close()
		kept := make(chan struct{})
		go func() { defer close(kept); hold.Keep(ctx, b) }()
		stored := func() string {
			_, _, err := p.find(ctx, hold.key, "shop")
			if err != nil {
				t.Fatal(err)
			}
			h, revision, _ := p.find(ctx, hold.key, "shop")
			plain, _, err := p.open(ctx, "", hold.key, h, revision)
			if err != nil {
				t.Fatal(err)
			}
			return value(must(decodeState(plain))(t))
		}
		for _, v := range []string{"1", "2", "3"} {
			if err := b.SetCookies(ctx, driver.Cookie{Name: "session", Value: v, Domain: "shop.test", Path: "/"}); err != nil {
				t.Fatal(err)
			}
			hold.Touch()
			if !pause.For(ctx, saveAgain+readAgain) {
				t.Fatal("the test ended")
			}
			synctest.Wait()
			if got := stored(); got != v {
				t.Errorf("the store has %q, want %q", got, v)
			}
		}
		cancel()
		<-kept
	})
}
