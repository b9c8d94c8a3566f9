package killed_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A shop counts what is done in it. It is where the processes are not that do it,
// and outlives them.
type shop struct {
	*httptest.Server

	mu      sync.Mutex          // protects what follows
	kill    func(effect string) // called when an effect was counted, and before it is answered
	asked   int                 // questions to the model
	effects map[string]int
	working int // requests
	idle    *sync.Cond
}

func newShop(t *testing.T) *shop {
	s := &shop{effects: map[string]int{}}
	s.idle = sync.NewCond(&s.mu)
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// quiet waits until nothing is being answered: what a process has sent before its
// end is done then.
func (s *shop) quiet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.working > 0 {
		s.idle.Wait()
	}
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.working++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.working--
		s.idle.Broadcast()
	}()
	body, _ := io.ReadAll(r.Body) // what is missing of it is missing below
	if r.URL.Path == "/model" {
		s.mu.Lock()
		s.asked++
		s.mu.Unlock()
		return
	}
	cookie, err := r.Cookie("user")
	user := ""
	if err == nil {
		user = cookie.Value
	}
	if r.Method == http.MethodPost {
		form := values(string(body))
		effect := strings.TrimPrefix(r.URL.Path, "/")
		to := "/"
		switch {
		case effect == "login" && form["pin"] == "4711-xyzzy" && form["name"] == "Ada":
			http.SetCookie(w, &http.Cookie{Name: "user", Value: "ada", Path: "/"})
		case user == "":
			effect = "nobody"
		case effect == "order":
			to = "/thanks"
			effect += fmt.Sprintf(" %s, %q, gift %s", form["size"], form["note"], form["gift"])
		}
		s.mu.Lock()
		s.effects[effect]++
		kill := s.kill
		s.mu.Unlock()
		if kill != nil {
			kill(effect)
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case user == "":
		fmt.Fprint(w, `<!doctype html><title>Log in</title><h1>Log in</h1><form method=post action=/login>
			<label>Name <input name=name></label><label>PIN <input name=pin></label><button>Log in</button></form>`)
	case r.URL.Path == "/thanks":
		fmt.Fprintf(w, `<!doctype html><title>Thanks</title><h1>Thank you, %s</h1><p>Orders so far: %d</p>`, html.EscapeString(user), s.orders())
	default:
		fmt.Fprint(w, `<!doctype html><title>Shop</title><h1>Shop</h1>`)
		for n := 1; n <= 2; n++ {
			fmt.Fprintf(w, `<form method=post action=/add%d><p>Item %d: %d in the cart</p><button>Add %d</button></form>`, n, n, s.effects[fmt.Sprint("add", n)], n)
		}
		fmt.Fprintf(w, `<p>Orders so far: %d</p>`, s.orders())
		fmt.Fprint(w, `<form method=post action=/order><label>Size <select name=size><option>Small<option>Large</select></label>
			<label>Note <input name=note></label><label><input type=checkbox name=gift value=yes>Gift</label><button>Order</button></form>`)
	}
}

// orders counts them; s.mu is held.
func (s *shop) orders() (n int) {
	for effect, times := range s.effects {
		if strings.HasPrefix(effect, "order ") {
			n += times
		}
	}
	return n
}

// values reads a form as a browser sends it.
func values(body string) map[string]string {
	r, _ := http.NewRequest(http.MethodPost, "/", strings.NewReader(body)) // nothing in it can be wrong
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	out := map[string]string{}
	if r.ParseForm() == nil {
		for name := range r.PostForm {
			out[name] = r.PostForm.Get(name)
		}
	}
	return out
}

// account lists the effects, each with how often it happened.
func (s *shop) account() (list []string, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for effect, n := range s.effects {
		if effect != "login" { // it lasts in the browser alone
			list = append(list, fmt.Sprintf("%s: %d", effect, n))
		}
	}
	slices.Sort(list)
	return list, s.asked
}

func (s *shop) count(effect string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.effects[effect]
}
