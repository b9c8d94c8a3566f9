// The trees that are looked into: the document, and every shadow root that is
// known. They are handed in by way of a node within, which is the one way to a
// closed one.
wf.roots = new Set([document]);

wf.arm = (...nodes) => {
  for (const node of nodes) {
    const tree = dom.rootOf(node);
    if (tree instanceof ShadowRoot && !wf.roots.has(tree)) {
      wf.roots.add(tree);
      wf.watch(tree);
    }
  }
};

// mostArmed bounds the elements of one that are asked whether they host a tree.
const mostArmed = 1000;

// around arms the open trees that an element is in, and those in it: input that
// is meant for it changes them sooner than others, and they may not be known yet.
wf.around = (element) => {
  const within = [element, ...[...queryIn(element, '*')].slice(0, mostArmed)].map((e) => dom.shadowRoot(e));
  for (let tree = dom.rootOf(element); tree instanceof ShadowRoot; tree = dom.rootOf(tree.host)) within.push(tree);
  for (const tree of within) {
    if (!tree || wf.roots.has(tree)) continue;
    wf.roots.add(tree);
    wf.watch(tree);
    for (const e of tree.querySelectorAll('*')) {
      const inner = dom.shadowRoot(e);
      if (inner && !within.includes(inner)) within.push(inner);
    }
  }
};

// all returns what a selector matches in all known trees.
wf.all = (selector) => {
  const found = [];
  for (const tree of wf.roots) {
    if (tree !== document && !dom.isConnected(tree)) {
      wf.roots.delete(tree);
      continue;
    }
    const list = queryIn(tree, selector);
    for (let i = 0, n = list.length; i < n; i++) found.push(list[i]); // an iterator takes five times as long
  }
  return found;
};

// nested finds the open trees within the known ones, and returns their hosts
// and the slots that have something assigned.
wf.nested = () => {
  const hosts = [];
  const slots = [];
  for (const tree of wf.roots) {
    // What is added meanwhile is still visited.
    for (const e of tree === document ? [] : tree.querySelectorAll('*')) {
      const inner = dom.shadowRoot(e);
      if (inner) {
        hosts.push(e);
        if (!wf.roots.has(inner)) {
          wf.roots.add(inner);
          wf.watch(inner);
        }
      } else if (e instanceof HTMLSlotElement && e.assignedNodes().length) slots.push(e);
    }
  }
  return apart((place) => [...hosts, ...slots].map(place));
};

// rootOf returns the shadow root of an element, if it is open or known.
wf.rootOf = (element) => {
  const open = dom.shadowRoot(element);
  if (open) return open;
  for (const tree of wf.roots) if (tree.host === element) return tree;
  return null;
};

// active returns the element that has the focus, null if it is the body's.
wf.active = () => {
  let at = dom.activeElement(document);
  if (!at || at === dom.body(document) || at === root()) return null;
  for (;;) {
    const inner = wf.rootOf(at)?.activeElement;
    if (!inner) return at;
    at = inner;
  }
};
