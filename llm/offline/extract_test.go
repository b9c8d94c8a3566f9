package offline_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// formOf is the schema that the engine sends for a Go type.
func formOf[T any](t testing.TB) string {
	t.Helper()
	s, err := schema.For[T]()
	if err != nil {
		t.Fatal(err)
	}
	links, err := s.WithLinks()
	if err != nil {
		t.Fatal(err)
	}
	strict, err := links.Schema().Strict(schema.Plain)
	if err != nil {
		t.Fatal(err)
	}
	return string(strict.JSON())
}

// extract asks for a value of type T; lists come wrapped.
func extract[T any](t *testing.T, page, instruction string) T {
	t.Helper()
	text, err := ask(llm.PurposeExtract, page, formOf[T](t), instruction)
	if err != nil {
		t.Fatalf("Generate(%q): %v", instruction, err)
	}
	var wrapped struct{ Value json.RawMessage }
	if json.Unmarshal([]byte(text), &wrapped) == nil && wrapped.Value != nil {
		text = string(wrapped.Value)
	}
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func same[T any](t *testing.T, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("extract (-want +got):\n%s", diff)
	}
}

func TestExtractCards(t *testing.T) {
	type product struct {
		Name        string  `json:"name"`
		Price       float64 `json:"price"`
		Rating      float64 `json:"rating"`
		Category    string  `json:"category"`
		Description string  `json:"description"`
		Link        string  `json:"link" jsonschema:"format=uri"`
	}
	got := extract[[]product](t, outline(t, "search"), "all products")
	if len(got) != 3 {
		t.Fatalf("%d products, want 3: %+v", len(got), got)
	}
	link := got[0].Link
	if !strings.HasPrefix(link, "0-") {
		t.Errorf("the link is %q, want a ref", link)
	}
	same(t, got[0], product{"Ridge backpack", 189, 4.4, "CARRY", "32 litres that stand up by themselves.", link})
	same(t, got[2].Name, "Field notebook")
	same(t, len(extract[[]product](t, outline(t, "home"), "the first four products")), 4)
	same(t, extract[[]product](t, outline(t, "home"), "all products")[2].Price, 1249)
}

func TestExtractTable(t *testing.T) {
	type review struct {
		Customer string `json:"customer"`
		Date     string `json:"date" jsonschema:"format=date"`
		Stars    int    `json:"stars"`
		Review   string `json:"review"`
	}
	page := outline(t, "meridian-compass")
	same(t, extract[[]review](t, page, "the reviews"), []review{
		{"Ana M.", "2026-09-14", 5, "Steady needle, even on the boat."},
		{"Joris", "2026-08-02", 4, "Heavier than plastic, and worth it."},
		{"Wen", "2026-05-27", 5, "The mirror is the best part."},
	})
	type both struct {
		Name    string   `json:"name"`
		Reviews []review `json:"reviews"`
		Colors  []string `json:"colors"`
		InStock bool     `json:"inStock"`
	}
	got := extract[both](t, page, "the product with its reviews")
	same(t, len(got.Reviews), 3)
	same(t, got.Colors, []string{"Brass", "Graphite", "Sea green"})
	same(t, got.Name, "Meridian compass")
	same(t, got.InStock, true)
}

// Cells whose content has lines of its own are read from there.
func TestExtractCart(t *testing.T) {
	type item struct {
		Product  string  `json:"product"`
		Color    string  `json:"color"`
		Price    float64 `json:"price"`
		Quantity int     `json:"quantity"`
		Sum      float64 `json:"sum"`
	}
	type cart struct {
		Items    []item  `json:"items"`
		Goods    float64 `json:"goods"`
		Delivery string  `json:"delivery"`
		Total    float64 `json:"total"`
	}
	same(t, extract[cart](t, outline(t, "cart"), "the cart"), cart{
		Items: []item{{"Meridian compass", "Brass", 89, 2, 178}, {"Ember lantern", "Copper", 59, 1, 59}},
		Goods: 237, Delivery: "Free", Total: 237,
	})
}

func TestExtractDefinitions(t *testing.T) {
	page := outline(t, "meridian-compass")
	type facts struct {
		Weight   string  `json:"weight"`
		Diameter float64 `json:"diameter"`
		MadeIn   string  `json:"madeIn"`
		Color    *string `json:"color,omitempty"`
	}
	brass := "Brass"
	same(t, extract[facts](t, page, "the specification"), facts{"112 g", 58, "Biel, Switzerland", &brass})
	type pair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	same(t, extract[[]pair](t, page, "the specification")[:2], []pair{{"Weight", "112 g"}, {"Diameter", "58 mm"}})
}

func TestExtractControls(t *testing.T) {
	type form struct {
		Country    string `json:"country"`
		GiftWrap   bool   `json:"giftWrap"`
		Express    bool   `json:"express"`
		Method     string `json:"deliveryMethod"`
		Cards      int    `json:"greetingCards"`
		Ribbon     string `json:"ribbonColor"`
		CardHolder string `json:"cardHolder"`
	}
	same(t, extract[form](t, outline(t, "checkout"), "what is filled in"), form{
		Country: "Switzerland", Method: "Standard, three days", Ribbon: "#e09f3e",
	})
}

func TestExtractText(t *testing.T) {
	const form = `{"type":"object","properties":{"extraction":{"type":"string"}},"required":["extraction"],"additionalProperties":false}`
	cases := []struct{ page, instruction, want string }{
		{"meridian-compass", "the heading", "Meridian compass"},
		{"meridian-compass", "extract the title of the page", "Meridian compass · Northlight"},
		{"meridian-compass", "what is the weight?", "112 g"},
		{"meridian-compass", "get the price", "CHF 89.00"},
		{"meridian-compass", "how many are in stock", "14"},
		{"search", "how many products were found", "3"},
		{"search", "the price of the Ridge backpack", "CHF 189.00"},
		{"cart", "the total", "CHF 237.00"},
		{"cart", "quantity of Ember lantern", "1"},
	}
	for _, c := range cases {
		text, err := ask(llm.PurposeExtract, outline(t, c.page), form, c.instruction)
		if err != nil {
			t.Errorf("%s: extract(%q): %v", c.page, c.instruction, err)
			continue
		}
		var got struct{ Extraction string }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if got.Extraction != c.want {
			t.Errorf("%s: extract(%q) = %q, want %q", c.page, c.instruction, got.Extraction, c.want)
		}
	}
}

// What it cannot do is an error that says so, never data that was not asked for.
func TestExtractRefuses(t *testing.T) {
	type priced struct {
		Name  string  `json:"name"`
		Price float64 `json:"price"`
	}
	type warp struct {
		WarpFactor float64 `json:"warpFactor"`
	}
	cases := []struct {
		instruction, form string
		kind              llm.ErrorKind
		want              string
	}{
		{"the cheapest product", formOf[priced](t), llm.KindUnsupported, `"cheapest"`},
		{"products of more than CHF 100", formOf[[]priced](t), llm.KindUnsupported, "more than"},
		{"the warp factor", formOf[warp](t), llm.KindRefusal, "warpFactor"},
		{"the launch codes", `{"type":"object","properties":{"extraction":{"type":"string"}}}`, llm.KindRefusal, "launch codes"},
		{"all of it", `{"type":"string"}`, llm.KindInvalid, "no object"},
		{"all of it", `{"type":"object","properties":{"name":{"type":"string"},"warp":{"type":"number"}},"required":["name","warp"]}`, llm.KindSchema, "warp"},
	}
	for _, c := range cases {
		text, err := ask(llm.PurposeExtract, outline(t, "home"), c.form, c.instruction)
		var failed *llm.Error
		if !errors.As(err, &failed) || failed.Kind != c.kind || !strings.Contains(err.Error(), c.want) {
			t.Errorf("extract(%q) = %s, %v, want an error of kind %s with %s", c.instruction, text, err, c.kind, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	type total struct {
		Total float64 `json:"total"`
	}
	for text, want := range map[string]float64{
		"CHF 1'234.50": 1234.5, "CHF 1’249.–": 1249, "1.234,50 €": 1234.5, "$1,234": 1234, "3,5 km": 3.5, "-12.5": -12.5,
		"1 product": 1, "20%": 20, "12 345 m": 12345,
	} {
		page := "[0-1] document: Page\n  [0-2] descriptionlist\n    [0-3] term: Total\n    [0-4] definition: " + text + "\n"
		if got := extract[total](t, page, "the total"); got.Total != want {
			t.Errorf("number(%q) = %v, want %v", text, got.Total, want)
		}
	}
}
