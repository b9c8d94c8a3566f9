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

// all returns what a selector matches in all known trees.
wf.all = (selector) => {
  const found = [];
  for (const tree of wf.roots) {
    if (tree === document || dom.isConnected(tree)) for (const e of queryIn(tree, selector)) found.push(e);
    else wf.roots.delete(tree);
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
  return [...hosts, ...slots];
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
