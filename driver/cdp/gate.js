// The input gate's listeners run in our world of every document before the
// page's own scripts, so that they get input before any of them. What they do
// with it is decided in script/75-gate.js.
(() => {
  if (globalThis.wayfinderGate) { // of the window's first document
    wayfinderGate.listen();
    return;
  }
  const gate = (event) => gate.on?.(event);
  gate.first = document.readyState === 'loading'; // no script of the page listens yet
  gate.listen = () => {
    const types = [
      'pointerover', 'pointermove', 'mouseover', 'mousemove',
      'pointerdown', 'mousedown', 'touchstart', 'keydown', 'beforeinput', 'wheel',
      'pointerup', 'mouseup', 'click', 'dblclick', 'input', 'change', 'auxclick', 'contextmenu', 'touchend', 'keypress', 'keyup',
    ];
    for (const type of types) window.addEventListener(type, gate, { capture: true, passive: false });
  };
  gate.listen();
  globalThis.wayfinderGate = gate;
})();
