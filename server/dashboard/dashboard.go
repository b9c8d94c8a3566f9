package dashboard

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed page
var files embed.FS

// policy lets the page run its own scripts and call its own service.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// prefix is where the files besides the page itself are.
const prefix = "/dashboard/"

// A file is one that is served.
type file struct {
	content []byte
	kind    string
	tag     string // by which a browser knows what it has
}

// New returns a handler of GET / and of what is below /dashboard/.
func New() http.Handler {
	served := map[string]file{}
	err := fs.WalkDir(files, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := files.ReadFile(name)
		sum := sha256.Sum256(content)
		kind := cmp.Or(kinds[path.Ext(name)], mime.TypeByExtension(path.Ext(name)))
		served[prefix+strings.TrimPrefix(name, "page/")] = file{content, kind, `"` + hex.EncodeToString(sum[:16]) + `"`}
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("dashboard: its own files: %v", err)) // they are in the program
	}
	served["/"] = served[prefix+"index.html"]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, served) })
}

// kinds are the types of the files, whatever the machine says.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

func serve(w http.ResponseWriter, r *http.Request, served map[string]file) {
	h := w.Header()
	h.Set("content-security-policy", policy)
	h.Set("x-content-type-options", "nosniff")
	h.Set("referrer-policy", "no-referrer")
	h.Set("cross-origin-opener-policy", "same-origin")
	h.Set("cross-origin-resource-policy", "same-origin")
	f, ok := served[r.URL.Path]
	switch {
	case !ok:
		http.Error(w, "nothing is at this address", http.StatusNotFound)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("allow", "GET, HEAD")
		http.Error(w, "only GET is taken here", http.StatusMethodNotAllowed)
		return
	}
	h.Set("cache-control", "no-cache") // kept, and asked about by its tag: after an upgrade all files are of one version
	h.Set("etag", f.tag)
	for tag := range strings.SplitSeq(r.Header.Get("if-none-match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(tag), "W/") == f.tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("content-type", f.kind)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = w.Write(f.content) // a client that is gone reads nothing
	}
}
