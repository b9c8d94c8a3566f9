package sites

import (
	"net/http"
)

// newPortal is a site behind a login, whose reports open in a tab of their own
// and name a code that the first tab wants.
func newPortal() *Site {
	s := newSite("Portal", "en", portalViews, link{"/home", "Home"}, link{"/reports", "Reports"}, link{"/release", "Release"}, link{"/profile", "Profile"})
	const cookie = "portal"
	released := false
	phone := "031 000 00 00"
	behind := func(pattern string, f http.HandlerFunc) {
		s.on(pattern, func(w http.ResponseWriter, r *http.Request) {
			if c, err := r.Cookie(cookie); err != nil || c.Value != "ada" {
				to(w, r, "/login")
				return
			}
			f(w, r)
		})
	}
	s.on("GET /login", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "login", "Log in", "") })
	s.on("POST /login", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("user") != "ada" || r.FormValue("password") != "s3cret-pass" {
			s.showStatus(w, http.StatusUnauthorized, "login", "Log in", "User name or password are wrong.")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: "ada", Path: "/", HttpOnly: true})
		to(w, r, "/home")
	})
	behind("GET /home", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "home", "Welcome, Ada", released) })
	behind("GET /reports", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "reports", "Reports", nil) })
	behind("GET /reports/{name}", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, "report", "Report "+r.PathValue("name"), r.PathValue("name"))
	})
	behind("GET /release", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "release", "Release", "") })
	behind("POST /release", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("code") != "QX-April" {
			s.showStatus(w, http.StatusUnprocessableEntity, "release", "Release", "That is not the code of a report.")
			return
		}
		released = true
		s.note("released %s: %s", r.FormValue("code"), r.FormValue("comment"))
		s.show(w, "told", "Released", "The report was released.")
	})
	behind("GET /profile", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "profile", "Profile", phone) })
	behind("POST /profile", func(w http.ResponseWriter, r *http.Request) {
		phone = r.FormValue("phone")
		s.note("phone %s, letters %v", phone, r.FormValue("letters") != "")
		s.show(w, "told", "Saved", "Your profile was saved.")
	})
	return s
}

const portalViews = `
{{define "login"}}{{with .}}<p role="alert">{{.}}</p>{{end}}<form method="post"><label>User name <input name="user" autocomplete="username"></label><label>Password <input type="password" name="password"></label><button>Log in</button></form>{{end}}
{{define "home"}}<p>{{if .}}Everything is released.{{else}}One report waits for its release.{{end}}</p>{{end}}
{{define "reports"}}<table><thead><tr><th>Month<th>Report</tr></thead><tbody><tr><td>March<td><a href="/reports/March" target="_blank">Report of March</a></tr><tr><td>April<td><a href="/reports/April" target="_blank">Report of April</a></tr></tbody></table>{{end}}
{{define "report"}}<p>Sales of {{.}}: CHF 12,400.00</p><p>The code for the release is QX-{{.}}.</p>{{end}}
{{define "release"}}{{with .}}<p role="alert">{{.}}</p>{{end}}<form method="post"><label>Code <input name="code"></label><label>Comment <input name="comment"></label><button>Release now</button></form>{{end}}
{{define "profile"}}<form method="post"><label>Phone <input name="phone" value="{{.}}"></label><label><input type="checkbox" name="letters"> Letters by mail</label><button>Save</button></form>{{end}}
{{define "told"}}<p role="status">{{.}}</p>{{end}}
`

// logsIn logs in, with a password that the task names and does not say.
func (t Task) logsIn() Task {
	t.Variables = map[string]string{"password": "s3cret-pass"}
	return t.turn(form("textbox: User name", "ada", "textbox: Password", "%password%"), click("button: Log in"))
}

func portalTasks() []Task {
	return []Task{
		task("portal/two-tabs", newPortal, "/login",
			"Log in as ada with %password%, look up the code in the report of April and release it with the comment checked.").
			logsIn().
			clicks("link: Reports", "link: Report of April").
			turn(call("tabs", "action", "switch", "tab", 1)).
			clicks("link: Release").
			turn(form("textbox: Code", "QX-April", "textbox: Comment", "checked"), click("button: Release now")).
			did("the report of April is released", says("The report was released"), sent("POST", "/release")).
			want("released QX-April: checked"),
		task("portal/open-and-close", newPortal, "/login",
			"Log in as ada with %password%, open the release in a second tab, release QX-April there and close it again.").
			logsIn().
			turn(call("tabs", "action", "open", "url", "/release")).
			turn(fill("textbox: Code", "QX-April"), click("button: Release now")).
			turn(call("tabs", "action", "close", "tab", 2)).
			turn(call("reload")).
			did("it is released", says("Everything is released"), step(-1)).
			want("released QX-April: "),
		task("portal/profile", newPortal, "/login",
			"log in as ada with password %password%, open Profile, set Phone to 031 555 12 34, check Letters by mail and click Save").plain().
			logsIn().
			clicks("link: Profile").
			turn(form("textbox: Phone", "031 555 12 34", "checkbox: Letters by mail", "true"), click("button: Save")).
			did("the profile is saved", says("Your profile was saved")).
			want("phone 031 555 12 34, letters true"),
		task("portal/sent-to-login", newPortal, "/login", "Go to /profile, log in as ada with %password% where it wants that, and set the phone to 5.").
			turn(call("navigate", "url", "/profile")).
			logsIn().
			turn(call("navigate", "url", "/profile")).
			turn(fill("textbox: Phone", "5"), click("button: Save")).
			did("the phone is 5", says("Your profile was saved"), sent("POST", "/profile")).
			want("phone 5, letters false"),
		task("portal/release", newPortal, "/login",
			"log in as ada with password %password%, open Release, fill Code with QX-April and Comment with checked and click Release now").plain().
			logsIn().
			clicks("link: Release").
			turn(fill("textbox: Code", "QX"), click("button: Release now")).
			turn(form("textbox: Code", "QX-April", "textbox: Comment", "checked"), click("button: Release now")).
			did("the report is released", says("The report was released")).
			want("released QX-April: checked"),
	}
}
