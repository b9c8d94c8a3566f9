package schema_test

import (
	"errors"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/schema"
)

func ExampleDecode() {
	type Product struct {
		Name  string  `json:"name" jsonschema:"description=as the page spells it"`
		Price float64 `json:"price" jsonschema:"minimum=0"`
	}
	s, err := schema.For[Product]()
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := schema.Decode[Product](s, []byte(`{"name": "Kettle", "price": 19.5}`))
	fmt.Println(p.Name, p.Price, err)

	_, err = schema.Decode[Product](s, []byte(`{"price": -1, "stock": 3}`))
	var invalid *schema.ValidationError
	if errors.As(err, &invalid) {
		for _, issue := range invalid.Issues {
			fmt.Println(issue)
		}
	}
	// Output:
	// Kettle 19.5 <nil>
	// name: is missing
	// price: is -1, must be at least 0
	// stock: is not a known member
}

func ExampleSchema_WithLinks() {
	s, err := schema.Parse([]byte(`{"type": "object", "properties": {"page": {"type": "string", "format": "uri"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	links, err := s.WithLinks()
	if err != nil {
		fmt.Println(err)
		return
	}
	onThePage := map[string]string{"0-12": "https://shop.test/kettle"}
	find := func(ref string) (string, bool) {
		address, ok := onThePage[ref]
		return address, ok
	}
	doc, err := links.Resolve([]byte(`{"page": "0-12"}`), find)
	fmt.Println(string(doc), err)

	_, err = links.Resolve([]byte(`{"page": "0-13"}`), find)
	fmt.Println(err)
	// Output:
	// {"page":"https://shop.test/kettle"} <nil>
	// schema: page: is "0-13", which is no link on the page
}
