// What a page of a trap was made to feel, one line an event: its kind and the
// element, by its id, its name or its tag. The lines outlive the document. A
// script of the page adds its own by hit("…").
(() => {
  const tell = (line) => localStorage.setItem('hits', (localStorage.getItem('hits') ?? '') + line + '\n');
  const name = (e) => e.composedPath().find((at) => at.id)?.id ?? (e.target.name || e.target.localName);
  for (const kind of ['click', 'dblclick', 'input', 'change', 'drop']) {
    document.addEventListener(kind, (e) => tell(kind + ' ' + name(e)), true);
  }
  window.hit = tell;
})();
