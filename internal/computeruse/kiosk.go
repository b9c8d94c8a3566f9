package computeruse

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A kiosk is a site that counts what is done in it, and outlives those who do it.
type kiosk struct {
	mu      sync.Mutex // protects what follows
	effects map[string]int
	counted func(effect string) // called before an effect is answered; nil is nobody
}

func (k *kiosk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	cookie, err := r.Cookie("user")
	known := err == nil && cookie.Value == "ada"
	if r.Method == http.MethodPost {
		effect, to := strings.TrimPrefix(r.URL.Path, "/"), "/"
		switch {
		case effect == "login" && r.FormValue("name") == "Ada" && r.FormValue("pin") == kioskPIN:
			http.SetCookie(w, &http.Cookie{Name: "user", Value: "ada", Path: "/"})
		case !known:
			effect = fmt.Sprintf("%s by nobody (%q)", effect, r.FormValue("name"))
		case effect == "order":
			to = "/thanks"
			effect += fmt.Sprintf(" %s, %q, gift %s", r.FormValue("size"), r.FormValue("note"), r.FormValue("gift"))
		}
		k.mu.Lock()
		k.effects[effect]++
		counted := k.counted
		k.mu.Unlock()
		if counted != nil {
			counted(effect)
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case !known:
		fmt.Fprint(w, `<!doctype html><title>Log in</title><h1>Log in</h1><form method=post action=/login>
			<p><label>Name <input name=name></label><p><label>PIN <input name=pin></label><p><button>Log in</button></form>`)
	case r.URL.Path == "/thanks":
		fmt.Fprintf(w, `<!doctype html><title>Thanks</title><h1>Thank you</h1><p>Orders so far: %d</p>`, k.orders())
	default:
		fmt.Fprint(w, `<!doctype html><title>Kiosk</title><h1>Kiosk</h1>`)
		for n := 1; n <= 2; n++ {
			fmt.Fprintf(w, `<form method=post action=/add%d><p>Item %d: %d in the cart</p><button>Add %d</button></form>`, n, n, k.effects[fmt.Sprint("add", n)], n)
		}
		fmt.Fprintf(w, `<p>Orders so far: %d</p><form method=post action=/order><p><label><input type=radio name=size value=Small checked>Small</label>
			<label><input type=radio name=size value=Large>Large</label><p><label>Note <input name=note></label>
			<p><label><input type=checkbox name=gift value=yes>Gift</label><p><button>Order</button></form>`, k.orders())
	}
}

// kioskPIN is a value that no log may hold.
const kioskPIN = "4711-xyzzy"

// orders counts them; k.mu is held.
func (k *kiosk) orders() (n int) {
	for effect, times := range k.effects {
		if strings.HasPrefix(effect, "order ") {
			n += times
		}
	}
	return n
}

// account lists the effects, each with how often it happened.
func (k *kiosk) account() (list []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for effect, n := range k.effects {
		list = append(list, fmt.Sprintf("%s: %d", effect, n))
	}
	slices.Sort(list)
	return list
}

// A shopper does the errand at a kiosk by what the page says, and remembers nothing:
// neither what it has done, nor that it was interrupted.
type shopper struct{ oracle }

// next are the moves of the next answer.
func (s *shopper) next(h *Heard) []Move {
	s.outline = ""
	switch {
	case s.vendor.Refs && !strings.Contains(h.Words, "[ref_"):
		return []Move{{Do: "read"}}
	case s.vendor.Refs:
		s.outline = h.Words
	case s.browser() && h.Pictures == 0 && !strings.Contains(h.Words, "[ref_"): // it is shown nothing after an action
		return []Move{{Do: "screenshot"}}
	}
	var out []Move
	for _, element := range s.elements() {
		moves, _ := s.on("@"+element, func(m Move, n *accessibility.Node) []Move { return s.use(m, n, element) })
		out = append(out, moves...)
		if !s.vendor.Batch && len(out) > 0 {
			return out[:1]
		}
		if strings.HasPrefix(element, "button: Add") { // it leads to another page
			return out
		}
	}
	if len(out) > 0 {
		return out
	}
	return []Move{done(true, "ordered", map[string]any{"criterion": "it is ordered",
		"evidence": []any{map[string]any{"kind": "text", "text": "Orders so far: 1"}}})}
}

// elements are those that the page wants used, in order.
func (s *shopper) elements() []string {
	says := func(words string) bool {
		if s.vendor.Refs {
			return strings.Contains(s.outline, words)
		}
		snap, err := s.page().Snapshot(s.t.Context(), nil)
		if err != nil {
			s.t.Errorf("the page: %v", err)
			return false
		}
		return strings.Contains(snap.Outline(), words)
	}
	switch {
	case says("button: Log in"):
		return []string{"textbox: Name", "textbox: PIN", "button: Log in"}
	case says("Item 1: 0 in the cart"):
		return []string{"button: Add 1"}
	case says("Item 2: 0 in the cart"):
		return []string{"button: Add 2"}
	case says("Orders so far: 0"):
		return []string{"radio: Large", "textbox: Note", "checkbox: Gift", "button: Order"}
	}
	return nil
}

// use is how an element gets what the errand wants of it; nothing if it has that.
func (s *shopper) use(m Move, n *accessibility.Node, element string) []Move {
	for line := range strings.Lines(s.outline) { // as it shows what is done already
		if strings.Contains(line, element) && strings.Contains(line, "(checked)") {
			return nil
		}
	}
	value, text := map[string]string{"textbox: Name": "Ada", "textbox: PIN": "%pin%", "textbox: Note": "for tea"}[element]
	if !text {
		if n != nil && n.States.Checked == accessibility.On {
			return nil
		}
		m.Do = "click"
		return []Move{m}
	}
	if n == nil {
		m.Do, m.Args = "form", map[string]any{"value": value}
		return []Move{m}
	}
	if n.Value == value || value == "%pin%" && n.Value == kioskPIN {
		return nil
	}
	moves, _ := s.fill("@"+element, value)
	if !s.vendor.Batch && n.States.Focused {
		return moves[1:]
	}
	return moves
}

// variables are what the errand has to be given.
func (k *kiosk) variables() map[string]engine.Variable {
	return map[string]engine.Variable{"pin": {Value: kioskPIN}}
}
