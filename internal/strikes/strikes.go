// Package strikes has a page on which two elements swap their names at a moment that a test
// chooses: what had the name that was meant when the input arrived gets it, or nothing does.
package strikes

import (
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// Page shows twins. Its function show puts others there; swap gives each the name of the
// other, as a page does that renders another record into the same nodes. felt is what an
// element felt, under the name that it had by then.
const Page = `<!DOCTYPE html><title>Strikes</title><div id=stage></div><script>
const felt = [];
const note = (e) => {
  const at = e.target.closest?.('[data-twin]');
  if (e.isTrusted && at) felt.push(e.type + ' ' + at.dataset.twin);
  else if (at && (e.type === 'input' || e.type === 'change')) felt.push(e.type + ' ' + at.dataset.twin);
};
for (const type of ['click', 'dblclick', 'auxclick', 'pointerdown', 'pointerup', 'mousedown', 'mouseup', 'touchstart', 'keydown', 'keypress', 'beforeinput', 'input', 'change',
  'wheel', 'dragstart', 'focus']) document.addEventListener(type, note, { capture: true, passive: true });
const show = (html) => { stage.innerHTML = html; felt.length = 0; swaps = ['aria-label', 'id', 'data-twin']; };
let swaps = [];
const swap = () => {
  const [a, b] = document.querySelectorAll('[data-twin]');
  for (const name of swaps) { const was = a.getAttribute(name); a.setAttribute(name, b.getAttribute(name)); b.setAttribute(name, was); }
};
</script>`

// A Case is a method with the twins that it is for; %s are the attributes of one.
type Case struct {
	Method engine.Method
	Args   []string
	twins  string
}

// HTML is the case's twins, named Meant and Other, with the ids meant and other.
func (c *Case) HTML() string {
	twin := func(name string) string {
		return fmt.Sprintf(c.twins, fmt.Sprintf("id=%s data-twin=%s aria-label=%s", strings.ToLower(name), name, name))
	}
	return "<br>" + twin("Meant") + " and " + twin("Other") + "<p style='height:50px'>drop"
}

// Cases are all methods but those that scroll or take the focus away, some with several
// kinds of control. file is the path of one that may be given to a page.
func Cases(file string) []Case {
	const (
		button = `<button %s>B</button>`
		text   = `<input %s value=old>`
		box    = `<div %s role=region tabindex=0 style="display:inline-block;width:80px;height:80px;overflow:auto"><div style="height:900px">tall</div></div>`
		drag   = `<div %s role=group draggable=true tabindex=0 style="display:inline-block;width:40px;height:40px">d</div>`
	)
	return []Case{
		{engine.Click, nil, button}, {engine.Click, []string{"right"}, button}, {engine.DoubleClick, nil, button}, {engine.TripleClick, nil, button},
		{engine.LongPress, []string{"for 10ms"}, button}, {engine.Tap, nil, button}, {engine.Hover, nil, button},
		{engine.Fill, []string{"new"}, text}, {engine.Fill, []string{"new"}, `<textarea %s>old</textarea>`}, {engine.Fill, []string{"new"}, `<div %s role=textbox contenteditable>old</div>`},
		{engine.Fill, []string{"2024-02-29"}, `<input type=date %s>`}, {engine.Fill, []string{"7"}, `<input type=range max=10 value=1 %s>`},
		{engine.Fill, []string{"3"}, `<div %s role=slider tabindex=0 aria-valuemin=0 aria-valuemax=9 aria-valuenow=1 onkeydown="this.ariaValueNow = +this.ariaValueNow + 1">s</div>`},
		{engine.Clear, nil, text}, {engine.Type, []string{"new"}, text}, {engine.Press, []string{"a"}, text}, {engine.Press, []string{"Enter"}, button},
		{engine.SelectOption, []string{"Two"}, `<select %s><option>One<option>Two</select>`},
		{engine.Check, nil, `<input type=checkbox %s>`}, {engine.Uncheck, nil, `<input type=checkbox checked %s>`},
		{engine.SetInputFiles, []string{file}, `<input type=file %s>`}, {engine.SetInputFiles, []string{file}, `<label><input type=file hidden><button %s onclick="this.parentNode.firstChild.click()">Choose</button></label>`},
		{engine.Wheel, []string{"0", "50"}, box}, {engine.DragByPixelOffset, []string{"0", "20"}, drag}, {engine.DragAndDrop, []string{"css=#stage > p"}, drag},
		{engine.Focus, nil, text},
	}
}
