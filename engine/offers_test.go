package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// everyKind is a page with an element of every kind that can be acted on, each
// usable.
const everyKind = `<!DOCTYPE html><title>Every kind</title><style>td, th { border: 1px solid }</style>
<a href="#a">Link</a> <a onclick="1" role="link" tabindex="0">Link by role</a> <button>Button</button> <div role="button" tabindex="0">Button by role</div>
<button aria-pressed="true">Toggle</button> <button popovertarget="pop">Opens</button><div id="pop" popover>Popover</div>
<input aria-label="text"> <input type="search" aria-label="search"> <input type="password" aria-label="password"> <input type="email" aria-label="email">
<input type="tel" aria-label="tel"> <input type="url" aria-label="url"> <input type="number" aria-label="number"> <input type="range" aria-label="range">
<input type="date" aria-label="date"> <input type="time" aria-label="time"> <input type="month" aria-label="month"> <input type="week" aria-label="week">
<input type="datetime-local" aria-label="datetime"> <input type="color" aria-label="color"> <input type="file" aria-label="file">
<input type="checkbox" aria-label="checkbox"> <input type="checkbox" aria-label="checked" checked> <input type="radio" name="r" aria-label="radio"> <input type="radio" name="s" aria-label="chosen radio" checked>
<input type="submit" value="Submit" onclick="return false"> <input type="image" alt="Image button" width="20" height="20" src="data:,"> <input type="reset">
<input aria-label="read only" readonly> <input type="date" aria-label="date read only" readonly> <textarea aria-label="area"></textarea> <textarea aria-label="area read only" readonly></textarea>
<input aria-label="with list" list="list"><datalist id="list"><option>One</datalist>
<select aria-label="select"><option>One<option>Two</select> <select aria-label="multiple" multiple><option>One<option>Two</select> <select aria-label="listbox" size="3"><option>One<option>Two</select>
<div contenteditable aria-label="editable" role="textbox">Editable</div> <p contenteditable>Paragraph</p>
<div role="checkbox" aria-checked="false" tabindex="0" onclick="this.ariaChecked = 'true'">Checkbox by role</div> <div role="checkbox" aria-checked="mixed" tabindex="0" onclick="this.ariaChecked = 'true'">Mixed by role</div>
<div role="switch" aria-checked="true" tabindex="0" onclick="this.ariaChecked = 'false'">Switch by role</div> <div role="switch" tabindex="0">Switch that says nothing</div> <div role="checkbox" tabindex="0">Checkbox that says nothing</div>
<div role="radiogroup" aria-label="radios"><div role="radio" aria-checked="false" tabindex="0" onclick="this.ariaChecked = 'true'">Radio by role</div> <div role="radio" tabindex="0">Radio that says nothing</div></div>
<div role="slider" aria-label="slider by role" aria-valuenow="3" aria-valuemin="0" aria-valuemax="9" tabindex="0" onkeydown="turn(this, event)">o</div> <div role="slider" aria-label="mute slider" tabindex="0">o</div>
<div role="slider" aria-label="slider with words" aria-valuenow="3" aria-valuetext="three stars" tabindex="0" onkeydown="turn(this, event)">o</div>
<div role="spinbutton" aria-label="spin button by role" aria-valuenow="3" tabindex="0" onkeydown="turn(this, event)">3</div> <div role="spinbutton" aria-label="mute spin button" tabindex="0">3</div>
<div role="textbox" aria-label="textbox by role" tabindex="0">text</div> <div role="searchbox" aria-label="searchbox by role" tabindex="0">text</div> <div role="combobox" aria-label="combobox by role" aria-expanded="false" tabindex="0">One</div>
<div role="textbox" id="code" aria-label="code" tabindex="0">code</div>
<details><summary>Summary</summary>Details</details> <label>Label <input></label>
<div role="tablist"><div role="tab" tabindex="0">Tab</div></div> <div role="menubar"><div role="menuitem" tabindex="0">Item</div><div role="menuitemcheckbox" aria-checked="false" tabindex="0" onclick="this.ariaChecked = 'true'">Check item</div><div role="menuitemradio" aria-checked="false" tabindex="0">Radio item</div><div role="menuitemcheckbox" tabindex="0">Check item that says nothing</div></div>
<div role="listbox" aria-label="options"><div role="option" tabindex="0">Option by role</div></div> <div role="tree"><div role="treeitem" tabindex="0">Tree item</div></div>
<div role="grid" aria-label="grid"><div role="row"><div role="gridcell" tabindex="0">Cell</div><div role="columnheader" tabindex="0">Column</div></div></div>
<table><tr><th>Head<th>Other</tr><tr><td onclick="1">Pressed cell<td>Cell</tr></table>
<div onclick="1">Clickable</div> <span tabindex="0">Focusable</span> <canvas tabindex="0" width="50" height="20" aria-label="canvas"></canvas> <div role="application" tabindex="0" aria-label="application">x</div>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=" width="40" height="20" usemap="#map" alt="map"><map name="map"><area href="#b" alt="Area" shape="rect" coords="0,0,40,20"></map>
<svg width="60" height="20"><a href="#c"><text y="15">Drawn</text></a></svg> <div style="overflow: auto; height: 30px; width: 90px" tabindex="0">scrolls<br>scrolls<br>scrolls<br>scrolls</div>
<progress value="1" max="3"></progress> <meter value="0.5"></meter> <iframe srcdoc="<button>Framed</button>" width="90" height="40"></iframe>`

const everyKindScript = `<wf-box tabindex="0">Custom checkbox</wf-box> <wf-box class="on" tabindex="0">Custom checked box</wf-box> <wf-switch tabindex="0">Custom switch</wf-switch>
<script>
const turn = (e, event) => { const by = {ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1}[event.key]; if (by) e.ariaValueNow = +e.ariaValueNow + by };
code.editContext = new EditContext({text: 'code'});
code.editContext.ontextupdate = (e) => { code.textContent = code.editContext.text };
const box = (role) => class extends HTMLElement {
  internals = this.attachInternals();
  connectedCallback() { this.internals.role = role; this.internals.ariaChecked = String(this.className === 'on'); this.onclick = () => { this.internals.ariaChecked = String(this.internals.ariaChecked !== 'true') } }
};
customElements.define('wf-box', box('checkbox'));
customElements.define('wf-switch', box('switch'));
</script>`

// arguments are those that fit a control of some kind.
var fitting = map[engine.Method][]string{
	engine.Fill:         {"5", "tea", "2026-03-31", "17:45", "2026-03", "2026-W14", "2026-03-31T17:45", "#3366ff"},
	engine.SelectOption: {"One"},
}

// refused reports an error that says that the method does not go with the element.
func refused(err error) bool {
	return errors.Is(err, engine.ErrInvalid) || errors.Is(err, engine.ErrDisabled) || errors.Is(err, driver.ErrNotFocusable)
}

// Observe offers nothing that Do refuses, on a page with every kind of element.
func TestObserveOffersWhatDoTakes(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		takeOffers(t, func() *engine.Page {
			return openOn(t, fake.New(fake.Options{Web: fake.Web{shopAddress: everyKind},
				Scripts: map[string]func(*fake.Document){shopAddress: func(d *fake.Document) {
					d.On("click", "[role=checkbox], [role=switch], [role=radio], [role=menuitemcheckbox]", func(e *fake.Event) {
						if e.Current.Has("aria-checked") {
							e.Current.SetAttr("aria-checked", fmt.Sprint(e.Current.Attr("aria-checked") != "true"))
						}
					})
					d.On("keydown", "[aria-valuenow]", func(e *fake.Event) {
						by := map[string]int{"ArrowUp": 1, "ArrowDown": -1}[e.Key]
						now := 0
						fmt.Sscan(e.Current.Attr("aria-valuenow"), &now)
						e.Current.SetAttr("aria-valuenow", fmt.Sprint(now+by))
					})
				}}}), nil)
		})
	})
	t.Run("chrome", func(t *testing.T) {
		page := lateOnChrome(t, everyKind+everyKindScript, nil)
		takeOffers(t, func() *engine.Page {
			if _, err := page.Reload(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			return page
		})
	})
}

// takeOffers does all that a page's Observe offers, and more of the same kind
// until something is done.
func takeOffers(t *testing.T, open func() *engine.Page) {
	page := open()
	found, err := page.Observe(t.Context(), "", nil)
	if err != nil || len(found.Actions) < 60 {
		t.Fatalf("Observe = %d actions, %v", len(found.Actions), err)
	}
	for _, action := range found.Actions {
		args := fitting[action.Method]
		if args == nil {
			args = []string{""}
		}
		var errs []error
		done := slices.ContainsFunc(args, func(arg string) bool {
			if action.Arguments = nil; arg != "" {
				action.Arguments = []string{arg}
			}
			_, err := page.Do(t.Context(), action, nil)
			if err != nil {
				errs = append(errs, err)
			}
			return !refused(err) && !errors.Is(err, engine.ErrNotFound)
		})
		if !done {
			t.Errorf("Observe offers %s, Do refuses it: %v", action.Description, errs[0])
		}
		if len(errs) > 0 && !refused(errs[len(errs)-1]) {
			t.Logf("%s: %v", action.Description, errs[len(errs)-1])
		}
	}
}
