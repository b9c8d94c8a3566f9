package wayfindertest_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// orderTea is the code under test.
func orderTea(ctx context.Context, session *engine.Session) error {
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		return err
	}
	_, err := page.Act(ctx, "click Order", nil)
	return err
}

var teaShop = fake.Web{
	"https://shop.test/":           `<h1>Tea</h1><form action="/order" method="post"><button>Order</button></form>`,
	"POST https://shop.test/order": `<h1>Thank you</h1>`,
}

// goldenTest is what a test of it looks like. The files are written by
// WAYFINDER_UPDATE=1 go test.
func goldenTest(t *testing.T) {
	session, err := engine.Open(t.Context(), teaShop, &engine.Options{Model: offline.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if err := orderTea(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	wayfindertest.Outline(t, session.Page(), "testdata/example.outline")
	wayfindertest.Trajectory(t, session, "testdata/example.trajectory")
}

// A golden test holds what a program does against a file: this.
func Example() {
	ctx := context.Background()
	session, err := engine.Open(ctx, teaShop, &engine.Options{Model: offline.New()})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	if err := orderTea(ctx, session); err != nil {
		log.Fatal(err)
	}
	fmt.Print(wayfindertest.TrajectoryText(session))
	// Output:
	// 1 navigate https://shop.test/
	//   on about:blank
	//   done: https://shop.test/
	// 2 act click Order
	//   on https://shop.test/
	//   click role=button[name="Order"]
	//     which is button "Order"
	//   done: clicked button "Order": went to https://shop.test/order (200)
	//   evidence {"effect":"navigation","navigation":{"from":"https://shop.test/","to":"https://shop.test/order","status":200},"requests":1}
}
