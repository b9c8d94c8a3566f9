package cdp

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Nothing that we do is to be seen by the page: no globals, no attributes, no
// changes of the prototypes, no console output.
func TestNoTrace(t *testing.T) {
	p := open(t, `<!doctype html><body><input id=i><div id=host></div><div id=s style="height:20px;overflow:auto"><div style="height:90px">x</div></div>
<div id=wayfinder></div><form id=form><input name=matches><input name=getRootNode><button id=b name=isConnected>b</button></form><img name=activeElement>
<script>
host.attachShadow({mode:'closed'}).innerHTML = '<b>x</b>';
const seen = [];
for (const name of ['log', 'debug', 'info', 'warn', 'error']) { const was = console[name]; console[name] = (...a) => { seen.push('console.' + name); was(...a); }; }
addEventListener('error', (e) => seen.push('error ' + e.message));
addEventListener('unhandledrejection', () => seen.push('rejection'));
for (const [of, name] of [[Element, 'attachShadow'], [Element, 'getBoundingClientRect'], [EventTarget, 'addEventListener'], [Document, 'elementFromPoint'], [Node, 'getRootNode'], [Element, 'querySelectorAll']]) {
  const was = of.prototype[name];
  of.prototype[name] = function (...a) { seen.push('called ' + name); return was.apply(this, a); };
}
new MutationObserver((list) => { for (const r of list) seen.push('mutation ' + r.type + ' ' + r.attributeName); }).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
const inventory = () => JSON.stringify([Object.getOwnPropertyNames(window).sort(), Object.getOwnPropertyNames(document), Object.getOwnPropertyNames(Element.prototype).length,
  document.documentElement.outerHTML, document.styleSheets.length, document.adoptedStyleSheets.length, navigator.webdriver]);
</script>`)
	before := inMain(t, p, "seen.length = 0, inventory()")
	c := capture(t, p)
	revision(t, p)
	activity(t, p)
	d := &c.Documents[0]
	for _, id := range []string{"i", "host", "s", "b", "wayfinder"} {
		node := d.Ref(byID(t, d, id))
		if l := locateNode(t, p, node, true); !l.Visible && id != "wayfinder" && id != "host" {
			t.Errorf("%s: %+v", id, l)
		}
		if _, err := p.State(t.Context(), node); err != nil {
			t.Error(err)
		}
	}
	query(t, p, driver.NodeRef{}, driver.XPath, "//b")
	if _, err := p.HitTest(t.Context(), driver.Point{X: 20, Y: 20}); err != nil {
		t.Error(err)
	}
	if _, err := p.Find(t.Context(), driver.NodeRef{}, driver.Selector{Text: "["}); err == nil {
		t.Error("no error")
	}
	if after := inMain(t, p, "inventory()"); after != before {
		t.Errorf("before %s\nafter  %s", before, after)
	}
	if seen := inMain(t, p, "seen.join()"); seen != "" {
		t.Errorf("the page saw %s", seen)
	}
}
