package engine_test

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

const shopAddress = "https://shop.test/"

// openShop opens a session in memory that shows a page of the shop.
func openShop(t *testing.T, html string, opts *engine.Options) *engine.Page {
	t.Helper()
	return openOn(t, fake.Web{shopAddress: "<!DOCTYPE html>" + html}, opts)
}

func openOn(t *testing.T, d driver.Driver, opts *engine.Options) *engine.Page {
	t.Helper()
	session, err := engine.Open(t.Context(), d, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	page := session.Page()
	if _, err := page.Navigate(t.Context(), shopAddress, nil); err != nil {
		t.Fatal(err)
	}
	return page
}

// mustRef returns the ref of an element that the request's outline shows.
func mustRef(t *testing.T, req *llm.Request, role, name string) string {
	t.Helper()
	ref, err := refOf(req, role, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(ref)
}

// requestText is everything that a model sees of a request.
func requestText(req *llm.Request) string {
	text := req.System
	for _, m := range req.Messages {
		for _, part := range m.Parts {
			switch part := part.(type) {
			case llm.Text:
				text += "\n" + part.Text
			case llm.Instruction:
				text += "\n" + part.Text
			case llm.Page:
				text += "\n" + part.Text
			}
		}
	}
	return text
}
