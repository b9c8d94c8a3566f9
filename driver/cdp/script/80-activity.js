const busyMarks = '[aria-busy=true], [role=progressbar], progress:not([value]), [class*=skeleton i], [class*=spinner i], [class*=shimmer i]';

const shown = (e) => boxes(e).some(area) && visible(e) && dom.checkVisibility(e, { opacityProperty: true });

// activity tells how long ago something novel changed (negative: never),
// whether a transition runs, a busy mark is to be seen, the page is parsed.
// It is all novel that changed before anybody asked.
wf.activity = () => {
  asked = performance.now();
  wf.tick();
  const transitions = (document.getAnimations?.() ?? []).some((a) => a instanceof CSSTransition && a.playState === 'running');
  return [
    wf.mutated < 0 ? -1 : asked - wf.mutated,
    transitions,
    wf.all(busyMarks).some(shown),
    dom.readyState(document) === 'loading',
  ];
};
