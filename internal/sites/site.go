package sites

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"sync"
)

// A Site is a web site in memory. It serves one request at a time, and may be
// used from several goroutines at once.
type Site struct {
	name  string
	lang  string
	nav   []link
	foot  []link
	mux   *http.ServeMux
	views *template.Template

	mu      sync.Mutex // protects the journal, and the state that the handlers close over
	journal []string
}

type link struct{ To, Name string }

// newSite makes a site of templates, each defined by its name.
func newSite(name, lang, views string, nav ...link) *Site {
	return &Site{
		name: name, lang: lang, nav: nav, mux: http.NewServeMux(),
		views: template.Must(template.New(name).Funcs(template.FuncMap{"money": money, "add": func(a, b int) int { return a + b },
			"folders": func() []string { return []string{"Archive", "Letters", "Photos", "Music", "Bills"} }}).Parse(views)),
	}
}

// ServeHTTP answers a request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mux.ServeHTTP(w, r)
}

// Journal returns what visitors have changed, in order. It is empty before.
func (s *Site) Journal() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.journal)
}

// on serves requests of a pattern.
func (s *Site) on(pattern string, f http.HandlerFunc) { s.mux.HandleFunc(pattern, f) }

// note writes a line into the journal. It is called by handlers alone, which
// hold the lock.
func (s *Site) note(format string, args ...any) {
	s.journal = append(s.journal, fmt.Sprintf(format, args...))
}

// show answers with a view in the site's frame.
func (s *Site) show(w http.ResponseWriter, view, title string, data any) {
	s.showStatus(w, http.StatusOK, view, title, data)
}

func (s *Site) showStatus(w http.ResponseWriter, status int, view, title string, data any) {
	var body, page bytes.Buffer
	if err := s.views.ExecuteTemplate(&body, view, data); err != nil {
		panic(err) // a mistake in this package
	}
	err := frame.Execute(&page, struct {
		Lang, Site, Title string
		Nav, Foot         []link
		Body              template.HTML
	}{s.lang, s.name, title, s.nav, s.foot, template.HTML(body.String())})
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // a visitor that has gone misses nothing
}

// to sends the visitor on after a form.
func to(w http.ResponseWriter, r *http.Request, address string) {
	http.Redirect(w, r, address, http.StatusSeeOther)
}

var frame = template.Must(template.New("frame").Parse(`<!doctype html>
<html lang="{{.Lang}}"><head><meta charset="utf-8"><title>{{.Title}} – {{.Site}}</title>
<style>body{font:15px sans-serif;margin:1em}nav a,footer a{margin-right:1em}table{border-collapse:collapse}td,th{padding:.3em .6em;text-align:left}</style></head>
<body><header><nav aria-label="{{.Site}}">{{range .Nav}}<a href="{{.To}}">{{.Name}}</a> {{end}}</nav></header>
<main><h1>{{.Title}}</h1>
{{.Body}}</main>
{{with .Foot}}<footer>{{range .}}<a href="{{.To}}">{{.Name}}</a> {{end}}</footer>{{end}}</body></html>
`))

// firstOf is the first of all that is so; the zero value if none is.
func firstOf[T any](all []T, is func(T) bool) (found T) {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i]
	}
	return found
}

// filter are all that are so.
func filter[T any](all []T, is func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !is(one) })
}

func money(cents int) string { return fmt.Sprintf("CHF %d.%02d", cents/100, cents%100) }

// formed serves a form at a path, and what it notes and answers.
func (s *Site) formed(path, view, title string, data any, done func(r *http.Request) (note, answer string)) {
	s.on("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		s.show(w, view, title, map[string]any{"Data": data, "N": r.PathValue("n")})
	})
	s.on("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // what is missing is asked for below
		note, answer := done(r)
		if note == "" {
			s.showStatus(w, http.StatusUnprocessableEntity, view, title, map[string]any{"Data": data, "N": r.PathValue("n"), "Alert": answer})
			return
		}
		s.note("%s", note)
		s.show(w, "answer", title, answer)
	})
}
