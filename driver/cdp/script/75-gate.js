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

const isSelected = ({ e, selection, tree }) => {
  try {
    return !!selection && selects(e, selection.selector, selection.xpath, tree);
  } catch {
    return false;
  }
};

// reactionTo notes what the page makes of the first event. A task of this priority
// runs before any timer: what is different from it later is not our doing.
const reactionTo = (d) => {
  if (d.expected) Object.assign(d, { selection: d.expected.selector ? d.expected : null, label: d.expected.label });
  globalThis.scheduler?.postTask(() => { d.reaction = { label: said(d.e), selected: isSelected(d) } }, { priority: 'user-blocking' });
};

// standing notes, in the same way, whether a press or a click has left the texts beside its
// element.
const standing = (d) => {
  if (!d.beside) return;
  d.stood = undefined;
  globalThis.scheduler?.postTask(() => { d.stood = !differs(d.e, { beside: d.beside }) }, { priority: 'user-blocking' });
};

const judge = (event) => {
  if (!gate || !event.isTrusted || gate.withheld) return;
  const press = presses.includes(event.type);
  const key = keystrokes.includes(event.type) && (gate.only || !gate.taken);
  const { expected, reaction } = gate;
  let other = !!expected && !!gate.e && differs(gate.e, expected, gate.tree);
  if (reaction && press && !gate.taken) other = reaction.label !== said(gate.e) || reaction.selected && !isSelected(gate);
  if (press && gate.beside && !expected && (!gate.taken || gate.stood)) other ||= differs(gate.e, { beside: gate.beside });
  if (gate.e && (expected || gate.reaction && event.type === 'keydown' && event.key.length > 1)) reactionTo(gate);
  gate.expected = null; // from here on, the page may have reacted
  const late = performance.now() > gate.until;
  if (late && gate.taken && releases.includes(event.type)) return; // else the page would take it for held
  if (late) gate.withheld = 'late';
  else if (other) Object.assign(gate, { withheld: 'changed', hit: isElement(gate.e) ? gate.e : null });
  else if (press) {
    const hit = touched(event);
    const reached = gate.e && (gate.e === document || takes(hit, gate.e));
    if (reached && (gate.e === document || !disabled(gate.e))) {
      gate.taken = true;
      standing(gate);
    } else Object.assign(gate, { withheld: reached ? 'disabled' : 'press', hit: isElement(hit) ? hit : null });
  } else if (key) {
    const passedOn = () => gate.taken && forOneLetter(gate.e) && forOneLetter(wf.active());
    if (gate.e && (focusIn(gate.e) || passedOn())) gate.taken = true;
    else Object.assign(gate, { withheld: 'key', hit: wf.active() });
  }
};

const tellDocument = (event) => dom.dispatch(document, new event.constructor(event.type, event));

// follow sees where a press is let go. One that is let go at its own place meets
// the element again, unless the page has moved that meanwhile. What lies there instead
// was not meant, and does not get the release; the document does, so that a script that
// waits for the end of the press sees it. So it is where the page shows another row there
// since the press, and not because of it: then no click follows.
const follow = (event) => {
  if (!gate?.taken || gate.withheld || !event.isTrusted) return;
  const reached = () => gate.e === document || takes(touched(event), gate.e);
  if (event.type === 'input') gate.typed += event.inputType === 'insertText';
  else if (event.type === 'pointerdown' || event.type === 'mousedown') Object.assign(gate, { down: event, above: gate.above ?? event.composedPath(), clicked: false });
  else if (releases.includes(event.type) && gate.down?.clientX === event.clientX && gate.down.clientY === event.clientY) {
    if (gate.stood && differs(gate.e, { beside: gate.beside })) {
      Object.assign(gate, { withheld: 'changed', hit: gate.e });
      return;
    }
    gate.stood = undefined; // from here on, the page may have reacted to the release
    if (reached()) {
      gate.released = true;
      return;
    }
    Object.assign(gate, { moved: true, hit: touched(event) });
    if (gate.above.includes(event.composedPath()[0])) return;
    event.stopImmediatePropagation();
    tellDocument(event);
  } else if (['click', 'auxclick', 'contextmenu'].includes(event.type) && reached()) {
    Object.assign(gate, { moved: false, clicked: true });
    standing(gate);
  }
};

// spoiled reports a press that Chrome makes no click of, though the element had its
// release: what was pressed within it is gone, or it is disabled by then.
const spoiled = () => gate?.released && !gate.clicked && !gate.moved && isElement(gate.e) && (!dom.isConnected(gate.above[0]) || disabled(gate.e));

const pass = (event) => {
  if (event.type === 'change') return; // of the field that the focus leaves
  if (event.isTrusted && !/over|move/.test(event.type)) dispatched = event;
  if (gate?.ahead && event.isTrusted) gate.ahead.frames ??= countedFrames();
  judge(event);
  follow(event);
  if (!gate?.withheld || !event.isTrusted) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (gate.stood && gate.taken && releases.includes(event.type)) tellDocument(event);
};

// gateFiles is for files that Chrome gives to an input by itself, some time after the
// input was found to be what is expected. At the event that tells the page of them it
// has to be so still; else the page sees neither files nor events.
const gateFiles = (e, { tree = null, ...expected }) => {
  gate = { e, withheld: '', taken: false };
  wayfinderGate.on = (event) => {
    if (!gate || !event.isTrusted || event.composedPath()[0] !== e || event.type !== 'input' && event.type !== 'change') return;
    if (!gate.taken && !gate.withheld) {
      if (differs(e, expected, tree)) gate.withheld = 'changed';
      else gate.taken = true;
    }
    if (!gate.withheld) return;
    e.value = '';
    event.stopImmediatePropagation();
  };
  wayfinderGate.listen();
};

// A document that is put away is on its own when it comes back.
const leave = () => {
  gate = null;
  wayfinderGate.on = null;
};

const frameNames = 'iframe, frame, object, embed, fencedframe';
const showsFrames = (e) => e !== document && isFrame(e) || [e, e !== document && wf.rootOf(e)].some((tree) => tree && queryIn(tree, frameNames).length > 0);

// setGate sets the gate for an element, or in a frame that nothing is meant for,
// for so many milliseconds, right before input is sent. At the first event the element
// has to be what is expected, in a tree if one is given. With expected.only every key
// is looked at. It returns whether frames are shown in the element.
wf.setGate = (e, ...rest) => {
  if (e) wf.check(e);
  const tree = rest[0] instanceof Node ? rest.shift() : null;
  const [left, expected] = rest;
  closeGate(e, tree, left, expected);
  if (!expected?.continued) inputComes();
  return !!gate.e && showsFrames(gate.e);
};

// closeGate is setGate for input that may never be sent.
const closeGate = (e, tree, left, expected) => {
  if (e && !isElement(e)) e = e === document ? e : up(e);
  if (e && e !== document && e !== root() && e !== dom.body(document)) wf.around(e);
  gate = { e, expected, tree, beside: expected?.beside, only: !!expected?.only, typed: 0, until: performance.now() + left, withheld: '', taken: false, down: null, moved: false, hit: null };
  granted = -Infinity;
  wayfinderGate.on = pass;
  wayfinderGate.listen(); // document.open has taken its listeners away
  window.addEventListener('pagehide', leave, { capture: true });
};

// armGate sets the gate ahead of input that may follow, as setGate does. What the page
// puts off from here on counts for that input, if it comes; frames do from the first event,
// which the gate gets first.
const armGate = (e, left, expected) => {
  closeGate(e, null, left, expected);
  gate.ahead = counted(wayfinderGate.first ? null : undefined);
};

// inputCame is inputComes for input that a gate was set ahead of.
const inputCame = () => {
  if (!gate?.ahead) return;
  inputComes({ ...gate.ahead, frames: gate.ahead.frames ?? countedFrames() });
  gate.ahead = null;
};

// liftGate takes the gate away and returns what came of it.
wf.liftGate = () => {
  if (spoiled()) Object.assign(gate, { moved: true, hit: gate.e });
  const { taken = false, moved = false, withheld = '', hit = null, typed = 0 } = gate ?? {};
  gate = null;
  wayfinderGate.on = null;
  return { fault: withheld || (moved ? 'moved' : ''), taken, hit, typed };
};

// conclude is liftGate for a caller that asks for what was hit only where
// something was.
let hitInstead = null;
wf.conclude = () => {
  inputCame();
  // More of the action may follow, and is held to what was expected, too.
  if (gate?.taken && gate.reaction) {
    const { e, label, reaction, selection, tree } = gate;
    answer = { e, before: label, label: reaction.label, unselects: selection && !reaction.selected ? selection.selector : null, tree };
  }
  const { hit, ...report } = wf.liftGate();
  hitInstead = hit;
  return { ...report, hit: !!hit };
};
wf.hitInstead = () => apart((place) => place(hitInstead));

// dragComes notes which elements there are before a drag begins, and whether anything takes
// what is dropped.
let beforeDrag = null;
wf.dragComes = () => {
  const now = { known: new WeakSet(named('*')), dropped: false };
  beforeDrag = now;
  window.addEventListener('drop', () => (now.dropped = true), { capture: true, once: true });
};

// dropped reports that something has taken it: what is dropped on a frame, the page in there
// is told.
wf.dropped = (e) => {
  wf.check(e);
  return !!beforeDrag?.dropped || showsFrames(e);
};

// displaced reports that another element lies by now where the pointer was sent to for one
// that is dropped on: so far from its corner. What is dragged is looked through, and what has come with the drag. A
// list that makes room there for what is dragged has moved the element for that.
wf.displaced = (node, x, y) => {
  wf.check(node);
  const e = isElement(node) ? node : up(node);
  const own = boxes(standIn(e)).filter(area);
  if (!own.length) return false;
  const [left, top] = union(own);
  for (const at of dom.rootOf(e).elementsFromPoint(left + x, top + y)) {
    if (beforeDrag?.known.has(at) && !(gate?.e && within(at, gate.e))) return !within(at, e) && !within(e, at);
  }
  return false;
};
