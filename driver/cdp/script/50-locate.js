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

// pointable reports whether a person could point at an element: not at one that
// lets the pointer through, is clipped away, or is but a pixel wide.
const pointable = (e) => {
  const style = getComputedStyle(e);
  const clipped = style.clip === 'rect(0px, 0px, 0px, 0px)' && /absolute|fixed/.test(style.position);
  return style.pointerEvents !== 'none' && !clipped && boxes(e).some((r) => r.width > 1 && r.height > 1);
};

// standIn returns the element to point at in place of one that nobody can point
// at: the label of a hidden checkbox, the select of an option.
const standIn = (e) => {
  if (e.labels?.length ? pointable(e) : boxes(e).some(area)) return e;
  const name = dom.name(e);
  if (name === 'option' || name === 'optgroup') return dom.closest(e, 'select') ?? e;
  for (const label of e.labels ?? []) if (boxes(label).some(area) && visible(label)) return label;
  return e;
};

const clip = (r, by) => {
  const left = Math.max(r.left, by.left);
  const top = Math.max(r.top, by.top);
  return { left, top, width: Math.min(r.right, by.right) - left, height: Math.min(r.bottom, by.bottom) - top,
    right: Math.min(r.right, by.right), bottom: Math.min(r.bottom, by.bottom) };
};

// frames of reference: what an element can be seen through.
const windows = (e) => {
  const list = [{ left: 0, top: 0, right: innerWidth, bottom: innerHeight }];
  let position = getComputedStyle(e).position;
  for (const at of chain(e)) {
    if (at === e || at === root() || at === dom.body(document)) continue;
    const style = getComputedStyle(at);
    if (style.display === 'contents') continue;
    const contains = style.transform !== 'none' || style.filter !== 'none' || /paint|layout|strict|content/.test(style.contain);
    if (position === 'fixed' && !contains) continue;
    if (position === 'absolute' && style.position === 'static' && !contains) continue;
    if (style.overflow !== 'visible' && style.display !== 'inline') {
      const r = dom.rect(at);
      list.push({ left: style.overflowX === 'visible' ? -Infinity : r.left, right: style.overflowX === 'visible' ? Infinity : r.right,
        top: style.overflowY === 'visible' ? -Infinity : r.top, bottom: style.overflowY === 'visible' ? Infinity : r.bottom });
    }
    position = style.position;
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

// saying returns what a person reads on an element.
const saying = (e) => (dom.attr(e, 'aria-label') || dom.text(e) || '').replace(/\s+/g, ' ').trim();

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

// What the element that was focused last came to say by that.
let answer = null;

// unlike reports that an element is not what is expected: its label is another,
// or it is not what is selected within a tree.
const unlike = (e, { label = null, selector = null, xpath = false }, tree) => {
  if (label !== null) {
    const now = said(e);
    if (now !== label && !(answer && answer.e === e && answer.before === label && answer.label === now)) return true;
  }
  if (selector === null) return false;
  const { found } = wf.find(tree ?? document, xpath, selector);
  return found.length !== 1 || found[0] !== e;
};

// callOn calls one of our functions with an element that is what is expected.
wf.callOn = (e, ...rest) => {
  wf.check(e);
  const tree = rest[0] instanceof Node ? rest.shift() : null;
  const [expected, name, ...args] = rest;
  if (unlike(e, expected, tree)) throw 'wayfinder: changed';
  heldTo(e);
  inputComes();
  return wf[name](e, ...args);
};

// react runs what gives an element the focus, and notes what the page makes of
// that: at once, and in what it does before anything else runs.
const react = async (e, run) => {
  const before = isElement(e) ? said(e) : '';
  run();
  for (let i = 0; i < 8; i++) await null;
  answer = { e, before, label: isElement(e) ? said(e) : '' };
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
      if (animation.playState !== 'running') continue;
      for (const frame of animation.effect?.getKeyframes() ?? []) if (Object.keys(frame).some((name) => motion.test(name))) return true;
    }
  }
  return false;
};

const lately = 100; // ms
const lookedAt = new WeakMap();

// shifting reports that an element, or one around it, was changed by a script
// lately, and was not seen at the same place for a frame.
const shifting = (e, [x, y]) => {
  const now = performance.now();
  const before = lookedAt.get(e);
  const still = before && before.x === x && before.y === y && now - before.now < 1000;
  const since = still ? before.since : now;
  lookedAt.set(e, { x, y, now, since });
  for (const at of chain(e)) {
    if (now - (styled.get(at) ?? -Infinity) < lately) return now - since <= 15;
  }
  return false;
};

const inert = (e) => {
  const modal = wf.all('dialog:modal');
  let free = !modal.length;
  for (const at of chain(e)) {
    if (dom.has(at, 'inert')) return true;
    free ||= modal.includes(at);
  }
  return !free || getComputedStyle(e).pointerEvents === 'none';
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
  for (const box of chain(target)) {
    const all = box === root() || box === dom.body(document);
    if (box === target && !all) continue;
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

wf.locate = (e, scroll, place) => {
  wf.check(e);
  if (!isElement(e)) e = e === document ? root() : up(e);
  const target = standIn(e);
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
  const own = boxes(target).filter(area);
  const box = own.length ? union(own) : [0, 0, 0, 0];
  return {
    box,
    at: position?.at ?? (place ? placeIn(target, place) : [0, 0]),
    flags: [own.length > 0 && visible(pictureOf(target)), !!position, disabled(e), inert(target), locked(e), moving(target) || shifting(target, box), !!position?.reached, ariaDisabled(e)],
    hit: position?.hit ?? null,
    view: [innerWidth, innerHeight],
    label: said(e),
  };
};

// clamp returns where in a view of that size a point is to be: where it is, or
// in the middle.
const clamp = (at, size) => (at >= 0 && at < size ? at : size / 2);

// owner tells whether the element that shows a frame is hit at a point, given
// in pixels of that frame of the size given, and how it is there.
wf.owner = async (e, x, y, patience) => {
  wf.check(e);
  const place = () => {
    const r = dom.rect(e);
    const style = getComputedStyle(e);
    const sx = r.width / (e.offsetWidth || 1);
    const sy = r.height / (e.offsetHeight || 1);
    return [r.left + (e.clientLeft + parseFloat(style.paddingLeft)) * sx, r.top + (e.clientTop + parseFloat(style.paddingTop)) * sy, sx, sy];
  };
  // A frame of another process has its scrolling done here a little later.
  for (let i = 0; ; i++) {
    const [left, top, sx, sy] = place();
    const at = [left + x * sx, top + y * sy];
    const inView = windows(e).every((w) => at[0] >= w.left && at[0] <= w.right && at[1] >= w.top && at[1] <= w.bottom);
    const hit = inView ? hitToward(e, ...at) : null;
    if (hit === e || i >= patience) {
      return { place: [left, top, sx, sy], at, flags: [visible(e), inView, inert(e), moving(e), hit === e], hit };
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
wf.hit = (_, x, y) => {
  const e = deepest(dom.at(document, x, y), x, y);
  if (!e) return { hit: null, inner: [0, 0], known: true };
  const r = dom.rect(e);
  const style = getComputedStyle(e);
  const sx = r.width / (e.offsetWidth || 1) || 1;
  const sy = r.height / (e.offsetHeight || 1) || 1;
  const inner = [
    (x - r.left) / sx - (e.clientLeft || 0) - (parseFloat(style.paddingLeft) || 0),
    (y - r.top) / sy - (e.clientTop || 0) - (parseFloat(style.paddingTop) || 0),
  ];
  return { hit: e, inner, known: !!wf.rootOf(e) };
};
