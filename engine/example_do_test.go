package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// Do does an action that is known, without a model: here one that was stored. An
// element that is no longer the one it was made for is refused.
func ExamplePage_Do() {
	web := fake.Web{"https://shop.test/": `<label>Quantity <input value="1"></label>`}
	ctx := context.Background()
	session, err := engine.Open(ctx, web, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}

	stored := `{
		"selector": "label=Quantity",
		"description": "set the quantity",
		"method": "fill",
		"arguments": ["3"],
		"fingerprint": {"role": "textbox", "name": "Quantity", "tag": "input"}
	}`
	var action engine.Action
	if err := json.Unmarshal([]byte(stored), &action); err != nil {
		log.Fatal(err)
	}
	result, err := page.Do(ctx, action, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q became %q\n", result.Evidence.Value.Before, result.Evidence.Value.After)

	action.Fingerprint.Name = "Gift message"
	_, err = page.Do(ctx, action, nil)
	fmt.Println(errors.Is(err, engine.ErrMismatch))
	// Output:
	// "1" became "3"
	// true
}
