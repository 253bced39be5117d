// Requests to the server, and its events.

/** An error response of the server. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function read(response) {
  if (response.ok) return response.json();
  const body = await response.json().catch(() => null);
  throw new Refused(response.status, body?.error ?? `The server answered ${response.status}.`);
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

/** Calls `receive` with every event, and `lost` with whether the connection is lost. */
export function listen(path, receive, lost = () => {}) {
  const open = () => {
    const source = new EventSource(path);
    source.onopen = () => lost(false);
    source.onmessage = (event) => receive(JSON.parse(event.data));
    source.onerror = () => {
      lost(true);
      // Browsers reconnect only after seconds, and not at all after an error response.
      source.close();
      setTimeout(open, 300);
    };
  };
  open();
}

/** A unique id. */
export function uniqueId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
