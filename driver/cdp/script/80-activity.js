const busyMarks = '[aria-busy=true], [role=progressbar]:not([aria-valuenow]), progress:not([value]), [class*=skeleton i], [class*=spinner i], [class*=shimmer i]';

// A spinner that takes a number is no mark.
const takesInput = 'input, select, textarea, button:enabled, [role=spinbutton], [role=button]';
const marksBusy = (e) => dom.attr(e, 'aria-busy') === 'true' || !dom.matches(e, takesInput) && !queryIn(e, takesInput).length;

// A selector of substrings looks at every element. What it matches is kept until
// something changes in one of the trees that it depends on (see marking), or another
// tree becomes known.
let marks = { at: '', busy: [], large: false };
const marked = () => {
  if (wf.document !== document) throw 'wayfinder: stale';
  const at = formed + ' ' + wf.roots.size;
  if (marks.at !== at) marks = { at, busy: wf.all(busyMarks).filter(marksBusy), large: false };
  return marks;
};

const shown = (e) => boxes(e).some(area) && visible(e) && dom.checkVisibility(e, { opacityProperty: true });

// Elements that show something without any text in them.
const pictures = 'img, svg, canvas, video, audio, iframe, frame, object, embed, input, button, select, textarea, progress, meter, hr, math';

// A page of more elements than these shows something.
const fewElements = 200;

const says = (e) => {
  for (let at = dom.firstChild(e); at; at = dom.nextSibling(at)) if (dom.nodeType(at) === 3 && /\S/.test(at.data)) return true;
  return false;
};

// draws reports that an element shows something of its own.
const draws = (e) =>
  !dom.matches(e, 'script, style, template, noscript, title') &&
  (says(e) || dom.matches(e, pictures) || !!wf.rootOf(e) || dom.name(e).includes('-') && dom.matches(e, ':defined')) && shown(e);

// blank reports that the document has scripts, and nothing that could be seen.
const blank = () => {
  const body = dom.body(document);
  if (!body || dom.name(body) !== 'body' || marked().large || !queryIn(document, 'script').length) return false;
  const list = queryIn(body, '*');
  if (list.length > fewElements) marks.large = true;
  return !marks.large && ![body, ...list].some(draws);
};

// activity tells how long ago something novel changed (negative: never),
// whether a transition runs, a busy mark is to be seen, the page is parsed or blank,
// what it has put off, the number of such changes, and whether the activation of the
// input is spent.
// It is all novel that changed before anybody asked.
wf.activity = () => rested(() => {
  wf.tick();
  return activity();
});

// activity is behind a tick.
const activity = () => {
  asked = performance.now();
  const transitions = (document.getAnimations?.() ?? []).some((a) => a instanceof CSSTransition && a.playState === 'running');
  return {
    mutated: wf.mutated < 0 ? -1 : performance.now() - wf.mutated, // it may be the tick that has noticed
    transition: transitions,
    busy: marked().busy.some(shown),
    parsing: dom.readyState(document) === 'loading',
    blank: blank(),
    timers: putOff(),
    changes,
    spent: spent(),
  };
};

// rest lets two tasks pass: what a handler put off without a delay has run by
// then, and what that put off in turn. Messages keep their order, and so do timers of
// one delay, which are slow and are waited for only where the page uses them.
//
// Behind a press of a button or a key Chrome runs no task before the next frame, so that
// this takes up to 16 ms: it is waited for where nothing was seen, or something is known
// to come, and else by what comes next, see resting.
const turn = new MessageChannel();
const turns = [];
turn.port1.onmessage = () => turns.shift()();
const pause = () => new Promise((done) => {
  turns.push(done);
  turn.port2.postMessage(0);
});
wf.turn = async () => {
  await pause();
  await pause();
};
wf.rest = async () => {
  const input = atInput;
  await wf.turn();
  const later = putOff() === 0;
  framesKnown ||= atInput === input;
  if (later) await new Promise((done) => wf.later(() => wf.later(done)));
};

// resting is the rest that the answer to an action did not wait for, null if there is
// none. Nothing counts as the page's answer before it is over.
let resting = null;

// calm are elements that were used before, and in whose rest nothing came: none is
// waited for before they are used again.
const calm = new WeakSet();
wf.calm = (e) => calm.has(e);

const restBehind = (e) => {
  const begun = performance.now();
  const now = () => dirty - carets + '\n' + held();
  const was = now();
  const mine = wf.rest().then(() => {
    if (acted <= begun) { // else it is not known what it came of
      if (now() === was && putOff() !== 0) calm.add(e);
      else calm.delete(e);
    }
    if (resting === mine) resting = null;
  });
  resting = mine;
};

// rested calls f once nothing rests, at once for an element that is calm.
const rested = (f, e) => (resting && !(e && calm.has(e)) ? resting.then(f) : f());
