const area = (r) => r.width > 0 && r.height > 0;

// pictureOf returns the picture that an area is a part of, and else the element.
const pictureOf = (e) => {
  if (!(e instanceof HTMLAreaElement)) return e;
  const name = dom.closest(e, 'map')?.name;
  for (const picture of name ? queryIn(dom.rootOf(e), 'img[usemap]') : []) if (picture.useMap === '#' + name) return picture;
  return e;
};

// outline returns the box around an area's shape.
const outline = (e) => {
  const picture = pictureOf(e);
  if (picture === e) return [];
  const r = dom.rect(picture);
  const n = e.coords.split(',').map(Number);
  let [xs, ys] = [n.filter((_, i) => i % 2 === 0), n.filter((_, i) => i % 2 === 1)];
  if (e.shape === 'circle') [xs, ys] = [[n[0] - n[2], n[0] + n[2]], [n[1] - n[2], n[1] + n[2]]];
  if (e.shape === 'default') [xs, ys] = [[0, r.width], [0, r.height]];
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  return [new DOMRect(r.left + left, r.top + top, Math.max(...xs) - left, Math.max(...ys) - top)];
};

// boxes returns the boxes of an element. An element with display contents, and
// one without an area that what is in it reaches out of, has those of what is in it.
const boxes = (e) => {
  if (e instanceof HTMLAreaElement) return outline(e);
  const own = [...dom.rects(e)];
  if (own.some(area)) return own;
  const style = getComputedStyle(e);
  if (style.display !== 'contents' && (!own.length || style.overflow !== 'visible')) return own;
  const range = document.createRange();
  range.selectNodeContents(e);
  const list = [...range.getClientRects()];
  for (const slotted of dom.name(e) === 'slot' ? e.assignedElements({ flatten: true }) : []) list.push(...boxes(slotted));
  return list;
};

const visible = (e) => {
  const style = getComputedStyle(e);
  if (style.visibility !== 'visible') return false;
  if (style.display !== 'contents') return dom.checkVisibility(e);
  const parent = up(e);
  return !parent || parent === document || visible(parent);
};

// thin is a box or a window that shows no more than a pixel.
const thin = (width, height) => width <= 1 || height <= 1;

// pointable reports whether a person could point at an element: not at one that
// lets the pointer through, is clipped away, or is but a pixel wide.
const pointable = (e) => {
  const style = getComputedStyle(e);
  const clipped = style.clip === 'rect(0px, 0px, 0px, 0px)' && /absolute|fixed/.test(style.position);
  return style.pointerEvents !== 'none' && !clipped && boxes(e).some((r) => !thin(r.width, r.height)) &&
    !windows(e).some((w) => thin(w.right - w.left, w.bottom - w.top));
};

// showsItself reports that an element shows something of its own.
const showsItself = (e) => {
  if (/^(svg|img|canvas|picture|video)$/.test(dom.name(e))) return true;
  const style = getComputedStyle(e);
  return style.backgroundImage !== 'none' || style.maskImage !== 'none' || style.boxShadow !== 'none' || !/, 0\)$|^transparent$/.test(style.backgroundColor) ||
    parseFloat(style.borderTopWidth) > 0 || ['::before', '::after'].some((pseudo) => !/^(none|normal)$/.test(getComputedStyle(e, pseudo).content));
};

const faceLevels = 3; // an input in a wrapper that hides it, in one that places it, in the box
const maxDrawn = 32; // elements of a box that are asked whether they draw anything

// face returns the box that a component showsItself in place of a hidden checkbox or radio
// button: one close around that shows something, says nothing and holds no other
// control. A cell or a row is none, which may have a purpose of its own.
const face = (e) => {
  if (dom.name(e) !== 'input' || !/^(checkbox|radio)$/.test(e.type)) return null;
  let at = up(e);
  for (let i = 0; i < faceLevels && at && isElement(at) && at !== dom.body(document); i++, at = up(at)) {
    if (dom.text(at).trim() || [...queryIn(at, control)].some((other) => other !== e) || /^table-/.test(getComputedStyle(at).display)) return null;
    if (dom.checkVisibility(at, { opacityProperty: true }) && visible(at) && pointable(at) &&
      [at, ...[...queryIn(at, '*')].slice(0, maxDrawn)].some((part) => part !== e && dom.checkVisibility(part, { opacityProperty: true }) && showsItself(part))) return at;
  }
  return null;
};

const mostTexts = 64; // texts of a box that are read
const squeezed = (text) => text.replace(/\s+/g, ' ').trim();

// seenThere reports that a person sees something at an element.
const seenThere = (e) => {
  const r = dom.rect(e);
  return !thin(r.width, r.height) && dom.checkVisibility(e, { opacityProperty: true, visibilityProperty: true });
};

// seenText is the text in a box that a person sees, but for that of one element in it.
const seenText = (box, but) => {
  const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  let text = '';
  for (let i = 0; i < mostTexts && texts.nextNode(); i++) {
    const at = texts.currentNode;
    if (at.data.trim() && !dom.contains(but, at) && seenThere(up(at))) text += ' ' + at.data;
  }
  return squeezed(text);
};

// What stood for a select when it was looked at before.
const faces = new WeakMap();

// faceOfList returns the box that a component shows in place of a select that nobody
// sees: one close around, or right beside, that says what the select has chosen, and
// holds no other select, and no field or link that can be seen. It stays the one, whatever it says
// later.
const faceOfList = (e) => {
  if (dom.name(e) !== 'select' || e.multiple || e.size > 1 || boxes(e).some(area) && !unseen(e)) return null;
  const known = faces.get(e);
  if (known && dom.isConnected(known) && seenThere(known)) return known;
  const chosen = squeezed(e.selectedOptions[0]?.label ?? '');
  const fits = (box) => box && isElement(box) && seenThere(box) && seenText(box, e) === chosen &&
    ![...queryIn(box, 'input, select, textarea, a[href]')].some((other) => other !== e && (dom.name(other) === 'select' || seenThere(other)));
  const search = () => {
    for (let i = 0, at = e; i < faceLevels && at && isElement(at) && at !== dom.body(document); i++, at = up(at)) {
      const found = [at, at.nextElementSibling, at.previousElementSibling].find((box) => box !== e && fits(box));
      if (found) return found;
    }
    return null;
  };
  const face = chosen ? search() : null;
  if (face) faces.set(e, face);
  return face;
};

// hostFor returns the host of a shadow tree for the only control in and below it, if
// that lets the pointer through: seen from outside, an event in the tree is one at the
// host (DOM §2.5, retargeting).
const hostFor = (e) => {
  const tree = dom.rootOf(e);
  if (!(tree instanceof ShadowRoot) || getComputedStyle(e).pointerEvents !== 'none' || !pointable(tree.host)) return null;
  return [...queryIn(tree, control), ...queryIn(tree.host, control)].some((other) => other !== e) ? null : tree.host;
};

// standIns yields the elements to point at for one, the best first: itself, unless
// nobody can point at it; then, for a control that nobody sees, its labels, the box
// that is drawn in its place, or the host of its shadow tree; the select of an option.
function* standIns(e) {
  const name = dom.name(e);
  const labels = [...(e.labels ?? [])].filter((label) => boxes(label).some(area) && visible(label));
  const labelable = e.labels !== undefined && name !== 'label';
  const own = boxes(e).some(area);
  if (!own && (name === 'option' || name === 'optgroup')) {
    yield dom.closest(e, 'select') ?? e;
    return;
  }
  const can = own && (!labelable || pointable(e));
  if (can) yield e;
  if (!labelable || can && dom.checkVisibility(e, { opacityProperty: true })) {
    if (!can) yield e;
    return;
  }
  const list = faceOfList(e); // a press on a label would not open it
  if (list) yield list;
  yield* labels;
  const box = labels.length ? null : face(e) ?? hostFor(e);
  if (box) yield box;
  if (!can) yield e;
}
const standIn = (e) => standIns(e).next().value;

// unseen reports that nobody sees an element that is there.
const unseen = (e) => boxes(e).some(area) && (!pointable(e) || !dom.checkVisibility(e, { opacityProperty: true }));

// takes reports whether what is hit passes a press on to an element, by way of any
// that stands in for it.
const takes = (hit, e) => {
  if (hit === e) return true;
  for (const target of standIns(e)) if (reaches(hit, e, target)) return true;
  return false;
};

const clip = (r, by) => {
  const left = Math.max(r.left, by.left);
  const top = Math.max(r.top, by.top);
  return { left, top, width: Math.min(r.right, by.right) - left, height: Math.min(r.bottom, by.bottom) - top,
    right: Math.min(r.right, by.right), bottom: Math.min(r.bottom, by.bottom) };
};

// onTop reports that an element is in the top layer: laid out by the viewport or the
// page, and neither clipped nor moved by what is around it in the document.
const onTop = (e, style = getComputedStyle(e)) => style.overlay === 'auto';

// holdsFixed reports that a box contains what is fixed within it (css-position-3 §2.1).
const holdsFixed = (style) => ['transform', 'translate', 'rotate', 'scale', 'perspective', 'filter', 'backdropFilter'].some((p) => style[p] && style[p] !== 'none') ||
  /paint|layout|strict|content/.test(style.contain) || /transform|translate|rotate|scale|perspective|filter|contain/.test(style.willChange);

// clipEdge is what a box clips its content to (css-overflow-4 §3.2).
const clipEdge = (e, style) => {
  const r = dom.rect(e);
  const margin = style.overflowClipMargin ?? '';
  const length = (of) => parseFloat(of) || 0;
  const out = (side) => (style.overflowX !== 'clip' && style.overflowY !== 'clip' ? 0 : length(/[\d.]+px/.exec(margin)) -
    (margin.includes('border-box') ? 0 : length(style[`border${side}Width`])) - (margin.includes('content-box') ? length(style[`padding${side}`]) : 0));
  const free = (overflow) => (overflow === 'visible' ? Infinity : 0);
  const [x, y] = [free(style.overflowX), free(style.overflowY)];
  return { left: r.left - out('Left') - x, right: r.right + out('Right') + x, top: r.top - out('Top') - y, bottom: r.bottom + out('Bottom') + y };
};

// windows are what an element can be seen through: the viewport, and what clips it,
// which depends on the boxes that contain it.
const windows = (e) => {
  const list = [{ left: 0, top: 0, right: innerWidth, bottom: innerHeight }];
  let position = 'static';
  for (const at of chain(e)) {
    if (at === root() || at === dom.body(document)) continue;
    const style = getComputedStyle(at);
    if (style.display === 'contents') continue;
    const contains = at !== e && (position === 'static' || position === 'relative' || position === 'sticky' ||
      holdsFixed(style) || position === 'absolute' && style.position !== 'static');
    if (contains && style.overflow !== 'visible' && style.display !== 'inline') list.push(clipEdge(at, style));
    if (contains || at === e) position = style.position;
    // The list of a select that a page showsItself itself is on top, too.
    if (onTop(at, style) || at !== e && dom.name(at) === 'select' && dom.matches(at, ':open')) break;
  }
  return list;
};

const seen = (e) => {
  const through = windows(pictureOf(e));
  return boxes(e).filter(area).map((r) => through.reduce(clip, r)).filter(area);
};

// A point is rounded to a whole pixel where that stays inside: pages read
// whole coordinates.
const middle = (r) => {
  const one = (from, size) => {
    const exact = from + size / 2;
    const whole = Math.floor(exact);
    return whole > from && whole < from + size ? whole : exact;
  };
  return [one(r.left, r.width), one(r.top, r.height)];
};

const interactive = 'a[href], button, input, select, textarea, summary, label';
const roles = 'button, checkbox, combobox, gridcell, link, menuitem, menuitemcheckbox, menuitemradio, option, radio, slider, switch, tab, treeitem';
const control = interactive + roles.split(', ').map((role) => `, [role=${role}]`).join('');

// saying returns what a person reads on an element: its label, else its texts, with what
// buttons and pictures say by an attribute.
const saying = (e) => {
  let words = dom.attr(e, 'aria-label') || '';
  const parts = document.createTreeWalker(e, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let at = words ? null : e; at; at = parts.nextNode()) {
    if (!isElement(at)) words += at.data;
    else if (dom.name(at) === 'img') words += ` ${dom.attr(at, 'alt') ?? ''} `;
    else if (dom.name(at) === 'input' && /^(submit|reset|button|image)$/.test(at.type)) words += ` ${dom.attr(at, at.type === 'image' ? 'alt' : 'value') ?? ''} `;
  }
  return squeezed(words);
};

// labelOf returns what labels an element by an attribute or by its labels. The
// text of a label is taken without that of the control in it.
const labelOf = (e) => {
  const own = dom.attr(e, 'aria-label');
  if (own) return own;
  const tree = dom.rootOf(e);
  const ids = (dom.attr(e, 'aria-labelledby') ?? '').split(/\s+/).filter(Boolean);
  const by = ids.map((id) => tree.getElementById?.(id)).filter(Boolean);
  if (by.length) return by.map((label) => dom.text(label)).join(' ');
  const around = (label) => {
    if (!dom.contains(label, e)) return dom.text(label);
    const texts = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
    let text = '';
    while (texts.nextNode()) if (!dom.contains(e, texts.currentNode)) text += texts.currentNode.data;
    return text;
  };
  return isLabelable(e) ? [...(e.labels ?? [])].map(around).join(' ') : '';
};
const isLabelable = (e) => /^(button|input|meter|output|progress|select|textarea)$/.test(dom.name(e));

// A field's text is what it holds, and does not tell it from others.
const holdsText = (e) => /^(select|textarea)$/.test(dom.name(e)) || dom.name(e) === 'input' && !/^(submit|reset|button|image)$/.test(e.type) ||
  e.isContentEditable && !dom.parentNode(e)?.isContentEditable;

// said is what a person reads on an element, as much of it as a driver tells.
const said = (node) => {
  const e = isElement(node) ? node : node === document ? root() : up(node);
  const text = labelOf(e) || (holdsText(e) ? dom.attr(e, 'placeholder') || dom.attr(e, 'title') : dom.text(e) || (dom.name(e) === 'input' ? e.value : '')) || '';
  return text.replace(/\s+/g, ' ').trim().slice(0, 500);
};

// What the element that was focused last came to say by that, the texts that have gone from
// beside it, and the selector that no longer selects it.
let answer = null;

// unlike reports that an element is not what is expected: its label is another, a text
// beside it is gone, or it is not what is selected within a tree.
const unlike = (e, { label = null, beside = null, selector = null, xpath = false }, tree) => {
  if (label !== null) {
    const now = said(e);
    if (now !== label && !(answer && answer.e === e && answer.before === label && answer.label === now)) return true;
  }
  if (beside && !stands(e, beside) && !(answer && answer.e === e && answer.parts === JSON.stringify(beside))) return true;
  if (selector === null) return false;
  return !selects(e, selector, xpath, tree) && !(answer && answer.e === e && answer.unselects === selector && answer.tree === tree);
};
const selects = (e, selector, xpath, tree) => {
  const { found } = find(tree ?? document, xpath, selector);
  return found.length === 1 && found[0] === e;
};

// heldTo is what the element of the last callOn was held to.
let heldTo = {};

// callOn calls one of our functions with an element that is what is expected.
wf.callOn = (e, ...rest) => {
  wf.check(e);
  const tree = rest[0] instanceof Node ? rest.shift() : null;
  const [expected, name, ...args] = rest;
  if (unlike(e, expected, tree)) throw 'wayfinder: changed';
  heldTo = { ...expected, tree };
  if (!expected.continued) inputComes();
  return wf[name](e, ...args);
};

// react runs what gives an element the focus, and notes what the page makes of
// that: at once, and in what it does before anything else runs.
const react = async (e, run) => {
  const before = isElement(e) ? said(e) : '';
  const { selector = null, xpath, tree, beside } = heldTo;
  await run();
  for (let i = 0; i < 8; i++) await null;
  const parts = beside && !stands(e, beside) ? JSON.stringify(beside) : null;
  const unselects = selector !== null && !selects(e, selector, xpath, tree) ? selector : null;
  answer = { e, before, label: isElement(e) ? said(e) : '', parts, unselects, tree };
};

// takesForItself reports whether a control within another has a purpose of its
// own: it says something that the outer one does not.
const takesForItself = (inner, e) => dom.matches(inner, control) && dom.matches(e, control) && !saying(e).includes(saying(inner));

// reaches returns whether what is hit at a point passes a press on to an
// element: 0 if it does not, 1 if it does by way of a control within, else 2.
const reaches = (hit, e, target) => {
  if (!hit) return 0;
  if (within(hit, target)) {
    if (dom.name(target) === 'select') return 2;
    let way = 2;
    for (const at of chain(hit)) {
      if (at === target) return way;
      // Within a label, another control takes the click.
      if (target !== e && at !== e && dom.matches(at, interactive)) break;
      if (target === e && dom.matches(at, control)) {
        if (takesForItself(at, e)) return 0;
        way = 1;
      }
    }
  }
  for (const label of e.labels ?? []) {
    if (!within(hit, label)) continue;
    for (const at of chain(hit)) {
      if (at === label) return 2;
      if (dom.matches(at, interactive)) break;
    }
  }
  return 0;
};

// points are those of a box that are tried: its middle, then around it.
const points = (r) => {
  const [x, y] = middle(r);
  const list = [[x, y]];
  for (const k of [0.5, 0.9]) {
    const dx = (r.width / 2) * k;
    const dy = (r.height / 2) * k;
    list.push([x - dx, y], [x + dx, y], [x, y - dy], [x, y + dy], [x - dx, y - dy], [x + dx, y - dy], [x - dx, y + dy], [x + dx, y + dy]);
  }
  return list;
};

// pressPoint finds the point to press: the middle of a box if it is reached there,
// else the best of the others.
const pressPoint = (e, target) => {
  let best = null;
  const boxes = seen(target);
  const tried = [...boxes.map((r) => [middle(r)]), ...boxes.slice(0, 3).map((r) => points(r).slice(1))].flat();
  for (const at of tried) {
    const hit = deepest(hitToward(target, ...at), ...at);
    const way = reaches(hit, e, target);
    if (!best || way > best.way) best = { at, hit, way, reached: way > 0 };
    if (way === 2) break;
  }
  return best;
};

const bringIntoView = (e, block) => {
  let at = pictureOf(e);
  while (at && !dom.rects(at).length) at = at.firstElementChild;
  if (at) dom.scrollIntoView(at, { block, inline: block === 'nearest' ? 'nearest' : 'center', behavior: 'instant' });
};

// Properties whose animation moves or resizes an element.
const motion = /^(transform|translate|rotate|scale|cssOffset|offset[A-Z]|left|top|right|bottom|inset|margin|padding|width|height|min|max|font|line|flex|grid|gap|border|zoom|perspective)/;

const moving = (e) => {
  for (const at of chain(e)) {
    for (const animation of dom.animations(at)) {
      if (animation.playState !== 'running' || !(animation.timeline instanceof DocumentTimeline)) continue; // another follows the scrolling
      for (const frame of animation.effect?.getKeyframes() ?? []) if (Object.keys(frame).some((name) => motion.test(name))) return true;
    }
    if (onTop(at)) break;
  }
  return false;
};

const lately = 100; // ms
const lookedAt = new WeakMap();

// shifting reports that an element, or one around it, was changed by a script
// lately, and was not seen at the same place for a frame. What was changed before the
// observer was connected is not known: right after that, a page that has asked for a
// frame or a timer may be moving.
const shifting = (e, x, y) => {
  const now = performance.now();
  const before = lookedAt.get(e);
  const still = before && before.x === x && before.y === y && now - before.now < 1000;
  const since = still ? before.since : now;
  lookedAt.set(e, { x, y, now, since });
  for (const at of chain(e)) {
    if (now - (styled.get(at) ?? -Infinity) < lately) return now - since <= 15;
  }
  return now - armedAt < lately && now - since <= 15 && asksForTurns();
};

const inert = (e) => {
  const modal = wf.all('dialog:modal');
  let free = !modal.length;
  for (const at of chain(e)) {
    if (dom.has(at, 'inert')) return true;
    free ||= modal.includes(at);
  }
  const style = getComputedStyle(e);
  return !free || style.pointerEvents === 'none' || style.interactivity === 'inert';
};

const disabled = (e) => {
  if (dom.matches(e, ':disabled')) return true;
  for (const at of chain(e)) if (dom.matches(at, ':disabled:not(fieldset)')) return true;
  return false;
};

const ariaDisabled = (e) => {
  for (const at of chain(e)) {
    const says = dom.attr(at, 'aria-disabled');
    if (says) return says === 'true';
  }
  return false;
};

const textTypes = /^(text|search|url|tel|email|password|number|)$/;
const isText = (e) => dom.name(e) === 'textarea' || dom.name(e) === 'input' && (textTypes.test(e.type) || !/^(hidden|checkbox|radio|file|submit|image|reset|button|color|range|date|month|week|time|datetime-local)$/.test(e.type));

// locked tells of a field that readonly applies to: one that is typed in, or
// one for a date or a time.
const locked = (e) => !!e.readOnly && (isText(e) || dom.name(e) === 'input' && /^(date|month|week|time|datetime-local)$/.test(e.type));

const union = (list) => {
  const left = Math.min(...list.map((r) => r.left));
  const top = Math.min(...list.map((r) => r.top));
  return [left, top, Math.max(...list.map((r) => r.right)) - left, Math.max(...list.map((r) => r.bottom)) - top];
};

// placeIn is where a place in an element is, in pixels of the viewport.
const placeIn = (target, place) => {
  const own = boxes(target).filter(area);
  const [left, top] = own.length ? union(own) : [0, 0];
  return [left + place[0], top + place[1]];
};

// lookAt tells of one place in an element: null if it cannot be seen.
const lookAt = (e, target, place) => {
  const at = placeIn(target, place);
  if (!windows(pictureOf(target)).every((w) => at[0] >= w.left && at[0] < w.right && at[1] >= w.top && at[1] < w.bottom)) return null;
  const hit = deepest(hitToward(target, ...at), ...at);
  return { at, hit, reached: reaches(hit, e, target) > 0 };
};

// bringPlace scrolls whatever can be scrolled around an element, from the
// inside out, until a place in it is in view.
const bringPlace = (target, place) => {
  let free = false; // of what is around it
  for (const box of chain(target)) {
    const all = box === root() || box === dom.body(document);
    const skip = free || box === target;
    free ||= onTop(box);
    if (skip && !all) continue;
    const scroller = all ? dom.scroller(document) : box;
    if (!scroller) continue;
    const style = getComputedStyle(box);
    if (!all && (style.overflow === 'visible' || /inline$/.test(style.display))) continue;
    const r = all ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : dom.rect(box);
    const [x, y] = placeIn(target, place);
    const off = (at, from, to) => (at >= from && at < to ? 0 : at - (from + to) / 2);
    const [dx, dy] = [off(x, r.left, r.right), off(y, r.top, r.bottom)];
    if (dx || dy) scroller.scrollBy({ left: dx, top: dy, behavior: 'instant' });
  }
};

// positionOf finds the point to press on a target: null if it cannot be seen.
const positionOf = (e, target, scroll, place) => {
  let position = place ? lookAt(e, target, place) : pressPoint(e, target);
  if (place && scroll && !position && boxes(target).length && !inert(target)) {
    bringPlace(target, place);
    position = lookAt(e, target, place);
  } else if (!place && scroll && !position?.reached && boxes(target).length && !(position && inert(target))) {
    // The least scrolling first. What still lies on top, as a header that
    // sticks, may be got away from.
    for (const block of position ? ['center', 'end', 'start'] : ['nearest', 'center', 'end', 'start']) {
      const was = position;
      bringIntoView(target, block);
      position = pressPoint(e, target);
      if (position?.reached) break;
      position ??= was;
    }
    if (!position?.reached) position = pressPoint(e, target);
  }
  return position;
};

wf.locate = (e, scroll, offset) => apart((place) => {
  const at = locate(e, scroll, offset);
  return { ...at, hit: place(at.hit) };
});
const locate = (e, scroll, place) => {
  wf.check(e);
  if (!isElement(e)) e = e === document ? root() : up(e);
  let [target, position] = [null, null];
  for (const candidate of standIns(e)) {
    const found = positionOf(e, candidate, scroll, place);
    if (target && !found?.reached) continue;
    [target, position] = [candidate, found];
    if (found?.reached || place) break;
  }
  const own = boxes(target).filter(area);
  const [x, y, width, height] = own.length ? union(own) : [0, 0, 0, 0];
  const reached = !!position?.reached;
  return {
    box: { x, y, width, height },
    at: point(position?.at ?? (place ? placeIn(target, place) : [0, 0])),
    visible: own.length > 0 && visible(pictureOf(target)),
    inView: !!position,
    disabled: disabled(e),
    ariaDisabled: ariaDisabled(e),
    inert: inert(target),
    readOnly: locked(e),
    moving: moving(target) || shifting(target, x, y),
    reached,
    unseen: (!reached || dom.name(e) === 'select') && unseen(e),
    hit: position?.hit ?? null,
    label: said(e),
    shown: shownFor(e),
  };
};

const point = ([x, y]) => ({ x, y });

// shownFor is what a person sees in place of a select.
const shownFor = (e) => {
  const face = faceOfList(e);
  return face ? seenText(face, e) : '';
};

// clamp returns where in a view of that size a point is to be: where it is, or
// in the middle.
const clamp = (at, size) => (at >= 0 && at < size ? at : size / 2);

// contentOf returns where in the viewport the content of an element begins, and its scale.
const contentOf = (e) => {
  const r = dom.rect(e);
  const style = getComputedStyle(e);
  const sx = r.width / (e.offsetWidth || 1) || 1;
  const sy = r.height / (e.offsetHeight || 1) || 1;
  const inside = (border, padding) => (border || 0) + (parseFloat(padding) || 0);
  return [r.left + inside(e.clientLeft, style.paddingLeft) * sx, r.top + inside(e.clientTop, style.paddingTop) * sy, sx, sy];
};

// owner tells whether the element that shows a frame is hit at a point, given
// in pixels of that frame of the size given, and how it is there.
wf.owner = async (e, x, y, patience) => {
  wf.check(e);
  // A frame of another process has its scrolling done here a little later.
  for (let i = 0; ; i++) {
    const [left, top, sx, sy] = contentOf(e);
    const at = [left + x * sx, top + y * sy];
    const inView = windows(e).every((w) => at[0] >= w.left && at[0] <= w.right && at[1] >= w.top && at[1] <= w.bottom);
    const hit = inView ? hitToward(e, ...at) : null;
    if (hit === e || i >= patience) {
      return apart((place) => ({
        content: [left, top, sx, sy], at: point(at), visible: visible(e), inView, inert: inert(e), moving: moving(e), reached: hit === e, hit: place(hit),
      }));
    }
    if (i === 1) bringIntoView(e, 'nearest');
    // A frame larger than what it is seen through may show another part.
    if (i === 2 && !inView) {
      window.scrollBy({ left: at[0] - clamp(at[0], innerWidth), top: at[1] - clamp(at[1], innerHeight), behavior: 'instant' });
    }
    await new Promise((done) => requestAnimationFrame(done));
  }
};

// hit returns the element at a point, and the point in pixels of its content,
// for going on into a frame.
wf.hit = (_, x, y) => apart((place) => {
  const e = deepest(dom.at(document, x, y), x, y);
  if (!e) return {};
  const [left, top, sx, sy] = contentOf(e);
  return { hit: place(e), inner: [(x - left) / sx, (y - top) / sy], known: !!wf.rootOf(e) };
});
