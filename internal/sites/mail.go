package sites

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

type message struct {
	ID                      int
	From, To, Subject, Text string
	Folder                  string
	Unread, Starred         bool
	Day                     int
}

// mailPage is how many messages a folder shows at once.
const mailPage = 12

// newMail is a mailbox: folders of several pages, search, messages that are
// read, answered, moved, deleted and chosen by boxes, and rules.
func newMail() *Site {
	s := newSite("Post", "en", mailViews, link{"/?folder=Inbox", "Inbox"}, link{"/?folder=Archive", "Archive"}, link{"/?folder=Sent", "Sent"},
		link{"/?folder=Bin", "Bin"}, link{"/write", "Write"}, link{"/rules", "Rules"})
	s.foot = []link{{"/about", "About"}, {"/about#privacy", "Privacy"}, {"/about#terms", "Terms"}, {"/about#status", "Status"}}
	var all []*message
	add := func(folder, from, subject, text string, unread bool) {
		all = append(all, &message{ID: len(all) + 1, From: from, To: "me@post.test", Subject: subject, Text: text, Folder: folder, Unread: unread, Day: 28 - len(all)%28})
	}
	add("Inbox", "Ada Lovelace", "Lunch on Friday", "Shall we meet at noon at the station? Please say yes or no.", true)
	add("Inbox", "Billing", "Invoice 77", "The invoice 77 over CHF 420.00 is due on the 30th.", true)
	add("Inbox", "Grace Hopper", "Minutes of the meeting", "Attached are the minutes. The next meeting is on May 12 at 10:00 in room 4.", false)
	add("Inbox", "Lucky Prize", "You have won", "Click here to get your prize.", true)
	for i := range 18 {
		add("Inbox", []string{"Build robot", "News", "Calendar", "Travel desk"}[i%4], fmt.Sprintf("Notice %d", 100+i), fmt.Sprintf("This is notice %d. There is nothing to do.", 100+i), i%3 == 0)
	}
	add("Inbox", "Old friend", "Photos of the hike", "Here they are.", false)
	add("Archive", "Ada Lovelace", "Your keys", "They are in the drawer.", false)
	add("Sent", "me", "Re: Your keys", "Thank you.", false)
	var rules []string
	byID := func(id string) *message {
		n, _ := strconv.Atoi(id)
		return firstOf(all, func(m *message) bool { return m.ID == n })
	}
	s.on("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		folder, query := cmp.Or(r.FormValue("folder"), "Inbox"), r.FormValue("q")
		from, _ := strconv.Atoi(r.FormValue("from"))
		list := filter(all, func(m *message) bool {
			return m.Folder == folder && strings.Contains(strings.ToLower(m.From+" "+m.Subject+" "+m.Text), strings.ToLower(query))
		})
		total := len(list)
		from = min(max(from, 0), total)
		list = list[from:min(from+mailPage, total)]
		next, last := 0, 0
		if from+mailPage < total {
			next = from + mailPage
		}
		if from > 0 {
			last = from - mailPage + 1
		}
		s.show(w, "folder", folder, map[string]any{"Folder": folder, "Query": query, "List": list, "From": from + 1, "To": from + len(list), "Total": total, "Next": next, "Last": last})
	})
	s.on("GET /m/{id}", func(w http.ResponseWriter, r *http.Request) {
		m := byID(r.PathValue("id"))
		if m == nil {
			http.NotFound(w, r)
			return
		}
		m.Unread = false
		s.show(w, "message", m.Subject, m)
	})
	move := func(m *message, folder string) {
		if m.Folder != folder {
			s.note("%s: %s → %s", m.Subject, m.Folder, folder)
			m.Folder = folder
		}
	}
	s.on("POST /m/{id}/move", func(w http.ResponseWriter, r *http.Request) {
		m := byID(r.PathValue("id"))
		from := m.Folder
		move(m, r.FormValue("folder"))
		to(w, r, "/?folder="+from)
	})
	s.on("POST /m/{id}/star", func(w http.ResponseWriter, r *http.Request) {
		m := byID(r.PathValue("id"))
		m.Starred = !m.Starred
		s.note("%s: star %v", m.Subject, m.Starred)
		to(w, r, fmt.Sprintf("/m/%d", m.ID))
	})
	s.on("POST /bulk", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // a form without fields chooses nothing
		for _, id := range r.Form["id"] {
			move(byID(id), r.FormValue("folder"))
		}
		to(w, r, "/?folder=Inbox")
	})
	s.on("GET /write", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, "write", "Write", message{To: r.FormValue("to"), Subject: r.FormValue("subject")})
	})
	s.on("POST /send", func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.FormValue("to"), "@") {
			s.showStatus(w, http.StatusUnprocessableEntity, "told", "Not sent", "To is no address.")
			return
		}
		text := strings.Join(strings.Fields(r.FormValue("text")), " ")
		add("Sent", "me", r.FormValue("subject"), text, false)
		s.note("sent to %s: %s: %s", r.FormValue("to"), r.FormValue("subject"), text)
		s.show(w, "told", "Sent", "Your message was sent.")
	})
	s.on("GET /rules", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "rules", "Rules", rules) })
	s.on("POST /rules", func(w http.ResponseWriter, r *http.Request) {
		rule := fmt.Sprintf("from %s → %s, read: %v", r.FormValue("sender"), r.FormValue("folder"), r.FormValue("read") != "")
		rules = append(rules, rule)
		s.note("rule: %s", rule)
		to(w, r, "/rules")
	})
	s.on("GET /about", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "told", "About", "A mailbox.") })
	return s
}

// Mail is the sender's address.
func (m *message) Mail() string {
	return strings.ToLower(strings.ReplaceAll(m.From, " ", ".")) + "@post.test"
}

const mailViews = `
{{define "folder"}}<form role="search"><input type="hidden" name="folder" value="{{.Folder}}"><label>Search mail <input type="search" name="q" value="{{.Query}}"></label><button>Search</button></form>
<form method="post" action="/bulk"><table><caption>{{.Folder}}</caption><thead><tr><th>Chosen<th>From<th>Subject<th>Day</tr></thead><tbody>
{{range .List}}<tr><td><input type="checkbox" name="id" value="{{.ID}}" aria-label="Choose {{.Subject}}"><td>{{.From}}{{if .Unread}} (new){{end}}<td><a href="/m/{{.ID}}">{{.Subject}}</a><td>April {{.Day}}</tr>{{end}}</tbody></table>
<label>Move chosen to <select name="folder"><option>Archive<option>Bin<option>Inbox</select></label><button>Move</button></form>
<p>{{.From}} to {{.To}} of {{.Total}}</p>{{if .Last}}<a href="/?folder={{.Folder}}&amp;q={{.Query}}&amp;from={{add .Last -1}}">Newer</a> {{end}}{{if .Next}}<a href="/?folder={{.Folder}}&amp;q={{.Query}}&amp;from={{.Next}}">Older</a>{{end}}{{end}}

{{define "message"}}<p>From: {{.From}} ({{.Mail}})</p><p>April {{.Day}}{{if .Starred}}, starred{{end}}</p><article><p>{{.Text}}</p></article>
<a href="/write?to={{.Mail}}&amp;subject=Re: {{.Subject}}">Reply</a>
{{range $folder := .Folders}}<form method="post" action="/m/{{$.ID}}/move"><input type="hidden" name="folder" value="{{$folder}}"><button>{{if eq $folder "Archive"}}Archive{{else}}Delete{{end}}</button></form>{{end}}
<form method="post" action="/m/{{.ID}}/star"><button>{{if .Starred}}Unstar{{else}}Star{{end}}</button></form>{{end}}

{{define "write"}}<form method="post" action="/send"><label>To <input name="to" value="{{.To}}"></label><label>Subject <input name="subject" value="{{.Subject}}"></label><label>Text <textarea name="text" rows="8"></textarea></label><button>Send</button></form>{{end}}

{{define "rules"}}<ul>{{range .}}<li>{{.}}</li>{{else}}<li>No rules yet</li>{{end}}</ul><form method="post"><label>Sender contains <input name="sender"></label>
<label>Move to <select name="folder"><option>Archive<option>Bin</select></label><label><input type="checkbox" name="read"> Mark as read</label><button>Add rule</button></form>{{end}}
{{define "told"}}<p role="status">{{.}}</p>{{end}}
`

// Folders are those that a message can be moved to by a button.
func (*message) Folders() []string { return []string{"Archive", "Bin"} }

func mailTasks() []Task {
	return []Task{
		task("mail/reply", newMail, "/", "open Lunch on Friday, click Reply, fill Text with Yes and click Send").plain().
			clicks("link: Lunch on Friday", "link: Reply").
			turn(fill("textbox: Text", "Yes"), click("button: Send")).
			did("Ada has an answer", says("Your message was sent"), sent("POST", "/send")).
			want("sent to ada.lovelace@post.test: Re: Lunch on Friday: Yes"),
		task("mail/pass-on", newMail, "/", "Write to ada@post.test, with the subject Meeting, when and where the next meeting is that Grace has written of.").
			clicks("link: Minutes of the meeting").
			turn(call("read")).
			clicks("link: Write").
			turn(form("textbox: To", "ada@post.test", "textbox: Subject", "Meeting", "textbox: Text", "May 12 at 10:00 in room 4"), click("button: Send")).
			did("Ada knows of the meeting", says("Your message was sent"), step(2)).
			want("sent to ada@post.test: Meeting: May 12 at 10:00 in room 4"),
		task("mail/chosen", newMail, "/", "Move the notices 100, 102 and 104 to the bin.").
			turn(click("checkbox: Choose Notice 100"), click("checkbox: Choose Notice 102"), click("checkbox: Choose Notice 104"), choose("combobox: Move chosen to", "Bin"), click("button: Move")).
			clicks("link: Bin").
			did("three notices are in the bin", says("Notice 100"), says("Notice 102"), says("Notice 104"), at("folder=Bin")).
			want("Notice 100: Inbox → Bin", "Notice 102: Inbox → Bin", "Notice 104: Inbox → Bin"),
		task("mail/second-page", newMail, "/", "click Older, open Photos of the hike and click the Archive button").plain().
			clicks("link: Older", "link: Photos of the hike", "button: Archive").
			did("the photos are archived", sent("POST", "/move"), step(-1)).
			want("Photos of the hike: Inbox → Archive"),
		task("mail/search", newMail, "/", "search for prize, open You have won, click Delete").plain().
			turn(fill("searchbox: Search mail", "prize"), call("press", "keys", "Enter", "ref", "@searchbox: Search mail")).
			clicks("link: You have won", "button: Delete", "link: Bin").
			did("it is in the bin", says("You have won"), at("folder=Bin")).
			want("You have won: Inbox → Bin"),
		task("mail/rule", newMail, "/", "open Rules, fill Sender contains with news, choose Bin in Move to, check Mark as read and click Add rule").plain().
			clicks("link: Rules").
			turn(form("textbox: Sender contains", "news", "combobox: Move to", "Bin", "checkbox: Mark as read", "true"), click("button: Add rule")).
			did("the rule is there", says("from news → Bin, read: true")).
			want("rule: from news → Bin, read: true"),
		task("mail/back-and-forth", newMail, "/", "Star the invoice and the mail of Grace.").
			clicks("link: Invoice 77", "button: Star").
			turn(call("back"), call("back")).
			clicks("link: Inbox", "link: Minutes of the meeting", "button: Star").
			did("both are starred", says("starred"), step(2)).
			want("Invoice 77: star true", "Minutes of the meeting: star true"),
		task("mail/write", newMail, "/", "click Write, fill To with bob@post.test, Subject with Hello and Text with Tea at four, click Send").plain().
			clicks("link: Write").
			turn(form("textbox: To", "bob", "textbox: Subject", "Hello", "textbox: Text", "Tea at four"), click("button: Send")).
			turn(call("back")).
			turn(form("textbox: To", "bob@post.test", "textbox: Subject", "Hello", "textbox: Text", "Tea at four"), click("button: Send")).
			did("Bob has a letter", says("Your message was sent")).
			want("sent to bob@post.test: Hello: Tea at four"),
	}
}
