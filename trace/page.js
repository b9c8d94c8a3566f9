"use strict";
(() => {
  const all = (q, from = document) => [...from.querySelectorAll(q)];
  const one = (q, from = document) => from.querySelector(q);
  const steps = all(".step");
  const search = one("#search"), shown = one("#shown"), none = one("#none"), unfold = one("#unfold");

  // A picture that stands in the file once is shown wherever it belongs.
  const pictures = new Map(all("img[data-picture]").map((i) => [i.dataset.picture, i]));
  for (const i of all("img[data-same]")) {
    const first = pictures.get(i.dataset.same);
    if (first) i.src = first.src;
  }

  // Search and filters.
  const texts = steps.map((s) => s.textContent.toLowerCase());
  let filter = "all";
  const update = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    steps.forEach((s, i) => {
      const fits = (filter === "all" || s.dataset.tags.split(" ").includes(filter)) && words.every((w) => texts[i].includes(w));
      s.hidden = !fits;
      if (fits) n++;
    });
    shown.textContent = n === steps.length ? `${n} steps` : `${n} of ${steps.length} steps`;
    none.hidden = n > 0;
  };
  const filters = all("[data-filter]");
  const choose = (name) => {
    filter = name;
    for (const b of filters) b.setAttribute("aria-pressed", String(b.dataset.filter === name));
    update();
  };
  search.addEventListener("input", update);
  for (const b of filters) b.addEventListener("click", () => choose(b.dataset.filter));
  one("#clear").addEventListener("click", () => { search.value = ""; choose("all"); });

  // Folding.
  const fold = (open) => {
    for (const d of all(".step details, #pages details, #program details")) d.open = open;
    unfold.setAttribute("aria-pressed", String(open));
    unfold.textContent = open ? "Fold all" : "Unfold all";
  };
  unfold.addEventListener("click", () => fold(unfold.getAttribute("aria-pressed") !== "true"));
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all(".step details:not([open]):not(.long), #pages details:not([open])");
    for (const d of folded) d.open = true;
  });
  addEventListener("afterprint", () => { for (const d of folded) d.open = false; });

  // The step that keys belong to.
  let here = -1;
  const go = (i, move = true) => {
    if (here >= 0) steps[here].classList.remove("here");
    here = i;
    const s = steps[i];
    s.classList.add("here");
    if (move) {
      history.replaceState(null, "", "#" + s.id);
      s.focus({ preventScroll: true });
      s.scrollIntoView({ block: "start" });
    }
  };
  const next = (by) => {
    for (let i = here < 0 && by < 0 ? steps.length - 1 : here + by; i >= 0 && i < steps.length; i += by) {
      if (!steps[i].hidden) return go(i);
    }
  };
  const follow = () => {
    const i = steps.findIndex((s) => "#" + s.id === location.hash);
    if (i < 0) return;
    if (steps[i].hidden) { search.value = ""; choose("all"); }
    go(i, false);
    steps[i].scrollIntoView({ block: "start" });
  };
  addEventListener("hashchange", follow);
  follow();

  // Colors.
  const theme = one("#theme"), themes = ["auto", "dark", "light"];
  const paint = (name) => {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    one("span", theme).textContent = name;
    theme.setAttribute("aria-label", "Colors: " + (name === "auto" ? "as the system has them" : name));
  };
  const turn = () => paint(themes[(themes.indexOf(one("span", theme).textContent) + 1) % themes.length]);
  theme.addEventListener("click", turn);

  // Pictures, larger.
  const large = one("#large"), room = one("#large-picture");
  for (const b of all(".shot")) {
    b.addEventListener("click", () => {
      room.replaceChildren(...[...b.children].map((c) => c.cloneNode(true)));
      large.showModal();
    });
  }
  room.addEventListener("click", () => large.close());
  const help = one("#help");
  one("#help-open").addEventListener("click", () => help.showModal());

  // Copying, and the bundle.
  const copied = one("#copied");
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };
  for (const b of all("[data-copy]")) {
    b.addEventListener("click", async () => {
      const pre = document.getElementById(b.dataset.copy);
      const done = await copy(pre.textContent);
      copied.textContent = done ? "Copied." : "The browser does not let it be copied; it stands below.";
      if (!done) pre.closest("details").open = true;
    });
  }
  const save = one("#save");
  if (save) {
    save.addEventListener("click", async () => {
      const bytes = Uint8Array.from(atob(one("#bundle").textContent.trim()), (c) => c.charCodeAt(0));
      const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await new Response(plain).blob());
      link.download = save.dataset.name;
      link.click();
      copied.textContent = "Saved.";
    });
  }

  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || one("dialog[open]")) return;
    if (e.target === search) {
      if (e.key === "Escape") { search.value = ""; update(); search.blur(); }
      return;
    }
    const names = filters.map((b) => b.dataset.filter);
    const keys = {
      j: () => next(1), k: () => next(-1), "/": () => search.focus(), e: () => unfold.click(), t: turn, "?": () => help.showModal(),
      f: () => choose(names[(names.indexOf(filter) + 1) % names.length]),
      o: () => {
        if (here < 0) return;
        const parts = all("details", steps[here]), open = !parts.every((d) => d.open);
        for (const d of parts) d.open = open;
      },
      Escape: () => { search.value = ""; choose("all"); },
    };
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });
})();
