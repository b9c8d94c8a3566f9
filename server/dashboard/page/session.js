// One session: live, its history and its outline; taken over, and given back.
import { all, chip, keep, make, one, show, tell, write } from "./dom.js";
import { Failure, get, lost, pause, post, seen, stream, trouble } from "./service.js";
import { line, saveJSON, saveTrace } from "./history.js";
import { stateOf } from "./sessions.js";
import { Screen } from "./screen.js";
import { trial } from "./try.js";

/** tabs has a list of tabs work, with the arrow keys too; opened is called with each. */
function tabs(box, opened) {
  const list = all("[role=tab]", box);
  const open = (tab, focus) => {
    for (const t of list) {
      t.setAttribute("aria-selected", String(t === tab));
      t.tabIndex = t === tab ? 0 : -1;
      show(one("#" + t.getAttribute("aria-controls"), box), t === tab);
    }
    if (focus) tab.focus();
    opened(tab.id);
  };
  list.forEach((tab, i) => {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (step) open(list[(i + step + list.length) % list.length], true);
    });
  });
  return (id) => open(list.find((t) => t.id === id));
}

/** follow calls take with each event of a live stream, and opens it again when it breaks. */
async function follow(path, query, signal, take, broken) {
  while (!signal.aborted) {
    await seen(signal);
    if (signal.aborted) return;
    const hidden = new AbortController();
    const look = () => { if (document.visibilityState === "hidden" && !take.busy) hidden.abort(); };
    document.addEventListener("visibilitychange", look);
    try {
      for await (const { data } of stream("GET", `${path}/live${query}`, undefined, { signal: AbortSignal.any([signal, hidden.signal]) })) {
        trouble("");
        take(data);
        if (data.type === "over") return;
      }
      broken();
      await pause(1000, signal);
    } catch (err) {
      broken();
      if (!hidden.signal.aborted) await pause(lost(err, signal), signal);
    } finally {
      document.removeEventListener("visibilitychange", look);
    }
  }
}

/** session shows one session. */
export async function session(box, signal, id) {
  const path = "/v1/sessions/" + encodeURIComponent(id), failure = one("[data-failure]", box);
  const fail = (err) => { if (!signal.aborted) tell(failure, err); };
  const takeButton = one("[data-take]", box), endButton = one("[data-end]", box), traceButton = one("[data-trace]", box), go = one("[data-go]", box);
  const history = one("[data-history]", box), outline = one("[data-outline]", box);
  let viewer = "", mine = false, asking = false, reading = null, known = false, over = false;
  document.title = "Session · Wayfinder";
  write(one("[data-title]", box), "Session");

  const screen = new Screen(box, path, signal, (err) => {
    fail(err);
    if (err instanceof Failure && err.code === "session_not_taken") hold(false);
  });
  trial(box, path, signal);
  const openTab = tabs(box, (tab) => {
    reading?.abort();
    reading = null;
    if (tab !== "tab-outline" || over) return;
    reading = new AbortController();
    const own = AbortSignal.any([signal, reading.signal]);
    follow(path, "?outline=true", own, (e) => { if (e.outline) write(outline, e.outline.text); }, () => {}).catch(() => {});
  });
  openTab("tab-try");

  /** hold shows whether the person has the session. */
  function hold(has) {
    mine = has;
    take.busy = has;
    screen.give(has ? viewer : "");
    for (const e of all("[data-hand]", box)) show(e, has);
    write(takeButton, asking ? "Waiting for the step under way …" : has ? "Give back" : "Take over");
    takeButton.disabled = asking || over;
  }

  function take(e) {
    switch (e.type) {
      case "hello":
        viewer = e.viewer;
        break;
      case "state":
        state(e.state);
        break;
      case "picture":
        if (e.picture.none && !known) openTab("tab-outline");
        known = true;
        show(takeButton, !e.picture.none); // there is nothing to point at
        screen.show(e.picture);
        break;
      case "entry":
        if (!one(`[data-id="${CSS.escape(e.entry.id)}"]`, history)) history.prepend(line(e.entry, e.url));
        show(one("[data-nothing]", box), false);
        write(one("[data-entries]", box), String(history.children.length));
        break;
      case "over":
        over = true;
        hold(false);
        endButton.disabled = true;
        chip(one("[data-state]", box), ["bad", "over"]);
        write(one("[data-doing]", box), e.message);
        write(screen.none, "The session is over.");
        show(screen.none, screen.image.hidden);
        break;
    }
  }

  function state(s) {
    const title = s.title || s.url || "no page";
    write(one("[data-title]", box), title);
    document.title = title + " · Wayfinder";
    write(one("[data-url]", box), s.url);
    show(traceButton, Boolean(s.traced));
    if (document.activeElement !== go.elements.url) go.elements.url.value = s.url;
    screen.name(s.title);
    screen.page ||= s.page;
    const has = s.taken !== "" && s.taken !== undefined && s.taken === viewer;
    chip(one("[data-state]", box), has ? ["taken", "you have it"] : stateOf(s));
    write(one("[data-doing]", box), s.doing ? (s.doing.over ? "last: " : "now: ") + s.doing.text : "");
    if (!asking && has !== mine) hold(has);
    const pages = one("[data-pages]", box);
    show(pages, s.pages.length > 1);
    keep(pages, s.pages, (p) => p.id, (p) => {
      const b = make("button", "");
      b.type = "button";
      b.addEventListener("click", () => {
        screen.page = p.id;
        screen.do({ type: "activate" });
      });
      return make("li", "", b);
    }, (e, p) => {
      const b = one("button", e);
      write(b, p.url);
      b.disabled = !mine;
      b.setAttribute("aria-pressed", String(p.id === s.page));
    });
  }

  takeButton.addEventListener("click", async () => {
    tell(failure, null);
    if (mine) {
      hold(false);
      await post(path + "/giveBack", { viewer }, { signal }).catch(fail);
      return;
    }
    asking = true;
    hold(false);
    let has = false;
    try {
      await post(path + "/take", { viewer }, { signal });
      has = true;
    } catch (err) {
      fail(err);
    }
    asking = false;
    if (!over) hold(has);
  });
  endButton.addEventListener("click", async () => {
    if (endButton.dataset.sure !== "yes") { // the second press ends it
      endButton.dataset.sure = "yes";
      write(endButton, "Really end it");
      await pause(4000, signal);
      delete endButton.dataset.sure;
      write(endButton, "End the session");
      return;
    }
    try {
      await post(path + "/end", {}, { signal });
      location.hash = "#/";
    } catch (err) {
      fail(err);
    }
  });
  go.addEventListener("submit", (e) => {
    e.preventDefault();
    tell(failure, null);
    const text = go.elements.url.value.trim();
    if (text) screen.do({ type: "navigate", url: /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : "https://" + text });
    screen.box.focus({ preventScroll: true });
  });
  for (const b of all("[data-move]", box)) b.addEventListener("click", () => screen.do({ type: b.dataset.move }));
  for (const b of all("[data-key]", box)) {
    b.addEventListener("click", () => screen.do({ type: "keydown", key: b.dataset.key }, { type: "keyup", key: b.dataset.key }));
  }
  one("[data-type]", box).addEventListener("submit", (e) => {
    e.preventDefault();
    const field = e.target.elements.text;
    if (field.value) screen.do({ type: "text", text: field.value });
    field.value = "";
  });
  one("[data-save]", box).addEventListener("click", async () => {
    try {
      saveJSON(await get(path + "/replay", { signal }), id);
    } catch (err) {
      fail(err);
    }
  });
  traceButton.addEventListener("click", () => saveTrace(traceButton, id, signal).catch(fail));

  try {
    await follow(path, "?picture=true", signal, take, () => { if (mine) hold(false); });
  } catch (err) {
    if (!signal.aborted && (err.status === 404 || err.status === 410)) {
      location.replace("#/ended/" + encodeURIComponent(id)); // what was done in it may be kept
      return;
    }
    over = true;
    hold(false);
    endButton.disabled = true;
    chip(one("[data-state]", box), ["bad", "over"]);
    write(screen.none, "There is nothing to see.");
    throw err;
  }
}
