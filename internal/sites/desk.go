package sites

import (
	"net/http"
	"strconv"
)

// newDesk is a support desk that breaks in the middle: the first answer that is
// sent and the second page that is asked for fail, then all works. A page about
// its state says whether what failed was done.
func newDesk() *Site {
	s := newSite("Help desk", "en", deskViews, link{"/", "Tickets"}, link{"/state", "State"})
	type ticket struct {
		ID           int
		Title, State string
		Answers      []string
	}
	tickets := []*ticket{{1, "Printer is on fire", "open", nil}, {2, "No coffee", "open", nil}, {3, "Mouse squeaks", "open", nil}}
	sends, closes := 0, 0
	byID := func(r *http.Request) *ticket {
		n, _ := strconv.Atoi(r.PathValue("id"))
		return tickets[min(max(n-1, 0), 2)]
	}
	broken := func(w http.ResponseWriter) {
		s.showStatus(w, http.StatusInternalServerError, "told", "Something went wrong", "Error 500. Nothing was saved. Please try again.")
	}
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "list", "Tickets", tickets) })
	s.on("GET /t/{id}", func(w http.ResponseWriter, r *http.Request) { t := byID(r); s.show(w, "ticket", t.Title, t) })
	s.on("POST /t/{id}/answer", func(w http.ResponseWriter, r *http.Request) {
		if sends++; sends == 1 {
			broken(w)
			return
		}
		t := byID(r)
		t.Answers = append(t.Answers, r.FormValue("answer"))
		s.note("answer to %d: %s", t.ID, r.FormValue("answer"))
		to(w, r, "/t/"+r.PathValue("id"))
	})
	s.on("POST /t/{id}/close", func(w http.ResponseWriter, r *http.Request) {
		// The first time it is done, and the page for it is broken.
		t := byID(r)
		t.State = "closed"
		s.note("closed %d", t.ID)
		if closes++; closes == 1 {
			s.showStatus(w, http.StatusBadGateway, "told", "Bad gateway", "The answer did not arrive.")
			return
		}
		to(w, r, "/")
	})
	s.on("GET /state", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "list", "State", tickets) })
	return s
}

const deskViews = `
{{define "list"}}<table><thead><tr><th>Number<th>Ticket<th>State</tr></thead><tbody>{{range .}}<tr><td>{{.ID}}<td><a href="/t/{{.ID}}">{{.Title}}</a><td>{{.State}}</tr>{{end}}</tbody></table>{{end}}
{{define "ticket"}}<p>State: {{.State}}</p><ul>{{range .Answers}}<li>{{.}}</li>{{else}}<li>No answers yet</li>{{end}}</ul>
<form method="post" action="/t/{{.ID}}/answer"><label>Answer <textarea name="answer"></textarea></label><button>Send answer</button></form>
<form method="post" action="/t/{{.ID}}/close"><button>Close ticket</button></form>{{end}}
{{define "told"}}<p role="alert">{{.}}</p>{{end}}
`

func deskTasks() []Task {
	return []Task{
		task("desk/again", newDesk, "/", "Answer the ticket about the printer: Get out.").
			clicks("link: Printer is on fire").
			turn(fill("textbox: Answer", "Get out"), click("button: Send answer")).
			turn(call("back")).
			turn(fill("textbox: Answer", "Get out"), click("button: Send answer")).
			did("the answer stands there", says("Get out"), at("/t/1")).
			want("answer to 1: Get out"),
		task("desk/not-again", newDesk, "/", "Close the ticket about coffee, once.").
			clicks("link: No coffee", "button: Close ticket", "link: Tickets", "link: No coffee").
			did("it is closed", says("State: closed"), at("/t/2")).
			want("closed 2"),
	}
}
