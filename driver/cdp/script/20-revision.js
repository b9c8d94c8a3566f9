// Timers, frames and idle callbacks of a document are numbered one after the
// other, whichever world asks for them. So one that is asked for and given back tells
// how many there were, and nothing of the page's is touched for that.
let ownTimers = 0;
wf.later = (f, ms) => {
  ownTimers++;
  return setTimeout(f, ms);
};
const counted = () => {
  const timer = wf.later(() => {});
  clearTimeout(timer);
  const frame = requestAnimationFrame(() => {});
  cancelAnimationFrame(frame);
  const idle = requestIdleCallback(() => {});
  cancelIdleCallback(idle);
  return { timers: timer - ownTimers, frames: frame, idles: idle };
};

// atInput is what was counted when input was last about to be sent, and probes is
// how often it was counted since.
let atInput = null;
let probes = 0;
const inputComes = () => {
  atInput = counted();
  probes = 0;
};

// putOff tells of the timers of the page: 0 if it has asked for some since input
// was sent, or nobody knows, 1 if it has not, 2 if it never has.
const putOff = () => {
  if (!atInput) return 0;
  const now = counted();
  probes++;
  if (now.timers !== atInput.timers || now.frames !== atInput.frames + probes || now.idles !== atInput.idles + probes) {
    atInput = null; // and it stays so until the next input
    return 0;
  }
  return now.timers === 0 ? 2 : 1;
};

// What has changed since it was last asked. One observer sees all known trees.
// As long as nobody asks for activity it is disconnected at the first batch
// and connected again by the next tick, so that a page which changes all the
// time pays for nothing.
let dirty = 0;
let formed = 0; // the changes among them that busy marks depend on
let armed = false;
let asked = -Infinity; // when activity was last asked for
wf.mutated = -Infinity; // when something novel last changed

const observed = { subtree: true, childList: true, characterData: true, attributes: true };

const note = () => {
  dirty++;
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
    observer.disconnect();
    armed = false;
    wf.mutated = now;
    return;
  }
  for (const record of records) {
    if (record.type === 'attributes') styled.set(record.target, now);
    if (record.type === 'childList' || marking.has(record.attributeName)) formed++;
    if (novel(record, now)) wf.mutated = now;
  }
});

// A node that changes again and again is a clock, a ticker or an animation,
// and no sign that the page is still on its way to something. What changes
// because a person acts is none, however often he does.
const habits = new WeakMap();
let acted = -Infinity; // when a person last acted
const act = (event) => {
  if (event.isTrusted) acted = performance.now();
};
const acts = ['pointerdown', 'pointerup', 'keydown', 'beforeinput', 'drop'];
const novel = (record, now) => {
  for (const added of record.addedNodes) if (added.nodeType === Node.ELEMENT_NODE) return true;
  const times = (habits.get(record.target) ?? []).filter((t) => now - t < 1500);
  if (now - acted < 250) return times.length < 3;
  times.push(now);
  habits.set(record.target, times.slice(-4));
  return times.length < 4;
};

const told = [
  'input', 'change', 'reset', 'scroll', 'selectionchange', 'focusin', 'focusout',
  'load', 'error', 'slotchange', 'fullscreenchange',
];

// What opens and closes without a change of the tree: popovers, dialogs, details.
const opened = () => {
  note();
  wf.mutated = performance.now();
};

// watch begins to listen in a tree. Doing so again changes nothing.
wf.watch = (root) => {
  for (const type of told) root.addEventListener(type, note, { capture: true, passive: true });
  for (const type of ['toggle', 'close']) root.addEventListener(type, opened, { capture: true, passive: true });
  if (armed) observer.observe(root, observed);
};

// document.open takes the listeners away and leaves the observer, so they are
// put back every time.
wf.tick = () => {
  wf.watch(document);
  for (const type of acts) document.addEventListener(type, act, { capture: true, passive: true });
  window.addEventListener('resize', note, { capture: true, passive: true });
  window.navigation?.addEventListener('currententrychange', note);
  if (!armed) {
    armed = true;
    for (const root of wf.roots) observer.observe(root, observed);
  }
  return [dirty, scrollX, scrollY, innerWidth, innerHeight].join(' ');
};

// flush has pending style and layout done now, and not by what follows.
wf.flush = () => {
  if (root()) dom.rect(root());
  return wf.tick();
};
