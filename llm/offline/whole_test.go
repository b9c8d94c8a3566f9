package offline_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// refuses asks for a value of type T, and wants a refusal that says why.
func refuses[T any](t *testing.T, page, instruction, why string) {
	t.Helper()
	text, err := ask(llm.PurposeExtract, page, formOf[T](t), instruction)
	var failed *llm.Error
	if !errors.As(err, &failed) || !strings.Contains(failed.Message, why) {
		t.Errorf("Generate(%q) = %s, %v, want a refusal with %q", instruction, text, err, why)
	}
}

// "Page 1 of 3" are three pages, of which this is the first (11 §6).
func TestExtractOneOfMany(t *testing.T) {
	type pages struct {
		Pages int `json:"pages"`
	}
	type totals struct {
		TotalPages    int `json:"totalPages"`
		CurrentPage   int `json:"currentPage"`
		NumberOfPages int `json:"numberOfPages"`
		PageCount     int `json:"pageCount"`
		PageNumber    int `json:"pageNumber"`
		Page          int `json:"page"`
	}
	type results struct {
		Results      int `json:"results"`
		TotalResults int `json:"totalResults"`
	}
	type steps struct {
		Step  int `json:"step"`
		Steps int `json:"steps"`
	}
	page := func(text string) string { return "[0-1] document: Orders\n  [0-2] text: " + text + "\n" }
	for _, text := range []string{"Page 1 of 3", "Page 1/3", "Page 1 / 3", "page 1 out of 3", "Showing page 1 of 3"} {
		same(t, extract[pages](t, page(text), "how many pages there are"), pages{3})
		same(t, extract[totals](t, page(text), "the pages"), totals{3, 1, 3, 3, 1, 1})
	}
	same(t, extract[pages](t, page("Pages: 3"), "how many pages there are"), pages{3})
	same(t, extract[pages](t, page("3 pages"), "how many pages there are"), pages{3})
	same(t, extract[pages](t, page("Page 1 of 1'200"), "how many pages there are"), pages{1200})
	refuses[pages](t, page("Page 1"), "how many pages there are", "pages")
	refuses[pages](t, page("Page: 1"), "how many pages there are", "pages")
	for _, text := range []string{"Showing 1–10 of 57 results", "1-10 of 57 results", "Results 1 - 10 of 57", "Displaying 1 to 10 of 57 results"} {
		same(t, extract[results](t, page(text), "the number of results"), results{57, 57})
	}
	same(t, extract[steps](t, page("Step 2 of 4: Address"), "the steps"), steps{2, 4})
	same(t, extract[steps](t, page("Step 2 of 4"), "the steps"), steps{2, 4})
	same(t, extract[struct {
		Rating float64 `json:"rating"`
	}](t, page("Rating 4.8 of 5"), "the rating").Rating, 4.8)
}

const orders = `[0-1] document: Orders
  [0-2] heading: Orders (level 1)
  [0-3] text: Customer: Ada
  [0-4] table: Orders
    [0-5] row: Number | Date | Total (header)
    [0-6] row: 1001 | 2026-01-02 | CHF 10.00
    [0-7] row: 1002 | 2026-01-03 | CHF 20.00
`

// A list that is there never comes back empty, or cut short, as a success (11 §6).
func TestListsAreWhole(t *testing.T) {
	type order struct {
		Number int     `json:"number"`
		Total  float64 `json:"total"`
	}
	type odd struct {
		Carrier string `json:"carrier"`
		Weight  int    `json:"weight"`
	}
	type account[T any] struct {
		Customer string `json:"customer"`
		Orders   []T    `json:"orders"`
	}
	type maybe[T any] struct {
		Customer string `json:"customer"`
		Orders   []T    `json:"orders,omitempty"`
	}
	same(t, extract[account[order]](t, orders, "the customer with the orders").Orders, []order{{1001, 10}, {1002, 20}})
	refuses[account[odd]](t, orders, "the customer with the orders", "orders")
	refuses[maybe[odd]](t, orders, "the customer with the orders", "orders")
	refuses[[]odd](t, orders, "the orders", "nothing on the page")
	refuses[account[string]](t, strings.ReplaceAll(orders, "table: Orders", "table"), "the customer with the invoices", "orders")

	none := "[0-1] document: Orders\n  [0-2] heading: Orders (level 1)\n  [0-3] text: Customer: Ada\n  [0-4] paragraph: You have no orders yet.\n"
	same(t, extract[account[order]](t, none, "the customer with the orders").Orders, []order{})
	quiet := "[0-1] document: Orders\n  [0-3] text: Customer: Ada\n"
	refuses[account[order]](t, quiet, "the customer with the orders", "orders")
	same(t, extract[maybe[order]](t, quiet, "the customer with the orders").Orders, []order(nil))

	cut := orders + "    … 37 more rows, ask with ref 0-4\n"
	refuses[[]order](t, cut, "all orders", "37 more rows")
	refuses[account[order]](t, cut, "the customer with the orders", "37 more rows")
	same(t, extract[[]order](t, cut, "the first two orders"), []order{{1001, 10}, {1002, 20}})
	type numbers struct {
		Number []int `json:"number"`
	}
	same(t, extract[numbers](t, orders, "the numbers of the orders").Number, []int{1001, 1002})
	refuses[numbers](t, cut, "the numbers of the orders", "37 more rows")
	type names struct {
		Fruits []string `json:"fruits"`
	}
	fruits := "[0-1] document: Shop\n  [0-2] heading: Fruits (level 2)\n  [0-3] list: Fruits\n    [0-4] listitem: Apple\n    [0-5] listitem: Pear\n"
	same(t, extract[names](t, fruits, "the fruits").Fruits, []string{"Apple", "Pear"})
	refuses[names](t, fruits+"    … 1 more item, ask with ref 0-3\n", "the fruits", "1 more item")
	refuses[struct {
		Veggies []string `json:"veggies"`
	}](t, fruits, "the veggies", "veggies")

	// Records of which some have no such list have an empty one.
	type post struct {
		Title string   `json:"title"`
		Tags  []string `json:"tags"`
	}
	posts := `[0-1] document: Blog
  [0-2] list: Posts
    [0-3] listitem
      [0-4] link: Tea
      [0-5] list: Tags
        [0-6] listitem: hot
        [0-7] listitem: leaf
    [0-8] listitem
      [0-9] link: Water
`
	same(t, extract[[]post](t, posts, "the posts"), []post{{"Tea", []string{"hot", "leaf"}}, {"Water", []string{}}})
	type comments struct {
		Title    string   `json:"title"`
		Comments []string `json:"comments"`
	}
	refuses[[]comments](t, posts, "the posts", "nothing on the page")
}

// A text that the outline shortens is not given for the whole.
func TestTextsAreWhole(t *testing.T) {
	type note struct {
		Note string `json:"note"`
	}
	cut := "[0-1] document: Note\n  [0-2] textbox: Note value=\"Lorem ipsum\" … 1,200 more characters\n"
	refuses[note](t, cut, "the note", "more than the outline shows")
	cell := "[0-1] document: Notes\n  [0-2] table\n    [0-3] row: Day | Note (header)\n    [0-4] row: Monday | \"Lorem ipsum\" … 300 more characters\n"
	refuses[[]struct {
		Day  string `json:"day"`
		Note string `json:"note"`
	}](t, cell, "the notes", "more than the outline shows")
	same(t, extract[[]struct {
		Day string `json:"day"`
	}](t, cell, "the notes")[0].Day, "Monday")
}

// Where two lists fit equally well, one of them is half of what was asked for.
func TestTwoLists(t *testing.T) {
	type order struct {
		Number int     `json:"number"`
		Total  float64 `json:"total"`
	}
	two := strings.ReplaceAll(orders, "table: Orders", "table: Open") + `  [0-8] table: Closed
    [0-9] row: Number | Date | Total (header)
    [0-10] row: 1003 | 2026-01-02 | CHF 30.00
`
	refuses[[]order](t, two, "all orders", "two lists fit equally well")
	same(t, extract[[]order](t, two, "the closed orders"), []order{{1003, 30}})
	same(t, len(extract[[]order](t, two, "the open orders")), 2)
}
