// Screenshots for the documentation: node shots.mjs FOLDER

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Server, folder, launch, tutelage, wait } from "./harness.mjs";
import { teach } from "./person.mjs";

const out = process.argv[2] ?? "shots";
mkdirSync(out, { recursive: true });
const dir = folder();
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1440, height: 860 } });
page.on("console", (message) => { if (["error", "warning"].includes(message.type())) console.log("console:", message.text()); });
page.on("pageerror", (error) => console.log("page error:", error.message));
const shot = async (name) => { await page.screenshot({ path: join(out, `${name}.png`) }); console.log(name); };

for (const task of (process.argv[3] ?? "drive").split(",")) {
  const server = await Server.begin(["teach", task, "--out", task, "--states-per-round", "12", "--rounds", "6"], dir);
  await page.goto(server.url);
  await page.waitForFunction(() => document.body.dataset.ticket);
  await wait(2600);
  await shot(`${task}-question`);
  await page.keyboard.press("ArrowLeft");
  if (task === "drive") { await page.keyboard.press("ArrowLeft"); await page.keyboard.press("ArrowUp"); await page.keyboard.press("ArrowUp"); }
  await page.waitForFunction(() => document.body.dataset.previewed);
  await wait(1500);
  await shot(`${task}-preview`);
  await page.emulateMedia({ colorScheme: "dark" });
  await wait(300);
  await shot(`${task}-dark`);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 360, height: 740 });
  await wait(500);
  await shot(`${task}-narrow`);
  await page.setViewportSize({ width: 2560, height: 1400 });
  await wait(500);
  await shot(`${task}-2560`);
  await page.setViewportSize({ width: 1440, height: 860 });
  if (task === "drive" || task === "cart-pole") {
    await teach(page, task, { enough: () => page.evaluate(() => document.querySelectorAll("#curve circle").length >= 3) });
    await wait(700);
    await shot(`${task}-between`);
    await page.setViewportSize({ width: 360, height: 740 });
    await wait(300);
    await shot(`${task}-between-narrow`);
    await page.setViewportSize({ width: 1440, height: 860 });
  }
  await page.click("#settings-button");
  await wait(300);
  await shot(`${task}-keys`);
  await server.stop();
}
if (process.argv[4] !== "no-serve") {
  for (const [algorithm, seeds] of [["dagger", [1, 2, 3]], ["bd-5", [1, 2, 3]]]) {
    for (const seed of seeds) tutelage(dir, "learn", "cart-pole", "-a", algorithm, "--rounds", "6", "--states-per-round", "20", "--seed", String(seed), "--out", `runs/${algorithm}-${seed}`);
  }
  const server = await Server.begin(["serve", "."], dir);
  await page.goto(server.url);
  await page.waitForSelector("tbody tr");
  await shot("runs");
  await page.goto(server.url.split("?")[0] + "#compare");
  await page.waitForFunction(() => document.querySelector(".figure")?.naturalWidth > 0);
  await wait(300);
  await shot("compare");
  await page.setViewportSize({ width: 360, height: 740 });
  await wait(500);
  await shot("compare-narrow");
  await page.goto(server.url.split("?")[0] + "#");
  await wait(500);
  await shot("runs-narrow");
  await page.setViewportSize({ width: 1440, height: 860 });
  await page.goto(server.url.split("?")[0] + "#run=runs%2Fbd-5-1");
  await page.waitForFunction(() => /Reward in this film/.test(document.body.textContent));
  await wait(1200);
  await shot("run");
  await server.stop();
}
await browser.close();
