package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Every field of what is read comes back, those included that somebody adds.
func TestEveryFieldComesBack(t *testing.T) {
	c, state := full(), &driver.State{}
	n := 0
	fill(reflect.ValueOf(state).Elem(), &n)
	r, _, p := open(t, &stub{capture: c, state: state}, nil)
	for range 2 {
		if _, err := p.Capture(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	node := driver.NodeRef{Frame: "F", Doc: "D", Node: 5}
	if _, err := p.State(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	bundle := written(t, r)
	if got := bytes.Count(bundle, []byte(`{"copy":[0,2]}`)); got != 2 {
		t.Errorf("%d runs of what was there before, want one for each document:\n%s", got, bundle)
	}
	_, replayed := play(t, bundle)
	for range 3 { // one more than was recorded
		got, err := replayed.Capture(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, got); diff != "" {
			t.Errorf("Capture (-recorded +played):\n%s", diff)
		}
		got.Documents[0].Nodes[0].Attrs[0].Value = "the caller's own"
	}
	got, err := replayed.State(t.Context(), node)
	if diff := cmp.Diff(state, got); diff != "" || err != nil {
		t.Errorf("State: %v (-recorded +played):\n%s", err, diff)
	}
}

// Every event comes back, and in its place.
func TestEveryEventComesBack(t *testing.T) {
	s := &stub{}
	r, _, p := open(t, s, nil)
	var told []driver.Event
	if err := p.Input(t.Context(), driver.Tap{}); err != nil {
		t.Fatal(err)
	}
	for name, typ := range events {
		v := reflect.New(typ).Elem()
		if name != "BrowserGone" {
			n := 0
			fill(v, &n)
		}
		for _, field := range []string{"Page", "Opener"} {
			if f := v.FieldByName(field); f.IsValid() && name != "PageOpened" {
				f.SetString("P")
			}
		}
		e := v.Interface().(driver.Event)
		switch opened := e.(type) {
		case driver.PageOpened:
			opened.Opener = "P"
			e = opened
		case driver.BrowserGone, driver.DialogClosed, driver.PageClosed:
			continue // each ends something; see the other tests
		}
		s.listen(e)
		told = append(told, e)
	}
	b, replayed := play(t, written(t, r))
	var got []driver.Event
	b.Listen(func(e driver.Event) { got = append(got, e) })
	if err := replayed.Input(t.Context(), driver.Tap{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(told, got); diff != "" {
		t.Errorf("events (-told +played):\n%s", diff)
	}
}

// Errors say and are what they were.
func TestErrorsComeBack(t *testing.T) {
	r, b, p := open(t, &stub{}, nil)
	ctx := t.Context()
	fail := func(b driver.Browser, p driver.Page) []error {
		_, nav := p.Navigate(ctx, "https://nowhere.test/", nil)
		_, newPage := b.NewPage(ctx)
		return []error{nav, p.Input(ctx), newPage}
	}
	want := fail(b, p)
	got := fail(play(t, written(t, r)))
	for i := range want {
		if got[i] == nil || got[i].Error() != want[i].Error() {
			t.Errorf("error %d = %v, want %v", i, got[i], want[i])
		}
		for _, s := range sentinels {
			if errors.Is(got[i], s.err) != errors.Is(want[i], s.err) {
				t.Errorf("errors.Is(%v, %v) = %t, want the other", got[i], s.err, errors.Is(got[i], s.err))
			}
		}
	}
	var nav *driver.NavigationError
	if !errors.As(got[0], &nav) || nav.Reason != driver.ReasonDNS || nav.URL != "https://nowhere.test/" {
		t.Errorf("the error of a navigation = %+v", nav)
	}
	var covered *driver.ObscuredError
	if !errors.As(got[1], &covered) || covered.By.Node != 7 {
		t.Errorf("the error of what is covered = %+v", covered)
	}
}

// A bundle keeps how input missed its element: the engine tries it again only if
// nothing of it had reached the page.
func TestMissedInputComesBack(t *testing.T) {
	by := driver.NodeRef{Frame: "F", Doc: "D", Node: 9}
	for _, want := range []*driver.MissedError{
		{Err: driver.ErrStale},
		{By: by, Err: driver.ErrObscured},
		{By: by, Taken: true, Err: driver.ErrTargetMoved},
		{Taken: true, Err: driver.ErrNotTyped},
		{By: by, Err: &driver.ObscuredError{By: by}},
	} {
		err := newFailure(&driver.OpError{Op: "input", Err: want}).err()
		got, ok := errors.AsType[*driver.MissedError](err)
		if !ok || got.By != want.By || got.Taken != want.Taken || got.Error() != want.Error() {
			t.Fatalf("%+v came back as %+v", want, got)
		}
		for _, s := range sentinels {
			if errors.Is(got, s.err) != errors.Is(want, s.err) {
				t.Errorf("errors.Is(%v, %v) = %t, want the other", got, s.err, errors.Is(got, s.err))
			}
		}
		_, covered := errors.AsType[*driver.ObscuredError](err)
		if _, was := errors.AsType[*driver.ObscuredError](want); covered != was {
			t.Errorf("%+v is an ObscuredError as it comes back: %t", want, covered)
		}
	}
	if missed, ok := errors.AsType[*driver.MissedError](newFailure(driver.ErrStale).err()); ok {
		t.Errorf("a stale node came back as input that missed: %+v", missed)
	}
}

// Every error that drivers' callers branch on has a name in bundles.
func TestSentinelsAreAll(t *testing.T) {
	contract, err := os.ReadFile("../errors.go")
	if err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadFile("failure.go")
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`(?m)^\t(Err\w+) += errors\.New`).FindAllSubmatch(contract, -1)
	if len(all) == 0 {
		t.Fatal("the contract has no errors")
	}
	for _, one := range all {
		if !bytes.Contains(names, append([]byte("driver."), one[1]...)) {
			t.Errorf("no sentinel for driver.%s", one[1])
		}
	}
}

// What was not recorded is an error that says what is there instead.
func TestNotRecorded(t *testing.T) {
	r, _, p := open(t, &stub{capture: full()}, nil)
	ctx := t.Context()
	for range 2 {
		if _, err := p.Navigate(ctx, "https://a.test/", nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Capture(ctx); err != nil {
		t.Fatal(err)
	}
	b, replayed := play(t, written(t, r))
	_, first := replayed.Capture(ctx)
	_, other := replayed.Navigate(ctx, "https://b.test/", nil)
	if _, err := replayed.Navigate(ctx, "https://a.test/", nil); err != nil {
		t.Fatal(err)
	}
	_, between := replayed.Capture(ctx)
	if _, err := replayed.Navigate(ctx, "https://a.test/", nil); err != nil {
		t.Fatal(err)
	}
	_, third := replayed.Navigate(ctx, "https://a.test/", nil)
	_, picture := replayed.Screenshot(ctx, nil)
	_, cookies := b.Cookies(ctx)
	for i, c := range []struct {
		err  error
		says string
	}{
		{first, `capture: nobody asked for it at its beginning and before navigate "https://a.test/"`},
		{other, `navigate "https://b.test/": at its beginning the recording continues with navigate "https://a.test/"`},
		{between, `capture: nobody asked for it after navigate "https://a.test/" and before navigate "https://a.test/"`},
		{third, `after navigate "https://a.test/" the recording ends`},
		{picture, "a recording never has this"}, {cookies, "a recording never has this"},
	} {
		if !errors.Is(c.err, ErrNotRecorded) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("error %d = %v, want one that says %q", i, c.err, c.says)
		}
	}
	b.Close()
	if _, err := replayed.Capture(ctx); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("Capture after Close = %v, want %v", err, driver.ErrClosed)
	}
}

// A full recorder keeps what it has, and says where it ends.
func TestLimit(t *testing.T) {
	r, _, p := open(t, &stub{}, &Options{MaxBytes: 20_000})
	for i := range 10_000 {
		if _, err := p.Navigate(t.Context(), fmt.Sprintf("https://a.test/%d", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	bundle := written(t, r)
	if len(bundle) > 40_000 {
		t.Errorf("a bundle of %d bytes for a limit of 20,000", len(bundle))
	}
	_, replayed := play(t, bundle)
	var err error
	for i := 0; err == nil && i < 10_000; i++ {
		_, err = replayed.Navigate(t.Context(), fmt.Sprintf("https://a.test/%d", i), nil)
	}
	if !errors.Is(err, ErrNotRecorded) || !strings.Contains(err.Error(), "the recording ends") {
		t.Errorf("where the recorder was full: %v", err)
	}
}

// A file is there whole or not at all, and only its owner may read it.
func TestWriteFile(t *testing.T) {
	r, _, _ := open(t, &stub{}, nil)
	folder := t.TempDir()
	path := filepath.Join(folder, "x.wayfinder")
	for range 2 { // the second takes the first's place
		if err := r.WriteFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	if err := r.WriteFile(filepath.Join(folder, "none", "x")); err == nil {
		t.Error("WriteFile into no folder succeeded")
	}
	if _, err := New(&stub{}, nil).WriteTo(&bytes.Buffer{}); err == nil {
		t.Error("WriteTo of nothing succeeded")
	}
	if _, err := r.Open(t.Context(), &driver.BrowserOptions{}); err == nil {
		t.Error("a second browser was recorded into the same bundle")
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

func TestReadRefuses(t *testing.T) {
	r, _, p := open(t, &stub{capture: full()}, nil)
	if _, err := p.Capture(t.Context()); err != nil {
		t.Fatal(err)
	}
	good := string(written(t, r))
	for name, bad := range map[string]string{
		"nothing":          "",
		"another file":     "<html>\n",
		"other JSON":       "{}\n",
		"a later version":  strings.Replace(good, `"version":1`, `"version":2`, 1),
		"cut":              good[:len(good)/2],
		"cut at a line":    good[:strings.LastIndex(good[:len(good)-1], "\n")+1],
		"an unknown call":  strings.Replace(good, `"call":"capture"`, `"call":"teleport"`, 1),
		"too many nodes":   strings.Replace(good, `"nodes":2`, `"nodes":99999999`, 1),
		"negative nodes":   strings.Replace(good, `"nodes":2`, `"nodes":-2`, 1),
		"an unknown style": strings.Replace(good, `"style":1`, `"style":77`, 1),
		"no parent":        strings.Replace(good, `"up":1`, `"up":9`, 1),
	} {
		if _, err := Read(strings.NewReader(bad)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: Read = %v, want %v", name, err, ErrFormat)
		}
	}
}

// FuzzRead: whatever a bundle says, it is refused or played, and nothing ends.
func FuzzRead(f *testing.F) {
	r := New(&stub{capture: full(), state: &driver.State{}}, nil)
	b, err := r.Open(context.Background(), &driver.BrowserOptions{})
	if err != nil {
		f.Fatal(err)
	}
	p := b.Pages()[0]
	ctx := context.Background()
	p.Navigate(ctx, "https://a.test/", nil)
	p.Capture(ctx)
	p.State(ctx, driver.NodeRef{Node: 1})
	p.Input(ctx, driver.Tap{})
	var good bytes.Buffer
	r.WriteTo(&good)
	f.Add(good.Bytes())
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		text := bytes.Clone(good.Bytes())
		text[random.IntN(len(text))] ^= 1 << random.IntN(8)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, bundle []byte) {
		rec, err := Read(bytes.NewReader(bundle))
		if err != nil {
			return
		}
		b, err := rec.Driver().Open(t.Context(), &driver.BrowserOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range b.Pages() {
			p.Frames()
			p.Navigate(t.Context(), "https://a.test/", nil)
			if c, err := p.Capture(t.Context()); err == nil && len(c.Documents) == 0 {
				t.Error("a look without a document")
			}
			p.State(t.Context(), driver.NodeRef{Node: 1})
			p.Input(t.Context(), driver.Tap{})
		}
	})
}
