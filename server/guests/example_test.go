package guests_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/guests"
)

// What attaches stands beside the service. Here it is a browser in memory, which
// lets nobody in; one of driver/cdp does.
func Example() {
	visitors := guests.New(nil)
	srv, err := server.New(fake.Network(), &server.Options{Parts: server.Parts{Guests: visitors.Open}})
	if err != nil {
		fmt.Println(err)
		return
	}
	routes := http.NewServeMux()
	routes.Handle(guests.Path, visitors)
	routes.Handle("/", srv)

	answer := httptest.NewRecorder()
	routes.ServeHTTP(answer, httptest.NewRequest("GET", guests.Path+"a-guess", nil))
	fmt.Print(answer.Code, " ", answer.Body)
	// Output: 404 nothing is at this address; it ends with its session
}
