// What a DOMSnapshot lacks. Selectors find it; no tree is walked.
const reflections = {
  'aria-activedescendant': 'ariaActiveDescendantElement',
  'aria-controls': 'ariaControlsElements',
  'aria-describedby': 'ariaDescribedByElements',
  'aria-details': 'ariaDetailsElements',
  'aria-errormessage': 'ariaErrorMessageElements',
  'aria-flowto': 'ariaFlowToElements',
  'aria-labelledby': 'ariaLabelledByElements',
  'aria-owns': 'ariaOwnsElements',
};
const emptyReflections = Object.keys(reflections).map((name) => `[${name}=""]`).join();

const references = (place) => {
  const list = [];
  for (const element of wf.all(emptyReflections)) {
    for (const [name, property] of Object.entries(reflections)) {
      if (dom.attr(element, name) !== '') continue;
      const to = element[property];
      const targets = to instanceof Element ? [to] : to;
      if (targets?.length) list.push({ node: place(element), name, to: [...targets].map(place) });
    }
  }
  return list;
};

const referenceTargets = (place) => {
  const list = [];
  for (const root of wf.roots) {
    if (root.referenceTarget == null) continue;
    list.push({ node: place(root.host), to: place(root.getElementById(root.referenceTarget)) });
  }
  return list;
};

wf.scrollState = (node) => {
  const scroller = dom.scroller(document) ?? root();
  const page = node === document || node === scroller;
  const box = page ? scroller : node;
  const [width, height] = [box.clientWidth, box.clientHeight]; // of the scroller, which is the body in quirks mode
  const [maxX, maxY] = [Math.max(0, box.scrollWidth - width), Math.max(0, box.scrollHeight - height)];
  return { x: box.scrollLeft, y: box.scrollTop, maxX, maxY, view: { width, height }, clipped: !page && (maxX > 0 || maxY > 0) && clipped(box, maxX, maxY) };
};

// clipped reports that no direction in which there is more can be scrolled by a hand.
const clipped = (e, maxX, maxY) => {
  const style = getComputedStyle(e);
  const free = (overflow) => /auto|scroll/.test(overflow);
  return !(maxX && free(style.overflowX) || maxY && free(style.overflowY));
};

// scrolls returns the scroll states of those elements that scroll, null for
// the rest. To ask all elements of a page would cost as much as its snapshot:
// who asks knows by their boxes which may.
wf.scrolls = (...elements) => elements.map((e) => {
  if (!dom.isConnected(e) || e === dom.body(document) || e === dom.scroller(document)) return null;
  const state = wf.scrollState(e);
  if (!state.maxX && !state.maxY) return null;
  const style = getComputedStyle(e);
  const clips = (overflow) => /auto|scroll|hidden/.test(overflow);
  return state.maxX && clips(style.overflowX) || state.maxY && clips(style.overflowY) ? state : null;
});

const broken = () => [
  ...wf.all('img[src], img[srcset]').filter((img) => img.complete && !img.naturalWidth && !img.naturalHeight),
  ...wf.all('audio, video').filter((media) => media.error || media.networkState === HTMLMediaElement.NETWORK_NO_SOURCE || media.networkState === HTMLMediaElement.NETWORK_EMPTY),
];

wf.facts = () => apart((place) => ({
  document: place(document),
  view: [innerWidth, innerHeight, devicePixelRatio],
  active: place(wf.active()),
  mixed: wf.all('input[type=checkbox i]:indeterminate').map(place),
  modal: wf.all('dialog:modal').map(place),
  popover: wf.all(':popover-open').map(place),
  broken: broken().map(place),
  associated: wf.all('label').map((label) => label.control).filter((e) => e && dom.name(e).includes('-')).map(place),
  invalid: wf.all(':is(input, select, textarea, button, object, output):invalid').filter((e) => e.validationMessage).map((e) => ({ node: place(e), message: e.validationMessage })),
  references: references(place),
  targets: referenceTargets(place),
}));
