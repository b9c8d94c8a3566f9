// Timers, frames and idle callbacks of a document are numbered one after the
// other, whichever world asks for them. So one that is asked for and given back tells
// how many there were, and nothing of the page's is touched for that.
let ownTimers = 0;
let ownIdles = 0;
let ownFrames = 0;
wf.later = (f, ms) => {
  ownTimers++;
  return setTimeout(f, ms);
};
// To ask for a frame has Chrome draw one, and a movement of the pointer right after it
// waits for the next.
const countedFrames = () => {
  const frame = requestAnimationFrame(() => {});
  cancelAnimationFrame(frame);
  return frame - ++ownFrames;
};
const counted = (frames = countedFrames()) => {
  const timer = wf.later(() => {});
  clearTimeout(timer);
  const idle = requestIdleCallback(() => {});
  cancelIdleCallback(idle);
  return { timers: timer - ownTimers, idles: idle - ++ownIdles, frames };
};

// asksForTurns reports that the page has ever asked for a timer or a frame.
const asksForTurns = () => {
  const { timers, frames } = counted();
  return timers > 0 || frames > 0;
};

// atInput is what was counted before the last action's first input. It may move only
// when input is sent: a count taken for input that is merely prepared would hide what
// the page put off since the last one.
let atInput = null;
// framesKnown: frames were counted when what was put off without a delay had run. What asks
// for one later was put off by a timer, or is called by an event.
let framesKnown = false;
const inputComes = (count = counted()) => {
  atInput = count;
  framesKnown = false;
};

// ending reports an animation that will end, which a script may wait for.
const ending = (animation) => animation.playState === 'running' && animation.timeline instanceof DocumentTimeline && Number.isFinite(animation.effect?.getComputedTiming().endTime);

// putOff tells of the timers of the page: 0 if it has asked for some since input
// was sent, or nobody knows, 1 if it has not, 2 if it never has.
const putOff = () => {
  if (!atInput) return 0;
  const now = counted(framesKnown ? atInput.frames : undefined);
  if (now.timers !== atInput.timers || now.frames !== atInput.frames || now.idles !== atInput.idles) {
    atInput = null; // and it stays so until the next action's input
    return 0;
  }
  if ((document.getAnimations?.() ?? []).some(ending)) return 0;
  return now.timers === 0 ? 2 : 1;
};

// What has changed since it was last asked. One observer sees all known trees.
// As long as nobody asks for activity it is disconnected at the first batch
// and connected again by the next tick, so that a page which changes all the
// time pays for nothing.
let dirty = 0;
let formed = 0; // the changes among them that busy marks depend on
let armed = false;
let armedAt = -Infinity;
let asked = -Infinity; // when activity was last asked for
wf.mutated = -Infinity; // when something novel last changed
let changes = 0; // differs after each of these changes
let builds = 0; // the changes of any tree, and times that nobody has looked

const changed = (now) => {
  wf.mutated = now;
  changes++;
};

const observed = { subtree: true, childList: true, characterDataOldValue: true, attributeOldValue: true };

// carets counts those among them that tell of the caret, as Chrome does some time after a
// key, with the scrolling of a field that follows it, and of values that scripts set, see held.
let carets = 0;
const note = (event) => {
  dirty++;
  carets += event?.type === 'selectionchange' || event?.type === 'scroll' && /^(input|textarea)$/.test(event.target.localName);
};

// lists are what selectors match in all known trees, kept until something is added or
// removed.
const lists = new Map();
const rebuilt = () => {
  builds++;
  lists.clear();
};

// named is wf.all for a selector of names alone. The list is not to be changed, and not to
// be kept.
const named = (selector) => listed(selector, 0);

// matching is named for any selector.
const matching = (selector) => listed(selector, dirty);

const listed = (selector, at) => {
  if (wf.document !== document) throw 'wayfinder: stale';
  const kept = lists.get(selector);
  if (armed && kept?.trees === wf.roots.size && kept.at === at) return kept.list;
  const list = wf.all(selector);
  if (armed) lists.set(selector, { list, at, trees: wf.roots.size });
  return list;
};

// styled is when attributes of an element last changed: a script that moves
// one does so by them.
const styled = new WeakMap();

// marking are the attributes that busy marks are selected by.
const marking = new Set(['aria-busy', 'aria-valuenow', 'class', 'role', 'value']);

const observer = new MutationObserver((records) => {
  note();
  const now = performance.now();
  if (now - asked > 10000) {
    formed++; // the rest is not looked at
    rebuilt();
    observer.disconnect();
    armed = false;
    changed(now);
    return;
  }
  const first = new Map();
  for (const record of records) {
    if (record.type === 'attributes') styled.set(record.target, now);
    if (record.type === 'childList' || marking.has(record.attributeName)) formed++;
    if (record.type === 'childList') rebuilt();
    if (!restored(record, first) && novel(record, now)) changed(now);
  }
});

// restored reports a record of an attribute or a text that is what it was before all
// records of its batch. first holds, by node and attribute, what that was.
const restored = (record, first) => {
  const { target, type, attributeName: name, oldValue } = record;
  if (type === 'childList' || record.attributeNamespace) return false;
  if (!first.has(target)) first.set(target, new Map());
  const was = first.get(target);
  if (!was.has(name)) was.set(name, oldValue);
  return was.get(name) === (type === 'attributes' ? dom.attr(target, name) : target.data);
};

// A node that changes again and again is a clock, a ticker or an animation,
// and no sign that the page is still on its way to something. What changes
// because a person acts is none, however often he does: what a listener of our input
// changes before the next listener has its turn, it has changed because of that.
const habits = new WeakMap();
let acted = -Infinity; // when a person last acted
let dispatched = null; // the last press or key of our input
const act = (event) => {
  if (!event.isTrusted) return;
  acted = performance.now();
  if (grants.has(event.type) && event.key !== 'Escape' && navigator.userActivation?.isActive) granted = acted;
};

// Full screen, floating windows and file choosers need a person's act. A script that asks
// for one consumes the act's activation at once (HTML, "consume user activation"), and
// Chrome begins with it later. The activation expires after five seconds.
const grants = new Set(['pointerdown', 'pointerup', 'keydown']);
const lasts = 4000; // ms
let granted = -Infinity; // when an event of the last input had its activation
const spent = () => performance.now() - granted < lasts && !navigator.userActivation.isActive;
const acts = ['pointerdown', 'pointerup', 'keydown', 'beforeinput', 'drop'];
const novel = (record, now) => {
  if (dispatched?.eventPhase) return true;
  for (const added of record.addedNodes) if (added.nodeType === Node.ELEMENT_NODE) return true;
  const times = (habits.get(record.target) ?? []).filter((t) => now - t < 1500);
  if (now - acted < 250) return times.length < 3;
  times.push(now);
  habits.set(record.target, times.slice(-4));
  return times.length < 4;
};

const told = [
  'input', 'change', 'reset', 'scroll', 'selectionchange', 'focusin', 'focusout',
  'load', 'error', 'slotchange',
];

// What opens and closes without a change of the tree: popovers, dialogs, details, what
// fills the screen, a film in a window of its own.
const opened = () => {
  note();
  changed(performance.now());
};

const shows = ['toggle', 'close', 'fullscreenchange', 'enterpictureinpicture', 'leavepictureinpicture'];

// The list of a select that the page styles (appearance: base-select) opens without an
// event, and takes the focus into the select.
const listsOpen = CSS.supports('selector(:open)');
let listOpen = false;
const lookAtList = () => {
  const at = wf.active();
  const select = at && dom.closest(at, 'select');
  const open = !!select && listsOpen && dom.matches(select, ':open');
  if (open !== listOpen) opened();
  listOpen = open;
};

// watch begins to listen in a tree. Doing so again changes nothing.
wf.watch = (root) => {
  for (const type of told) root.addEventListener(type, note, { capture: true, passive: true });
  for (const type of shows) root.addEventListener(type, opened, { capture: true, passive: true });
  if (armed) observer.observe(root, observed);
};

// leftAt is when the document last began to go elsewhere: to an address, or with what a
// form holds. Chrome tells of both a little later.
let leftAt = -Infinity;
const leaves = () => {
  leftAt = performance.now();
};

// document.open takes the listeners away and leaves the observer, so they are
// put back whenever the tree has changed.
let listening = -1; // the builds at which they were put in place
wf.tick = () => {
  if (!armed || listening !== builds) {
    listening = builds;
    wf.watch(document);
    document.addEventListener('formdata', leaves, { capture: true, passive: true });
    window.navigation?.addEventListener('navigate', leaves);
    for (const type of acts) document.addEventListener(type, act, { capture: true, passive: true });
    window.addEventListener('resize', note, { capture: true, passive: true });
    window.navigation?.addEventListener('currententrychange', note);
  }
  if (!armed) {
    armed = true;
    armedAt = performance.now();
    for (const root of wf.roots) observer.observe(root, observed);
  }
  lookAtList();
  return [dirty, scrollX, scrollY, innerWidth, innerHeight].join(' ');
};

// flush has pending style and layout done now, and not by what follows.
wf.flush = () => {
  laidOut();
  return wf.tick();
};
const laidOut = () => {
  if (root()) dom.rect(root());
};
