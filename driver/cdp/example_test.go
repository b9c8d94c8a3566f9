package cdp_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
)

// One Chrome serves many browsers, which share nothing: opening one takes tens of
// milliseconds. This example is compiled and not run: it needs a Chrome.
func ExampleStart() {
	ctx := context.Background()
	chrome, err := cdp.Start(ctx, cdp.Launch{})
	if err != nil {
		log.Fatal(err)
	}
	defer chrome.Close()

	b, err := chrome.Open(ctx, &driver.BrowserOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	answer, err := b.Pages()[0].Navigate(ctx, "https://example.com/", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Status)
}

// Send is for commands that package driver has no word for.
func ExampleSend() {
	ctx := context.Background()
	b, err := cdp.Attach{URL: "http://127.0.0.1:9222"}.Open(ctx, &driver.BrowserOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	var metrics struct {
		CSSContentSize struct{ Width, Height float64 } `json:"cssContentSize"`
	}
	if err := cdp.Send(ctx, b.Pages()[0], "", "Page.getLayoutMetrics", nil, &metrics); err != nil {
		log.Fatal(err)
	}
	fmt.Println(metrics.CSSContentSize.Height)
}
