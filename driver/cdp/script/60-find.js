const isFrame = (e) => /^(iframe|frame|object|embed|fencedframe)$/.test(dom.name(e));

// An XPath cannot begin at a shadow root, but an absolute one that begins at a
// node within counts from that root.
const absolute = (path) => {
  const open = /^[\s(]*/.exec(path)[0];
  const rest = path.slice(open.length);
  if (rest.startsWith('/')) return path;
  if (rest.startsWith('./')) return open + rest.slice(1);
  return open + '/' + rest;
};

const byXPath = (tree, path) => {
  const context = tree instanceof ShadowRoot ? tree.firstChild : tree;
  if (!context) return [];
  if (context !== tree) path = absolute(path);
  const result = document.evaluate(path, context, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  const found = [];
  for (let i = 0; i < result.snapshotLength; i++) {
    const e = result.snapshotItem(i);
    if (isElement(e) && (tree === document || e !== tree && dom.contains(tree, e))) found.push(e);
  }
  return found;
};

const find = (node, xpath, text) => {
  wf.check(node);
  // Who asks goes on in the frame's document or the closed shadow tree, if
  // there is one. A shadow tree that is known is entered here.
  const tree = isElement(node) ? wf.rootOf(node) ?? node : node;
  try {
    return { root: isElement(node) && tree === node ? node : null, found: xpath ? byXPath(tree, text) : [...queryIn(tree, text)] };
  } catch (e) {
    throw 'wayfinder: selector ' + e.message;
  }
};
wf.find = (...args) => apart((place) => {
  const { root, found } = find(...args);
  return { root: place(root), found: found.map(place) };
});
