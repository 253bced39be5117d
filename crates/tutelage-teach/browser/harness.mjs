// Starts browsers and servers, and reads their logs.

import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const target = (path) => join(process.env.CARGO_TARGET_DIR ?? new URL("../../../target", import.meta.url).pathname, "debug", path);
export const BINARY = process.env.TUTELAGE_BINARY ?? target("tutelage");
export const OWN_WORLD = target("examples/own_world");

/** The path of Chromium, if it is installed. */
export function browserPath() {
  const named = [process.env.TUTELAGE_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  return named.find((path) => path && existsSync(path));
}

export const launch = () => chromium.launch({
  executablePath: browserPath(),
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

export const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
export const folder = () => mkdtempSync(join(tmpdir(), "tutelage-browser-"));

export function assert(holds, words) {
  if (!holds) throw new Error(words);
}

/** How long a condition may take, in milliseconds. It is long, since test machines can be slow. */
export const PATIENCE = 180_000;

/** Waits until a condition holds. */
export async function until(holds, words) {
  const end = Date.now() + PATIENCE;
  while (!(await holds())) {
    assert(Date.now() < end, `timed out: ${words}`);
    await wait(20);
  }
}

const freePort = () => new Promise((done) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});

/** `tutelage teach …` or `serve …` on a port that survives restarts. */
export class Server {
  /** All servers, so that they can be stopped after a test. */
  static all = new Set();

  static async begin(args, dir) {
    const server = new Server();
    Object.assign(server, { args, dir, port: await freePort(), starts: 0, kills: 0 });
    Server.all.add(server);
    await server.start();
    return server;
  }

  /** The example with a custom environment; its port changes with every start. */
  static async example(dir) {
    const server = new Server();
    Object.assign(server, { dir, starts: 0, kills: 0, own: [OWN_WORLD, [join(dir, "run")]] });
    Server.all.add(server);
    await server.start();
    return server;
  }

  async start() {
    const [program, args] = this.own ?? [BINARY, [...this.args, "--port", String(this.port), "--token-file", join(this.dir, "token")]];
    this.process = spawn(program, args, { cwd: this.dir, stdio: [this.own ? "pipe" : "ignore", "pipe", "pipe"] });
    this.ended = new Promise((done) => this.process.once("exit", (code, signal) => done({ code, signal })));
    this.errors = "";
    this.process.stderr.on("data", (data) => { this.errors += data; });
    let printed = "";
    const url = new Promise((done, failed) => {
      this.process.stdout.on("data", (data) => {
        printed += data;
        const match = /http:\S+token=\S+/.exec(printed);
        if (match) done(match[0]);
      });
      this.process.once("exit", () => failed(new Error(`the server ended: ${this.errors}`)));
    });
    this.url = await url;
    this.starts += 1;
  }

  /** Kills the server, which must be running. */
  async kill() {
    assert(this.process.exitCode === null && this.process.signalCode === null, `the server had ended: ${this.errors}`);
    this.process.kill("SIGKILL");
    const { signal } = await this.ended;
    assert(signal === "SIGKILL", `the server ended by ${signal}`);
    this.kills += 1;
  }

  async stop(signal = "SIGINT") {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill(signal);
    return this.ended;
  }

  /** Sends a request without a browser. */
  async request(path, body) {
    const token = readFileSync(join(this.dir, "token"), "utf8").trim();
    const headers = { Cookie: `tutelage-${this.port}=${token}`, Origin: `http://127.0.0.1:${this.port}` };
    const options = body ? { method: "POST", body: JSON.stringify(body), headers: { ...headers, "Content-Type": "application/json" } } : { headers };
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, options);
    return { status: response.status, body: await response.json() };
  }
}

export const tutelage = (dir, ...args) => execFileSync(BINARY, args, { cwd: dir, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** All replies in a run's log, in order: `{ round, rows, actions }`; `actions` is null for skipped rows. */
export function replies(run) {
  const log = readFileSync(join(run, "log.bin"));
  const found = [];
  for (let at = 12; at < log.length;) {
    const length = log.readUInt32LE(at);
    const record = log.subarray(at + 12, at + 12 + length);
    if (record[0] === 8) {
      const count = record.readUInt32LE(5);
      const rows = Array.from({ length: count }, (_, i) => record.readUInt32LE(9 + 4 * i));
      let place = 9 + 4 * count;
      let actions = null;
      if (place < record.length) {
        const [letter, width] = [String.fromCharCode(record[place]), record.readUInt32LE(place + 1)];
        const value = (i) => (letter === "f" ? record.readFloatLE(place + 9 + 4 * i) : record.readUInt32LE(place + 9 + 4 * i));
        actions = Array.from({ length: count * width }, (_, i) => value(i));
      }
      found.push({ round: record.readUInt32LE(1), rows, actions });
    }
    at += 12 + length;
  }
  return found;
}
