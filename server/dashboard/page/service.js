// The service that this page is of, called as every client calls it.

const place = "wayfinder-key";
let key = sessionStorage.getItem(place) || "";
let wanted = () => {}; // is called when a key is needed

/** Failure is an answer that is no success. */
export class Failure extends Error {
  constructor(status, body, retry) {
    super(body?.message || `the service answered with ${status}`);
    this.status = status;
    this.code = body?.code || "";
    this.retry = retry;
  }
}

/** onKeyWanted says who is called when the service wants a key, with what is wrong. */
export function onKeyWanted(f) { wanted = f; }

/** hasKey reports whether a key is shown to the service. */
export const hasKey = () => key !== "";

/** useKey shows a key from now on; an empty one is none. */
export function useKey(k) {
  key = k;
  if (k) sessionStorage.setItem(place, k);
  else sessionStorage.removeItem(place);
}

async function send(method, path, body, { signal, headers = {} } = {}) {
  const shown = { ...headers };
  if (key) shown["x-svc-api-key"] = key;
  if (body !== undefined) shown["content-type"] = "application/json";
  const used = key;
  const answer = await fetch(path, {
    method, signal, headers: shown, body: body === undefined ? undefined : JSON.stringify(body),
    cache: "no-store", credentials: "same-origin", redirect: "error",
  });
  if (answer.ok) return answer;
  const failure = new Failure(answer.status, await answer.json().catch(() => null), Number(answer.headers.get("retry-after")) || 0);
  if (failure.status === 401 && used === key) wanted(used ? failure.message : "");
  throw failure;
}

/** call sends a request and returns the data of the answer. */
export async function call(method, path, body, options) {
  const answer = await (await send(method, path, body, options)).json();
  return answer.data ?? answer;
}

/** file is the answer of a request as it is. */
export const file = async (path, options) => (await send("GET", path, undefined, options)).blob();
export const get = (path, options) => call("GET", path, undefined, options);
export const post = (path, body, options) => call("POST", path, body, options);

/**
 * stream sends a request and yields the events of the answer, each with its id and
 * its data. Leaving the loop, or the signal, ends the request.
 */
export async function* stream(method, path, body, options) {
  const answer = await send(method, path, body, options);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const event = { id: "", data: "" };
        for (const line of text.slice(0, end).split("\n")) {
          if (line.startsWith("data:")) event.data += line.slice(5).trimStart();
          if (line.startsWith("id:")) event.id = line.slice(3).trim();
        }
        text = text.slice(end + 2);
        if (event.data) yield { id: event.id, data: JSON.parse(event.data) };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** pause waits, as long as the signal lets it. */
export const pause = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
});

/** seen resolves when somebody looks at this page. */
export const seen = (signal) => new Promise((resolve) => {
  const look = () => {
    if (document.visibilityState === "hidden" && !signal.aborted) return;
    document.removeEventListener("visibilitychange", look);
    resolve();
  };
  document.addEventListener("visibilitychange", look);
  signal.addEventListener("abort", look, { once: true });
  look();
});

let troubled = 0;

/** trouble says that the service does not answer; without words that it does. */
export function trouble(words) {
  const banner = document.querySelector("#trouble");
  troubled = words ? troubled + 1 : 0;
  banner.textContent = words || "";
  banner.hidden = troubled < 2; // one request may be lost
}

/** lost is what a failure means for somebody who asks again and again; throws what ends that. */
export function lost(failure, signal) {
  if (signal.aborted) return 0;
  if (failure instanceof Failure && (failure.status < 500 || failure.status === 501) && failure.status !== 429) throw failure;
  trouble(failure instanceof Failure ? `The service can’t answer now: ${failure.message}. Trying again.` : "The service does not answer. Trying again.");
  return Math.max(1500, (failure.retry || 0) * 1000);
}

/** again calls f now and then while somebody looks, until the signal. */
export async function again(every, signal, f) {
  while (!signal.aborted) {
    let wait = every;
    try {
      await seen(signal);
      if (signal.aborted) return;
      await f();
      trouble("");
    } catch (failure) {
      wait = lost(failure, signal);
    }
    await pause(wait, signal);
  }
}
