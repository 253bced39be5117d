// Talking to the server: questions that are answered or not, and events that keep coming.

/** Why the server said no. */
export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

async function read(response) {
  if (response.ok) return response.json();
  const said = await response.json().catch(() => null);
  throw new Refused(response.status, said?.error ?? `The server answered ${response.status}.`);
}

export async function get(path) {
  return read(await fetch(path, { credentials: "same-origin" }));
}

export async function post(path, body = {}) {
  return read(await fetch(path, {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  }));
}

/** Hears what the server tells; `lost` is called with whether the connection is gone. */
export function listen(path, hear, lost = () => {}) {
  let source, timer, closed = false;
  const open = () => {
    source = new EventSource(path);
    source.onopen = () => lost(false);
    source.onmessage = (event) => hear(JSON.parse(event.data));
    source.onerror = () => {
      lost(true);
      // A browser waits for seconds, and gives up where the server refused; we do neither.
      source.close();
      clearTimeout(timer);
      if (!closed) timer = setTimeout(open, 300);
    };
  };
  open();
  return () => { closed = true; clearTimeout(timer); source.close(); };
}

/** A name that no other message has. */
export function freshName() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
