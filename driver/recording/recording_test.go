package recording

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// fill sets every field of a value to something that is not its zero value.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(*n % 200))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 8)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, n)
		v.SetMapIndex(reflect.ValueOf(fmt.Sprintf("key %d", *n)).Convert(v.Type().Key()), value)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	}
}

// full is a capture whose every field says something.
func full() *driver.Capture {
	c := &driver.Capture{}
	n := 0
	fill(reflect.ValueOf(c).Elem(), &n)
	for d := range c.Documents {
		doc := &c.Documents[d]
		doc.OwnerDocument, doc.Owner, doc.Active = int32(d-1), int32(2*d-1), 1
		for i := range doc.Nodes {
			doc.Nodes[i].Parent, doc.Nodes[i].Host = int32(i-1), int32(i-1)
		}
	}
	return c
}

// A stub is a browser with one page, which answers all with what it was given.
type stub struct {
	driver.Browser
	driver.Page
	capture *driver.Capture
	state   *driver.State
	listen  func(driver.Event)
}

func (s *stub) Open(context.Context, *driver.BrowserOptions) (driver.Browser, error) {
	return &stubBrowser{s}, nil
}
func (s *stub) String() string { return "stub" }

type stubBrowser struct{ *stub }

func (b *stubBrowser) Pages() []driver.Page { return []driver.Page{stubPage{b.stub}} }
func (b *stubBrowser) NewPage(context.Context) (driver.Page, error) {
	return nil, &driver.OpError{Op: "newpage", Err: driver.ErrCrashed}
}
func (b *stubBrowser) Listen(fn func(driver.Event)) func()                         { b.listen = fn; return func() {} }
func (b *stubBrowser) Version() string                                             { return "Stub/1" }
func (b *stubBrowser) Close() error                                                { return nil }
func (b *stubBrowser) Cookies(context.Context, ...string) ([]driver.Cookie, error) { return nil, nil }
func (b *stubBrowser) SetCookies(context.Context, ...driver.Cookie) error          { return nil }
func (b *stubBrowser) ClearCookies(context.Context) error                          { return nil }
func (b *stubBrowser) StorageState(context.Context) (*driver.StorageState, error)  { return nil, nil }

type stubPage struct{ *stub }

func (p stubPage) ID() driver.PageID                                { return "P" }
func (p stubPage) Opener() driver.PageID                            { return "" }
func (p stubPage) Frames() []driver.Frame                           { return []driver.Frame{{ID: "P", URL: "https://a.test/"}} }
func (p stubPage) Capture(context.Context) (*driver.Capture, error) { return p.capture, nil }
func (p stubPage) State(context.Context, driver.NodeRef) (*driver.State, error) {
	return p.state, nil
}
func (p stubPage) Close(context.Context) error { return nil }
func (p stubPage) Input(_ context.Context, events ...driver.InputEvent) error {
	if len(events) == 0 {
		return &driver.OpError{Op: "input", Target: "nothing", Err: fmt.Errorf("odd: %w", &driver.ObscuredError{By: driver.NodeRef{Node: 7}})}
	}
	return nil
}
func (p stubPage) Navigate(_ context.Context, url string, _ *driver.NavigateOptions) (*driver.Response, error) {
	if strings.Contains(url, "nowhere") {
		return nil, &driver.OpError{Op: "navigate", Err: &driver.NavigationError{URL: url, Reason: driver.ReasonDNS, Detail: "net::X", Err: driver.ErrBlocked}}
	}
	return &driver.Response{URL: url, Status: 200, Headers: map[string]string{"set-cookie": "a=cookie-value", "x": "y"}}, nil
}

// open records a stub.
func open(t *testing.T, s *stub, opts *Options) (*Recorder, driver.Browser, driver.Page) {
	t.Helper()
	r := New(s, opts)
	b, err := r.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r, b, b.Pages()[0]
}

// written is a recorder's bundle.
func written(t *testing.T, r *Recorder) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := r.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo() = %d, %v for %d bytes", n, err, b.Len())
	}
	return b.Bytes()
}

// play opens a bundle.
func play(t *testing.T, bundle []byte) (driver.Browser, driver.Page) {
	t.Helper()
	rec, err := Read(bytes.NewReader(bundle))
	if err != nil {
		t.Fatal(err)
	}
	b, err := rec.Driver().Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b, b.Pages()[0]
}

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
		{other, `navigate "https://b.test/": at its beginning the recording goes on with navigate "https://a.test/"`},
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

// No spelling of a value stands in a bundle, wherever it came from, and at
// whatever place of something longer.
func TestSecretsAreHidden(t *testing.T) {
	for _, value := range []string{"hunter2!", "correct horse & battery", `a"b\c<d>é`, "p4$$", "日本語の鍵"} {
		var texts []string
		for pad := range 4 {
			for tail := range 4 {
				whole := strings.Repeat("x", pad) + value + strings.Repeat("y", tail)
				texts = append(texts, "see "+value, base64.StdEncoding.EncodeToString([]byte(whole)), base64.URLEncoding.EncodeToString([]byte(whole)), url.QueryEscape(whole))
			}
		}
		for _, sp := range spellings {
			if spelled := sp.spell(value); len(spelled) >= sp.least {
				texts = append(texts, "<"+spelled+">")
			}
		}
		c := full()
		c.Documents[0].Title, c.Documents[1].URL = value, "https://a.test/?q="+url.QueryEscape(value)
		for i, s := range texts {
			c.Documents[0].Nodes[0].Attrs = append(c.Documents[0].Nodes[0].Attrs, driver.Attr{Name: fmt.Sprint(i), Value: s})
		}
		r, b, p := open(t, &stub{capture: c, state: &driver.State{Tag: "input", Value: value}}, nil)
		ctx := t.Context()
		if _, err := p.Capture(ctx); err != nil { // before anybody knows
			t.Fatal(err)
		}
		b.(driver.Hider).Hide("pw", value)
		keys := typed(value)
		errs := errors.Join(p.Input(ctx, keys...), p.Input(ctx, driver.InsertText{Text: value}), p.Input(ctx))
		if !errors.Is(errs, driver.ErrObscured) {
			t.Fatal(errs)
		}
		if _, err := p.Navigate(ctx, "https://ann:"+url.PathEscape(value)+"@a.test/?q="+url.QueryEscape(value), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := p.State(ctx, driver.NodeRef{Node: 1}); err != nil {
			t.Fatal(err)
		}
		if err := r.Note("remark", map[string]string{"said": "it was " + value}); err != nil {
			t.Fatal(err)
		}
		bundle := written(t, r)
		for _, sp := range spellings {
			if spelled := sp.spell(value); len(spelled) >= sp.least && bytes.Contains(bundle, []byte(spelled)) {
				t.Errorf("the bundle holds %q, the %s spelling of %q", spelled, sp.name, value)
			}
		}
		if bytes.Contains(bundle, []byte("cookie-value")) {
			t.Errorf("the bundle holds a cookie")
		}
		playedWith(t, bundle, keys)
	}
}

// playedWith plays what TestSecretsAreHidden recorded, with another value.
func playedWith(t *testing.T, bundle []byte, keys []driver.InputEvent) {
	t.Helper()
	ctx := t.Context()
	b, p := play(t, bundle)
	const other = "another value"
	b.(driver.Hider).Hide("pw", other)
	got, err := p.Capture(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got.Documents[0].Title != other || got.Documents[1].URL != "https://a.test/?q=another+value" {
		t.Errorf("played: %q, %q", got.Documents[0].Title, got.Documents[1].URL)
	}
	if err := p.Input(ctx, keys...); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("typing the former value = %v, want %v: it is not known any more", err, ErrNotRecorded)
	}
	if err := p.Input(ctx, typed(other)...); err != nil {
		t.Errorf("typing the value of the replay = %v", err)
	}
}

func typed(s string) []driver.InputEvent {
	var keys []driver.InputEvent
	for _, key := range s {
		keys = append(keys, driver.KeyDown{Key: string(key)}, driver.KeyUp{Key: string(key)})
	}
	return keys
}

// A short value is hidden where it stands alone, and tears nothing apart.
func TestShortSecrets(t *testing.T) {
	var s secrets
	s.add("pin", "42")
	c := s.hider()
	if got := c.hide("42") + " " + c.hide("page 42 of 420"); got != "⟪pin⟫ page 42 of 420" {
		t.Errorf("hide = %q", got)
	}
}

// A value that is a secret of the environment too goes by its name.
func TestNamesFirst(t *testing.T) {
	var s secrets
	s.add(secretName, "xyzzy 42")
	s.add("pw", "xyzzy 42")
	if got := s.hider().hide("it is xyzzy 42"); got != "it is ⟪pw⟫" {
		t.Errorf("hide = %q", got)
	}
}

// Of several values of a name, as one-time codes are, the last is put back.
func TestSeveralValues(t *testing.T) {
	var s secrets
	s.add("code", "first code")
	s.add("code", "123456")
	if got := s.hider().hide("first code, 123456"); got != "⟪code⟫, ⟪code⟫" {
		t.Errorf("hide = %q", got)
	}
	if got := s.restorer().back("⟪code⟫"); got != "123456" {
		t.Errorf("back = %q", got)
	}
	s.add("code", "first code")
	if got := s.restorer().back("⟪code⟫"); got != "first code" {
		t.Errorf("back = %q", got)
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
