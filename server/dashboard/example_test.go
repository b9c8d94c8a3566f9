package dashboard_test

import (
	"fmt"
	"net/http/httptest"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/dashboard"
)

// The page is at the service's own address.
func ExampleNew() {
	srv, err := server.New(fake.Web{}, &server.Options{Parts: server.Parts{Dashboard: dashboard.New()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer := httptest.NewRecorder()
	srv.ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
	fmt.Println(answer.Code, answer.Header().Get("content-type"))
	// Output: 200 text/html; charset=utf-8
}
