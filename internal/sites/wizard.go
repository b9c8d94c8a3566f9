package sites

import (
	"net/http"
	"strconv"
	"strings"
)

// newWizard is an insurance that is asked for in four steps, each with
// conditions, and can be gone back in.
func newWizard() *Site {
	s := newSite("Surely", "en", wizardViews, link{"/", "Start"}, link{"/step/1", "Get a quote"}, link{"/quotes", "My quotes"})
	s.foot = []link{{"/", "Imprint"}, {"/", "Terms of use"}, {"/", "Data protection"}}
	data := map[string]string{}
	s.on("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "start", "Welcome", nil) })
	s.on("GET /step/{n}", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, "step"+r.PathValue("n"), "Step "+r.PathValue("n")+" of 4", map[string]any{"Data": data, "Price": quote(data)})
	})
	s.on("POST /step/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		_ = r.ParseForm() // what is missing is asked for below
		for name := range r.Form {
			data[name] = strings.TrimSpace(r.FormValue(name))
		}
		var missing []string
		for _, name := range [][]string{1: {"name", "born"}, 2: {"what", "value"}, 3: {"cover"}, 4: {}}[n] {
			if data[name] == "" {
				missing = append(missing, name)
			}
		}
		if n == 1 && len(data["born"]) != 4 {
			missing = append(missing, "the year of birth in four digits")
		}
		if len(missing) > 0 {
			s.showStatus(w, http.StatusUnprocessableEntity, "step"+r.PathValue("n"), "Step "+r.PathValue("n")+" of 4", map[string]any{"Data": data, "Price": quote(data), "Missing": strings.Join(missing, ", ")})
			return
		}
		if n < 4 {
			to(w, r, "/step/"+strconv.Itoa(n+1))
			return
		}
		s.note("%s, %s: %s worth %s, %s, extras %s%s: %s a year", data["name"], data["born"], data["what"], data["value"], data["cover"], data["theft"], data["glass"], money(quote(data)))
		data = map[string]string{}
		s.show(w, "told", "You are insured", "Your policy is on its way.")
	})
	s.on("GET /quotes", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "quotes", "My quotes", s.journal) })
	return s
}

func quote(data map[string]string) int {
	value, _ := strconv.Atoi(data["value"])
	price := value * map[string]int{"Basic": 1, "Full": 3}[data["cover"]]
	if data["theft"] != "" {
		price += 2500
	}
	if data["glass"] != "" {
		price += 1000
	}
	return price
}

const wizardViews = `
{{define "start"}}<p>Insure what you like in four steps.</p><a href="/step/1">Begin</a>{{end}}
{{define "missing"}}{{with .Missing}}<p role="alert">Please give {{.}}.</p>{{end}}{{end}}
{{define "step1"}}{{template "missing" .}}<form method="post"><label>Full name <input name="name" value="{{.Data.name}}"></label><label>Year of birth <input name="born" value="{{.Data.born}}"></label><button>Continue</button></form>{{end}}
{{define "step2"}}{{template "missing" .}}<form method="post"><fieldset><legend>What is it?</legend><label><input type="radio" name="what" value="Bicycle"> Bicycle</label><label><input type="radio" name="what" value="Piano"> Piano</label><label><input type="radio" name="what" value="Household"> Household</label></fieldset>
<label>Value in CHF <input type="number" name="value" value="{{.Data.value}}"></label><button>Continue</button></form><a href="/step/1">Back to step 1</a>{{end}}
{{define "step3"}}{{template "missing" .}}<form method="post"><label>Cover <select name="cover"><option value="">Choose<option>Basic<option>Full</select></label>
<label><input type="checkbox" name="theft" value="theft"> Theft</label><label><input type="checkbox" name="glass" value="glass"> Glass</label><button>Continue</button></form><a href="/step/2">Back to step 2</a>{{end}}
{{define "step4"}}<dl><dt>Name<dd>{{.Data.name}}<dt>Born<dd>{{.Data.born}}<dt>Insured<dd>{{.Data.what}}, CHF {{.Data.value}}<dt>Cover<dd>{{.Data.cover}} {{.Data.theft}}{{.Data.glass}}<dt>Price<dd>{{money .Price}} a year</dl>
<form method="post"><button>Conclude the contract</button></form><a href="/step/1">Change name</a> <a href="/step/2">Change value</a> <a href="/step/3">Change cover</a>{{end}}
{{define "quotes"}}<ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{define "told"}}<p role="status">{{.}}</p>{{end}}
`

func insured() []map[string]any {
	return []map[string]any{says("Your policy is on its way"), sent("POST", "/step/4")}
}

func wizardTasks() []Task {
	person := form("textbox: Full name", "Ada Keller", "textbox: Year of birth", "1990")
	return []Task{
		task("wizard/straight", newWizard, "/",
			"click Begin, fill Full name with Ada Keller and Year of birth with 1990, click Continue, choose Piano, fill Value in CHF with 8000, click Continue, choose Full in Cover, check Theft, click Continue, click Conclude the contract").plain().
			clicks("link: Begin").
			turn(person, click("button: Continue")).
			turn(click("radio: Piano"), fill("spinbutton: Value in CHF", "8000"), click("button: Continue")).
			turn(choose("combobox: Cover", "Full"), click("checkbox: Theft"), click("button: Continue")).
			clicks("button: Conclude the contract").
			did("the piano is insured", insured()...).
			want("Ada Keller, 1990: Piano worth 8000, Full, extras theft: CHF 265.00 a year"),
		task("wizard/goes-back", newWizard, "/", "Insure a bicycle worth CHF 3000 for Ada Keller, born 1990, basic cover. If it costs more than CHF 20, take 2000 as the value.").
			clicks("link: Begin").
			turn(person, click("button: Continue")).
			turn(click("radio: Bicycle"), fill("spinbutton: Value in CHF", "3000"), click("button: Continue")).
			turn(choose("combobox: Cover", "Basic"), click("button: Continue")).
			clicks("link: Change value").
			turn(click("radio: Bicycle"), fill("spinbutton: Value in CHF", "2000"), click("button: Continue")).
			turn(choose("combobox: Cover", "Basic"), click("button: Continue")).
			clicks("button: Conclude the contract").
			did("the bicycle is insured at 2000", insured()...).
			want("Ada Keller, 1990: Bicycle worth 2000, Basic, extras : CHF 20.00 a year"),
		task("wizard/complaint", newWizard, "/step/1", "Insure the household of Ada Keller, born in the year 1990, worth CHF 50000, with full cover and glass.").
			turn(form("textbox: Full name", "Ada Keller", "textbox: Year of birth", "90"), click("button: Continue")).
			turn(fill("textbox: Year of birth", "1990"), click("button: Continue")).
			turn(click("radio: Household"), fill("spinbutton: Value in CHF", "50000"), click("button: Continue")).
			turn(form("combobox: Cover", "Full", "checkbox: Glass", "true"), click("button: Continue")).
			clicks("button: Conclude the contract").
			did("the household is insured", insured()...).
			want("Ada Keller, 1990: Household worth 50000, Full, extras glass: CHF 1510.00 a year"),
	}
}
