// status tells of the document what tick and activity tell.
wf.status = () => {
  const activity = wf.activity();
  return { tick: wf.tick(), activity };
};

// statusAfter is status once what was put off has run, and styles and layout were
// computed.
wf.statusAfter = async () => {
  await wf.rest();
  if (root()) dom.rect(root());
  return wf.status();
};

// held is what the controls of the document hold, and how large it is: what scripts
// change without any event.
let heldBefore = null;
let glancedAt = -Infinity; // when that was
const held = () => {
  const all = wf.all('input, select, textarea').map((e) => [e.value, e.checked, e.indeterminate, e.selectedIndex, e.multiple && e.selectedOptions?.length].join());
  return [root()?.scrollWidth, root()?.scrollHeight, ...all].join('\n');
};

// twins counts the elements that could pass for one of a tag and a name: those that
// say it, and those that do not say what they are called. It is 0 where there are open
// trees that nobody has looked into.
const twins = ({ Tag, Name }) => {
  for (const e of wf.all('*')) {
    const tree = dom.shadowRoot(e);
    if (tree && !wf.roots.has(tree)) return 0;
  }
  return wf.all(CSS.escape(Tag)).filter((e) => {
    const says = said(e);
    return !says || says === Name;
  }).length;
};

// glance tells of an element, or of the one that a selector matches, what its state
// and its place are, and of the document how it is. One that is found is remembered by
// a number. If the element could be pressed, the gate is set for what is expected.
wf.glance = (node, { xpath, text, place, number, expected, left, twins: like }) => {
  const status = wf.status();
  let e = node;
  if (text !== null) {
    const { found } = wf.find(document, xpath, text);
    if (found.length !== 1) return { found: null, told: JSON.stringify(status) };
    e = wf.keep(number, found[0]);
  }
  const state = wf.state(e);
  const at = wf.locate(e, false, place);
  const [, inView, disabled, , , moving, reached] = at.flags;
  if (moving) lookedAt.delete(standIn(e)); // the look that follows soon is the first of two
  const armed = !!expected && inView && reached && !disabled && !moving;
  heldBefore = held();
  glancedAt = performance.now();
  if (armed) wf.setGate(e, left, { ...expected, label: at.label });
  return { found: e, place: at, told: JSON.stringify({ ...status, state, armed, label: at.label, twins: like ? twins(like) : 0 }) };
};

// glanceAfter is statusAfter with the state of an element, and whether a control has
// come to hold something else since the last glance. Where the page has changed since
// a person acted, that says enough.
wf.glanceAfter = async (e) => {
  const status = await wf.statusAfter();
  const changed = heldBefore !== null && !(acted > glancedAt && wf.mutated >= acted) && held() !== heldBefore;
  return { ...status, state: wf.state(e), changed };
};
