package traces_test

import (
	"fmt"
	"log"
	"os"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/traces"
)

// Sessions of this service are recorded where they are started with trace: true.
func Example() {
	dir, err := os.MkdirTemp("", "traces-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	kept, err := traces.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := server.New(fake.Network(), &server.Options{Traces: kept}); err != nil {
		log.Fatal(err)
	}
	_, _, err = kept.Load("no-such-session")
	fmt.Println(err)
	// Output: traces: there is no trace of the session
}
