// status tells of the document what tick and activity tell.
wf.status = () => {
  const activity = wf.activity();
  return { tick: wf.tick(), activity };
};

// statusAfter is status once what was put off has run.
wf.statusAfter = async () => {
  await wf.rest();
  return wf.status();
};

// glance tells of the one element that a selector matches what its state and its
// place are, and of the document how it is. The element is remembered by a number.
wf.glance = (_, xpath, text, place, number) => {
  const status = wf.status();
  const { found } = wf.find(document, xpath, text);
  if (found.length !== 1) return { found: null, told: JSON.stringify(status) };
  const e = wf.keep(number, found[0]);
  const state = wf.state(e);
  const at = wf.locate(e, false, place);
  if (at.flags[5]) lookedAt.delete(standIn(e)); // the look that follows soon is the first of two
  return { found: e, place: at, told: JSON.stringify({ ...status, state }) };
};

// glanceAfter is statusAfter with the state of an element.
wf.glanceAfter = async (e) => ({ ...(await wf.statusAfter()), state: wf.state(e) });
