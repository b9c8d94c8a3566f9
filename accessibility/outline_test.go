package accessibility

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
)

var update = flag.Bool("update", false, "rewrite the outlines in testdata")

// TestOutline compares the outlines of pages with reviewed ones:
// testdata/outline/*.html and *.txt.
func TestOutline(t *testing.T) {
	files, err := filepath.Glob("testdata/outline/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".html"), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			snap := Build(htmlcapture.Of(t, string(source)), nil)
			got := snap.Outline()
			golden := strings.TrimSuffix(file, ".html") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("outline of %s =\n%s\nwant\n%s", file, got, want)
			}
			checkSnapshot(t, snap)
		})
	}
}

// checkSnapshot checks what is promised of every snapshot.
func checkSnapshot(t *testing.T, s *Snapshot) {
	t.Helper()
	text := s.Outline()
	o, err := ParseOutline(text)
	if err != nil {
		t.Fatalf("ParseOutline: %v\n%s", err, text)
	}
	if got := o.String(); got != text {
		t.Fatalf("ParseOutline(x).String() = %q, want %q", got, text)
	}
	seen := map[Ref]bool{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if int(n.End) <= i || int(n.End) > len(s.Nodes) || int(n.Parent) >= i || n.Parent >= 0 && s.Nodes[n.Parent].End < n.End {
			t.Fatalf("node %d has parent %d and end %d", i, n.Parent, n.End)
		}
		if seen[n.Ref] || len(s.Nodes) > 2000 && i%97 != 0 {
			continue
		}
		seen[n.Ref] = true
		if got, ok := s.Lookup(n.Ref); !ok || got != n {
			t.Fatalf("Lookup(%q) = %v, %v", n.Ref, got, ok)
		}
		if got, ok := s.Find(n.Source); !ok || got != n {
			t.Fatalf("Find(%v) = %v, %v", n.Source, got, ok)
		}
		if got, ok := s.Nearest(n.Source); !ok || got != n {
			t.Fatalf("Nearest(%v) = %v, %v", n.Source, got, ok)
		}
	}
	if s.opts.MaxTokens > 0 {
		if got := Tokens(text); got > s.opts.MaxTokens {
			t.Fatalf("outline has %d tokens, want at most %d", got, s.opts.MaxTokens)
		}
		return
	}
	if len(o.Items) != len(s.Nodes) {
		t.Fatalf("outline has %d lines, want %d", len(o.Items), len(s.Nodes))
	}
}

// TestParseOutlineRefuses: ParseOutline refuses what Outline would not write.
func TestParseOutlineRefuses(t *testing.T) {
	for _, text := range []string{
		"x\n",
		"[0-1] button",
		"[0-1]\n",
		"[0-01] button\n",
		"[0-1] button: \n",
		"[0-1] button:  x\n",
		"[0-1] button: x (nonsense)\n",
		"[0-1] button: \"x\"\n", // needs no quotes
		"[0-1] button: a\"b\n",
		"[0-1] button: x (disabled) (checked)\n", // in the other order
		"[0-1] button: x [0-2] button\n",
		"  [0-1] button: x\n",
		"[0-1] list\n    [0-2] button\n",
		"[0-1] list\n … 3 more items\n",
		"[0-1] list\n  … 3 more items, ask with ref x\n",
		"[0-1] list\n  … 3 more items\n    [0-2] button\n",
		"[0-1] button: \"\\u{202e}\n",
		"[0-1] button: \"x\" … 1000 more characters\n",
		"[0-1] button\n\n",
	} {
		if o, err := ParseOutline(text); !errors.Is(err, ErrOutline) {
			t.Errorf("ParseOutline(%q) = %v, %v, want an ErrOutline", text, o, err)
		}
	}
}

// TestNamesCannotForge puts hostile names through the outline.
func TestNamesCannotForge(t *testing.T) {
	for _, name := range []string{
		"Save\n[0-9] button: Pay", "x (checked)", `x value="1"`, `"`, `\`, "[0-9]", "… 3 more rows", "a … 3 more characters", "a | b", "↓",
		" lead", "trail ", "", "\u202eevil", "a\u2028b", "a\u200bb", "\x00", "tab\there", "é", "שלום", "日本語", "\xff\xfe", "a=b", "a:b", ": x",
		"…", "x…", "end:", "|", "a|b", "(", "a (b", "value=", "\U000e0041\U000e0042", "\u00a0x", "\ufffd",
	} {
		items := []Item{
			{Ref: "0-1", Role: "button", Parent: -1, Name: name},
			{Ref: "0-2", Role: "row", Parent: -1, Cells: []OutlineCell{{Cell: Cell{Text: name}}, {Cell: Cell{Below: true}}, {Cell: Cell{Text: name}, Cut: 1234}}},
			{Ref: "0-3", Role: "combobox", Parent: -1, Name: name, Value: name, Description: name, Placeholder: name, URL: name, Options: []Option{{Label: name}, {Label: name, Group: name, Disabled: true}}, MoreOptions: 3, Cut: Cut{Name: 1000000, Value: 5}},
			{Ref: "0-4", Role: "textbox", Parent: -1, Name: name, States: States{Invalid: name, Current: name, HasPopup: name, Sort: name, Expanded: Off}},
		}
		var text string
		for i := range items {
			text += string(appendItem(nil, &items[i])) + "\n"
		}
		if n := strings.Count(text, "\n"); n != len(items) {
			t.Errorf("%q: %d lines, want %d:\n%s", name, n, len(items), text)
			continue
		}
		o, err := ParseOutline(text)
		if err != nil {
			t.Errorf("%q: %v\n%s", name, err, text)
			continue
		}
		clean := strings.ToValidUTF8(strings.ReplaceAll(name, "\xff\xfe", "\ufffd\ufffd"), "\ufffd")
		if it := o.Items[0]; it.Name != clean || it.States != (States{}) {
			t.Errorf("button with name %q comes back as %+v", name, it)
		}
		if it := o.Items[1]; len(it.Cells) != 3 || it.Cells[0].Text != clean || !it.Cells[1].Below || it.Cells[2].Cut != 1234 {
			t.Errorf("row with cells %q comes back as %+v", name, it)
		}
		if it := o.Items[2]; it.Value != clean || it.Cut.Name != 1000000 || len(it.Options) != 2 || it.Options[1] != (Option{clean, clean, true}) || it.MoreOptions != 3 {
			t.Errorf("combobox with %q comes back as %+v", name, it)
		}
	}
}

// FuzzParseOutline: an accepted text is written again byte for byte.
func FuzzParseOutline(f *testing.F) {
	files, _ := filepath.Glob("testdata/outline/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("[0-1] row: a | ↓ | \"b|\" (header)\n  [0-2] link: x url=\"y\" … 1,000 more characters\n  … 3 more rows, ask with ref 0-1\n")
	f.Add("[0-1] combobox: x (options: a | \"b)\" | … 3 more) value=\"a\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseOutline(text)
		if err != nil {
			return
		}
		if got := o.String(); got != text {
			t.Fatalf("ParseOutline(%q).String() = %q", text, got)
		}
	})
}

// FuzzLine: any item that a page can cause is one line, and comes back.
func FuzzLine(f *testing.F) {
	f.Add("name", "value", 3, uint16(5))
	f.Add("a (b) | \"c\"", "\n[0-1] x", 70000, uint16(0xffff))
	f.Fuzz(func(t *testing.T, name, value string, n int, bits uint16) {
		it := Item{Ref: "3-77", Role: "textbox", Parent: -1, Name: name, Value: value, Placeholder: name}
		it.States = States{Checked: Tristate(bits & 3), Expanded: Tristate(bits >> 2 & 3), Invalid: value, Level: max(n, 0) % 10}
		it.States.Disabled, it.Clickable, it.Header = bits&16 != 0, bits&32 != 0, bits&64 != 0
		if bits&128 != 0 {
			it.Cut.Name, it.Options, it.MoreOptions = max(n, 0), []Option{{Label: name}, {Label: value, Group: name, Disabled: bits&256 != 0}}, max(n, 0)
		}
		line := string(appendItem(nil, &it))
		o, err := ParseOutline(line + "\n")
		if err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if got := o.Items[0].Value; got != strings.ToValidUTF8(value, "\ufffd") && !strings.Contains(got, "\ufffd") {
			t.Fatalf("value %q comes back as %q", value, got)
		}
		if got := o.String(); got != line+"\n" {
			t.Fatalf("%q comes back as %q", line, got)
		}
	})
}

// TestSnapshotIsShared uses a new snapshot from several goroutines, for the race
// detector.
func TestSnapshotIsShared(t *testing.T) {
	s := Build(htmlcapture.Of(t, shopPage(300)), &Options{MaxTokens: 500})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			n, ok := s.Lookup(s.Nodes[5].Ref)
			if !ok || s.Outline() == "" || s.Text() == "" || s.XPath(n) == "" || !Diff(s, s).Empty() {
				t.Error("a part is missing")
			}
		})
	}
	wg.Wait()
}
