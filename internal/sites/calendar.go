package sites

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

type event struct {
	ID                 int
	Title, Day, Time   string
	Room               string
	Invited, Confirmed bool
	Gone               bool
}

// newCalendar is a calendar of months with events that are made, moved, accepted
// and taken out.
func newCalendar() *Site {
	s := newSite("Calendar", "en", calendarViews, link{"/month/4", "April"}, link{"/month/5", "May"}, link{"/month/6", "June"}, link{"/new", "New event"}, link{"/invitations", "Invitations"})
	all := []*event{
		{1, "Standup", "2026-05-04", "09:00", "Room 1", false, true, false}, {2, "Dentist", "2026-05-07", "14:30", "", false, true, false},
		{3, "Review", "2026-05-12", "10:00", "Room 4", false, true, false}, {4, "Review", "2026-05-19", "10:00", "Room 4", false, true, false},
		{5, "Summer party", "2026-06-20", "18:00", "Garden", true, false, false}, {6, "Budget meeting", "2026-06-03", "08:00", "Room 2", true, false, false},
		{7, "Choir", "2026-04-28", "19:00", "Hall", false, true, false},
	}
	byID := func(r *http.Request) *event {
		n, _ := strconv.Atoi(r.PathValue("id"))
		return all[min(max(n-1, 0), len(all)-1)]
	}
	s.on("GET /month/{m}", func(w http.ResponseWriter, r *http.Request) {
		m, _ := strconv.Atoi(r.PathValue("m"))
		type day struct {
			Date   string
			Events []*event
		}
		var weeks [][]day
		for d := 1; d <= 30; d++ {
			if d%7 == 1 {
				weeks = append(weeks, nil)
			}
			date := fmt.Sprintf("2026-%02d-%02d", m, d)
			events := filter(all, func(e *event) bool { return e.Day == date && e.Confirmed && !e.Gone })
			weeks[len(weeks)-1] = append(weeks[len(weeks)-1], day{date, events})
		}
		s.show(w, "month", fmt.Sprintf("2026-%02d", m), map[string]any{"Weeks": weeks, "Last": m - 1, "Next": m + 1})
	})
	s.on("GET /new", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "edit", "New event", event{}) })
	s.on("GET /e/{id}", func(w http.ResponseWriter, r *http.Request) { e := byID(r); s.show(w, "edit", e.Title, *e) })
	s.on("POST /e/{id}", func(w http.ResponseWriter, r *http.Request) {
		e := &event{Confirmed: true}
		if r.PathValue("id") != "0" {
			e = byID(r)
		}
		title, day, time, room := r.FormValue("title"), r.FormValue("day"), r.FormValue("time"), r.FormValue("room")
		if title == "" || len(day) != 10 || len(time) != 5 {
			s.showStatus(w, http.StatusUnprocessableEntity, "told", "Not saved", "An event needs a title, a day and a time.")
			return
		}
		if slices.ContainsFunc(all, func(o *event) bool {
			return o != e && room != "" && o.Room == room && o.Day == day && o.Time == time && !o.Gone
		}) {
			s.showStatus(w, http.StatusConflict, "told", "Not saved", room+" is taken then. Choose another room.")
			return
		}
		if e.ID == 0 {
			e.ID = len(all) + 1
			all = append(all, e)
		}
		e.Title, e.Day, e.Time, e.Room = title, day, time, room
		s.note("event %d: %s on %s at %s, %s", e.ID, e.Title, e.Day, e.Time, e.Room)
		s.show(w, "told", "Saved", e.Title+" is on "+e.Day+" at "+e.Time+".")
	})
	s.on("POST /e/{id}/delete", func(w http.ResponseWriter, r *http.Request) {
		e := byID(r)
		e.Gone = true
		s.note("event %d is gone", e.ID)
		s.show(w, "told", "Deleted", e.Title+" was deleted.")
	})
	s.on("GET /invitations", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "invitations", "Invitations", all) })
	s.on("POST /e/{id}/answer", func(w http.ResponseWriter, r *http.Request) {
		e := byID(r)
		e.Invited, e.Confirmed = false, r.FormValue("answer") == "yes"
		s.note("event %d: %s %s", e.ID, r.FormValue("answer"), r.FormValue("note"))
		to(w, r, "/invitations")
	})
	return s
}

const calendarViews = `
{{define "month"}}<a href="/month/{{.Last}}">Previous month</a> <a href="/month/{{.Next}}">Next month</a>
<table><thead><tr><th>1<th>2<th>3<th>4<th>5<th>6<th>7</tr></thead><tbody>{{range .Weeks}}<tr>{{range .}}<td>{{.Date}}{{range .Events}}<br><a href="/e/{{.ID}}">{{.Time}} {{.Title}}</a>{{end}}</td>{{end}}</tr>{{end}}</tbody></table>{{end}}
{{define "edit"}}<form method="post" action="/e/{{.ID}}"><label>Title <input name="title" value="{{.Title}}"></label><label>Day <input type="date" name="day" value="{{.Day}}"></label><label>Time <input type="time" name="time" value="{{.Time}}"></label>
<label>Room <select name="room"><option value="">none{{range .Rooms}}<option{{if eq . $.Room}} selected{{end}}>{{.}}{{end}}</select></label><button>Save</button></form>
{{if .ID}}<form method="post" action="/e/{{.ID}}/delete"><button>Delete</button></form>{{end}}{{end}}
{{define "invitations"}}<ul>{{range .}}{{if .Invited}}<li><h2>{{.Title}}</h2><p>{{.Day}} {{.Time}} {{.Room}}</p><form method="post" action="/e/{{.ID}}/answer"><label>Note for {{.Title}} <input name="note"></label><button name="answer" value="yes">Accept</button> <button name="answer" value="no">Decline</button></form></li>{{end}}{{end}}</ul>{{end}}
{{define "told"}}<p role="status">{{.}}</p><a href="/month/5">Back to May</a>{{end}}
`

// Rooms are those where an event can be.
func (event) Rooms() []string { return []string{"Room 1", "Room 2", "Room 4", "Hall", "Garden"} }

func calendarTasks() []Task {
	return []Task{
		task("calendar/new", newCalendar, "/month/5", "Enter a lunch with Ada on May 8, 2026 at noon.").
			clicks("link: New event").
			turn(form("textbox: Title", "Lunch with Ada", "date: Day", "2026-05-08", "inputtime: Time", "12:00"), click("button: Save")).
			did("the lunch is entered", says("Lunch with Ada is on 2026-05-08 at 12:00")).
			want("event 8: Lunch with Ada on 2026-05-08 at 12:00, "),
		task("calendar/taken-room", newCalendar, "/month/5", "Plan a workshop on May 12, 2026 at 10:00 in room 4, or in room 2 if that is taken.").
			clicks("link: New event").
			turn(form("textbox: Title", "Workshop", "date: Day", "2026-05-12", "inputtime: Time", "10:00", "combobox: Room", "Room 4"), click("button: Save")).
			turn(call("back")).
			turn(form("textbox: Title", "Workshop", "date: Day", "2026-05-12", "inputtime: Time", "10:00", "combobox: Room", "Room 2"), click("button: Save")).
			did("the workshop is in room 2", says("Workshop is on 2026-05-12"), sent("POST", "/e/0")).
			want("event 8: Workshop on 2026-05-12 at 10:00, Room 2"),
		task("calendar/move", newCalendar, "/month/4", "The dentist of May 7 is one week later, at the same time.").
			clicks("link: Next month", "link: 14:30 Dentist").
			turn(fill("date: Day", "2026-05-14"), click("button: Save")).
			did("the dentist is on May 14", says("Dentist is on 2026-05-14 at 14:30")).
			want("event 2: Dentist on 2026-05-14 at 14:30, "),
		task("calendar/answer", newCalendar, "/month/5", "Accept the summer party, with the note that I bring tea, and decline the budget meeting.").
			clicks("link: Invitations").
			turn(fill("textbox: Note for Summer party", "I bring tea"), click("listitem: Summer party / button: Accept")).
			clicks("listitem: Budget meeting / button: Decline").
			did("both are answered", sent("POST", "/e/5/answer"), sent("POST", "/e/6/answer")).
			want("event 5: yes I bring tea", "event 6: no "),
		task("calendar/delete", newCalendar, "/month/5", "open 09:00 Standup, click Delete").plain().
			clicks("link: 09:00 Standup", "button: Delete").
			did("the standup is gone", says("Standup was deleted")).
			want("event 1 is gone"),
		task("calendar/new-in-words", newCalendar, "/month/5",
			"click New event, fill Title with Lunch, Day with 2026-05-08 and Time with 12:00, choose Garden in Room and click Save").plain().
			clicks("link: New event").
			turn(fill("textbox: Title", "Lunch"), fill("date: Day", "2026-05-08"), fill("inputtime: Time", "12:00"), choose("combobox: Room", "Garden"), click("button: Save")).
			did("the lunch is entered", says("Lunch is on 2026-05-08 at 12:00"), step(-1)).
			want("event 8: Lunch on 2026-05-08 at 12:00, Garden"),
	}
}
