package gold

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

// entries is how many entries a generated page has.
const entries = 1000

// large returns the generated cases.
func large() []Case {
	return []Case{largeTable(), largeCards(), largeTimetable()}
}

var (
	materials = strings.Fields("Oak Brass Linen Copper Slate Cork Walnut Enamel Wool Steel")
	things    = strings.Fields("shelf lamp hook tray stool bowl frame basket clock bench hinge")
	makers    = []string{"Harrow & Finch", "Nordlicht", "Old Mill", "Casa Miró", "Ostrava Works", "Pell"}
	places    = strings.Fields("Ghent Lille Metz Trier Liège Aachen Nancy")
)

// largeTable is a stock list with a row for each part.
func largeTable() Case {
	type part struct {
		Part     string  `json:"part"`
		Maker    string  `json:"maker"`
		Quantity int     `json:"quantity"`
		Price    float64 `json:"price"`
	}
	var page strings.Builder
	var gold struct {
		Parts []part `json:"parts"`
	}
	page.WriteString(largeHead("Stock list") + "<p>1,000 parts in stock</p>\n<table><thead><tr><th>Part</th><th>Maker</th><th>Qty</th><th>Unit price</th></tr></thead><tbody>\n")
	for i := range entries {
		p := part{
			Part:     fmt.Sprintf("%s %s %04d", materials[i%len(materials)], things[i%len(things)], i),
			Maker:    makers[i%len(makers)],
			Quantity: i * 7 % 131,
			Price:    float64(199+i*137%250_000) / 100,
		}
		gold.Parts = append(gold.Parts, p)
		fmt.Fprintf(&page, "<tr><td><a href=\"/parts/%d\">%s</a></td><td>%s</td><td>%d</td><td>$%s</td></tr>\n",
			i, p.Part, html.EscapeString(p.Maker), p.Quantity, grouped(p.Price))
	}
	page.WriteString("</tbody></table>" + largeFoot)
	return generated("large-table", "shop list", "All parts of the stock list", page.String(), gold, `{
		"type": "object",
		"properties": {"parts": {"type": "array", "items": {
			"type": "object",
			"properties": {
				"part": {"type": "string", "description": "Name of the part"},
				"maker": {"type": "string"},
				"quantity": {"type": "integer", "description": "Pieces in stock"},
				"price": {"type": "number", "description": "Price of one piece in USD"}
			},
			"required": ["part", "maker", "quantity", "price"]
		}}},
		"required": ["parts"]
	}`)
}

// largeCards is an endless shop page that has been scrolled far.
func largeCards() Case {
	type product struct {
		Name   string  `json:"name"`
		Brand  string  `json:"brand"`
		Price  float64 `json:"price"`
		Link   string  `json:"link"`
		Rating float64 `json:"rating"`
	}
	var page strings.Builder
	var gold struct {
		Products []product `json:"products"`
	}
	page.WriteString(largeHead("Everything") + "<div class=\"cards\">\n")
	for i := range entries {
		p := product{
			Name:   fmt.Sprintf("%s %s no. %d", materials[i*3%len(materials)], things[i%len(things)], i+1),
			Brand:  makers[i*5%len(makers)],
			Price:  float64(500+i*311%90_000) / 100,
			Link:   fmt.Sprintf("https://large-cards.test/p/%d", i+1),
			Rating: float64(20+i*7%31) / 10,
		}
		gold.Products = append(gold.Products, p)
		fmt.Fprintf(&page, "<div class=\"card\"><a href=\"/p/%d\"><h3>%s</h3></a><div class=\"brand\">%s</div><div><span role=\"img\" aria-label=\"%.1f out of 5 stars\"></span></div><div class=\"price\">€%s</div><button>Add to cart</button></div>\n",
			i+1, p.Name, html.EscapeString(p.Brand), p.Rating, grouped(p.Price))
	}
	page.WriteString("</div>" + largeFoot)
	return generated("large-cards", "shop list", "Every product on the page", page.String(), gold, `{
		"type": "object",
		"properties": {"products": {"type": "array", "items": {
			"type": "object",
			"properties": {
				"name": {"type": "string", "description": "Product name"},
				"brand": {"type": "string"},
				"price": {"type": "number", "description": "Price in euros"},
				"link": {"type": "string", "format": "uri", "description": "Product page"},
				"rating": {"type": "number", "description": "Stars out of five"}
			},
			"required": ["name", "price", "link"]
		}}},
		"required": ["products"]
	}`)
}

// largeTimetable is a departure list in which a place stands once for its hours.
func largeTimetable() Case {
	type departure struct {
		Station  string `json:"station"`
		Time     string `json:"time"`
		Line     string `json:"line"`
		Platform int    `json:"platform"`
	}
	const hours = 4
	var page strings.Builder
	var gold struct {
		Departures []departure `json:"departures"`
	}
	page.WriteString(largeHead("Night network") + "<table><thead><tr><th>Station</th><th>Time</th><th>Line</th><th>Platform</th></tr></thead><tbody>\n")
	for i := range entries {
		d := departure{
			Station:  fmt.Sprintf("%s %d", places[i/hours%len(places)], i/hours+1),
			Time:     fmt.Sprintf("%02d:%02d", i%hours, i*13%60),
			Line:     fmt.Sprintf("N%d", i*3%47+1),
			Platform: i%9 + 1,
		}
		gold.Departures = append(gold.Departures, d)
		page.WriteString("<tr>")
		if i%hours == 0 {
			fmt.Fprintf(&page, "<th rowspan=\"%d\" scope=\"rowgroup\">%s</th>", hours, d.Station)
		}
		fmt.Fprintf(&page, "<td>%s</td><td>%s</td><td>%d</td></tr>\n", d.Time, d.Line, d.Platform)
	}
	page.WriteString("</tbody></table>" + largeFoot)
	return generated("large-timetable", "timetable", "All departures with their station", page.String(), gold, `{
		"type": "object",
		"properties": {"departures": {"type": "array", "items": {
			"type": "object",
			"properties": {
				"station": {"type": "string"},
				"time": {"type": "string"},
				"line": {"type": "string"},
				"platform": {"type": "integer"}
			},
			"required": ["station", "time", "line", "platform"]
		}}},
		"required": ["departures"]
	}`)
}

func largeHead(title string) string {
	return "<!doctype html>\n<html lang=\"en\"><head><title>" + title + "</title></head><body>\n" +
		"<header><a href=\"/\">Start</a><nav><a href=\"/a\">News</a><a href=\"/b\">Offers</a></nav>" +
		"<form role=\"search\"><input type=\"search\" aria-label=\"Search\"><button>Go</button></form></header>\n<main><h1>" + title + "</h1>\n"
}

const largeFoot = "\n</main><aside class=\"ad\"><p>Advertisement: flights from $49</p></aside><footer><a href=\"/imprint\">Imprint</a></footer></body></html>\n"

// grouped writes an amount with commas between the thousands.
func grouped(amount float64) string {
	text := fmt.Sprintf("%.2f", amount)
	if at := strings.Index(text, "."); at > 3 {
		text = text[:at-3] + "," + text[at-3:]
	}
	return text
}

func generated(name, kind, instruction, page string, gold any, form string) Case {
	data, err := json.Marshal(gold)
	if err != nil {
		panic(err)
	}
	address := "https://" + name + ".test/"
	return Case{
		Name:        name,
		Kind:        kind,
		URL:         address,
		Web:         map[string]string{address: page},
		Instruction: instruction,
		Schema:      json.RawMessage(form),
		Gold:        data,
	}
}
