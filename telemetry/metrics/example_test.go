package metrics_test

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/telemetry/metrics"
)

// Metrics are the engine's hooks on one side, and a handler for Prometheus on the
// other.
func Example() {
	m := metrics.New(nil)
	web := fake.Web{"https://shop.test/": `<button>Order</button>`}
	ctx := context.Background()
	session, err := engine.Open(ctx, web, &engine.Options{Hooks: m.Hooks()})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}
	if _, err := page.Do(ctx, engine.Action{Selector: "button"}, nil); err != nil {
		log.Fatal(err)
	}

	answer := httptest.NewRecorder() // elsewhere: http.Handle("/metrics", m.Handler())
	m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "wayfinder_actions_total") {
			fmt.Println(lines.Text())
		}
	}
	// Output:
	// wayfinder_actions_total{effect="none",method="click",sent="all"} 1
}
