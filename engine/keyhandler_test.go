package engine_test

import (
	"errors"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

const keyHandlers = `<!DOCTYPE html><title>Keys</title><style>div { height: 20px }</style>
<div id="code" role="textbox" aria-label="Code" tabindex="0">let x</div>
<div id="sheet" role="grid" aria-label="Sheet" tabindex="0"></div>
<div id="stars" role="slider" aria-label="Stars" aria-valuenow="3" aria-valuemin="0" aria-valuemax="40" tabindex="0"></div>
<div id="tens" role="spinbutton" aria-label="Tens" aria-valuenow="30" tabindex="0"></div>
<div id="stuck" role="slider" aria-label="Stuck" aria-valuenow="3" tabindex="0"></div>
<button id="press">Press</button><p id="said"></p>
<script>
code.editContext = new EditContext({text: 'let x'});
code.editContext.ontextupdate = () => { code.textContent = code.editContext.text };
sheet.onkeydown = (e) => { sheet.textContent += e.key };
const turn = (step) => function (e) { const by = {ArrowUp: step, ArrowDown: -step}[e.key]; if (by) requestAnimationFrame(() => { this.ariaValueNow = +this.ariaValueNow + by }) };
stars.onkeydown = turn(1);
tens.onkeydown = turn(10);
press.onclick = () => { said.textContent += 'pressed' };
</script>`

// Editors, spreadsheets and sliders of a page's own take what keys bring.
func TestElementsThatHandleKeys(t *testing.T) {
	page := lateOnChrome(t, keyHandlers, nil)
	for _, c := range []struct {
		selector string
		method   engine.Method
		text     string
		want     string // expression that is true then
		err      error
	}{
		{"#code", engine.Fill, "let y = 1", `code.textContent === 'let y = 1'`, nil},
		{"#code", engine.Type, "; z", `code.textContent === 'let y = 1; z'`, nil},
		{"#code", engine.Clear, "", `code.textContent === ''`, nil},
		{"#sheet", engine.Type, "12\n", `sheet.textContent === '12Enter'`, nil},
		{"#stars", engine.Fill, "39", `stars.ariaValueNow === '39'`, nil},
		{"#stars", engine.Fill, "2", `stars.ariaValueNow === '2'`, nil},
		{"#stars", engine.Fill, "41", `stars.ariaValueNow === '2'`, engine.ErrInvalid},
		{"#stars", engine.Fill, "many", `stars.ariaValueNow === '2'`, engine.ErrInvalid},
		{"#tens", engine.Fill, "50", `tens.ariaValueNow === '50'`, nil},
		{"#tens", engine.Fill, "55", `tens.ariaValueNow === '60'`, engine.ErrNoEffect},
		{"#stuck", engine.Fill, "4", `stuck.ariaValueNow === '3'`, engine.ErrNoEffect},
		{"#press", engine.Type, "a b", `said.textContent === ''`, engine.ErrInvalid},
	} {
		action := engine.Action{Selector: c.selector, Method: c.method, Arguments: []string{c.text}}
		if c.method == engine.Clear {
			action.Arguments = nil
		}
		if _, err := page.Do(t.Context(), action, nil); !errors.Is(err, c.err) {
			t.Errorf("%s %s %q = %v, want %v", c.method, c.selector, c.text, err, c.err)
		}
		got, err := page.Driver().Evaluate(t.Context(), c.want, &driver.EvaluateOptions{World: driver.Main})
		if err != nil || string(got) != "true" {
			t.Errorf("after %s %s %q: %s is %s, %v", c.method, c.selector, c.text, c.want, got, err)
		}
	}
}
