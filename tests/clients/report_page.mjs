// report.html in a browser that Playwright drives: what axe finds, where links lead, and what keys and clicks do.
//
// Usage: node report_page.mjs FOLDER ADDRESS CASE. FOLDER is where npm installed the packages, ADDRESS that of the page, CASE the id of a case
// with two steps. Prints what it saw as one JSON object.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, address, id] = process.argv.slice(2);
const { chromium } = createRequire(join(folder, "x.js"))("playwright-core");
const axe = readFileSync(join(folder, "node_modules/axe-core/axe.min.js"), "utf8");
const seen = { violations: [], errors: [] };
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

/** Opens the page. */
const open = async (hash = "", options = {}) => {
  const page = await browser.newPage({ bypassCSP: true, viewport: { width: 1200, height: 700 }, ...options });
  page.on("pageerror", (error) => seen.errors.push(error.message));
  await page.goto(address + hash);
  return page;
};

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1200, 390]) {
    const page = await open("", { colorScheme, viewport: { width, height: 900 } });
    // Whatever is closed is looked at, too.
    await page.evaluate(() => document.querySelectorAll("details.panel").forEach((panel) => { panel.open = true; }));
    await page.evaluate(axe);
    const { violations, passes } = await page.evaluate(() => globalThis.axe.run());
    if (passes.length === 0) {
      seen.errors.push("axe tried nothing");
    }
    for (const { id: rule, nodes } of violations) {
      seen.violations.push({ rule, colorScheme, width, nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 160)) });
    }
    seen.overflow = (seen.overflow ?? 0) + (await page.evaluate(() => Math.max(0, document.body.scrollWidth - innerWidth)));
    await page.close();
  }
}

/** Tells what is open and which step is pointed at. */
const looked = (page) =>
  page.evaluate((wanted) => {
    const item = [...document.querySelectorAll(".case")].find((one) => one.dataset.id === wanted);
    const row = document.querySelector(".here");
    const box = (row ?? item).getBoundingClientRect();
    return { open: item.open, step: row?.value ?? null, inView: box.top >= 0 && box.top < innerHeight };
  }, id);

let page = await open(`#${encodeURIComponent(id)}`);
seen.caseLink = await looked(page);
await page.close();
page = await open(`#${encodeURIComponent(id)}/2`);
seen.stepLink = await looked(page);
await page.close();

page = await open();
const item = page.locator(`.case[data-id="${id}"]`);
await page.locator("#find").fill(await item.locator("h2").innerText());
await page.locator(".find output", { hasText: "1 of" }).waitFor();
seen.found = await page.locator(".case:visible").count();
await item.locator(":scope > summary").click();
seen.addressOfCase = new URL(page.url()).hash;
await item.locator(".steps > li").nth(1).click();
seen.addressOfStep = new URL(page.url()).hash;
await page.locator("#find").fill("");
await page.locator(".find output", { hasText: /^$/ }).waitFor({ state: "attached" });
await page.locator("body").click({ position: { x: 2, y: 2 } });
await page.keyboard.press("j");
seen.focused = await page.evaluate(() => document.activeElement.matches(".case > summary"));
await browser.close();
console.log(JSON.stringify(seen));
