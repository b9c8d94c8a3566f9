// Package webapp is a small web application, and a test of it as people use it: in
// the browser in memory in milliseconds, and in Chrome where one is found.
package webapp

import (
	"fmt"
	"html"
	"net/http"
	"sync"
)

// A Board takes notes and lists them.
type Board struct {
	mu    sync.Mutex // protects notes
	notes []string
}

// ServeHTTP shows the board, and adds the note of a POST.
func (b *Board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	problem := ""
	if r.Method == http.MethodPost {
		if note := r.FormValue("note"); note != "" {
			b.notes = append(b.notes, note)
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		problem = `<p role="alert">Write something first</p>`
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><title>Board</title><h1>Board</h1>%s
		<form method="post"><label>Note <input name="note"></label> <button>Pin it</button></form><ul aria-label="Notes">`, problem)
	for _, note := range b.notes {
		fmt.Fprintf(w, `<li>%s</li>`, html.EscapeString(note))
	}
	fmt.Fprint(w, `</ul>`)
}
