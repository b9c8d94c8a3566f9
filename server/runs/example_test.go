package runs_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/runs"
)

// A service that takes runs, in one process and in memory.
func ExampleNew() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := runs.New(ctx, new(fleet.Memory), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	srv, err := server.New(fake.Web{}, &server.Options{Parts: server.Parts{Runs: r}, Models: server.Models{Default: &agent{}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	worked := make(chan struct{})
	go func() { defer close(worked); r.Work(ctx, srv) }()

	request := httptest.NewRequest("POST", "/v1/runs", strings.NewReader(`{"task":"find the opening hours"}`))
	request.Header.Set("content-type", "application/json")
	answer := httptest.NewRecorder()
	srv.ServeHTTP(answer, request)
	fmt.Println(answer.Code)

	cancel()
	<-worked
	fmt.Println(srv.Shutdown(context.Background()))
	r.Close()
	// Output:
	// 201
	// <nil>
}
