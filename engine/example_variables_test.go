package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// Values of variables are typed, and never shown to a model, to a log or in a
// result. One that is bound to a host is typed there and nowhere else.
func ExampleVariable() {
	web := fake.Web{
		"https://shop.test/":  `<label>Password <input type="password"></label>`,
		"https://trick.test/": `<label>Password <input type="password"></label>`,
	}
	ctx := context.Background()
	session, err := engine.Open(ctx, web, &engine.Options{Model: offline.New()})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}

	secret := &engine.ActOptions{Variables: map[string]engine.Variable{
		"password": {Value: "correct horse", Hosts: []string{"shop.test"}},
	}}
	result, err := page.Act(ctx, "type %password% into Password", secret)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Message)
	fmt.Println(result.Actions[0].Arguments)

	if _, err := page.Navigate(ctx, "https://trick.test/", nil); err != nil {
		log.Fatal(err)
	}
	_, err = page.Act(ctx, "type %password% into Password", secret)
	fmt.Println(errors.Is(err, engine.ErrWrongHost))
	// Output:
	// filled textbox "Password"
	// [%password%]
	// true
}
