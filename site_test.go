package wayfinder_test

import (
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestSite has Hugo build the site, and follows every link between its pages.
// Where no Hugo is found it is skipped, unless WAYFINDER_REQUIRE_HUGO is set.
func TestSite(t *testing.T) {
	if _, err := exec.LookPath("hugo"); err != nil {
		if os.Getenv("WAYFINDER_REQUIRE_HUGO") != "" {
			t.Fatal(err)
		}
		t.Skip("no Hugo is found; install the package hugo")
	}
	out := t.TempDir()
	if text, err := exec.CommandContext(t.Context(), "hugo", "--source", "site", "--destination", out, "--quiet").CombinedOutput(); err != nil || len(text) > 0 {
		t.Fatalf("hugo: %v\n%s", err, text)
	}
	pages := map[string]*sitePage{}
	err := fs.WalkDir(os.DirFS(out), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		pages[name] = &sitePage{}
		if path.Ext(name) == ".html" {
			pages[name] = readSitePage(t, filepath.Join(out, name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range pages {
		for _, link := range page.links {
			u, err := url.Parse(link)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if u.Scheme != "" {
				continue
			}
			to := name
			if u.Path != "" {
				to = path.Join(path.Dir(name), u.Path)
			}
			if target := pages[to]; target == nil {
				t.Errorf("%s leads to %s, which is not there", name, link)
			} else if u.Fragment != "" && !target.ids[u.Fragment] {
				t.Errorf("%s leads to %s, which has no such part", name, link)
			}
		}
		// What a page loads comes with it: no script, picture or font of another server.
		for _, load := range page.loads {
			if u, err := url.Parse(load); err != nil || u.Host != "" {
				t.Errorf("%s loads %s", name, load)
			}
		}
		if strings.HasSuffix(name, ".html") && !strings.HasPrefix(name, "decisions") && !strings.Contains(page.text, `aria-current="page"`) && name != "index.html" {
			t.Errorf("site/data/nav.toml lacks %s", name)
		}
	}
	if len(pages) < 30 {
		t.Errorf("the site has %d files, which are too few to be all", len(pages))
	}
}

// A sitePage is what links are held against.
type sitePage struct {
	text         string
	links, loads []string
	ids          map[string]bool
}

func readSitePage(t *testing.T, file string) *sitePage {
	t.Helper()
	page := &sitePage{text: string(must(os.ReadFile(file))(t)), ids: map[string]bool{}}
	root, err := html.Parse(strings.NewReader(page.text))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				page.ids[a.Val] = true
			case a.Key == "href" && n.Data == "a":
				page.links = append(page.links, a.Val)
			case a.Key == "src" || a.Key == "srcset" || a.Key == "href":
				page.loads = append(page.loads, a.Val)
				page.links = append(page.links, a.Val)
			}
		}
	}
	return page
}

// TestLinks follows the relative links of every page, as they are read in the
// repository: to a file or a folder, and to a heading of a page.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (name != "." && name != ".github" && strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if path.Ext(name) != ".md" {
			return nil
		}
		text := withoutCode(string(must(os.ReadFile(name))(t)))
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to := m[1] + m[2]
			u, err := url.Parse(to)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if u.Scheme != "" {
				continue
			}
			file := name
			if u.Path != "" {
				file = path.Join(path.Dir(name), u.Path)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s leads to %s, which is not there", name, to)
			} else if u.Fragment != "" && path.Ext(file) == ".md" && !headings(t, file)[u.Fragment] {
				t.Errorf("%s leads to %s, which has no such heading", name, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// withoutCode is a page without its code, in which brackets are no links.
func withoutCode(text string) string {
	var kept strings.Builder
	for i, block := range strings.Split(text, "```") {
		if i%2 == 0 {
			kept.WriteString(block)
		}
	}
	return regexp.MustCompile("`[^`\n]*`").ReplaceAllString(kept.String(), "`")
}

// headings are the fragments of a page's headings, as GitHub and Hugo make them.
func headings(t *testing.T, file string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(must(os.ReadFile(file))(t)), -1) {
		id := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all[strings.ReplaceAll(id, " ", "-")] = true
	}
	return all
}
