wf.self = (node) => apart((place) => place(node));

// check throws if a node is not where it was read. Go knows the words.
wf.check = (node) => {
  if (node !== document && dom.ownerDocument(node) !== document) throw 'wayfinder: stale';
  if (!dom.isConnected(node)) throw 'wayfinder: detached';
  wf.arm(node);
};

// Nodes that somebody works with are remembered by a number, so that the next
// call need not ask the browser for them again. They are not kept alive.
const remembered = new Map();
const mostRemembered = 256;
wf.keep = (number, node) => {
  remembered.delete(number);
  remembered.set(number, new WeakRef(node));
  if (remembered.size > mostRemembered) remembered.delete(remembered.keys().next().value);
  return node;
};
wf.kept = (number) => {
  const node = remembered.get(number)?.deref();
  if (!node) throw 'wayfinder: detached';
  return node;
};

const hostOf = (tree) => (tree instanceof ShadowRoot ? tree.host : null);

// slotOf returns the slot that takes a node. assignedSlot keeps quiet about
// closed trees, so their slots are asked.
const slotOf = (node) => {
  if (isElement(node)) {
    const slot = dom.assignedSlot(node);
    if (slot) return slot;
  }
  const parent = dom.parentNode(node);
  const tree = parent && isElement(parent) ? wf.rootOf(parent) : null;
  if (!tree) return null;
  for (const slot of tree.querySelectorAll('slot')) if (slot.assignedNodes().includes(node)) return slot;
  return null;
};

// up returns the parent in the flat tree.
const up = (node) => slotOf(node) ?? hostOf(dom.parentNode(node)) ?? dom.parentNode(node);

// chain yields an element and what is around it, from the inside out.
function* chain(node) {
  for (let at = node; at && at !== document; at = up(at)) if (isElement(at)) yield at;
}

const within = (node, ancestor) => {
  for (const at of chain(node)) if (at === ancestor) return true;
  return false;
};

// inside returns the children of a node in the flat tree.
const inside = (node) => {
  const assigned = node instanceof HTMLSlotElement ? node.assignedNodes() : [];
  if (assigned.length) return assigned;
  const children = [];
  for (let at = dom.firstChild((isElement(node) && wf.rootOf(node)) || node); at; at = dom.nextSibling(at)) children.push(at);
  return children;
};

// stands reports that some texts are still beside an element: in what is around it so far
// out, and in so many nodes before and behind that.
const stands = (e, { up: levels, from = 0, to = 0, texts }) => {
  let around = e;
  for (const at of chain(e)) {
    around = at;
    if (levels-- === 0) break;
  }
  if (levels >= 0) return false;
  const missing = new Set(texts);
  let open = [around];
  if (from || to) {
    const all = inside(up(around)).filter((node) => [1, 3].includes(dom.nodeType(node)));
    const at = all.indexOf(around);
    open = all.slice(Math.max(0, at + from), at + to + 1);
  }
  while (open.length && missing.size) {
    const at = open.pop();
    if (dom.nodeType(at) === 3) missing.delete(at.data);
    else open.push(...inside(at).reverse());
  }
  return missing.size === 0;
};

// deepest goes on from what is hit at a point into the trees below, as far as
// they are known.
const deepest = (at, x, y) => {
  for (;;) {
    const tree = at && wf.rootOf(at);
    const inner = tree?.elementFromPoint(x, y);
    if (!inner || inner === at || dom.rootOf(inner) !== tree) return at;
    at = inner;
  }
};

// hitToward returns the element at a point, looking into those trees that the
// target is in: the host of each has to be hit before its inside counts.
const hitToward = (target, x, y) => {
  const trees = [];
  for (let tree = dom.rootOf(target); tree; tree = hostOf(tree) && dom.rootOf(hostOf(tree))) trees.unshift(tree);
  let at = null;
  for (let i = 0; i < trees.length; i++) {
    const tree = trees[i];
    at = tree === document ? dom.at(document, x, y) : tree.elementFromPoint(x, y);
    if (i + 1 < trees.length && at !== hostOf(trees[i + 1])) break;
  }
  return at;
};
