package server_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server"
)

// A Server is an http.Handler: a program serves it beside its own routes, with any
// driver and any models.
func Example() {
	web := fake.Web{"https://shop.test/": `<h1>Shop</h1><a href="/cart">Cart</a>`, "https://shop.test/cart": `<h1>Your cart</h1>`}
	s, err := server.New(web, &server.Options{
		Models:   server.Models{Named: map[string]llm.Model{"words": offline.New()}},
		Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"shop.test"}}}, // the zero policy is the public Internet
	})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", s)
	site := httptest.NewServer(mux)
	defer site.Close()
	defer s.Shutdown(context.Background()) // ends the sessions

	post := func(path, body string) string {
		answer, err := http.Post(site.URL+"/v1/sessions/"+path, "application/json", strings.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			log.Fatal(err)
		}
		return string(text)
	}
	started := post("start", `{"modelName": "words"}`)
	id := regexp.MustCompile(`"sessionId":"([^"]+)"`).FindStringSubmatch(started)[1]
	post(id+"/navigate", `{"url": "https://shop.test/"}`)
	done := post(id+"/act", `{"input": "click Cart"}`)
	fmt.Println(regexp.MustCompile(`"message":"[^}]*?"[,}]`).FindString(done))
	fmt.Println(post(id+"/end", ""))
	// Output:
	// "message":"clicked link \"Cart\": went to https://shop.test/cart (200)",
	// {"success":true}
}
