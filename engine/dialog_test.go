package engine_test

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestAnswerNextDialog: one confirm is answered as was said, alerts before it
// take nothing away, and the next confirm is answered as ever.
func TestAnswerNextDialog(t *testing.T) {
	const address = "https://shop.test/"
	var answers []bool
	driver := fake.New(fake.Options{
		Web: fake.Web{address: `<button id=b>Delete</button>`},
		Scripts: map[string]func(*fake.Document){address: func(d *fake.Document) {
			d.On("click", "#b", func(*fake.Event) {
				d.Alert("about to delete")
				answers = append(answers, d.Confirm("Really?"))
			})
		}},
	})
	session, err := engine.Open(t.Context(), driver, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	page.AnswerNextDialog(engine.DialogAnswer{Accept: true})
	for range 2 {
		if _, err := page.Do(t.Context(), engine.Action{Selector: "#b"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(answers) != 2 || !answers[0] || answers[1] {
		t.Errorf("answers = %v, want the first alone accepted", answers)
	}
}
