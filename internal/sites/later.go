package sites

import (
	"net/http"
	"slices"
	"strings"
)

// Later are tasks of four sites that were written after the rules on what a run
// proves, and measured once: a kennel, a telephone company, a school and a hire of
// tools. No rule was changed for them. Their goals are in other words than the pages',
// and mostly in another language.
func Later() []Task {
	return []Task{
		task("later/kennel", newKennel, "/", "Bella needs a place from August 3 to August 10, 2026, and a bath every day.").
			clicks("link: Neuer Aufenthalt").
			turn(form("combobox: Hund", "Bella", "date: Ankunft", "2026-08-03", "date: Abreise", "2026-08-10"), click("button: Weiter")).
			turn(click("checkbox: Täglich baden"), click("button: Weiter")).
			clicks("button: Verbindlich buchen").
			did("Bella has a place from August 3 to August 10 with a daily bath", step(-1), says("Bella")).
			want("stay of Bella from 2026-08-03 to 2026-08-10, bath"),
		task("later/annuler", newKennel, "/", "Annule le séjour de Rex en octobre.").
			clicks("row: 10. bis 17. Oktober / link: Stornieren").
			turn(choose("combobox: Grund", "Anderes"), click("button: Endgültig stornieren")).
			did("le séjour de Rex en octobre est annulé", step(-1)).
			want("canceled stay 3: Anderes"),
		task("later/notfall", newKennel, "/", "In einem Notfall ist neu Frau Zumstein anzurufen, 079 555 12 12.").
			clicks("link: Kontakte", "row: Notfall / link: Bearbeiten").
			turn(form("textbox: Name", "Frau Zumstein", "textbox: Telefon", "079 555 12 12"), click("button: Übernehmen")).
			did("Frau Zumstein ist der Notfallkontakt", step(-1), says("079 555 12 12")).
			want("contact 2: Frau Zumstein, 079 555 12 12"),
		task("later/verloren", newMobile, "/", "Mein Handy ist weg! Sperre die Nummer 076 300 20 02.").
			clicks("listitem: 076 300 20 02 / link: Gérer", "button: Bloquer la ligne", "button: Oui, bloquer").
			did("076 300 20 02 ist gesperrt", step(-1), says("bloquée")).
			want("blocked 2"),
		task("later/japan", newMobile, "/", "Tom flies to Japan, give his line 5 GB for there.").
			clicks("listitem: Tom / link: Gérer", "link: Voyage").
			turn(choose("combobox: Pays", "Japon"), click("radio: 5 Go"), click("button: Ajouter le forfait")).
			did("Tom's line has 5 GB for Japan", step(-1), says("Japon")).
			want("line 3 travels: Japon, 5 Go"),
		task("later/renvoi", newMobile, "/", "Fais suivre tous les appels de Mia vers le 022 555 40 40.").
			clicks("listitem: Mia / link: Gérer", "link: Renvoi d'appel").
			turn(click("radio: Toujours"), fill("textbox: Numéro", "022 555 40 40"), click("button: Activer")).
			did("les appels de Mia vont au 022 555 40 40", step(-1), says("022 555 40 40")).
			want("line 1 forwards toujours to 022 555 40 40"),
		task("later/krank", newSchool, "/", "Leonie ist am 12. Mai 2026 krank, melde sie ab.").
			clicks("link: Absences").
			turn(form("combobox: Child", "Leonie", "date: Day", "2026-05-12"), click("radio: Illness"), click("button: Report")).
			did("Leonie ist am 12. Mai abgemeldet", step(-1), says("Leonie")).
			want("absent: Leonie, 2026-05-12, Illness"),
		task("later/lunches", newSchool, "/", "Jonas eats vegetarian on Wednesday and on Friday.").
			clicks("link: Lunches", "link: Week of Jonas").
			turn(choose("row: Wednesday / combobox", "Vegetarian"), choose("row: Friday / combobox", "Vegetarian"), click("button: Save the week")).
			did("Jonas has the vegetarian lunch on Wednesday and Friday", step(-1)).
			want("lunches of Jonas: None, None, Vegetarian, None, Vegetarian"),
		task("later/entretien", newSchool, "/", "Réserve un entretien avec M. Weber, jeudi à 17:30.").
			clicks("link: Talks", "row: Mr Weber / link: Times", "button: Thursday, 17:30", "button: Yes, book it").
			did("l'entretien avec M. Weber est réservé, jeudi à 17:30", step(-1), says("17:30")).
			want("talk with Mr Weber on Thursday, 17:30"),
		task("later/hedge", newHire, "/", "I want the long hedge trimmer on Saturday, bring it to Mill Lane 4.").
			turn(fill("searchbox: What do you need?", "hedge"), click("button: Look")).
			clicks("link: Hedge trimmer, long").
			turn(form("combobox: Day", "Saturday", "checkbox: Delivery", "true", "textbox: Deliver to", "Mill Lane 4"), click("button: Put aside")).
			clicks("button: Hire now").
			did("the long hedge trimmer comes to Mill Lane 4 on Saturday", step(-1), says("Mill Lane 4")).
			want("hired Hedge trimmer, long on Saturday to Mill Lane 4"),
		task("later/akku", newHire, "/", "Die Bohrmaschine geht nicht mehr. Schreib ihnen: \"Der Akku lädt nicht.\"").
			clicks("link: At your place", "row: Drill / link: Problem").
			turn(form("combobox: Kind", "Broken", "textbox: Tell us", "Der Akku lädt nicht."), click("button: Tell them")).
			did("sie wissen, dass der Akku nicht lädt", step(-1)).
			want("problem of Drill: Broken, Der Akku lädt nicht."),
		task("later/jours", newHire, "/", "Garde l'échafaudage 3 jours de plus.").
			clicks("link: At your place", "row: Scaffold tower / link: Longer").
			turn(fill("spinbutton: Days more", "3"), click("button: What does it cost?")).
			clicks("button: Keep it").
			did("l'échafaudage reste 3 jours de plus", step(-1), says("3 days")).
			want("Scaffold tower for 3 days more"),
	}
}

// newKennel has stays of dogs, a booking in three pages, and contacts, in German.
func newKennel() *Site {
	s := newSite("Hundehort Waldrand", "de", `
{{define "home"}}<table><tr><th>Hund<th>Aufenthalt<th></tr>{{range $i, $s := .}}<tr><td>{{$s.Dog}}<td>{{$s.When}}<td>{{if $s.Off}}storniert{{else}}<a href="/stornieren/{{add $i 1}}">Stornieren</a>{{end}}</tr>{{end}}</table>{{end}}
{{define "new"}}<form action="/extras"><p><label>Hund <select name="dog"><option>Rex<option>Bella<option>Lumpi</select></label><p><label>Ankunft <input type="date" name="from" required></label><p><label>Abreise <input type="date" name="to" required></label><p><button>Weiter</button></form>{{end}}
{{define "extras"}}<form action="/pruefen"><input type="hidden" name="dog" value="{{.Dog}}"><input type="hidden" name="from" value="{{.From}}"><input type="hidden" name="to" value="{{.To}}"><p><label><input type="checkbox" name="extra" value="bath"> Täglich baden</label><p><label><input type="checkbox" name="extra" value="brush"> Täglich bürsten</label><p><button>Weiter</button></form>{{end}}
{{define "check"}}<dl><dt>Hund<dd>{{.Dog}}<dt>Ankunft<dd>{{.From}}<dt>Abreise<dd>{{.To}}<dt>Dazu<dd>{{.Extra}}</dl><form method="post" action="/buchen"><input type="hidden" name="dog" value="{{.Dog}}"><input type="hidden" name="from" value="{{.From}}"><input type="hidden" name="to" value="{{.To}}"><input type="hidden" name="extra" value="{{.Extra}}"><button>Verbindlich buchen</button></form>{{end}}
{{define "cancel"}}<p>{{.}}</p><form method="post"><label>Grund <select name="why"><option>Krankheit<option>Anderes</select></label> <button>Endgültig stornieren</button></form>{{end}}
{{define "contacts"}}<table><tr><th>Wofür<th>Wer<th>Telefon<th></tr>{{range $i, $c := .}}<tr>{{range $c}}<td>{{.}}{{end}}<td><a href="/kontakt/{{add $i 1}}">Bearbeiten</a></tr>{{end}}</table>{{end}}
{{define "contact"}}<h2>{{index . 0}}</h2><form method="post"><label>Name <input name="name" value="{{index . 1}}"></label> <label>Telefon <input name="phone" value="{{index . 2}}"></label> <button>Übernehmen</button></form>{{end}}
`, link{"/", "Aufenthalte"}, link{"/neu", "Neuer Aufenthalt"}, link{"/kontakte", "Kontakte"})
	type stay struct {
		Dog, When string
		Off       bool
	}
	stays := []*stay{{"Bella", "3. bis 5. Juli", false}, {"Rex", "12. bis 19. September", false}, {"Rex", "10. bis 17. Oktober", false}}
	contacts := [][]string{{"Rechnung", "Anna Keller", "079 555 01 01"}, {"Notfall", "Anna Keller", "079 555 01 01"}}
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "home", "Aufenthalte", stays) })
	s.on("GET /neu", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "new", "Neuer Aufenthalt", nil) })
	page := func(path, view, title string) {
		s.on("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			s.show(w, view, title, map[string]string{"Dog": r.FormValue("dog"), "From": r.FormValue("from"), "To": r.FormValue("to"), "Extra": strings.Join(r.Form["extra"], ", ")})
		})
	}
	page("/extras", "extras", "Was dürfen wir noch tun?")
	page("/pruefen", "check", "Stimmt alles?")
	s.on("POST /buchen", func(w http.ResponseWriter, r *http.Request) {
		stays = append(stays, &stay{r.FormValue("dog"), r.FormValue("from") + " bis " + r.FormValue("to"), false})
		s.note("stay of %s from %s to %s, %s", r.FormValue("dog"), r.FormValue("from"), r.FormValue("to"), r.FormValue("extra"))
		to(w, r, "/")
	})
	s.on("GET /stornieren/{n}", func(w http.ResponseWriter, r *http.Request) {
		st := stays[r.PathValue("n")[0]-'1']
		s.show(w, "cancel", "Aufenthalt stornieren", st.Dog+", "+st.When)
	})
	s.on("POST /stornieren/{n}", func(w http.ResponseWriter, r *http.Request) {
		stays[r.PathValue("n")[0]-'1'].Off = true
		s.note("canceled stay %s: %s", r.PathValue("n"), r.FormValue("why"))
		to(w, r, "/")
	})
	s.on("GET /kontakte", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "contacts", "Kontakte", contacts) })
	s.on("GET /kontakt/{n}", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, "contact", "Kontakt", contacts[r.PathValue("n")[0]-'1'])
	})
	s.on("POST /kontakt/{n}", func(w http.ResponseWriter, r *http.Request) {
		c := contacts[r.PathValue("n")[0]-'1']
		c[1], c[2] = r.FormValue("name"), r.FormValue("phone")
		s.note("contact %s: %s, %s", r.PathValue("n"), c[1], c[2])
		to(w, r, "/kontakte")
	})
	return s
}

// newMobile has the lines of a family, in French.
func newMobile() *Site {
	s := newSite("Mobilo", "fr", `
{{define "home"}}<ul>{{range $i, $l := .}}<li>{{$l.Who}} <small>{{$l.Number}}</small> {{with $l.State}}<em>{{.}}</em>{{end}} <a href="/ligne/{{add $i 1}}">Gérer</a></li>{{end}}</ul>{{end}}
{{define "line"}}<p>{{.Line.Who}}, {{.Line.Number}}</p><ul>{{range .Line.With}}<li>{{.}}</li>{{end}}</ul><p><a href="/voyage/{{.N}}">Voyage</a> <a href="/renvoi/{{.N}}">Renvoi d'appel</a></p><form action="/bloquer/{{.N}}"><button>Bloquer la ligne</button></form>{{end}}
{{define "block"}}<p>Plus personne ne pourra appeler avec {{.}}.</p><form method="post"><button>Oui, bloquer</button></form><p><a href="/">Non</a></p>{{end}}
{{define "travel"}}<form method="post"><label>Pays <select name="land"><option>Canada<option>Inde<option>Japon</select></label><fieldset><legend>Données</legend>{{range .}}<label><input type="radio" name="gb" value="{{.}}"> {{.}}</label>{{end}}</fieldset><button>Ajouter le forfait</button></form>{{end}}
{{define "forward"}}<form method="post"><fieldset><legend>Quand</legend><label><input type="radio" name="when" value="toujours"> Toujours</label><label><input type="radio" name="when" value="sans réponse" checked> Sans réponse</label></fieldset><label>Numéro <input name="to"></label><button>Activer</button></form>{{end}}
`, link{"/", "Mes lignes"}, link{"/factures", "Factures"})
	type line struct {
		Who, Number, State string
		With               []string
	}
	lines := []*line{{"Mia", "076 300 20 01", "", nil}, {"Moi", "076 300 20 02", "", nil}, {"Tom", "076 300 20 03", "", nil}}
	of := func(r *http.Request) *line { return lines[r.PathValue("n")[0]-'1'] }
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "home", "Mes lignes", lines) })
	s.on("GET /ligne/{n}", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, "line", "Ligne", map[string]any{"N": r.PathValue("n"), "Line": of(r)})
	})
	s.on("GET /bloquer/{n}", func(w http.ResponseWriter, r *http.Request) { s.show(w, "block", "Bloquer une ligne", of(r).Number) })
	s.on("POST /bloquer/{n}", func(w http.ResponseWriter, r *http.Request) {
		of(r).State = "bloquée"
		s.note("blocked %s", r.PathValue("n"))
		to(w, r, "/")
	})
	s.on("GET /voyage/{n}", func(w http.ResponseWriter, _ *http.Request) {
		s.show(w, "travel", "Voyage", []string{"1 Go", "5 Go", "20 Go"})
	})
	s.on("POST /voyage/{n}", func(w http.ResponseWriter, r *http.Request) {
		of(r).With = append(of(r).With, r.FormValue("land")+": "+r.FormValue("gb"))
		s.note("line %s travels: %s, %s", r.PathValue("n"), r.FormValue("land"), r.FormValue("gb"))
		to(w, r, "/ligne/"+r.PathValue("n"))
	})
	s.on("GET /renvoi/{n}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "forward", "Renvoi d'appel", nil) })
	s.on("POST /renvoi/{n}", func(w http.ResponseWriter, r *http.Request) {
		of(r).With = append(of(r).With, "Renvoi vers "+r.FormValue("to")+" ("+r.FormValue("when")+")")
		s.note("line %s forwards %s to %s", r.PathValue("n"), r.FormValue("when"), r.FormValue("to"))
		to(w, r, "/ligne/"+r.PathValue("n"))
	})
	return s
}

// newSchool has absences, lunches and talks with teachers.
func newSchool() *Site {
	s := newSite("Hillview school", "en", `
{{define "home"}}<p>Dear parents, the summer fair is on June 20.</p>{{end}}
{{define "absences"}}<ul>{{range .}}<li>{{.}}</li>{{end}}</ul><form method="post"><label>Child <select name="child"><option>Jonas<option>Leonie</select></label> <label>Day <input type="date" name="day" required></label><fieldset><legend>Reason</legend><label><input type="radio" name="why" value="Illness" required> Illness</label><label><input type="radio" name="why" value="Holiday"> Holiday</label></fieldset><button>Report</button></form>{{end}}
{{define "lunches"}}<p><a href="/lunches/Jonas">Week of Jonas</a> <a href="/lunches/Leonie">Week of Leonie</a></p>{{end}}
{{define "week"}}<form method="post"><table>{{range .}}{{$now := .Meal}}<tr><th>{{.Day}}<td><select name="meal" aria-label="Meal">{{range .Meals}}<option{{if eq . $now}} selected{{end}}>{{.}}{{end}}</select></tr>{{end}}</table><button>Save the week</button></form>{{end}}
{{define "talks"}}<table><tr><th>Teacher<th>Booked<th></tr>{{range .}}<tr><td>{{index . 0}}<td>{{index . 1}}<td><a href="/talks/{{index . 2}}">Times</a></tr>{{end}}</table>{{end}}
{{define "times"}}<p>{{.Who}}</p>{{range .Times}}<form action="/talk"><input type="hidden" name="who" value="{{$.Who}}"><button name="at" value="{{.}}">{{.}}</button></form>{{end}}{{end}}
{{define "talk"}}<p>{{.Who}}: {{.At}}</p><form method="post"><input type="hidden" name="who" value="{{.Who}}"><input type="hidden" name="at" value="{{.At}}"><button>Yes, book it</button></form><a href="/talks">Another time</a>{{end}}
`, link{"/", "News"}, link{"/absences", "Absences"}, link{"/lunches", "Lunches"}, link{"/talks", "Talks"})
	var absences []string
	type day struct {
		Day, Meal string
		Meals     []string
	}
	weeks := map[string][]*day{}
	for _, child := range []string{"Jonas", "Leonie"} {
		for _, name := range []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday"} {
			weeks[child] = append(weeks[child], &day{name, "None", []string{"None", "Meat", "Vegetarian"}})
		}
	}
	talks := [][]string{{"Ms Frei", "", "frei"}, {"Mr Weber", "", "weber"}}
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "home", "News", nil) })
	s.on("GET /absences", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "absences", "Absences", absences) })
	s.on("POST /absences", func(w http.ResponseWriter, r *http.Request) {
		absences = append(absences, r.FormValue("child")+", "+r.FormValue("day")+": "+r.FormValue("why"))
		s.note("absent: %s, %s, %s", r.FormValue("child"), r.FormValue("day"), r.FormValue("why"))
		to(w, r, "/absences")
	})
	s.on("GET /lunches", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "lunches", "Lunches", nil) })
	s.on("GET /lunches/{child}", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, "week", r.PathValue("child"), weeks[r.PathValue("child")])
	})
	s.on("POST /lunches/{child}", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // what is missing is not set below
		for i, meal := range r.Form["meal"] {
			weeks[r.PathValue("child")][i].Meal = meal
		}
		s.note("lunches of %s: %s", r.PathValue("child"), strings.Join(r.Form["meal"], ", "))
		to(w, r, "/lunches/"+r.PathValue("child"))
	})
	s.on("GET /talks", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "talks", "Talks", talks) })
	s.on("GET /talks/{who}", func(w http.ResponseWriter, r *http.Request) {
		who := talks[max(0, slices.IndexFunc(talks, func(t []string) bool { return t[2] == r.PathValue("who") }))]
		s.show(w, "times", "Times", map[string]any{"Who": who[0], "Times": []string{"Wednesday, 17:30", "Thursday, 17:00", "Thursday, 17:30"}})
	})
	s.on("GET /talk", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, "talk", "Is this right?", map[string]any{"Who": r.FormValue("who"), "At": r.FormValue("at")})
	})
	s.on("POST /talk", func(w http.ResponseWriter, r *http.Request) {
		for _, t := range talks {
			if t[0] == r.FormValue("who") {
				t[1] = r.FormValue("at")
			}
		}
		s.note("talk with %s on %s", r.FormValue("who"), r.FormValue("at"))
		to(w, r, "/talks")
	})
	return s
}

// newHire hires tools out: a search, a place to put them aside, and what is out.
func newHire() *Site {
	s := newSite("Toolshed", "en", `
{{define "home"}}<form role="search" action="/look"><label>What do you need? <input type="search" name="q"></label><button>Look</button></form>{{end}}
{{define "found"}}<ul>{{range .}}<li><a href="/tool?t={{.}}">{{.}}</a></li>{{end}}</ul>{{end}}
{{define "tool"}}<form method="post" action="/aside"><input type="hidden" name="tool" value="{{.}}"><p><label>Day <select name="day"><option>Friday<option>Saturday<option>Sunday</select></label><p><label><input type="checkbox" name="bring" value="yes"> Delivery</label><p><label>Deliver to <input name="where"></label><p><button>Put aside</button></form>{{end}}
{{define "aside"}}<dl>{{range .}}<dt>{{.Tool}}<dd>{{.Day}} {{with .Where}}to {{.}}{{end}}{{end}}</dl>{{if .}}<form method="post" action="/hire"><button>Hire now</button></form>{{end}}{{end}}
{{define "hired"}}<p>All yours.</p><ul>{{range .}}<li>{{.Tool}}, {{.Day}} {{with .Where}}to {{.}}{{end}}</li>{{end}}</ul>{{end}}
{{define "out"}}<table><tr><th>Tool<th>Until<th></tr>{{range .}}<tr><td>{{.}}<td>May 30<td><a href="/problem?t={{.}}">Problem</a> <a href="/longer?t={{.}}">Longer</a></tr>{{end}}</table>{{end}}
{{define "problem"}}<form method="post"><input type="hidden" name="t" value="{{.}}"><p><label>Kind <select name="kind"><option>Question<option>Broken<option>Lost</select></label><p><label>Tell us <textarea name="text"></textarea></label><p><button>Tell them</button></form>{{end}}
{{define "told"}}<p>We will call you.</p>{{end}}
{{define "longer"}}<form action="/price"><input type="hidden" name="t" value="{{.}}"><label>Days more <input type="number" name="days" value="1" min="1"></label><button>What does it cost?</button></form>{{end}}
{{define "price"}}<p>{{.Days}} days more of {{.Tool}}: {{.Days}}0.00</p><form method="post" action="/longer"><input type="hidden" name="t" value="{{.Tool}}"><input type="hidden" name="days" value="{{.Days}}"><button>Keep it</button></form><a href="/out">Bring it back</a>{{end}}
{{define "kept"}}<p>{{.Tool}}: {{.Days}} days more from May 30.</p>{{end}}
`, link{"/", "Find a tool"}, link{"/aside", "Put aside"}, link{"/out", "At your place"})
	type hire struct{ Tool, Day, Where string }
	var aside []hire
	tools := []string{"Hedge trimmer, long", "Hedge trimmer, short", "Drill", "Scaffold tower"}
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "home", "Find a tool", nil) })
	s.on("GET /look", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, "found", "Found", filter(tools, func(t string) bool { return strings.Contains(strings.ToLower(t), strings.ToLower(r.FormValue("q"))) }))
	})
	s.on("GET /tool", func(w http.ResponseWriter, r *http.Request) { s.show(w, "tool", r.FormValue("t"), r.FormValue("t")) })
	s.on("GET /aside", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "aside", "Put aside", aside) })
	s.on("POST /aside", func(w http.ResponseWriter, r *http.Request) {
		h := hire{r.FormValue("tool"), r.FormValue("day"), ""}
		if r.FormValue("bring") != "" {
			h.Where = r.FormValue("where")
		}
		aside = append(aside, h)
		to(w, r, "/aside")
	})
	s.on("POST /hire", func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range aside {
			s.note("hired %s on %s to %s", h.Tool, h.Day, h.Where)
		}
		s.show(w, "hired", "Thank you", aside)
		aside = nil
	})
	s.on("GET /out", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "out", "At your place", tools[1:]) })
	s.on("GET /problem", func(w http.ResponseWriter, r *http.Request) { s.show(w, "problem", "A problem", r.FormValue("t")) })
	s.on("POST /problem", func(w http.ResponseWriter, r *http.Request) {
		s.note("problem of %s: %s, %s", r.FormValue("t"), r.FormValue("kind"), r.FormValue("text"))
		s.show(w, "told", "Thank you", nil)
	})
	s.on("GET /longer", func(w http.ResponseWriter, r *http.Request) { s.show(w, "longer", "Longer", r.FormValue("t")) })
	s.on("GET /price", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, "price", "Longer", map[string]string{"Tool": r.FormValue("t"), "Days": r.FormValue("days")})
	})
	s.on("POST /longer", func(w http.ResponseWriter, r *http.Request) {
		s.note("%s for %s days more", r.FormValue("t"), r.FormValue("days"))
		s.show(w, "kept", "Longer", map[string]string{"Tool": r.FormValue("t"), "Days": r.FormValue("days")})
	})
	return s
}
