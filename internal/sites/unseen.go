package sites

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
)

// Unseen are tasks of five sites that no rule on what a run proves was written for or
// changed for: a library, a surgery, a house, a sports club and a carrier. Their goals
// are in other words than the pages', and mostly in another language.
func Unseen() []Task {
	return []Task{
		task("unseen/longer", newLibrary, "/", "I am not through with The Hobbit yet, keep it longer.").
			clicks("listitem: The Hobbit / button: Extend").
			did("The Hobbit is kept longer", step(-1), says("The Hobbit is yours until June 30")).
			want("extended The Hobbit"),
		task("unseen/vormerken", newLibrary, "/", "Merke Dune für mich vor, ich hole es in der Filiale Nord ab.").
			turn(fill("searchbox: Title or author", "Dune"), click("button: Find")).
			clicks("link: Dune, Frank Herbert").
			turn(choose("combobox: Collect at", "North"), click("button: Reserve")).
			did("Dune ist vorgemerkt", sent("POST", "/reserve"), says("is reserved")).
			want("reserved Dune at North"),
		task("unseen/achat", newLibrary, "/", "Propose à l'achat « Solaris » de Stanislaw Lem, parce que seul le film est là.").
			clicks("link: Suggest a title").
			turn(form("textbox: Title", "Solaris", "textbox: Author", "Stanislaw Lem", "textbox: Why", "Seul le film est là."), click("button: Hand in")).
			did("Solaris est proposé", says("Your suggestion was handed in")).
			want("suggested Solaris by Stanislaw Lem: Seul le film est là."),
		task("unseen/physio", newSurgery, "/", "Ich kann am Donnerstag nicht zur Physiotherapie kommen, sag den Termin ab.").
			clicks("link: Donnerstag, 11. Juni, 09:20: Physiotherapie", "button: Absagen", "button: Ja, absagen").
			did("der Termin ist abgesagt", step(-1)).
			want("canceled visit 2"),
		task("unseen/refill", newSurgery, "/", "Ask for more Ibuprofen 400, and have it posted.").
			clicks("link: Rezepte").
			turn(click("radio: Ibuprofen 400"), click("checkbox: Per Post zusenden"), click("button: Bestellen")).
			did("more Ibuprofen 400 is asked for", sent("POST", "/prescriptions"), says("Ibuprofen 400")).
			want("prescription: Ibuprofen 400, by post true"),
		task("unseen/kasse", newSurgery, "/", "Meine Krankenkasse ist neu die Helvita, Nummer 80756-123.").
			clicks("link: Meine Daten").
			turn(form("combobox: Versicherung", "Helvita", "textbox: Kartennummer", "80756-123"), click("button: Sichern")).
			did("die Krankenkasse ist Helvita", says("Ihre Daten sind gesichert")).
			want("insured by Helvita, 80756-123"),
		task("unseen/nursery", newHouse, "/", "It is too cold in the nursery, make it 21.5 degrees.").
			turn(fill("region: Nursery / spinbutton: Target", "21.5"), click("region: Nursery / button: Apply")).
			did("the nursery is heated to 21.5", step(-1), says("21.5")).
			want("Nursery: heat to 21.5"),
		task("unseen/salon", newHouse, "/", "Éteins la lampe du salon.").
			clicks("region: Lounge / button: Lamp").
			did("la lampe du salon est éteinte", step(-1)).
			want("Lounge: lamp off"),
		task("unseen/blinds", newHouse, "/", "Lass die Rollläden im Büro jeden Tag um 22:15 herunter.").
			clicks("link: Timers").
			turn(form("combobox: Room", "Office", "combobox: What", "Blinds down", "inputtime: At", "22:15"), click("button: Add timer")).
			did("die Rollläden gehen um 22:15 herunter", says("Office: Blinds down at 22:15")).
			want("timer: Office, Blinds down, 22:15"),
		task("unseen/score", newClub, "/", "We beat the Badgers 3:1, put that in.").
			clicks("row: Badgers / link: Result").
			turn(form("spinbutton: We", "3", "spinbutton: They", "1"), click("button: Hand over")).
			did("the result against the Badgers is in", says("Badgers 3 : 1"), sent("POST", "/result/2")).
			want("result 2: 3 to 1"),
		task("unseen/climbing", newClub, "/", "Put me down for the beginners' climbing on Tuesdays.").
			clicks("link: Courses", "row: Climbing for beginners, Tuesdays / button: Take part").
			did("I take part in climbing on Tuesdays", step(-1), says("You take part in Climbing for beginners, Tuesdays")).
			want("joined course 3"),
		task("unseen/pause", newClub, "/", "Setze meine Mitgliedschaft von Juli bis September 2026 aus.").
			clicks("link: Membership").
			turn(form("combobox: From", "July 2026", "combobox: Until", "September 2026"), click("button: Pause it")).
			did("die Mitgliedschaft ruht von Juli bis September", says("Your membership rests")).
			want("pause: July 2026 to September 2026"),
		task("unseen/voisine", newCarrier, "/", "Le colis 4471 doit être remis à la voisine, Mme Petit.").
			clicks("row: 4471 / link: Modifier").
			turn(click("radio: Chez un voisin"), fill("textbox: Nom du voisin", "Mme Petit"), click("button: Confirmer")).
			did("Mme Petit reçoit le colis 4471", says("C'est noté"), step(-1)).
			want("4471: voisin, Mme Petit"),
		task("unseen/other-day", newCarrier, "/", "Have parcel 4473 brought on June 9, 2026 instead.").
			clicks("row: 4473 / link: Modifier").
			turn(click("radio: Un autre jour"), fill("date: Jour", "2026-06-09"), click("button: Confirmer")).
			did("parcel 4473 comes on June 9", says("C'est noté")).
			want("4473: jour, 2026-06-09"),
		task("unseen/money-back", newCarrier, "/", "Parcel 4470 arrived broken. Send it back, I want a refund.").
			clicks("row: 4470 / link: Retourner").
			turn(choose("combobox: Raison", "Endommagé"), click("radio: Remboursement"), click("button: Créer le retour")).
			did("parcel 4470 goes back", sent("POST", "/retour/4470"), says("4470")).
			want("return of 4470: Endommagé, Remboursement"),
	}
}

const answerView = `{{define "answer"}}<p role="status">{{.}}</p>{{end}}{{define "alert"}}{{with .Alert}}<p role="alert">{{.}}</p>{{end}}{{end}}`

// given are fields of a form, ok where none is empty.
func given(r *http.Request, names ...string) (values []string, ok bool) {
	ok = true
	for _, name := range names {
		v := strings.TrimSpace(r.FormValue(name))
		values, ok = append(values, v), ok && v != ""
	}
	return values, ok
}

// newLibrary has a person's loans, a catalogue and a form for suggestions.
func newLibrary() *Site {
	s := newSite("City library", "en", answerView+`
{{define "home"}}<form role="search" action="/find"><label>Title or author <input type="search" name="q"></label><button>Find</button></form>
<h2>Your loans</h2><ul>{{range .}}<li><b>{{.}}</b>, until June 9 <form method="post" action="/extend"><input type="hidden" name="title" value="{{.}}"><button>Extend</button></form></li>{{end}}</ul>{{end}}
{{define "found"}}<ol>{{range .}}<li><a href="/book?t={{.Title}}">{{.Title}}, {{.Author}}</a></li>{{end}}</ol>{{end}}
{{define "book"}}<form method="post" action="/reserve"><input type="hidden" name="title" value="{{.}}"><label>Collect at <select name="at"><option>Centre<option>North<option>South</select></label><button>Reserve</button></form>{{end}}
{{define "suggest"}}{{template "alert" .}}<form method="post"><label>Title <input name="title"></label><label>Author <input name="author"></label><label>Why <textarea name="why"></textarea></label><button>Hand in</button></form>{{end}}
`, link{"/", "Loans"}, link{"/suggest", "Suggest a title"})
	type book struct{ Title, Author string }
	books := []book{{"Dune", "Frank Herbert"}, {"Dune Messiah", "Frank Herbert"}, {"Emma", "Jane Austen"}, {"The Hobbit", "J. R. R. Tolkien"}}
	loans := []string{"The Silmarillion", "The Hobbit", "Persuasion"}
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "home", "Welcome back", loans) })
	s.on("POST /extend", func(w http.ResponseWriter, r *http.Request) {
		s.note("extended %s", r.FormValue("title"))
		s.show(w, "answer", "Loans", r.FormValue("title")+" is yours until June 30.")
	})
	s.on("GET /find", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, "found", "Catalogue", filter(books, func(b book) bool {
			return strings.Contains(strings.ToLower(b.Title+b.Author), strings.ToLower(r.FormValue("q")))
		}))
	})
	s.on("GET /book", func(w http.ResponseWriter, r *http.Request) { s.show(w, "book", r.FormValue("t"), r.FormValue("t")) })
	s.on("POST /reserve", func(w http.ResponseWriter, r *http.Request) {
		s.note("reserved %s at %s", r.FormValue("title"), r.FormValue("at"))
		s.show(w, "answer", r.FormValue("title"), "It is reserved for you.")
	})
	s.formed("/suggest", "suggest", "Suggest a title", nil, func(r *http.Request) (string, string) {
		if v, ok := given(r, "title", "author", "why"); ok {
			return "suggested " + v[0] + " by " + v[1] + ": " + v[2], "Your suggestion was handed in."
		}
		return "", "Please fill in all of it."
	})
	return s
}

// newSurgery has visits, prescriptions and a patient's insurance, in German.
func newSurgery() *Site {
	s := newSite("Praxis am See", "de", answerView+`
{{define "home"}}<ul>{{range $i, $v := .}}<li><a href="/visit/{{add $i 1}}">{{$v}}</a></li>{{end}}</ul>{{end}}
{{define "visit"}}<p>{{.Data}}</p><form action="/visit/{{.N}}/cancel"><button>Absagen</button></form><form action="/"><button>Zurück</button></form>{{end}}
{{define "cancel"}}<p>Möchten Sie wirklich absagen?</p><form method="post"><button>Ja, absagen</button></form><form action="/"><button>Nein</button></form>{{end}}
{{define "prescriptions"}}{{template "alert" .}}<form method="post"><fieldset><legend>Medikament</legend>{{range .Data}}<label><input type="radio" name="what" value="{{.}}"> {{.}}</label>{{end}}</fieldset><label><input type="checkbox" name="post" value="true"> Per Post zusenden</label><button>Bestellen</button></form>{{end}}
{{define "data"}}{{template "alert" .}}<form method="post"><label>Versicherung <select name="insurer">{{range .Data}}<option>{{.}}{{end}}</select></label><label>Kartennummer <input name="card" value="11-2"></label><button>Sichern</button></form>{{end}}
`, link{"/", "Termine"}, link{"/prescriptions", "Rezepte"}, link{"/data", "Meine Daten"})
	visits := []string{"Montag, 8. Juni, 14:00: Sprechstunde", "Donnerstag, 11. Juni, 09:20: Physiotherapie", "Montag, 15. Juni, 09:20: Physiotherapie"}
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "home", "Ihre Termine", visits) })
	s.on("GET /visit/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := r.PathValue("n")
		s.show(w, "visit", "Termin", map[string]string{"N": n, "Data": visits[n[0]-'1']})
	})
	s.formed("/visit/{n}/cancel", "cancel", "Termin absagen", nil, func(r *http.Request) (string, string) {
		return "canceled visit " + r.PathValue("n"), "Der Termin ist abgesagt."
	})
	s.formed("/prescriptions", "prescriptions", "Rezept bestellen", []string{"Ibuprofen 200", "Ibuprofen 400", "Loratadin 10"}, func(r *http.Request) (string, string) {
		if v, ok := given(r, "what"); ok {
			return fmt.Sprintf("prescription: %s, by post %t", v[0], r.FormValue("post") != ""), "Das Rezept für " + v[0] + " ist bestellt."
		}
		return "", "Bitte ein Medikament wählen."
	})
	s.formed("/data", "data", "Meine Daten", []string{"Aarekasse", "Helvita", "Konkordia"}, func(r *http.Request) (string, string) {
		v, _ := given(r, "insurer", "card")
		return "insured by " + v[0] + ", " + v[1], "Ihre Daten sind gesichert."
	})
	return s
}

// newHouse has rooms with a lamp and a heating, and timers.
func newHouse() *Site {
	s := newSite("My house", "en", answerView+`
{{define "home"}}{{range .}}<section aria-label="{{.Name}}"><h2>{{.Name}}</h2><form method="post" action="/lamp"><button name="room" value="{{.Name}}" aria-pressed="{{.Lamp}}">Lamp</button></form>
<form method="post" action="/heat"><input type="hidden" name="room" value="{{.Name}}"><label>Target <input type="number" step="0.5" name="to" value="{{.Heat}}"></label><button>Apply</button></form></section>{{end}}{{end}}
{{define "timers"}}<ul>{{range .}}<li>{{.}}</li>{{end}}</ul><form method="post"><label>Room <select name="room"><option>Lounge<option>Nursery<option>Office</select></label><label>What <select name="what"><option>Lamp on<option>Lamp off<option>Blinds up<option>Blinds down</select></label><label>At <input type="time" name="at" value="07:00"></label><button>Add timer</button></form>{{end}}
`, link{"/", "Rooms"}, link{"/timers", "Timers"})
	type room struct {
		Name string
		Lamp bool
		Heat string
	}
	rooms := []*room{{"Kitchen", true, "19"}, {"Lounge", true, "20"}, {"Nursery", false, "18"}, {"Office", false, "18"}}
	of := func(r *http.Request) *room {
		return cmp.Or(firstOf(rooms, func(one *room) bool { return one.Name == r.FormValue("room") }), rooms[0])
	}
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "home", "Rooms", rooms) })
	s.on("POST /lamp", func(w http.ResponseWriter, r *http.Request) {
		room := of(r)
		room.Lamp = !room.Lamp
		s.note("%s: lamp %s", room.Name, map[bool]string{true: "on", false: "off"}[room.Lamp])
		to(w, r, "/")
	})
	s.on("POST /heat", func(w http.ResponseWriter, r *http.Request) {
		room := of(r)
		room.Heat = r.FormValue("to")
		s.note("%s: heat to %s", room.Name, room.Heat)
		to(w, r, "/")
	})
	var timers []string
	s.on("GET /timers", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "timers", "Timers", timers) })
	s.on("POST /timers", func(w http.ResponseWriter, r *http.Request) {
		v, _ := given(r, "room", "what", "at")
		timers = append(timers, v[0]+": "+v[1]+" at "+v[2])
		s.note("timer: %s", strings.Join(v, ", "))
		to(w, r, "/timers")
	})
	return s
}

// newClub is a sports club: results, courses, a membership.
func newClub() *Site {
	s := newSite("Lakeside sports", "en", answerView+`
{{define "home"}}<table><tr><th>Against<th>Day<th></tr>{{range $i, $m := .}}<tr><td>{{$m}}<td>May {{add $i 2}}<td><a href="/result/{{add $i 1}}">Result</a></tr>{{end}}</table>{{end}}
{{define "result"}}{{template "alert" .}}<form method="post"><label>We <input type="number" name="we"></label><label>They <input type="number" name="they"></label><button>Hand over</button></form>{{end}}
{{define "courses"}}<table><tr><th>Course<th>Places<th></tr>{{range $i, $c := .Data}}<tr><td>{{$c}}<td>{{add $i 4}}<td><form method="post"><button name="course" value="{{add $i 1}}">Take part</button></form></tr>{{end}}</table>{{end}}
{{define "member"}}{{template "alert" .}}<form method="post"><label>From <select name="from">{{range .Data}}<option>{{.}} 2026{{end}}</select></label><label>Until <select name="until">{{range .Data}}<option>{{.}} 2026{{end}}</select></label><button>Pause it</button></form>{{end}}
`, link{"/", "Matches"}, link{"/courses", "Courses"}, link{"/member", "Membership"})
	matches := []string{"Otters", "Badgers", "Herons"}
	courses := []string{"Climbing for beginners, Thursdays", "Climbing with lead, Tuesdays", "Climbing for beginners, Tuesdays", "Swimming for beginners, Tuesdays"}
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "home", "Matches", matches) })
	s.formed("/result/{n}", "result", "Result", nil, func(r *http.Request) (string, string) {
		if v, ok := given(r, "we", "they"); ok {
			return "result " + r.PathValue("n") + ": " + v[0] + " to " + v[1], matches[r.PathValue("n")[0]-'1'] + " " + v[0] + " : " + v[1]
		}
		return "", "Both numbers, please."
	})
	s.formed("/courses", "courses", "Courses", courses, func(r *http.Request) (string, string) {
		n := r.FormValue("course")
		return "joined course " + n, "You take part in " + courses[n[0]-'1'] + "."
	})
	s.formed("/member", "member", "Membership", []string{"June", "July", "August", "September", "October"}, func(r *http.Request) (string, string) {
		v, _ := given(r, "from", "until")
		if v[0] == v[1] {
			return "", "A pause is longer than that."
		}
		return "pause: " + v[0] + " to " + v[1], "Your membership rests from " + v[0] + " until " + v[1] + "."
	})
	return s
}

// newCarrier has parcels on their way, in French.
func newCarrier() *Site {
	s := newSite("Colis Express", "fr", answerView+`
{{define "home"}}<table><tr><th>Colis<th>Expéditeur<th></tr>{{range .}}<tr><td>{{.N}}<td>{{.From}}<td>{{if .Here}}<a href="/retour/{{.N}}">Retourner</a>{{else}}<a href="/colis/{{.N}}">Modifier</a>{{end}}</tr>{{end}}</table>{{end}}
{{define "change"}}{{template "alert" .}}<form method="post"><fieldset><legend>Livraison</legend><label><input type="radio" name="how" value="jour"> Un autre jour</label><label><input type="radio" name="how" value="voisin"> Chez un voisin</label></fieldset>
<label>Jour <input type="date" name="jour"></label><label>Nom du voisin <input name="voisin"></label><button>Confirmer</button></form>{{end}}
{{define "return"}}{{template "alert" .}}<form method="post"><label>Raison <select name="why"><option>Trop tard<option>Endommagé<option>Autre</select></label><label><input type="radio" name="wish" value="Remboursement"> Remboursement</label><label><input type="radio" name="wish" value="Échange"> Échange</label><button>Créer le retour</button></form>{{end}}
`, link{"/", "Mes colis"})
	type parcel struct {
		N, From string
		Here    bool
	}
	parcels := []parcel{{"4469", "Librairie", true}, {"4470", "Verrerie", true}, {"4471", "Verrerie", false}, {"4473", "Jardinerie", false}}
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "home", "Mes colis", parcels) })
	s.formed("/colis/{n}", "change", "Modifier la livraison", nil, func(r *http.Request) (string, string) {
		how := r.FormValue("how")
		if v, ok := given(r, "how", how); ok {
			return r.PathValue("n") + ": " + how + ", " + v[1], "C'est noté."
		}
		return "", "Veuillez compléter."
	})
	s.formed("/retour/{n}", "return", "Retourner un colis", nil, func(r *http.Request) (string, string) {
		if v, ok := given(r, "why", "wish"); ok {
			return "return of " + r.PathValue("n") + ": " + v[0] + ", " + v[1], "Le retour de " + r.PathValue("n") + " est créé."
		}
		return "", "Veuillez compléter."
	})
	return s
}
