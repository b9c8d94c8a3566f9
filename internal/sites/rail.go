package sites

import (
	"fmt"
	"net/http"
	"strings"
)

// newRail sells railway tickets: a search, connections, and a payment in a frame
// of its own; and keeps settings.
func newRail() *Site {
	s := newSite("Rail", "en", railViews, link{"/", "Timetable"}, link{"/tickets", "Tickets"}, link{"/settings", "Settings"}, link{"/news", "News"})
	s.foot = []link{{"/news", "Delays"}, {"/news", "Jobs"}, {"/news", "Contact"}}
	var chosen string
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "search", "Timetable", nil) })
	s.on("GET /connections", func(w http.ResponseWriter, r *http.Request) {
		type connection struct{ From, To, Leaves, Changes, Class string }
		var list []connection
		for i := range 14 {
			list = append(list, connection{r.FormValue("from"), r.FormValue("to"), fmt.Sprintf("%02d:%02d", 6+i, i*7%60), fmt.Sprint(i * 5 % 3), r.FormValue("class")})
		}
		s.show(w, "connections", "Connections", list)
	})
	s.on("POST /choose", func(w http.ResponseWriter, r *http.Request) {
		chosen = fmt.Sprintf("%s to %s at %s, %s class", r.FormValue("from"), r.FormValue("to"), r.FormValue("leaves"), r.FormValue("class"))
		to(w, r, "/pay")
	})
	s.on("GET /pay", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "pay", "Pay", chosen) })
	s.on("GET /card", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Card</title><form method="post"><label>Card number <input name="number"></label><label>Valid until <input name="until"></label><button>Pay now</button></form>`)
	})
	s.on("POST /card", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		number := strings.ReplaceAll(r.FormValue("number"), " ", "")
		if len(number) != 16 {
			fmt.Fprint(w, `<!doctype html><title>Card</title><p role="alert">The number has 16 digits.</p><a href="/card">Again</a>`)
			return
		}
		s.note("ticket %s, card …%s until %s", chosen, number[12:], r.FormValue("until"))
		fmt.Fprint(w, `<!doctype html><title>Card</title><p role="status">Paid. Have a good journey.</p>`)
	})
	s.on("GET /tickets", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "tickets", "Tickets", s.journal) })
	s.on("GET /settings", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "settings", "Settings", nil) })
	s.on("POST /settings", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // what is not there is off
		s.note("settings: %s, %s, %s, %s", r.FormValue("language"), strings.Join(r.Form["tell"], "+"), r.FormValue("seat"), r.FormValue("font"))
		s.show(w, "told", "Saved", "Your settings were saved.")
	})
	s.on("GET /news", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "told", "News", "All trains are on time.") })
	return s
}

const railViews = `
{{define "search"}}<form action="/connections"><label>From <input name="from"></label><label>To <input name="to"></label><label>Class <select name="class"><option>second<option>first</select></label><button>Find connections</button></form>{{end}}
{{define "connections"}}<table><thead><tr><th>Leaves<th>Changes<th>Choice</tr></thead><tbody>{{range .}}<tr><td>{{.Leaves}}<td>{{.Changes}}<td><form method="post" action="/choose"><input type="hidden" name="from" value="{{.From}}"><input type="hidden" name="to" value="{{.To}}"><input type="hidden" name="leaves" value="{{.Leaves}}"><input type="hidden" name="class" value="{{.Class}}"><button>Choose</button></form></tr>{{end}}</tbody></table>{{end}}
{{define "pay"}}<p>{{.}}</p><iframe src="/card" title="Card" width="500" height="200"></iframe>{{end}}
{{define "tickets"}}<ul>{{range .}}<li>{{.}}</li>{{else}}<li>No tickets</li>{{end}}</ul>{{end}}
{{define "settings"}}<form method="post"><label>Language <select name="language"><option>English<option>German<option>French</select></label>
<fieldset><legend>Tell me about</legend><label><input type="checkbox" name="tell" value="delays" checked> Delays</label><label><input type="checkbox" name="tell" value="offers" checked> Offers</label><label><input type="checkbox" name="tell" value="strikes"> Strikes</label></fieldset>
<fieldset><legend>Seat</legend><label><input type="radio" name="seat" value="aisle" checked> Aisle</label><label><input type="radio" name="seat" value="window"> Window</label></fieldset>
<details><summary>More</summary><label>Font size <input type="number" name="font" value="15"></label></details><button>Save settings</button></form>{{end}}
{{define "told"}}<p role="status">{{.}}</p>{{end}}
`

func railTasks() []Task {
	return []Task{
		task("rail/frame", newRail, "/", "Buy a ticket from Bern to Chur, first class, at 09:21, with the card 4111 1111 1111 1111, valid until 12/29.").
			turn(form("textbox: From", "Bern", "textbox: To", "Chur", "combobox: Class", "first"), click("button: Find connections")).
			clicks("row: 09:21 / button: Choose").
			turn(form("textbox: Card number", "4111 1111 1111 1111", "textbox: Valid until", "12/29"), click("button: Pay now")).
			clicks("link: Tickets").
			did("the ticket is paid", says("ticket Bern to Chur at 09:21, first class"), at("/tickets")).
			want("ticket Bern to Chur at 09:21, first class, card …1111 until 12/29"),
		task("rail/frame-complains", newRail, "/", "Buy a ticket from Bern to Thun at 07:07 with the card 4111 1111 1111 1111, valid until 01/30.").
			turn(form("textbox: From", "Bern", "textbox: To", "Thun"), click("button: Find connections")).
			clicks("row: 07:07 / button: Choose").
			turn(form("textbox: Card number", "4111", "textbox: Valid until", "01/30"), click("button: Pay now")).
			clicks("link: Again").
			turn(form("textbox: Card number", "4111111111111111", "textbox: Valid until", "01/30"), click("button: Pay now")).
			did("the ticket is paid", says("Paid. Have a good journey.")).
			want("ticket Bern to Thun at 07:07, second class, card …1111 until 01/30"),
		task("rail/settings", newRail, "/", "open Settings, choose French in Language, uncheck Offers, check Strikes, choose Window and click Save settings").plain().
			clicks("link: Settings").
			turn(form("combobox: Language", "French", "checkbox: Offers", "false", "checkbox: Strikes", "true", "radio: Window", "true"), click("button: Save settings")).
			did("the settings are saved", says("Your settings were saved")).
			want("settings: French, delays+strikes, window, 15"),
		task("rail/details", newRail, "/", "open Settings, click More, set Font size to 20 and click Save settings").plain().
			clicks("link: Settings", "button: More").
			turn(fill("spinbutton: Font size", "20"), click("button: Save settings")).
			did("letters are larger", says("Your settings were saved"), sent("POST", "/settings")).
			want("settings: English, delays+offers, aisle, 20"),
	}
}
