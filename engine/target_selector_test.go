package engine_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A selector that names a text has to name it still when the press arrives.
func TestSelectorHolds(t *testing.T) {
	const keep = `<button>Keep</button>`
	onStage(t, keep, func(s *stage) {
		s.meddle("input", 1, func() { s.texts("button", "Delete all") })
		r, err := s.page.Do(s.Context(), engine.Action{Selector: "//button[text()='Keep']"}, nil)
		if !errors.Is(err, engine.ErrNotFound) || !errors.Is(err, engine.ErrMismatch) || r.Sent != engine.SentNone {
			s.Errorf("Do = %+v, %v, want that the selector names nothing any more", r, err)
		}
	})
}

// What a selector names changes all the time: it is pressed when it is named,
// or never.
func TestSelectorFlickers(t *testing.T) {
	const flicker = `<p id=log></p><button>Keep</button><script>
const b = document.querySelector('button')
setInterval(() => { b.textContent = b.textContent === 'Keep' ? 'Delete all' : 'Keep' }, 60)
b.onclick = () => { document.querySelector('#log').textContent += b.textContent + ';' }
</script>`
	page, address := openOnChrome(t, write(flicker), nil)
	for range 6 {
		if _, err := page.Navigate(t.Context(), address, nil); err != nil {
			t.Fatal(err)
		}
		_, err := page.Do(t.Context(), engine.Action{Selector: "//button[text()='Keep']"}, nil)
		raw, evaluated := page.Driver().Evaluate(t.Context(), "document.querySelector('#log').textContent", nil)
		if evaluated != nil {
			t.Fatal(evaluated)
		}
		if want := map[bool]string{true: `"Keep;"`, false: `""`}[err == nil]; string(raw) != want {
			t.Errorf("Do = %v, and the page felt %s", err, raw)
		}
		if err != nil {
			t.Logf("Do = %v", err)
		}
	}
}

// An element that is replaced as the pointer comes to it is found again by its
// selector: nothing was sent.
func TestSelectorReplaced(t *testing.T) {
	const rows = `<p id=log></p><div id=list></div><script>
const list = document.querySelector('#list')
const render = (hot) => {
  list.innerHTML = ['a', 'b', 'c'].map((x) => '<div class=row style="height:40px"><button data-x=' + x + '>' + x + (hot === x ? ' *' : '') + '</button></div>').join('')
  for (const row of list.children) row.onmouseenter = () => { const x = row.firstChild.dataset.x; if (x !== hot) render(x) }
}
render('')
document.addEventListener('click', (e) => { document.querySelector('#log').textContent += e.target.dataset.x ?? '?' })
</script>`
	page, address := openOnChrome(t, write(rows), nil)
	for i, x := range []string{"a", "b", "c", "a", "c", "b"} {
		if _, err := page.Navigate(t.Context(), address, nil); err != nil {
			t.Fatal(err)
		}
		r, err := page.Do(t.Context(), engine.Action{Selector: "[data-x=" + x + "]"}, nil)
		raw, evaluated := page.Driver().Evaluate(t.Context(), "document.querySelector('#log').textContent", nil)
		if err != nil || evaluated != nil || string(raw) != `"`+x+`"` {
			t.Errorf("%d: Do(%s) = %+v, %v, and the page felt %s (%v)", i, x, r, err, raw, evaluated)
		}
	}
}

// The same in memory: the row is made anew while the pointer comes.
func TestSelectorReplacedInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hits := 0
		web := fake.New(fake.Options{
			Web: fake.Web{shopAddress: `<div id=row><button>Go</button></div>`},
			Scripts: map[string]func(*fake.Document){"*": func(d *fake.Document) {
				done := false
				d.On("mouseenter", "#row", func(*fake.Event) {
					if !done {
						done = true
						d.Find("#row").SetHTML("<button>Go</button>")
					}
				})
				d.On("click", "button", func(*fake.Event) { hits++ })
			}},
		})
		page := openOn(t, web, nil)
		if _, err := page.Do(t.Context(), engine.Action{Selector: "#row button"}, nil); err != nil || hits != 1 {
			t.Errorf("Do = %v, and %d hits, want one", err, hits)
		}
		if err := page.Session().Close(); err != nil {
			t.Error(err)
		}
	})
}
