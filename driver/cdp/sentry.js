// The sentry runs in our world of every document before the page's own scripts,
// so that it hears of input before any of them. What it does then, the guard
// says; see script/75-guard.js.
(() => {
  if (globalThis.wayfinderSentry) { // of the window's first document
    wayfinderSentry.stand();
    return;
  }
  const sentry = (event) => sentry.on?.(event);
  sentry.stand = () => {
    const types = [
      'pointerover', 'pointermove', 'mouseover', 'mousemove',
      'pointerdown', 'mousedown', 'touchstart', 'keydown', 'beforeinput',
      'pointerup', 'mouseup', 'click', 'dblclick', 'input', 'auxclick', 'contextmenu', 'touchend', 'keypress', 'keyup',
    ];
    for (const type of types) window.addEventListener(type, sentry, { capture: true, passive: false });
  };
  sentry.stand();
  globalThis.wayfinderSentry = sentry;
})();
