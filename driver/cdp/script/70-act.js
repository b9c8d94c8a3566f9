// frame waits until the page has been drawn once more.
wf.frame = () => new Promise((done) => requestAnimationFrame(() => wf.later(done)));

// contextOf returns what an editor of the page's own takes text by, if it has one.
const contextOf = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'editContext')?.get;
const editor = (e) => (contextOf && e instanceof HTMLElement && Reflect.apply(contextOf, e, [])) || null;

const editable = (e) => e.isContentEditable || isText(e) || !!editor(e);

// Chrome tells what has the focus by the host of the tree that it is in. A frame's body has
// it where nothing else of the frame does, and be it elsewhere.
const focused = (e) => {
  if (e === dom.body(document) && parent !== window && !document.hasFocus()) return false;
  const tree = dom.rootOf(e);
  return (tree === document ? dom.activeElement(document) : tree.activeElement) === e;
};

// focusIs waits until the document has the focus, itself or by a frame within, or until it
// has lost its own. Chrome answers a tap before it makes a press of the touches. A press
// that the page prevents moves nothing: 100 ms are enough where there is time for as many
// turns as they hold.
wf.focusIs = async (has) => {
  const is = () => document.hasFocus() && (has || !(dom.activeElement(document) instanceof HTMLIFrameElement));
  const end = performance.now() + 100;
  for (let turns = 0; is() !== has && (turns < 25 || performance.now() < end); turns++) {
    await new Promise((done) => wf.later(done, 4));
  }
};

// pressed are controls that do one thing, and have no part that takes keys for them.
const pressed = `a[href], button, summary, ${['button', 'checkbox', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'radio', 'switch', 'tab'].map((role) => `[role=${role}]`).join()}`;

wf.focus = (e) => react(e, () => focus(e));

const focus = (e) => {
  wf.check(e);
  if (e === document) {
    dom.activeElement(document)?.blur?.();
    return;
  }
  const before = wf.active();
  HTMLElement.prototype.focus.call(e, { preventScroll: false });
  if (focused(e)) return;
  // A host may hand the focus on to what is within, and a list or a grid has it in one of
  // its parts. But a link that had it stays a link, whatever button is around it.
  const inside = wf.active();
  const another = inside === before && dom.matches(e, pressed) && dom.rootOf(inside ?? e) === dom.rootOf(e);
  if (inside && inside !== e && within(inside, e) && !another) return;
  throw 'wayfinder: notfocusable';
};

wf.selectText = (e) => react(e, () => selectText(e));

const selectText = (e) => {
  wf.check(e);
  if (!isElement(e) || !editable(e)) throw 'wayfinder: unsupported not a text control';
  focus(e);
  if (isText(e)) {
    e.select();
    return;
  }
  if (editor(e)) {
    editor(e).updateSelection(0, editor(e).text.length);
    return;
  }
  // An editor may keep a selection of its own, which it takes from the page's when it is
  // told of that: in a task that a key would overtake.
  const selection = getSelection();
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  selection.selectAllChildren(e);
  if (anchorNode === selection.anchorNode && anchorOffset === selection.anchorOffset && focusNode === selection.focusNode && focusOffset === selection.focusOffset) return;
  return new Promise((done) => {
    document.addEventListener('selectionchange', done, { once: true });
    wf.later(done, longestUntold);
  });
};
const longestUntold = 50; // ms

const notify = (e) => {
  dom.dispatch(e, new Event('input', { bubbles: true, composed: true }));
  dom.dispatch(e, new Event('change', { bubbles: true }));
};

const chosen = (e) => [...e.selectedOptions].map((o) => o.value);

wf.setValue = (e, values) => {
  wf.check(e);
  const name = isElement(e) ? dom.name(e) : '';
  if (name === 'select') {
    const wanted = [...values];
    let changed = false;
    if (!e.multiple && values.length > 1) throw 'wayfinder: unsupported the select takes one value';
    for (const option of e.options) {
      const at = wanted.indexOf(option.value);
      const on = at >= 0 && !option.disabled && !option.closest('optgroup')?.disabled;
      if (on) wanted.splice(at, 1);
      // One that may be chosen once keeps its last choice by itself.
      if (option.selected !== on && (e.multiple || on)) {
        option.selected = on;
        changed = true;
      }
    }
    if (!values.length && !e.multiple && e.selectedIndex !== -1) {
      e.selectedIndex = -1;
      changed = true;
    }
    if (changed) notify(e);
    return chosen(e);
  }
  if (name !== 'input' || !/^(date|time|month|week|datetime-local|color|range)$/.test(e.type)) {
    throw 'wayfinder: unsupported this control takes typed text, or no value';
  }
  if (values.length !== 1) throw 'wayfinder: unsupported the control takes one value';
  const before = e.value;
  e.value = values[0];
  if (e.value !== before) notify(e);
  return [e.value];
};

wf.fileInput = (e, count) => {
  wf.check(e);
  if (!isElement(e) || dom.name(e) !== 'input' || e.type !== 'file') throw 'wayfinder: unsupported not a file input';
  // Chrome takes an empty list for no list.
  if (!count && e.files.length) {
    e.value = '';
    notify(e);
  }
  if (count > 1 && !e.multiple && !e.webkitdirectory) throw 'wayfinder: unsupported the input takes one file';
  if (count) gateFiles(e, heldTo);
};

wf.scrollTo = (node, x, y, by, percent) => {
  wf.check(node);
  const box = node === document || node === dom.body(document) && dom.scroller(document) !== node ? dom.scroller(document) ?? root() : node;
  const { x: left, y: top, maxY } = wf.scrollState(box);
  if (by) {
    x += left;
    y += top;
  } else if (percent !== null) {
    x = left;
    y = (maxY * percent) / 100;
  }
  box.scrollTo({ left: x, top: y, behavior: 'instant' });
  return wf.scrollState(box);
};

// written is the text of an editable element. One that shows nothing but what
// nobody can write or select, as an editor's placeholder, is empty.
const written = (e) => {
  const bare = (text) => text.replace(/[\s\u200b\ufeff]/g, '');
  const text = e.innerText ?? '';
  let rest = bare(text);
  if (rest === '') return text;
  for (const hint of queryIn(e, '[contenteditable=false]')) if (getComputedStyle(hint).userSelect === 'none') rest = rest.replace(bare(hint.innerText ?? ''), '');
  return rest === '' ? '' : text;
};

const truth = (e, name) => ({ true: true, false: false })[dom.attr(e, name)] ?? null;

wf.state = (e) => {
  if (e !== document && dom.ownerDocument(e) !== document) throw 'wayfinder: stale';
  const connected = dom.isConnected(e);
  if (connected) wf.arm(e);
  if (!isElement(e)) return { connected, visible: connected, scroll: wf.scrollState(document) };
  const tag = dom.name(e);
  const isSelect = tag === 'select';
  const details = tag === 'details' ? e : tag === 'summary' && e.parentElement?.localName === 'details' ? e.parentElement : null;
  const input = tag === 'input';
  let value = '';
  if (input || tag === 'textarea' || isSelect || tag === 'option' || tag === 'button') value = e.value;
  else if (/^(progress|meter|output|li|data)$/.test(tag)) value = String(e.value ?? '');
  else if (editor(e)) value = editor(e).text;
  else if (e.isContentEditable) value = written(e);
  else value = dom.attr(e, 'aria-valuetext') || (dom.attr(e, 'aria-valuenow') ?? '');
  return {
    tag: tag.toLowerCase(),
    type: input ? e.type : '',
    value,
    values: isSelect ? chosen(e) : [],
    checked: input && !!e.checked,
    mixed: input && e.type === 'checkbox' ? !!e.indeterminate : dom.attr(e, 'aria-checked') === 'mixed',
    selected: tag === 'option' ? !!e.selected : truth(e, 'aria-selected') === true,
    expanded: details ? details.open : truth(e, 'aria-expanded'),
    pressed: truth(e, 'aria-pressed'),
    ariaChecked: truth(e, 'aria-checked'),
    focused: connected && focused(e),
    disabled: disabled(e),
    readOnly: locked(e),
    editable: editable(e),
    multiple: !!e.multiple && (isSelect || input),
    connected,
    visible: connected && boxes(e).some(area) && visible(e),
    validity: e.willValidate ? e.validationMessage : '',
    options: isSelect
      ? [...e.options].map((o) => {
          const group = o.closest('optgroup');
          return { value: o.value, label: o.label, group: group?.label ?? '', selected: o.selected, disabled: o.disabled || !!group?.disabled };
        })
      : [],
    files: input && e.type === 'file' ? [...e.files].map((f) => f.name) : [],
    scroll: wf.scrollState(e),
  };
};
