package sites

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

type account struct {
	ID                      int
	Name, Mail, Role, State string
	City                    string
}

// adminPage is how many accounts the table shows at once.
const adminPage = 20

// newAdmin is a table of accounts with filters, sorting and pages, each account
// with a form of its own, and deletion that wants to be confirmed.
func newAdmin() *Site {
	s := newSite("Console", "en", adminViews, link{"/users", "Users"}, link{"/teams", "Teams"}, link{"/log", "Log"}, link{"/users/new", "New user"})
	first := []string{"Ada", "Bob", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jana", "Karl", "Lea"}
	last := []string{"Amsler", "Berger", "Cadosch", "Dietrich", "Egli"}
	var users []*account
	for i := range 60 {
		u := &account{ID: 2001 + i, Name: first[i%12] + " " + last[i%5], Role: []string{"Member", "Editor", "Admin", "Guest"}[i%7%4], State: "active", City: []string{"Bern", "Basel", "Zug"}[i%3]}
		if i%11 == 4 {
			u.State = "locked"
		}
		u.Mail = fmt.Sprintf("%s%d@console.test", strings.ToLower(first[i%12]), u.ID)
		users = append(users, u)
	}
	teams := map[string][]string{"Design": nil, "Operations": nil, "Sales": nil}
	byID := func(r *http.Request) *account {
		n, _ := strconv.Atoi(r.PathValue("id"))
		return cmp.Or(firstOf(users, func(u *account) bool { return u.ID == n }), &account{Name: "nobody"})
	}
	s.on("GET /users", func(w http.ResponseWriter, r *http.Request) {
		role, state, query := r.FormValue("role"), r.FormValue("state"), strings.ToLower(r.FormValue("q"))
		page, _ := strconv.Atoi(r.FormValue("page"))
		page = max(page, 1)
		list := filter(users, func(u *account) bool {
			return (role == "" || u.Role == role) && (state == "" || u.State == state) && strings.Contains(strings.ToLower(u.Name+" "+u.Mail), query)
		})
		if r.FormValue("sort") == "name" {
			slices.SortStableFunc(list, func(a, b *account) int { return strings.Compare(a.Name, b.Name) })
		}
		total, pages := len(list), (len(list)+adminPage-1)/adminPage
		list = list[min((page-1)*adminPage, total):min(page*adminPage, total)]
		more := func(n int) string {
			return fmt.Sprintf("/users?role=%s&state=%s&q=%s&sort=%s&page=%d", role, state, query, r.FormValue("sort"), n)
		}
		s.show(w, "users", "Users", map[string]any{"List": list, "Role": role, "State": state, "Query": query, "Total": total, "Page": page, "Pages": pages,
			"Next": page < pages, "NextURL": more(page + 1), "LastURL": more(page - 1), "Roles": []string{"Member", "Editor", "Admin", "Guest"}, "States": []string{"active", "locked"}, "Sort": r.FormValue("sort")})
	})
	s.on("GET /users/new", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "edit", "New user", account{}) })
	s.on("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) { u := byID(r); s.show(w, "edit", u.Name, *u) })
	s.on("POST /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		name, mail := strings.TrimSpace(r.FormValue("name")), r.FormValue("mail")
		if name == "" || !strings.Contains(mail, "@") {
			s.showStatus(w, http.StatusUnprocessableEntity, "told", "Not saved", "A user needs a name and an address.")
			return
		}
		u := byID(r)
		if r.PathValue("id") == "0" {
			u = &account{ID: 2001 + len(users), State: "active"}
			users = append(users, u)
		}
		was := *u
		u.Name, u.Mail, u.Role, u.City = name, mail, r.FormValue("role"), r.FormValue("city")
		if was != *u {
			s.note("saved %d: %s, %s, %s, %s", u.ID, u.Name, u.Mail, u.Role, u.City)
		}
		s.show(w, "told", "Saved", u.Name+" was saved.")
	})
	s.on("POST /users/{id}/state", func(w http.ResponseWriter, r *http.Request) {
		u := byID(r)
		u.State = r.FormValue("state")
		s.note("%d is %s", u.ID, u.State)
		s.show(w, "edit", u.Name, *u)
	})
	s.on("GET /users/{id}/delete", func(w http.ResponseWriter, r *http.Request) {
		u := byID(r)
		s.show(w, "confirm", "Delete "+u.Name+"?", *u)
	})
	s.on("POST /users/{id}/delete", func(w http.ResponseWriter, r *http.Request) {
		u := byID(r)
		users = slices.DeleteFunc(users, func(o *account) bool { return o == u })
		s.note("deleted %d", u.ID)
		to(w, r, "/users")
	})
	s.on("GET /teams", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "teams", "Teams", teams) })
	s.on("POST /teams/{team}", func(w http.ResponseWriter, r *http.Request) {
		team, id := r.PathValue("team"), r.FormValue("id")
		if slices.Contains(teams[team], id) {
			s.showStatus(w, http.StatusConflict, "told", "Not added", id+" is in the team.")
			return
		}
		teams[team] = append(teams[team], id)
		s.note("%s joins %s", id, team)
		to(w, r, "/teams")
	})
	s.on("GET /log", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "log", "Log", s.journal) })
	return s
}

const adminViews = `
{{define "users"}}<form role="search"><label>Search <input type="search" name="q" value="{{.Query}}"></label>
<label>Role <select name="role"><option value="">All{{range .Roles}}<option{{if eq . $.Role}} selected{{end}}>{{.}}{{end}}</select></label>
<label>State <select name="state"><option value="">All{{range .States}}<option{{if eq . $.State}} selected{{end}}>{{.}}{{end}}</select></label>
<label>Sort by <select name="sort"><option value="">Number<option value="name"{{if eq .Sort "name"}} selected{{end}}>Name</select></label><button>Filter</button></form>
<p>{{.Total}} users, page {{.Page}} of {{.Pages}}</p>
<table><caption>Users</caption><thead><tr><th>Number<th>Name<th>Address<th>Role<th>State<th>City<th>Action</tr></thead><tbody>{{range .List}}<tr><td>{{.ID}}<td>{{.Name}}<td>{{.Mail}}<td>{{.Role}}<td>{{.State}}<td>{{.City}}<td><a href="/users/{{.ID}}">Edit</a></tr>{{end}}</tbody></table>
<nav aria-label="Pages">{{if gt .Page 1}}<a href="{{.LastURL}}">Previous page</a> {{end}}{{if .Next}}<a href="{{.NextURL}}">Next page</a>{{end}}</nav>{{end}}

{{define "edit"}}<form method="post" action="/users/{{.ID}}"><label>Name <input name="name" value="{{.Name}}"></label><label>Address <input name="mail" value="{{.Mail}}"></label>
<label>Role <select name="role">{{range .Roles}}<option{{if eq . $.Role}} selected{{end}}>{{.}}{{end}}</select></label><label>City <input name="city" value="{{.City}}"></label><button>Save</button></form>
{{if .ID}}<p>State: {{.State}}</p><form method="post" action="/users/{{.ID}}/state">{{if eq .State "active"}}<button name="state" value="locked">Lock</button>{{else}}<button name="state" value="active">Unlock</button>{{end}}</form>
<a href="/users/{{.ID}}/delete">Delete</a>{{end}}{{end}}

{{define "confirm"}}<p>Everything of {{.Name}} ({{.ID}}) will be gone.</p><form method="post"><button>Delete for good</button></form> <a href="/users/{{.ID}}">Keep</a>{{end}}
{{define "teams"}}{{range $team, $members := .}}<section aria-label="{{$team}}"><h2>{{$team}}</h2><ul>{{range $members}}<li>{{.}}</li>{{else}}<li>Nobody</li>{{end}}</ul>
<form method="post" action="/teams/{{$team}}"><label>Number <input name="id"></label><button>Add to {{$team}}</button></form></section>{{end}}{{end}}
{{define "log"}}<ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{define "told"}}<p role="status">{{.}}</p><a href="/users">Back to the users</a>{{end}}
`

// Roles are those that an account can have.
func (account) Roles() []string { return []string{"Member", "Editor", "Admin", "Guest"} }

func adminTasks() []Task {
	return []Task{
		task("admin/unlock", newAdmin, "/users", "Unlock the only locked editor of Bern.").
			turn(choose("combobox: Role", "Editor"), choose("combobox: State", "locked"), click("button: Filter")).
			clicks("row: 2016 / link: Edit", "button: Unlock").
			did("the account is active", says("State: active"), sent("POST", "/users/2016/state")).
			want("2016 is active"),
		task("admin/second-page", newAdmin, "/users", "Make the user 2045 an editor.").
			clicks("link: Next page", "link: Next page", "row: 2045 / link: Edit").
			turn(choose("combobox: Role", "Editor"), click("button: Save")).
			did("2045 is an editor", says("was saved"), sent("POST", "/users/2045")).
			want("saved 2045: Ivo Egli, ivo2045@console.test, Editor, Zug"),
		task("admin/search-and-move", newAdmin, "/users", "search for hana2008, click Edit, set City to Chur and click Save").plain().
			turn(fill("searchbox: Search", "hana2008"), click("button: Filter")).
			clicks("link: Edit").
			turn(fill("textbox: City", "Chur"), click("button: Save")).
			did("the city is Chur", says("Hana Cadosch was saved"), step(-2)).
			want("saved 2008: Hana Cadosch, hana2008@console.test, Member, Chur"),
		task("admin/new", newAdmin, "/users",
			"click New user, fill Name with Mia Keller, Address with mia@console.test and City with Bern, choose Guest in Role and click Save").plain().
			clicks("link: New user").
			turn(form("textbox: Name", "Mia Keller", "textbox: Address", "mia@console.test", "combobox: Role", "Guest", "textbox: City", "Bern"), click("button: Save")).
			did("Mia has an account", says("Mia Keller was saved")).
			want("saved 2061: Mia Keller, mia@console.test, Guest, Bern"),
		task("admin/delete", newAdmin, "/users", "click Edit in 2003, click Delete, click Delete for good").plain().
			clicks("row: 2003 / link: Edit", "link: Delete", "button: Delete for good").
			did("2003 is gone", sent("POST", "/users/2003/delete"), says("59 users")).
			want("deleted 2003"),
		task("admin/teams", newAdmin, "/users", "Put 2001 into the teams Design and Sales.").
			clicks("link: Teams").
			turn(fill("region: Design / textbox: Number", "2001"), click("button: Add to Design")).
			turn(fill("region: Sales / textbox: Number", "2001"), click("button: Add to Sales")).
			did("2001 is in both", sent("POST", "/teams/Design"), sent("POST", "/teams/Sales")).
			want("2001 joins Design", "2001 joins Sales"),
		task("admin/lock-two", newAdmin, "/users", "Lock all guests of the first page whose name is Dora.").
			turn(call("find", "query", "Dora", "role", "row")).
			clicks("row: 2004 / link: Edit", "button: Lock", "link: Log").
			did("the one guest called Dora is locked", says("2004 is locked")).
			want("2004 is locked"),
	}
}
