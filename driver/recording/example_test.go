package recording_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
)

// What one browser did is written to a bundle, and played again without it.
func Example() {
	ctx := context.Background()
	visit := func(d driver.Driver, address string) error {
		b, err := d.Open(ctx, &driver.BrowserOptions{})
		if err != nil {
			return err
		}
		defer b.Close()
		answer, err := b.Pages()[0].Navigate(ctx, address, nil)
		if err != nil {
			return err
		}
		fmt.Println(d, answer.Status)
		return nil
	}
	recorder := recording.New(fake.Web{"https://shop.test/": "<h1>Shop</h1>"}, nil)
	if err := visit(recorder, "https://shop.test/"); err != nil {
		log.Fatal(err)
	}
	var bundle bytes.Buffer // or recorder.WriteFile
	if _, err := recorder.WriteTo(&bundle); err != nil {
		log.Fatal(err)
	}

	played, err := recording.Read(&bundle)
	if err != nil {
		log.Fatal(err)
	}
	if err := visit(played.Driver(), "https://shop.test/"); err != nil {
		log.Fatal(err)
	}
	err = visit(played.Driver(), "https://other.test/")
	fmt.Println(errors.Is(err, recording.ErrNotRecorded))
	// Output:
	// memory, recorded 200
	// recording of memory 200
	// true
}
