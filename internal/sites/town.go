package sites

import (
	"net/http"
	"strings"
)

// newTown is a town hall in German: a move is announced, a dog registered, a
// passport's appointment made.
func newTown() *Site {
	s := newSite("Gemeinde Grünthal", "de", townViews, link{"/", "Übersicht"}, link{"/umzug", "Umzug melden"}, link{"/hund", "Hund anmelden"}, link{"/termin", "Termin buchen"}, link{"/müll", "Abfallkalender"})
	s.foot = []link{{"/", "Impressum"}, {"/", "Datenschutz"}, {"/", "Barrierefreiheit"}}
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "home", "Herzlich willkommen", nil) })
	for _, view := range []struct{ path, title string }{{"umzug", "Umzug melden"}, {"hund", "Hund anmelden"}, {"termin", "Termin buchen"}} {
		s.on("GET /"+view.path, func(w http.ResponseWriter, _ *http.Request) { s.show(w, view.path, view.title, "") })
		s.on("POST /"+view.path, func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm() // what is missing is asked for below
			var given []string
			for _, name := range []string{"name", "rasse", "straße", "ort", "tag", "zeit", "anliegen", "kastriert", "einverstanden"} {
				if v := strings.TrimSpace(r.FormValue(name)); v != "" {
					given = append(given, v)
				} else if _, asked := r.Form[name]; asked {
					s.showStatus(w, http.StatusUnprocessableEntity, view.path, view.title, "Bitte alle Felder ausfüllen.")
					return
				}
			}
			if view.path == "umzug" && r.FormValue("einverstanden") == "" {
				s.showStatus(w, http.StatusUnprocessableEntity, view.path, view.title, "Bitte bestätigen Sie die Angaben.")
				return
			}
			s.note("%s: %s", view.path, strings.Join(given, ", "))
			s.show(w, "danke", "Vielen Dank", "Ihre Angaben sind bei uns eingegangen.")
		})
	}
	s.on("GET /müll", func(w http.ResponseWriter, _ *http.Request) {
		s.show(w, "danke", "Abfallkalender", "Papier wird am 6. Mai abgeholt.")
	})
	return s
}

const townViews = `
{{define "home"}}<p>Was möchten Sie erledigen?</p><ul><li><a href="/umzug">Adresse ändern</a></li><li><a href="/hund">Hundesteuer</a></li><li><a href="/termin">Reisepass</a></li></ul>{{end}}
{{define "umzug"}}{{with .}}<p role="alert">{{.}}</p>{{end}}<form method="post"><label>Name <input name="name"></label><label>Neue Straße und Hausnummer <input name="straße"></label><label>Ort <input name="ort"></label>
<label><input type="checkbox" name="einverstanden" value="bestätigt"> Ich bestätige die Angaben</label><button>Absenden</button></form>{{end}}
{{define "hund"}}{{with .}}<p role="alert">{{.}}</p>{{end}}<form method="post"><label>Name des Hundes <input name="name"></label><label>Rasse <select name="rasse"><option>Dackel<option>Pudel<option>Schäferhund</select></label>
<fieldset><legend>Kastriert?</legend><label><input type="radio" name="kastriert" value="ja"> Ja</label><label><input type="radio" name="kastriert" value="nein"> Nein</label></fieldset><button>Anmelden</button></form>{{end}}
{{define "termin"}}{{with .}}<p role="alert">{{.}}</p>{{end}}<form method="post"><label>Anliegen <select name="anliegen"><option>Ausweis<option>Reisepass</select></label><label>Datum <input type="date" name="tag"></label><label>Uhrzeit <select name="zeit"><option>08:00<option>10:30<option>14:15</select></label><button>Termin buchen</button></form>{{end}}
{{define "danke"}}<p role="status">{{.}}</p>{{end}}
`

func received() map[string]any { return says("Ihre Angaben sind bei uns eingegangen") }

func townTasks() []Task {
	return []Task{
		task("town/move", newTown, "/", "Melde den Umzug von Ada Keller an die Lindenstraße 7 in Grünthal.").
			clicks("link: Umzug melden").
			turn(form("textbox: Name", "Ada Keller", "textbox: Neue Straße und Hausnummer", "Lindenstraße 7", "textbox: Ort", "Grünthal"), click("button: Absenden")).
			turn(form("textbox: Name", "Ada Keller", "textbox: Neue Straße und Hausnummer", "Lindenstraße 7", "textbox: Ort", "Grünthal", "checkbox: Ich bestätige die Angaben", "true"), click("button: Absenden")).
			did("der Umzug ist gemeldet", received()).
			want("umzug: Ada Keller, Lindenstraße 7, Grünthal, bestätigt"),
		task("town/dog", newTown, "/", "Melde den Dackel Waldi an; er ist nicht kastriert.").
			clicks("link: Hund anmelden").
			turn(form("textbox: Name des Hundes", "Waldi", "combobox: Rasse", "Dackel", "radio: Nein", "true"), click("button: Anmelden")).
			did("Waldi ist angemeldet", received(), sent("POST", "/hund")).
			want("hund: Waldi, Dackel, nein"),
		task("town/passport", newTown, "/",
			"click Reisepass, choose Reisepass in Anliegen, fill Datum with 2026-05-11, choose 10:30 in Uhrzeit and click the Termin buchen button").plain().
			clicks("link: Reisepass").
			turn(form("combobox: Anliegen", "Reisepass", "date: Datum", "2026-05-11", "combobox: Uhrzeit", "10:30"), click("button: Termin buchen")).
			did("der Termin steht", received()).
			want("termin: 2026-05-11, 10:30, Reisepass"),
		task("town/another-dog", newTown, "/", "click Hund anmelden, fill Name des Hundes with Bello, choose Pudel in Rasse, choose Ja and click Anmelden").plain().
			clicks("link: Hundesteuer").
			turn(fill("textbox: Name des Hundes", "Bello"), choose("combobox: Rasse", "Pudel"), click("radio: Ja"), click("button: Anmelden")).
			did("Bello ist angemeldet", received()).
			want("hund: Bello, Pudel, ja"),
	}
}
