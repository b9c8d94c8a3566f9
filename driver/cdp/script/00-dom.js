// A page may name a form control "matches", or an image "activeElement", and
// by the rules of the platform its name then hides the method or property,
// also from our world. So what matters is taken from the prototypes.
const unbound = (f) => Function.prototype.call.bind(f);
const method = (of, name) => unbound(of.prototype[name]);
const property = (of, name) => unbound(Object.getOwnPropertyDescriptor(of.prototype, name).get);

const dom = {
  rootOf: method(Node, 'getRootNode'),
  contains: method(Node, 'contains'),
  parentNode: property(Node, 'parentNode'),
  isConnected: property(Node, 'isConnected'),
  ownerDocument: property(Node, 'ownerDocument'),
  nodeType: property(Node, 'nodeType'),
  firstChild: property(Node, 'firstChild'),
  nextSibling: property(Node, 'nextSibling'),
  text: property(Node, 'textContent'),
  shownText: property(HTMLElement, 'innerText'),
  name: property(Element, 'localName'),
  shadowRoot: property(Element, 'shadowRoot'),
  assignedSlot: property(Element, 'assignedSlot'),
  matches: method(Element, 'matches'),
  closest: method(Element, 'closest'),
  attr: method(Element, 'getAttribute'),
  has: method(Element, 'hasAttribute'),
  all: method(Element, 'querySelectorAll'),
  rect: method(Element, 'getBoundingClientRect'),
  rects: method(Element, 'getClientRects'),
  animations: method(Element, 'getAnimations'),
  scrollIntoView: method(Element, 'scrollIntoView'),
  checkVisibility: method(Element, 'checkVisibility'),
  dispatch: method(EventTarget, 'dispatchEvent'),
  activeElement: property(Document, 'activeElement'),
  body: property(Document, 'body'),
  documentElement: property(Document, 'documentElement'),
  scroller: property(Document, 'scrollingElement'),
  readyState: property(Document, 'readyState'),
  find: method(Document, 'querySelectorAll'),
  at: method(Document, 'elementFromPoint'),
};
// apart takes nodes out of an answer: it returns the answer as text, which costs less than
// to have Chrome write objects, and behind it the nodes, each once. The text has their
// places, counted from 1, where tell has given them to its argument; 0 is no node.
const apart = (tell) => {
  const places = new Map();
  const place = (node) => {
    if (!node) return 0;
    if (!places.has(node)) places.set(node, places.size + 1);
    return places.get(node);
  };
  return [JSON.stringify(tell(place)), ...places.keys()];
};

const isElement = (node) => dom.nodeType(node) === 1;
const root = () => dom.documentElement(document);
const queryIn = (tree, selector) => {
  if (wf.document !== document) throw 'wayfinder: stale';
  return tree === document ? dom.find(tree, selector) : tree instanceof ShadowRoot ? tree.querySelectorAll(selector) : dom.all(tree, selector);
};
