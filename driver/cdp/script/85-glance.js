// status tells of the document what tick and activity tell. With a time, in ms, it sets
// the gate for input that is meant for an element of another document.
wf.status = (left) => {
  const tick = wf.tick();
  const told = { tick, activity: activity() };
  if (left !== undefined) armGate(null, left);
  return told;
};

// statusAfter is status once styles and layout were computed, and before that, if it
// rests or is known to come, what was put off has run. Input was sent before.
wf.statusAfter = async (rests) => {
  inputCame();
  if (rests || putOff() === 0) await wf.rest();
  laidOut();
  return wf.status();
};

// held is what the controls of the document hold, and how large it is: what scripts
// change without any event.
let heldBefore = null;
let glancedAt = -Infinity; // when that was
let glancedOn = { e: null, at: '' }; // what was looked at then, and how it was

// condition is what an action may change of an element, the focus aside.
const condition = (s) => JSON.stringify([s.value, s.values, s.checked, s.mixed, s.selected, s.expanded, s.pressed, s.ariaChecked, s.files]);

// unknownTrees reports open trees that nobody has looked into.
const unknownTrees = () => {
  const all = named('*');
  for (let i = 0; i < all.length; i++) {
    const tree = dom.shadowRoot(all[i]);
    if (tree && !wf.roots.has(tree)) return true;
  }
  return false;
};

// speechless are elements that a reading tells of though they show no text.
const speechless = `${pictures}, svg *, [role], [tabindex], [aria-label], [aria-labelledby], [title]`;

// outward is what styles alone can change of what a reading tells: the texts and the other
// elements that are shown, how large frames are, and what is written before and after e,
// what it is in and what is in that with it. It is null where there are open trees that
// nobody has looked into.
const outward = (e) => {
  if (unknownTrees()) return null;
  const tops = [...wf.roots].flatMap((tree) => (tree === document ? root() : [...tree.children]));
  // For innerText, an element without a box has all its text.
  const boxed = (at) => dom.checkVisibility(at) || getComputedStyle(at).display === 'contents';
  const texts = tops.map((top) => (top instanceof HTMLElement && boxed(top) ? dom.shownText(top).replace(/\s+/g, '') : ''));
  let shown = '';
  for (const at of matching(speechless)) shown += dom.checkVisibility(at, byVisibility) ? 1 : 0;
  const frames = named(frameNames).map((at) => [at.offsetWidth, at.offsetHeight].join());
  const near = [];
  for (let at = e; at; at = up(at)) if (isElement(at)) near.push(at);
  for (const at of near.slice(0, 2)) {
    const inside = queryIn(at, '*');
    for (let i = 0; i < Math.min(inside.length, mostNear); i++) near.push(inside[i]);
  }
  const written = near.flatMap((at) => [getComputedStyle(at, '::before').content, getComputedStyle(at, '::after').content]);
  return [shown, ...texts, ...frames, ...written].join('\n');
};
const mostNear = 50;
const byVisibility = { visibilityProperty: true };
let outwardBefore = null; // null where nobody asked for it

// answers reports that an effect of what was done since the last glance is to be seen.
const answers = (e) => glancedOn.e === e && (wf.mutated > glancedAt || condition(wf.state(e)) !== glancedOn.at);
const held = () => {
  let all = `${root()?.scrollWidth} ${root()?.scrollHeight}`;
  for (const e of named('input, select, textarea')) {
    all += `\n${e.value},${e.checked},${e.indeterminate},${e.selectedIndex},${e.multiple && e.selectedOptions?.length}`;
  }
  return all;
};

// twins counts the elements that could pass for one of a tag and a name: those that
// say it, and those that do not say what they are called. It is 0 where there are open
// trees that nobody has looked into.
const twins = ({ Tag, Name }) => {
  if (unknownTrees()) return 0;
  return wf.all(CSS.escape(Tag)).filter((e) => {
    const says = said(e);
    return !says || says === Name;
  }).length;
};

// glance tells of an element, or of the one that a selector matches, what its state
// and its place are, and of the document how it is. One that is found is remembered by
// a number. If the element could be pressed, the gate is set for what is expected.
wf.glance = (node, at) => {
  const list = at.text === null ? [node] : resting ? find(document, at.xpath, at.text).found : [];
  let waited = false;
  const answer = rested(() => glance(node, at, waited), list.length === 1 ? list[0] : null);
  waited = true;
  return answer;
};

const glance = (node, { xpath, text, place: offset, number, expected, left, styles, twins: like }, waited) => {
  const status = { ...wf.status(), waited };
  let e = node;
  if (text !== null) {
    const { found } = find(document, xpath, text);
    if (found.length !== 1) return apart(() => status);
    e = wf.keep(number, found[0]);
  }
  const state = wf.state(e);
  const at = locate(e, false, offset);
  if (at.moving) lookedAt.delete(standIn(e)); // the look that follows soon is the first of two
  const armed = !!expected && at.inView && at.reached && !at.disabled && !at.moving && !showsFrames(e);
  heldBefore = held();
  glancedAt = performance.now();
  outwardBefore = styles ? outward(e) : null;
  glancedOn = { e, at: condition(state) };
  if (armed) armGate(e, left, { ...expected, label: at.label });
  return apart((place) => ({
    ...status, found: place(e), state, place: { ...at, hit: place(at.hit) }, armed, styles: outwardBefore !== null, twins: like ? twins(like) : 0,
  }));
};

// glanceAfter is status with the state of an element, and whether a control has come
// to hold something else since the last glance. Where the page has changed since a person
// acted, that says enough. An effect that is seen at once, where nothing is known to come,
// is told at once.
wf.glanceAfter = async (e) => {
  laidOut();
  lookAtList();
  const atOnce = answers(e) && putOff() !== 0 && leftAt <= glancedAt;
  if (!atOnce) {
    await wf.rest();
    laidOut();
  }
  const status = wf.status();
  const changed = heldBefore !== null && !(acted > glancedAt && wf.mutated >= acted) && held() !== heldBefore;
  const state = wf.state(e);
  if (atOnce) restBehind(e);
  const same = outwardBefore !== null && glancedOn.e === e && held() === heldBefore && outward(e) === outwardBefore;
  return { ...status, state, changed, same, rested: !atOnce };
};
