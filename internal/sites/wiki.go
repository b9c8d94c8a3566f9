package sites

import (
	"fmt"
	"net/http"
	"strings"
)

// newWiki is a wiki with long pages that are edited, linked and taken back, and
// files that are uploaded.
func newWiki() *Site {
	s := newSite("Wiki", "en", wikiViews, link{"/w/Main", "Main page"}, link{"/all", "All pages"}, link{"/upload", "Upload"}, link{"/changes", "Changes"})
	long := func(about string) string {
		var lines []string
		for i := range 30 {
			lines = append(lines, fmt.Sprintf("Paragraph %d about %s, which has been written with care and says nothing that one would have to know.", i+1, about))
		}
		return strings.Join(lines, "\n")
	}
	pages := map[string]string{"Main": "Welcome. See Bees, Trees and Seas.", "Bees": "Bees make honey.\n" + long("bees"), "Trees": "The oldest tree is 4853 years old.\n" + long("trees"), "Seas": "Salt water, mostly.\n" + long("seas")}
	before := map[string]string{}
	s.on("GET /w/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		found := filter([]string{"Bees", "Trees", "Seas"}, func(other string) bool { return other != name })
		s.show(w, "page", name, map[string]any{"Name": name, "Lines": strings.Split(pages[name], "\n"), "See": found})
	})
	s.on("GET /edit/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		first, _, _ := strings.Cut(pages[name], "\n")
		s.show(w, "edit", "Edit "+name, map[string]any{"Name": name, "First": first})
	})
	s.on("POST /edit/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		first, rest, _ := strings.Cut(pages[name], "\n")
		before[name] = first
		pages[name] = r.FormValue("first") + "\n" + rest
		s.note("%s: %s (%s)", name, r.FormValue("first"), r.FormValue("why"))
		to(w, r, "/w/"+name)
	})
	s.on("POST /undo/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		_, rest, _ := strings.Cut(pages[name], "\n")
		pages[name] = before[name] + "\n" + rest
		s.note("%s: back to %s", name, before[name])
		to(w, r, "/w/"+name)
	})
	s.on("GET /all", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "all", "All pages", pages) })
	s.on("GET /changes", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "changes", "Changes", before) })
	s.on("GET /upload", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "upload", "Upload", nil) })
	s.on("POST /upload", func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("file")
		if err != nil {
			s.showStatus(w, http.StatusUnprocessableEntity, "told", "Not uploaded", "Choose a file.")
			return
		}
		_ = file.Close() // it is in memory
		s.note("file %s, %d bytes: %s", header.Filename, header.Size, r.FormValue("about"))
		s.show(w, "told", "Uploaded", header.Filename+" was uploaded.")
	})
	return s
}

const wikiViews = `
{{define "page"}}{{range .Lines}}<p>{{.}}</p>{{end}}<h2>See also</h2><ul>{{range .See}}<li><a href="/w/{{.}}">{{.}}</a></li>{{end}}</ul><a href="/edit/{{.Name}}">Edit this page</a>{{end}}
{{define "edit"}}<form method="post"><label>First sentence <textarea name="first">{{.First}}</textarea></label><label>Reason <input name="why"></label><button>Save page</button></form>{{end}}
{{define "all"}}<ul>{{range $name, $text := .}}<li><a href="/w/{{$name}}">{{$name}}</a></li>{{end}}</ul>{{end}}
{{define "changes"}}<ul>{{range $name, $was := .}}<li><a href="/w/{{$name}}">{{$name}}</a> was: {{$was}} <form method="post" action="/undo/{{$name}}"><button>Take back</button></form></li>{{else}}<li>None</li>{{end}}</ul>{{end}}
{{define "upload"}}<form method="post" enctype="multipart/form-data"><label>File <input type="file" name="file"></label><label>About <input name="about"></label><button>Upload file</button></form>{{end}}
{{define "told"}}<p role="status">{{.}}</p>{{end}}
`

func wikiTasks() []Task {
	return []Task{
		task("wiki/edit", newWiki, "/w/Main", "open Seas, click Edit this page, fill First sentence with \"Salt water.\" and Reason with shorter, click Save page").plain().
			clicks("link: Seas", "link: Edit this page").
			turn(form("textbox: First sentence", "Salt water.", "textbox: Reason", "shorter"), click("button: Save page")).
			did("the page is shorter", sent("POST", "/edit/Seas"), at("/w/Seas")).
			want("Seas: Salt water. (shorter)"),
		task("wiki/from-one-to-another", newWiki, "/w/Main", "Write into the page about bees, as its first sentence, how old the oldest tree is, with the reason trees.").
			clicks("link: Trees").
			turn(call("find", "query", "oldest tree")).
			clicks("link: Bees", "link: Edit this page").
			turn(form("textbox: First sentence", "The oldest tree is 4853 years old.", "textbox: Reason", "trees"), click("button: Save page")).
			did("the sentence stands there", says("The oldest tree is 4853 years old."), at("/w/Bees")).
			want("Bees: The oldest tree is 4853 years old. (trees)"),
		task("wiki/take-back", newWiki, "/w/Bees", "Replace the first sentence about bees by: Bees sting. Then take that back.").
			clicks("link: Edit this page").
			turn(form("textbox: First sentence", "Bees sting.", "textbox: Reason", "true"), click("button: Save page")).
			clicks("link: Changes", "button: Take back").
			did("it is as it was", sent("POST", "/undo/Bees"), says("Bees make honey.")).
			want("Bees: Bees sting. (true)", "Bees: back to Bees make honey."),
		task("wiki/upload", newWiki, "/w/Main", "Upload bee.txt as the sound of a bee.").file("bee.txt", "bzzz\n").
			clicks("link: Upload").
			turn(call("upload", "ref", "@button: File", "files", []any{"bee.txt"}), fill("textbox: About", "the sound of a bee"), click("button: Upload file")).
			did("the file is there", says("bee.txt was uploaded")).
			want("file bee.txt, 5 bytes: the sound of a bee"),
	}
}
