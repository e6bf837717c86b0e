// The page of UI instances in a browser that Playwright drives: what axe finds, and whether pages catch up with a server that was killed.
//
// Usage: node ui_pages.mjs FOLDER UIXT DATA KILLS INSTANCE…. FOLDER is where npm installed the packages, DATA where instances are; the first instance has a number
// "Count" and a button "+1". Prints what it saw as one JSON object.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [folder, program, data, kills, ...instances] = process.argv.slice(2);
const { chromium } = createRequire(join(folder, "x.js"))("playwright-core");
const axe = readFileSync(join(folder, "node_modules/axe-core/axe.min.js"), "utf8");
const seen = { violations: [], errors: [], rounds: 0, differing: [], clicks: 0 };

let port = 0;
/** Starts the page's server; resolves once it says where it is. */
const start = async () => {
  const server = spawn(program, ["ui", "--port", String(port)], { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, UIXT_DATA_DIR: data } });
  const [address] = await new Promise((resolve) => createInterface(server.stdout).on("line", (line) => resolve([line])));
  port = new URL(address).port;
  return { server, address };
};

let { server, address } = await start();
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

for (const colorScheme of ["light", "dark"]) {
  for (const path of ["", "i/none", ...instances.map((id) => `i/${id}`)]) {
    const page = await browser.newPage({ colorScheme, bypassCSP: true, viewport: { width: 390, height: 900 } });
    page.on("pageerror", (error) => seen.errors.push(`${path}: ${error.message}`));
    await page.goto(address + path);
    await page.locator("main h1").waitFor();
    await page.getByText("Live").waitFor();
    await page.evaluate(axe);
    const { violations, passes } = await page.evaluate(() => globalThis.axe.run());
    if (passes.length === 0) {
      seen.errors.push(`${path}: axe tried nothing`);
    }
    for (const { id, help, nodes } of violations) {
      seen.violations.push({ path, colorScheme, id, help, nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 160)) });
    }
    await page.close();
  }
}

const pages = [];
for (let number = 0; number < 3; number += 1) {
  const page = await browser.newPage();
  await page.goto(`${address}i/${instances[0]}`);
  await page.getByRole("button", { name: "+1" }).waitFor();
  pages.push(page);
}
const counts = () => Promise.all(pages.map((page) => page.getByLabel("Count").inputValue()));
for (; seen.rounds < Number(kills); seen.rounds += 1) {
  const page = pages[seen.rounds % pages.length];
  await page.getByRole("button", { name: "+1", disabled: false }).click();
  // What was answered is counted; what was not may be there or not.
  const answered = page.getByRole("button", { name: "+1", disabled: false }).waitFor({ timeout: 10_000 });
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, (seen.rounds * 7) % 40))]);
  server.kill("SIGKILL");
  await new Promise((resolve) => server.once("exit", resolve));
  ({ server } = await start());
  await Promise.all(pages.map((one) => one.getByText("Live").waitFor({ timeout: 30_000 })));
  // Each of them shows what the others do, and goes on.
  await page.getByRole("button", { name: "+1", disabled: false }).click();
  await page.getByRole("button", { name: "+1", disabled: false }).waitFor();
  seen.clicks += 1;
  const until = Date.now() + 10_000;
  let now = await counts();
  while (new Set(now).size !== 1 && Date.now() < until) {
    now = await counts();
  }
  if (new Set(now).size !== 1) {
    seen.differing.push(now);
  }
}
seen.count = Number((await counts())[0]);
await browser.close();
server.kill();
console.log(JSON.stringify(seen));
