// The guard stands between input of ours and the page. While it is on duty it
// withholds what would go elsewhere than it is meant to, and what comes after
// the caller has given up.
let duty = null;

const presses = ['pointerdown', 'mousedown', 'touchstart'];
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

// differs is unlike for the guard, which must come to an end: what cannot be told
// counts as a difference.
const differs = (e, aim, tree) => {
  try {
    return unlike(e, aim, tree);
  } catch {
    return true;
  }
};

const isSelected = ({ e, selection, tree }) => !!selection && !differs(e, { ...selection, says: null }, tree);

// reactionTo notes what the page makes of the first event. A task of this priority
// runs before any timer: what is different from it later is not our doing.
const reactionTo = (d) => {
  d.selection = d.aim?.selector ? d.aim : null;
  globalThis.scheduler?.postTask(() => { d.reaction = { says: said(d.e), selected: isSelected(d) } }, { priority: 'user-blocking' });
};

const judge = (event) => {
  if (!duty || !event.isTrusted || duty.withheld) return;
  const press = presses.includes(event.type);
  const key = keystrokes.includes(event.type) && (duty.only || !duty.taken);
  const { aim, reaction } = duty;
  let other = !!aim && !!duty.e && differs(duty.e, aim, duty.tree);
  if (reaction && press && !duty.taken) other = reaction.says !== said(duty.e) || reaction.selected && !isSelected(duty);
  if (aim && duty.e) reactionTo(duty);
  duty.aim = null; // from here on, the page may have reacted
  if (performance.now() > duty.until) duty.withheld = 'late';
  else if (other) Object.assign(duty, { withheld: 'changed', hit: isElement(duty.e) ? duty.e : null });
  else if (press) {
    const hit = touched(event);
    const reached = duty.e && (duty.e === document || reaches(hit, duty.e, standIn(duty.e)));
    if (reached && (duty.e === document || !disabled(duty.e))) duty.taken = true;
    else Object.assign(duty, { withheld: reached ? 'disabled' : 'press', hit: isElement(hit) ? hit : null });
  } else if (key) {
    const passedOn = () => duty.taken && forOneLetter(duty.e) && forOneLetter(wf.active());
    if (duty.e && (focusIn(duty.e) || passedOn())) duty.taken = true;
    else Object.assign(duty, { withheld: 'key', hit: wf.active() });
  }
};

// follow sees where a press is let go. One that is let go at its own place meets
// the element again, unless the page has moved that meanwhile.
const follow = (event) => {
  if (!duty?.taken || duty.withheld || !event.isTrusted) return;
  const reached = () => duty.e === document || reaches(touched(event), duty.e, standIn(duty.e));
  if (event.type === 'input') duty.wrote += event.inputType === 'insertText';
  else if (event.type === 'mousedown') duty.down = event;
  else if (event.type === 'mouseup' && duty.down?.clientX === event.clientX && duty.down.clientY === event.clientY) {
    if (!reached()) Object.assign(duty, { slipped: true, hit: touched(event) });
  } else if (event.type === 'click' && reached()) duty.slipped = false;
};

const stand = (event) => {
  judge(event);
  follow(event);
  if (!duty?.withheld || !event.isTrusted) return;
  event.preventDefault();
  event.stopImmediatePropagation();
};

// A document that is put away is on its own when it comes back.
const leave = () => {
  duty = null;
  wayfinderSentry.on = null;
};

const frameNames = 'iframe, frame, object, embed, fencedframe';
const showsFrames = (e) => e !== document && isFrame(e) || [e, e !== document && wf.rootOf(e)].some((tree) => tree && queryIn(tree, frameNames).length > 0);

// guard goes on duty for an element, or in a frame that nothing is meant for,
// for so many milliseconds, and while the element is as the aim says at the
// first event, in a tree if one is given. With only in the aim it looks at every
// key. It tells whether frames are shown in the element.
wf.guard = (e, ...rest) => {
  if (e) wf.check(e);
  const tree = rest[0] instanceof Node ? rest.shift() : null;
  const [left, aim] = rest;
  if (e && !isElement(e)) e = e === document ? e : up(e);
  if (e && e !== document && e !== root() && e !== dom.body(document)) wf.around(e);
  duty = { e, aim, tree, only: !!aim?.only, wrote: 0, until: performance.now() + left, withheld: '', taken: false, down: null, slipped: false, hit: null };
  wayfinderSentry.on = stand;
  wayfinderSentry.stand(); // document.open has taken its listeners away
  window.addEventListener('pagehide', leave, { capture: true });
  return !!e && showsFrames(e);
};

// relieve ends the duty and tells what came of it.
wf.relieve = () => {
  const { taken = false, slipped = false, withheld = '', hit = null, wrote = 0 } = duty ?? {};
  duty = null;
  wayfinderSentry.on = null;
  return { fault: withheld || (slipped ? 'slipped' : ''), taken, hit, wrote };
};
