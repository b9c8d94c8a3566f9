package accessibility

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// describe writes steps on one line: x for XPath, c for CSS, alternatives in braces.
func describe(steps []Step) string {
	var b strings.Builder
	for i, s := range steps {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(map[driver.SelectorKind]string{driver.CSS: "c", driver.XPath: "x"}[s.Kind] + "<" + s.Text + ">")
		if s.Else != nil {
			b.WriteString(" else {" + describe(s.Else) + "}")
		}
	}
	return b.String()
}

func TestSplitSelector(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"xpath=/html[1]/body[1]/a[2]", "x</html[1]/body[1]/a[2]>"},
		{"/html/body", "x</html/body>"},
		{"xpath=//button[text()='a >> b']", "x<//button[text()='a >> b']>"},
		{"(//a)[2]", "x<(//a)[2]>"},
		{"./a", "x<./a>"},
		{"css=#a > b", "c<#a > b>"},
		{"  button.primary  ", "c<button.primary>"},
		{`a[href="x=y"]`, `c<a[href="x=y"]>`},
		{`a[title=" >> "]`, `c<a[title=" >> "]>`},
		{`a\:b >> c`, `c<a\:b> c<c>`},
		{"iframe#pay >> input", "c<iframe#pay> c<input>"},
		{"x-card >>> css=button >> xpath=//b", "c<x-card> c<button> x<.//b>"},
		{"a > b", "c<a > b>"},
		{"/html[1]/body[1]/iframe[2]/html[1]/body[1]/p[1]", "x</html[1]/body[1]/iframe[2]> x<./html[1]/body[1]/p[1]>"},
		{"//iframe[@id='a/b']//button", "x<//iframe[@id='a/b']> x<.//button>"},
		{"//frameset/frame[1]/html[1]", "x<//frameset/frame[1]> x<./html[1]>"},
		{"//descendant::iframe/html", "x<//descendant::iframe> x<./html>"},
		{"//iframe", "x<//iframe>"},
		{"//a | //iframe/b", "x<//a | //iframe/b>"},
		{"/html[1]/body[1]/x-a[1]//div[1]/b[1]",
			"x</html[1]/body[1]/x-a[1]//div[1]/b[1]> else {x</html[1]/body[1]/x-a[1]> x<./div[1]/b[1]> else {x<.//div[1]/b[1]>}}"},
		{"//main//a", "x<//main//a> else {x<//main> x<./a> else {x<.//a>}}"},
		{"/x[1]//y[1]//z[1]", "x</x[1]//y[1]//z[1]> else {x</x[1]> x<./y[1]> else {x<.//y[1]> x<./z[1]> else {x<.//z[1]>}} x<./z[1]> else {x<.//z[1]>}}"},
		{"/a[1]/iframe[1]/html[1]/x-a[1]//b[1]",
			"x</a[1]/iframe[1]> x<./html[1]/x-a[1]//b[1]> else {x<./html[1]/x-a[1]> x<./b[1]> else {x<.//b[1]>}}"},
		{"//a[.//b]", "x<//a[.//b]>"},
		{".//a", "x<.//a>"},
	} {
		steps, err := SplitSelector(tt.text)
		if err != nil {
			t.Errorf("SplitSelector(%q): %v", tt.text, err)
			continue
		}
		if got := describe(steps); got != tt.want {
			t.Errorf("SplitSelector(%q) = %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestSplitSelectorErrors(t *testing.T) {
	for _, text := range []string{"", "  ", "css=", "xpath=", "text=Save", "role=button", "a >> ", " >> a", "a[b", "//a[", "//a]", `a["x]`, "a('",
		strings.Repeat("/iframe[1]", 40) + "/a"} {
		if steps, err := SplitSelector(text); !errors.Is(err, driver.ErrSelector) {
			t.Errorf("SplitSelector(%q) = %s, %v, want ErrSelector", text, describe(steps), err)
		}
	}
}

// TestSplitSelectorOfXPath: the paths that we write can be split into their roots.
func TestSplitSelectorOfXPath(t *testing.T) {
	want := map[string]string{}
	authorPaths(t, nested, "xpath=", want)
	for id, path := range want {
		steps, err := SplitSelector(path)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		roots := strings.Count(path, "iframe[") - strings.Count(path[strings.LastIndex(path, "/"):], "iframe[") + strings.Count(path, "//")
		n := len(steps)
		if e := steps[len(steps)-1].Else; e != nil {
			n += len(e) - 1
		}
		if n != roots+1 {
			t.Errorf("SplitSelector(%q) leads through %d roots, want %d", path, n, roots+1)
		}
	}
}

func FuzzSplitSelector(f *testing.F) {
	f.Add("xpath=/html[1]/iframe[1]/x//y")
	f.Add("a >> b >>> css=c")
	f.Add("//a[\"]\"]|b")
	f.Fuzz(func(t *testing.T, text string) {
		steps, err := SplitSelector(text)
		if (err == nil) != (len(steps) > 0) {
			t.Fatalf("SplitSelector(%q) = %d steps, %v", text, len(steps), err)
		}
		if err != nil && !errors.Is(err, driver.ErrSelector) {
			t.Fatalf("SplitSelector(%q): %v is no ErrSelector", text, err)
		}
		var check func(steps []Step)
		check = func(steps []Step) {
			for _, s := range steps {
				if strings.TrimSpace(s.Text) == "" {
					t.Fatalf("SplitSelector(%q) has an empty step: %s", text, describe(steps))
				}
			}
			if len(steps) > 0 && steps[0].Else != nil {
				check(steps[0].Else)
			}
		}
		check(steps)
	})
}
