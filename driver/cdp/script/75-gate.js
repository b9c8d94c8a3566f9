// The gate stands between our input and the page. While it is set it withholds
// what would go elsewhere than it is meant to, and what comes after the caller
// has given up.
let gate = null;

const presses = ['pointerdown', 'mousedown', 'touchstart'];
const releases = ['pointerup', 'mouseup'];
const keystrokes = ['keydown', 'beforeinput'];

// touched returns the element that a pointer event is about, also in a closed
// tree that is known.
const touched = (event) => {
  const touch = event.changedTouches?.[0] ?? event;
  return deepest(event.composedPath()[0], touch.clientX, touch.clientY);
};

// focusIn reports whether what has the focus is an element or within it.
const focusIn = (e) => {
  if (e === document || e === root() || e === dom.body(document)) return true;
  const active = wf.active();
  return !!active && within(active, e);
};

// A code is typed into fields for a letter each, which pass the focus on.
const forOneLetter = (e) => e?.localName === 'input' && e.maxLength === 1;

// differs is unlike for the gate, which must come to an end: what cannot be
// found out counts as a difference.
const differs = (e, expected, tree) => {
  try {
    return unlike(e, expected, tree);
  } catch {
    return true;
  }
};

const isSelected = ({ e, selection, tree }) => !!selection && !differs(e, { ...selection, label: null }, tree);

// reactionTo notes what the page makes of the first event. A task of this priority
// runs before any timer: what is different from it later is not our doing.
const reactionTo = (d) => {
  d.selection = d.expected?.selector ? d.expected : null;
  globalThis.scheduler?.postTask(() => { d.reaction = { label: said(d.e), selected: isSelected(d) } }, { priority: 'user-blocking' });
};

const judge = (event) => {
  if (!gate || !event.isTrusted || gate.withheld) return;
  const press = presses.includes(event.type);
  const key = keystrokes.includes(event.type) && (gate.only || !gate.taken);
  const { expected, reaction } = gate;
  let other = !!expected && !!gate.e && differs(gate.e, expected, gate.tree);
  if (reaction && press && !gate.taken) other = reaction.label !== said(gate.e) || reaction.selected && !isSelected(gate);
  if (expected && gate.e) reactionTo(gate);
  gate.expected = null; // from here on, the page may have reacted
  const late = performance.now() > gate.until;
  if (late && gate.taken && releases.includes(event.type)) return; // else the page would take it for held
  if (late) gate.withheld = 'late';
  else if (other) Object.assign(gate, { withheld: 'changed', hit: isElement(gate.e) ? gate.e : null });
  else if (press) {
    const hit = touched(event);
    const reached = gate.e && (gate.e === document || reaches(hit, gate.e, standIn(gate.e)));
    if (reached && (gate.e === document || !disabled(gate.e))) gate.taken = true;
    else Object.assign(gate, { withheld: reached ? 'disabled' : 'press', hit: isElement(hit) ? hit : null });
  } else if (key) {
    const passedOn = () => gate.taken && forOneLetter(gate.e) && forOneLetter(wf.active());
    if (gate.e && (focusIn(gate.e) || passedOn())) gate.taken = true;
    else Object.assign(gate, { withheld: 'key', hit: wf.active() });
  }
};

// follow sees where a press is let go. One that is let go at its own place meets
// the element again, unless the page has moved that meanwhile.
const follow = (event) => {
  if (!gate?.taken || gate.withheld || !event.isTrusted) return;
  const reached = () => gate.e === document || reaches(touched(event), gate.e, standIn(gate.e));
  if (event.type === 'input') gate.typed += event.inputType === 'insertText';
  else if (event.type === 'mousedown') gate.down = event;
  else if (event.type === 'mouseup' && gate.down?.clientX === event.clientX && gate.down.clientY === event.clientY) {
    if (!reached()) Object.assign(gate, { moved: true, hit: touched(event) });
  } else if (event.type === 'click' && reached()) gate.moved = false;
};

const pass = (event) => {
  judge(event);
  follow(event);
  if (!gate?.withheld || !event.isTrusted) return;
  event.preventDefault();
  event.stopImmediatePropagation();
};

// A document that is put away is on its own when it comes back.
const leave = () => {
  gate = null;
  wayfinderGate.on = null;
};

const frameNames = 'iframe, frame, object, embed, fencedframe';
const showsFrames = (e) => e !== document && isFrame(e) || [e, e !== document && wf.rootOf(e)].some((tree) => tree && queryIn(tree, frameNames).length > 0);

// setGate sets the gate for an element, or in a frame that nothing is meant for,
// for so many milliseconds. At the first event the element has to be what is
// expected, in a tree if one is given. With expected.only every key is looked
// at. It returns whether frames are shown in the element.
wf.setGate = (e, ...rest) => {
  if (e) wf.check(e);
  const tree = rest[0] instanceof Node ? rest.shift() : null;
  const [left, expected] = rest;
  if (e && !isElement(e)) e = e === document ? e : up(e);
  if (e && e !== document && e !== root() && e !== dom.body(document)) wf.around(e);
  gate = { e, expected, tree, only: !!expected?.only, typed: 0, until: performance.now() + left, withheld: '', taken: false, down: null, moved: false, hit: null };
  wayfinderGate.on = pass;
  inputComes();
  wayfinderGate.listen(); // document.open has taken its listeners away
  window.addEventListener('pagehide', leave, { capture: true });
  return !!e && showsFrames(e);
};

// heldTo is for an element that was just held to its selector: what the page makes of
// what comes then may have it selected no longer.
const heldTo = (e) => {
  if (gate?.expected && gate.e === e) gate.expected = { ...gate.expected, selector: null };
};

// liftGate takes the gate away and returns what came of it.
wf.liftGate = () => {
  const { taken = false, moved = false, withheld = '', hit = null, typed = 0 } = gate ?? {};
  gate = null;
  wayfinderGate.on = null;
  return { fault: withheld || (moved ? 'moved' : ''), taken, hit, typed };
};

// conclude is liftGate for a caller that asks for what was hit only where
// something was.
let hitInstead = null;
wf.conclude = () => {
  const { hit, ...report } = wf.liftGate();
  hitInstead = hit;
  return { ...report, hit: !!hit };
};
wf.hitInstead = () => hitInstead;
